package finding

import (
	"testing"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/internal/reason"
	"github.com/resolvent/resolvent/resolver/result"
)

func TestSentence(t *testing.T) {
	etcd := properties.GVK{Group: "etcd.io", Version: "v1", Kind: "Etcd"}
	api := constraints.GVK{GVK: etcd, Message: "Install etcd."}
	bundle := func(pkg string, version uint64) reason.About {
		v := semver.Version{Major: version}
		return reason.About{Bundle: pkg + ".v" + v.String(), Package: pkg, Version: &v}
	}
	lost := reason.MissingPackage("p", nil, nil)
	for want, c := range map[string][]result.Reason{
		"no given catalog has package p (Install etcd.)":                      {reason.Requires(bundle("app", 1), api, lost)},
		"it is marked olm.deprecated by its publisher: never newly installed": {reason.Deprecated(bundle("app", 1))},
		"it requires an operator providing Etcd (etcd.io/v1) (Install etcd.); " +
			"2 bundles of zoo from 1.0.0 to 2.0.0: each requires an operator providing Etcd (etcd.io/v1) (Install etcd.), and no given catalog has package p; " +
			"a namespace has at most one provider of Etcd (etcd.io/v1)": {
			reason.RequiresOffered(bundle("app", 1), api), reason.Requires(bundle("zoo", 1), api, lost), reason.Requires(bundle("zoo", 2), api, lost),
			reason.OneAPI("", etcd, false),
		},
	} {
		of := result.BundleRef{Bundle: catalog.BundleKey{Package: "app", Name: "app.v1.0.0"}}
		assert.Equal(t, want, Sentence(&result.BundleCause{Bundle: of, Constraints: c}))
	}
}
