package finding

import (
	"testing"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

func TestSentence(t *testing.T) {
	etcd := properties.GVK{Group: "etcd.io", Version: "v1", Kind: "Etcd"}
	api := constraints.GVK{GVK: etcd, Message: "Install etcd."}
	rule := func(c words.Code, pkg string, version uint64, because ...result.Reason) result.Reason {
		v := semver.Version{Major: version}
		return result.New(c, result.Args{Bundle: pkg + ".v" + v.String(), Package: pkg, Version: &v, Constraint: api}, because...)
	}
	lost := result.New(words.MissingPackage, result.Args{Package: "p"})
	for want, c := range map[string][]result.Reason{
		"no given catalog has package p (Install etcd.)":                      {rule(words.Requires, "app", 1, lost)},
		"it is marked olm.deprecated by its publisher: never newly installed": {result.New(words.Deprecated, result.Args{Bundle: "app.v1.0.0", Package: "app"})},
		"it requires an operator providing Etcd (etcd.io/v1) (Install etcd.); " +
			"2 bundles of zoo from 1.0.0 to 2.0.0: each requires an operator providing Etcd (etcd.io/v1) (Install etcd.), and no given catalog has package p; " +
			"a namespace has at most one provider of Etcd (etcd.io/v1)": {
			rule(words.RequiresOffered, "app", 1), rule(words.Requires, "zoo", 1, lost), rule(words.Requires, "zoo", 2, lost),
			result.New(words.OneAPI, result.Args{APIs: []properties.GVK{etcd}}),
		},
	} {
		of := result.BundleRef{Bundle: catalog.BundleKey{Package: "app", Name: "app.v1.0.0"}}
		assert.Equal(t, want, Sentence(&result.BundleCause{Bundle: of, Constraints: c}))
	}
}
