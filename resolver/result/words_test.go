package result

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/constraints/versionrange"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

var (
	etcd      = properties.GVK{Group: "etcd.io", Version: "v1", Kind: "Etcd"}
	etcdKind  = properties.GVK{Group: "etcd.io", Kind: "Etcd"}
	community = catalog.Key{Namespace: "olm", Name: "community"}
	visible   = []catalog.Key{community}
	two       = []catalog.Key{{Name: "a"}, {Name: "b"}}
	faulty    = []catalog.Fault{{Bundle: "etcd.v1", Property: -1, Message: "it is broken"}}
	held      = &Hold{Reason: "Busy", Message: "wait\na little"}
	api       = constraints.GVK{GVK: etcd, Message: "Install\netcd."}
	requested = Request{Key: cluster.RequestKey{Kind: cluster.KindSubscription, Name: "s"}, Package: "etcd"}
)

// bundles of a package, the n-th one of version n.0.0.
func bundles(pkg string, n int) []BundleRef {
	list := make([]BundleRef, n)
	for i := range list {
		v := semver.Version{Major: uint64(i + 1)}
		list[i] = BundleRef{Bundle: catalog.BundleKey{Name: pkg + ".v" + v.String(), Package: pkg, Catalog: community}, Version: v}
	}
	return list
}

func versions(n int) []semver.Version {
	var list []semver.Version
	for _, b := range bundles("", n) {
		list = append(list, b.Version)
	}
	return list
}

// request changes a copy of the request.
func request(edit func(r *Request)) *Request {
	r := requested
	edit(&r)
	return &r
}

func extension(edit func(r *Request)) *Request {
	return request(func(r *Request) { r.Key.Kind, r.Key.Name = cluster.KindExtension, "e"; edit(r) })
}

// Of several bundles with limits of their own, the one that comes closest is named.
func TestClosest(t *testing.T) {
	three := bundles("etcd", 3)
	of := func(at int, c words.Code, limit, has string) string {
		return (&Explanation{Reason: New(c, Args{Version: &three[at].Version, Limit: limit, Has: has}), Bundles: three, All: true}).Text()
	}
	assert.Equal(t, "none of 3 versions of etcd from 1.0.0 to 3.0.0 declares OpenShift 4.16; 1.0.0 declares up to 4.8", of(0, words.OpenShift, "4.8", "4.16"))
	assert.Equal(t, "none of 3 versions of etcd from 1.0.0 to 3.0.0 declares OpenShift 4.16; the newest, 3.0.0, declares up to 4.8", of(2, words.OpenShift, "4.8", "4.16"))
	assert.Equal(t, "none of 3 versions of etcd from 1.0.0 to 3.0.0 runs on Kubernetes 1.25.0; 2.0.0 needs 1.30 or newer", of(1, words.Kubernetes, "1.30", "1.25.0"))
}

// ruleSample is what is said of one bundle, and of several for which the same holds.
type ruleSample struct {
	code      words.Code
	args      Args
	one, many string
}

func ruleSamples(t *testing.T) []ruleSample {
	apis, kinds := []properties.GVK{etcd}, []properties.GVK{etcdKind}
	return []ruleSample{
		{words.Requires, Args{Constraint: api}, "requires an operator providing Etcd (etcd.io/v1) (Install etcd.)", "require an operator providing Etcd (etcd.io/v1) (Install etcd.)"},
		{words.RequiresAny, Args{Constraint: constraints.Package{Name: "p", Range: within(t, ">1.0.0")}}, "requires package p in range >1.0.0", "require package p"},
		{words.Replaces, Args{Names: []string{"a", "b"}}, "takes the place of a and b", "take the place of a and b"},
		{words.AlreadyInstalled, Args{}, "is installed", "are installed"},
		{words.Deprecated, Args{}, "is marked olm.deprecated by its publisher: never newly installed", "are marked olm.deprecated by its publisher: never newly installed"},
		{words.OpenShift, Args{Limit: "4.8", Has: "4.16"}, "declares OpenShift up to 4.8, and this cluster has 4.16", "declare OpenShift up to 4.8, and this cluster has 4.16"},
		{words.OpenShift, Args{Limit: "4.8"}, "declares OpenShift up to 4.8, by its olm.maxOpenShiftVersion", "declare OpenShift up to 4.8, by their olm.maxOpenShiftVersion"},
		{words.Kubernetes, Args{Limit: "1.30", Has: "1.25.0"}, "needs Kubernetes 1.30 or newer, and this cluster has 1.25.0", "need Kubernetes 1.30 or newer, and this cluster has 1.25.0"},
		{words.Pinned, Args{Limit: "1.0.0"}, "is not allowed: package etcd is pinned to version 1.0.0", "are not allowed: package etcd is pinned to version 1.0.0"},
		{words.Pinned, Args{Other: "b"}, "is not allowed: package etcd is pinned to b", "are not allowed: package etcd is pinned to b"},
		{words.Pinned, Args{}, "is not allowed: package etcd is pinned to what is installed", "are not allowed: package etcd is pinned to what is installed"},
		{words.Forbidden, Args{Said: "no\nstrangers"}, "is not allowed here: no strangers", "are not allowed here: no strangers"},
		{words.Denied, Args{Said: "only patches (rule a of policy p)", Names: []string{"rule a of policy p"}},
			"is not allowed here: only patches (rule a of policy p)", "are not allowed here: only patches (rule a of policy p)"},
		{words.OwnedBeside, Args{APIs: apis, Request: extension(func(*Request) {})},
			"provides Etcd (etcd.io/v1), which ClusterExtension e owns already; a kind has one owner in a cluster",
			"provide Etcd (etcd.io/v1), which ClusterExtension e owns already; a kind has one owner in a cluster"},
		{words.OwnedBeside, Args{APIs: apis, Owner: &Owner{Namespace: "m", Name: "b"}},
			"provides Etcd (etcd.io/v1), which ClusterServiceVersion m/b owns already; a kind has one owner in a cluster",
			"provide Etcd (etcd.io/v1), which ClusterServiceVersion m/b owns already; a kind has one owner in a cluster"},
		{words.Owned, Args{APIs: kinds, Owner: &Owner{Namespace: "m", Name: "b"}},
			"provides Etcd.etcd.io, which ClusterServiceVersion m/b owns already; a kind has one owner in the cluster",
			"provide Etcd.etcd.io, which ClusterServiceVersion m/b owns already; a kind has one owner in the cluster"},
		{words.Owned, Args{APIs: kinds, Owner: &Owner{Namespace: "m", Name: "b", Chosen: true}},
			"provides Etcd.etcd.io, which b, chosen for namespace m, owns; a kind has one owner in the cluster",
			"provide Etcd.etcd.io, which b, chosen for namespace m, owns; a kind has one owner in the cluster"},
		{words.OtherVersions, Args{APIs: kinds, Has: "v1", Owner: &Owner{Namespace: "m", Name: "b"}, Limit: "v2"},
			"provides Etcd.etcd.io as v1, and ClusterServiceVersion m/b provides it as v2; a kind has one set of versions in the cluster",
			"provide Etcd.etcd.io as v1, and ClusterServiceVersion m/b provides it as v2; a kind has one set of versions in the cluster"},
		{words.OtherVersions, Args{APIs: kinds, Has: "v1", Owner: &Owner{Namespace: "m"}},
			"provides Etcd.etcd.io as v1, and bundles of namespace m in other versions; a kind has one set of versions in the cluster",
			"provide Etcd.etcd.io as v1, and bundles of namespace m in other versions; a kind has one set of versions in the cluster"},
		{words.WrongMode, Args{Owner: &Owner{Name: "g"}, Limit: "OwnNamespace", Has: "none"},
			"lacks install mode OwnNamespace, which OperatorGroup g needs; supported: none (UnsupportedOperatorGroup)",
			"lack install mode OwnNamespace, which OperatorGroup g needs; supported: none (UnsupportedOperatorGroup)"},
		{words.TakenAPI, Args{APIs: apis, Owner: &Owner{Namespace: "m", Name: "g"}},
			"provides Etcd (etcd.io/v1), which OperatorGroup m/g with common target namespaces provides already (InterOperatorGroupOwnerConflict)",
			"provide Etcd (etcd.io/v1), which OperatorGroup m/g with common target namespaces provides already (InterOperatorGroupOwnerConflict)"},
		{words.TakenAPI, Args{APIs: apis, Other: "b", Owner: &Owner{Namespace: "m", Name: "g"}},
			"provides Etcd (etcd.io/v1), as b of namespace m does, whose OperatorGroup g has target namespaces in common (InterOperatorGroupOwnerConflict)",
			"provide Etcd (etcd.io/v1), as b of namespace m does, whose OperatorGroup g has target namespaces in common (InterOperatorGroupOwnerConflict)"},
		{words.SharedAPI, Args{APIs: apis, Owner: &Owner{Namespace: "m"}},
			"provides Etcd (etcd.io/v1), as bundles of namespace m do, whose OperatorGroup has target namespaces in common (InterOperatorGroupOwnerConflict)",
			"provide Etcd (etcd.io/v1), as bundles of namespace m do, whose OperatorGroup has target namespaces in common (InterOperatorGroupOwnerConflict)"},
		{words.StaticGroup, Args{APIs: apis, Owner: &Owner{Name: "g"}},
			"provides Etcd (etcd.io/v1), which the static OperatorGroup g does not list (CannotModifyStaticOperatorGroupProvidedAPIs)",
			"provide Etcd (etcd.io/v1), which the static OperatorGroup g does not list (CannotModifyStaticOperatorGroupProvidedAPIs)"},
		{words.Provides, Args{APIs: []properties.GVK{etcd}}, "provides Etcd (etcd.io/v1)", "provide Etcd (etcd.io/v1)"},
		{words.SamePackage, Args{Other: "etcd"}, "can satisfy it", "can satisfy it"},
		{words.SameName, Args{Other: "b"}, "has the name b", "has the name b"},
		{words.CanSatisfy, Args{}, "can satisfy it", "can satisfy it"},
	}
}

func TestRules(t *testing.T) {
	for _, c := range ruleSamples(t) {
		c.args.Bundle, c.args.Package = "etcd.v1.0.0", "etcd"
		reason := New(c.code, c.args)
		assert.Equal(t, c.one, reason.Phrase())
		assert.Equal(t, "etcd.v1.0.0 "+c.one, reason.Message())
		all := Explanation{Reason: reason, Bundles: bundles("etcd", 3), All: true}
		assert.Equal(t, "all 3 versions of etcd from 1.0.0 to 3.0.0 "+c.many, all.Text())
	}
}

// said are reasons with their words, which do not change with the number of bundles.
func said(t *testing.T) map[string]Reason {
	fault := New(words.NoPackage, Args{Package: "etcd", Searched: &Searched{Catalogs: visible}, Names: []string{"etcd2"}})
	obligation := New(words.Requires, Args{Bundle: "app.v1", Constraint: api})
	decided := func(c words.Code, has string) Reason {
		limit := map[string]string{"0": "0", "1": "1", "2": "1"}[has]
		return New(c, Args{Catalog: community, Other: "x", Has: has, Limit: limit})
	}
	b := func(c words.Code, args Args) Reason {
		args.Bundle, args.Catalog = "b", community
		return New(c, args)
	}
	inRange := constraints.Package{Name: "p", Range: within(t, ">1.0.0")}
	label := constraints.Label{Label: "l"}
	missing := New(words.MissingPackage, Args{Package: "p", Searched: &Searched{Catalogs: visible, Namespace: "n"}, Names: []string{"q"}})
	never := New(words.Requires, Args{Bundle: "h", Constraint: api}, missing)
	deprecated := New(words.Deprecated, Args{Bundle: "h"})
	dead := func(names ...string) Reason {
		return New(words.DeadEnd, Args{Request: request(func(r *Request) { r.Installed = "i" }), Channel: "c", Names: names})
	}
	below := func(because ...Reason) Reason {
		return New(words.BelowHead, Args{Subject: "x", Other: "h", Channel: "c", Package: "p"}, because...)
	}
	not := func(c words.Code, args Args, because ...Reason) Reason {
		args.Bundle, args.Request = "b", &requested
		return New(c, args, because...)
	}
	return map[string]Reason{
		// requests
		"Subscription s asks for package etcd": New(words.Subscription, Args{Request: &requested}),
		"Subscription s in namespace n asks for package etcd in channel beta of catalog olm/community; etcd.v1 is installed: only etcd.v1.0.0 can satisfy it": New(words.Subscription, Args{Request: request(func(r *Request) {
			r.Key.Namespace, r.Jointly, r.Channels, r.Catalog, r.Installed = "n", true, []string{"beta"}, catalog.Key{Namespace: "olm", Name: "community"}, "etcd.v1"
		}), Bundles: bundles("etcd", 1)}),
		"Subscription s asks for package etcd, startingCSV etcd.v1: all 3 versions of etcd from 1.0.0 to 3.0.0 can satisfy it":    New(words.Subscription, Args{Request: request(func(r *Request) { r.StartingCSV = "etcd.v1" }), Bundles: bundles("etcd", 3)}),
		"Subscription s must keep etcd.v1: its operator is not upgradeable (Busy: wait a little)":                                 New(words.Hold, Args{Request: request(func(r *Request) { r.Installed, r.Hold = "etcd.v1", held })}),
		"ClusterExtension e asks for package etcd in channels a or b in version >1: etcd.v1.0.0 or zoo.v1.0.0 can satisfy it":     New(words.Extension, Args{Request: extension(func(r *Request) { r.Channels, r.Version = []string{"a", "b"}, ">1" }), Bundles: append(bundles("etcd", 1), bundles("zoo", 1)...)}),
		"Subscription s cannot be satisfied in namespace n: catalog olm/community has no package etcd; the nearest name is etcd2": New(words.Subscription, Args{Request: request(func(r *Request) { r.Key.Namespace, r.Jointly = "n", true })}, fault),
		"Subscription s asks for package etcd: b is the first of 2 candidates":                                                    New(words.Subscription, Args{Request: &requested, Other: "b", Count: 2}),
		"Subscription s asks for package etcd: b is the first possible of 2 candidates, at place 2":                               New(words.Subscription, Args{Request: &requested, Other: "b", Place: 1, Count: 2}),
		"app.v1 requires an operator providing Etcd (etcd.io/v1) (Install etcd.): b is the only candidate":                        New(words.Requires, Args{Bundle: "app.v1", Constraint: api, Other: "b", Count: 1}),
		"b is installed in namespace n, and no Subscription names it: it must stay":                                               New(words.Installed, Args{Bundle: "b", Namespace: "n"}),
		"b is installed, and not by ClusterExtension e: it must stay":                                                             New(words.Stays, Args{Bundle: "b", Request: extension(func(*Request) {})}),
		"b is installed, and stays where Subscription s cannot be satisfied":                                                      New(words.StaysLeftOut, Args{Bundle: "b", Request: &requested}),
		"b in namespace n was chosen before":                                                                                      New(words.Selected, Args{Bundle: "b", Namespace: "n"}),
		"if b were selected:":                                                                                                     New(words.Asked, Args{Bundle: "b"}),
		"an alternative of a constraint was decided for before":                                                                   New(words.Committed, Args{}),
		// rules
		"x requires an operator providing Etcd (etcd.io/v1) (Install etcd.)": New(words.RequiresOffered, Args{Bundle: "x", Constraint: api}),
		"a namespace has at most one bundle of package p":                    New(words.OnePackage, Args{Package: "p"}),
		"namespace n has at most one bundle named b":                         New(words.OneName, Args{Bundle: "b", Namespace: "n"}),
		"a cluster has at most one provider of Etcd.etcd.io":                 New(words.OneAPI, Args{APIs: []properties.GVK{etcdKind}, OneInCluster: true}),
		"as for an operator providing Etcd (etcd.io/v1):":                    New(words.Part, Args{Constraint: api}),
		"that excludes x": New(words.Excluded, Args{Bundle: "x"}),
		"it requires an operator providing Etcd (etcd.io/v1), which cannot hold with it": New(words.CannotHold, Args{Constraint: api}),
		// what requests name
		"it names no package; set spec.name": New(words.NoBundles, Args{Request: &Request{}}),
		"catalog comunity is not among the catalogs given; the nearest names are community, other": New(words.UnknownCatalog, Args{Request: request(func(r *Request) { r.Catalog.Name = "comunity" }), Names: []string{"community", "other"}}),
		"catalog c is excluded by the caller":                                                      New(words.CatalogExcluded, Args{Request: request(func(r *Request) { r.Catalog.Name = "c" })}),
		"it could be served by a catalog that is unhealthy: olm/community (down)":                  New(words.CatalogsUnhealthy, Args{Err: &CatalogsUnhealthy{Catalogs: []UnhealthyCatalog{{community, errors.New("down")}}}}),
		"package etcd has no channel x; its channels are a, b":                                     New(words.NoChannel, Args{Request: request(func(r *Request) { r.Channels = []string{"x"} }), Names: []string{"a", "b"}}),
		"package etcd has no such channels (x, y); its channel is a":                               New(words.NoChannel, Args{Request: extension(func(r *Request) { r.Channels = []string{"x", "y"} }), Names: []string{"a"}}),
		"package etcd has no startingCSV x; the nearest name is y":                                 New(words.NoStartingCSV, Args{Request: request(func(r *Request) { r.StartingCSV = "x" }), Names: []string{"y"}}),
		"channel a of package etcd offers no bundle":                                               New(words.NoBundles, Args{Request: request(func(r *Request) { r.Channels = []string{"a"} })}),
		"package etcd offers no bundle in channels a, b":                                           New(words.NoBundles, Args{Request: extension(func(r *Request) { r.Channels = []string{"a", "b"} })}),
		"package etcd has no channel":                                                              New(words.NoUsableChannel, Args{Request: &requested}),
		`package etcd has no bundle with a version in ">9"; it has only 1.0.0`:                     New(words.NoVersion, Args{Request: extension(func(r *Request) { r.Version = ">9" }), Searched: &Searched{Versions: versions(1)}}),
		`package etcd has no bundle with a version in ">9"; it has no usable version`:              New(words.NoVersion, Args{Request: extension(func(r *Request) { r.Version = ">9" })}),
		"catalog olm/community has no package etcd; the nearest name is etcd2":                     fault,
		"namespace n does not see catalog c: it is neither in that namespace nor in a global one":  New(words.CatalogInvisible, Args{Request: request(func(r *Request) { r.Catalog.Name = "c" }), Owner: &Owner{Namespace: "n"}}),
		`catalog c cannot be used, as OperatorGroup g in namespace n leaves global catalogs out (its annotation olm.operatorframework.io/exclude-global-namespace-resolution is "true")`: New(words.CatalogInvisible, Args{Request: request(func(r *Request) { r.Catalog.Name = "c" }), Owner: &Owner{Namespace: "n", Name: "g"}}),
		"channel a of package etcd cannot be used: it has a cycle; channel b of package etcd cannot be used: it has no head": New(words.NoUsableChannel, Args{Request: &requested},
			New(words.BrokenChannel, Args{Package: "etcd", Channel: "a", Said: "it has a cycle"}), New(words.BrokenChannel, Args{Package: "etcd", Channel: "b", Said: "it has no head"})),
		"channel a of package etcd lists the startingCSV x, but no usable bundle has that name; left out for faults of the catalog: bundle etcd.v1: it is broken":    New(words.LostStartingCSV, Args{Request: request(func(r *Request) { r.StartingCSV, r.Channels = "x", []string{"a"} }), Searched: &Searched{Faults: faulty}}),
		`package etcd has no bundle with a version in ">9"; it has 6 versions from 1.0.0 to 6.0.0; left out for faults of the catalog: bundle etcd.v1: it is broken`: New(words.NoVersion, Args{Request: extension(func(r *Request) { r.Version = ">9" }), Searched: &Searched{Versions: versions(6), Faults: faulty}}),
		`no bundle of package etcd updates the installed etcd.v1, which itself is not in ">9"`:                                                                       New(words.NoSuccessor, Args{Request: extension(func(r *Request) { r.Installed, r.Version = "etcd.v1", ">9" })}),
		`">9" of package etcd is asked for, but the installed etcd.v1 cannot be updated to that directly, only to a and b, which the range does not allow`:           New(words.NoSuccessor, Args{Request: extension(func(r *Request) { r.Installed, r.Version = "etcd.v1", ">9" }), Names: []string{"a", "b"}}),
		"no bundle of package etcd in channels a updates the installed etcd.v1, which itself is not in channels a":                                                   New(words.SuccessorUnlisted, Args{Request: extension(func(r *Request) { r.Installed, r.Channels = "etcd.v1", []string{"a"} })}),
		"no bundle of package etcd updates the installed etcd.v1, which itself is not offered any more":                                                              New(words.SuccessorGone, Args{Request: extension(func(r *Request) { r.Installed = "etcd.v1" })}),
		"OLM v1 refuses its best bundle etcd.v1, which requires an operator providing Etcd (etcd.io/v1), and OLM v1 resolves no dependencies; and which owns the API service Etcd (etcd.io/v1), and OLM v1 creates none": New(words.Refused, Args{Other: "etcd.v1"},
			New(words.RefusedDependency, Args{Bundle: "etcd.v1", Names: []string{api.String()}}), New(words.RefusedAPIService, Args{Bundle: "etcd.v1", APIs: []properties.GVK{etcd}})),
		// what is missing
		"namespace n sees no catalog that can be used":                                                New(words.NoCatalog, Args{Searched: &Searched{Namespace: "n"}}),
		"no available catalog has the labels that the selector asks for":                              New(words.NoCatalog, Args{Searched: &Searched{Unselected: true}}),
		"no available catalog is given":                                                               New(words.NoCatalog, Args{}),
		"no available catalog is given, so package p cannot be found":                                 New(words.MissingPackage, Args{Package: "p"}),
		"none of the catalogs a, b has package p":                                                     New(words.MissingPackage, Args{Package: "p", Searched: &Searched{Catalogs: two}}),
		"no version of package p in catalog olm/community is in range >1.0.0; it has 1.0.0 and 2.0.0": New(words.MissingVersion, Args{Package: "p", Constraint: inRange, Searched: &Searched{Catalogs: visible, Versions: versions(2)}}),
		"no version of package p in range >1.0.0 can be chosen from catalogs a and b":                 New(words.MissingVersion, Args{Package: "p", Constraint: inRange, Searched: &Searched{Catalogs: two}, Bundles: bundles("p", 2)}),
		"no operator of the visible catalog olm/community provides Etcd (etcd.io/v1); that kind is provided as etcd.io/v2 (by package p) only": New(words.MissingAPI, Args{APIs: []properties.GVK{etcd}, Searched: &Searched{Catalogs: visible, Namespace: "n"}},
			New(words.OtherVersion, Args{APIs: []properties.GVK{{Group: "etcd.io", Version: "v2", Kind: "Etcd"}}, Package: "p"})),
		"no operator that can be chosen provides Etcd (etcd.io/v1)":                                                                                                        New(words.MissingAPI, Args{APIs: []properties.GVK{etcd}, Bundles: bundles("b", 1)}),
		"no operator of the available catalogs a and b carries the label l":                                                                                                New(words.MissingLabel, Args{Subject: "l", Constraint: label, Searched: &Searched{Catalogs: two}}),
		"no available catalog is given, so no operator carries the label l":                                                                                                New(words.MissingLabel, Args{Subject: "l", Constraint: label}),
		"no operator of the visible catalog olm/community satisfies the rule":                                                                                              New(words.NoMatch, Args{Constraint: constraints.CEL{}, Searched: &Searched{Catalogs: visible, Namespace: "n"}}),
		"no operator that can be chosen satisfies the rule":                                                                                                                New(words.NoMatch, Args{Constraint: constraints.CEL{}, Searched: &Searched{Catalogs: visible, Namespace: "n"}, Bundles: bundles("b", 1)}),
		"no single operator of the visible catalog olm/community satisfies all of that":                                                                                    New(words.NoMatch, Args{Constraint: constraints.All{}, Searched: &Searched{Catalogs: visible, Namespace: "n"}}),
		"the rule cannot be evaluated on some bundles, such as b of catalog olm/community, and so they do not satisfy it: no such key":                                     b(words.RuleFailed, Args{Err: errors.New("no such\nkey")}),
		"no bundle of package p satisfies the rule, which cannot be evaluated on b of catalog olm/community: no catalog can help, its author must correct it: no such key": b(words.RuleNeverHolds, Args{Package: "p", Err: errors.New("no such\nkey")}),
		"b of catalog olm/community provides it, but channel a cannot be used: it has a cycle":                                                                             b(words.NotOffered, Args{Constraint: api, Err: &Unlisted{Channel: "a", Fault: "it has a cycle"}}),
		"b of catalog olm/community is in range, but channel a skips it; only startingCSV reaches it":                                                                      b(words.NotOffered, Args{Constraint: inRange, Err: &Unlisted{Channel: "a", Skipped: true}}),
		"b of catalog olm/community is in range, but its bundle is left out for a fault: x":                                                                                b(words.NotOffered, Args{Constraint: inRange, Err: &Unlisted{Channel: "a", NoBundle: true, Quarantine: errors.New("x")}}),
		"b of catalog olm/community is in range, but channel a lists it, but the catalog has no bundle of that name":                                                       b(words.NotOffered, Args{Constraint: inRange, Err: &Unlisted{Channel: "a", NoBundle: true}}),
		"b of catalog olm/community is in range, but it is not on the chain of updates below the head of channel a":                                                        b(words.NotOffered, Args{Constraint: inRange, Err: &Unlisted{Channel: "a"}}),
		"b of catalog olm/community is in range, but no channel lists it":                                                                                                  b(words.NotOffered, Args{Constraint: inRange, Err: &Unlisted{}}),
		"b of catalog olm/community satisfies it, but the installed b counts instead":                                                                                      b(words.InstalledInstead, Args{Constraint: label}),
		"b cannot be used: channel c skips it, and nothing updates to what is skipped":                                                                                     b(words.Unusable, Args{Err: &Unlisted{Channel: "c", Skipped: true}}),
		"b of catalog olm/community would provide it, but is left out for a fault: x":                                                                                      b(words.Quarantined, Args{APIs: []properties.GVK{etcd}, Err: errors.New("x")}),
		"catalog olm/community: left out for a fault: x":                                                                                                                   New(words.Quarantined, Args{Catalog: community, Err: errors.New("x")}),
		"catalog olm/community has it (b), but namespace n does not see that catalog":                                                                                      b(words.InvisibleCatalog, Args{Package: "p", Owner: &Owner{Namespace: "n"}}),
		"catalog olm/community has it, but that catalog is not available":                                                                                                  b(words.InvisibleCatalog, Args{Owner: &Owner{}}),
		"catalog olm/community has it, but that catalog is unhealthy":                                                                                                      b(words.UnhealthyCatalog, Args{}),
		"catalog olm/community has package p, but the request does not ask that catalog":                                                                                   New(words.NotAskedCatalog, Args{Catalog: community, Package: "p"}),
		"catalog olm/community has package p, but the caller excludes that catalog":                                                                                        New(words.ExcludedCatalog, Args{Catalog: community, Package: "p"}),
		// why, and why not
		"b c is selected in namespace n":   New(words.IsSelected, Args{Subject: "b\nc", Request: request(func(r *Request) { r.Key = cluster.RequestKey{Kind: cluster.KindSubscription, Namespace: "n"} })}),
		"b is kept for ClusterExtension e": New(words.IsKept, Args{Subject: "b", Request: extension(func(*Request) {})}),
		"b is not selected in namespace n": New(words.NotSelected, Args{Subject: "b", Request: request(func(r *Request) { r.Key = cluster.RequestKey{Kind: cluster.KindSubscription, Namespace: "n"} })}),
		"app.v1 requires an operator providing Etcd (etcd.io/v1) (Install etcd.): b, at place 1 of its candidates, is preferred to c, at place 3":                                                                                                                             New(words.Preferred, Args{Bundle: "b", Other: "c", Count: 2}, obligation),
		"app.v1 requires an operator providing Etcd (etcd.io/v1) (Install etcd.): b is preferred to c, as catalogs olm/community and x both have priority 0, so that the order of their names decides; a higher priority of x, or a lower one of olm/community, changes that": New(words.Preferred, Args{Bundle: "b", Other: "c", Count: 2}, obligation, decided(words.CatalogName, "0")),
		"catalogs olm/community and x both have priority 1, and only the first is in the namespace; a higher priority of x, or a lower one of olm/community, changes that":                                                                                                    decided(words.OwnNamespaceFirst, "1"),
		"the priority of catalog olm/community is 2, and that of x 1; a priority of x above 2 changes that":                                                                                                                                                                   decided(words.HigherPriority, "2"),
		"it is an update of what is installed": New(words.UpdateFirst, Args{}),
		"c is deprecated":                      New(words.NotDeprecatedFirst, Args{Other: "c"}),
		"the request names its catalog, olm/community; updates from others come after those":                                                                  New(words.NamedCatalogFirst, Args{Catalog: community, Other: "x"}),
		"it is in catalog olm/community, as the bundle that requires it; priorities count after that, and only a request of its own can name another catalog": New(words.OwnCatalogFirst, Args{Catalog: community, Other: "x"}),
		"it comes through the default channel a of package p, and the other one through another channel only":                                                 New(words.DefaultChannel, Args{Package: "p", Channel: "a"}),
		"the name of its package, p, comes before q":                                                                                                          New(words.PackageName, Args{Package: "p", Other: "q"}),
		"the name of its channel, a, comes before b, and neither is a default channel":                                                                        New(words.ChannelName, Args{Channel: "a", Other: "b"}),
		"its version is the higher one": New(words.HigherVersion, Args{}),
		"its version is the higher one: 1.0.0-5 is a prerelease by its suffix, and so stands below the release of that number":                                                                New(words.HigherVersion, Args{Limit: "1.0.0-5"}),
		"both have version 1.0.0, and its release 2 is the higher one":                                                                                                                        New(words.SameVersion, Args{Said: "1.0.0", Limit: "2"}),
		"both have version 1.0.0, and its name comes first":                                                                                                                                   New(words.SameVersion, Args{Said: "1.0.0"}),
		"it is nearer to the head of channel a":                                                                                                                                               New(words.NearerHead, Args{Channel: "a"}),
		"app.v1 requires an operator providing Etcd (etcd.io/v1) (Install etcd.), which b satisfies already":                                                                                  New(words.Satisfied, Args{Bundle: "b"}, obligation),
		"no request asks for it, and nothing that is selected requires it":                                                                                                                    New(words.Unasked, Args{}),
		"Subscription s asks for package etcd, and so nothing else can be chosen":                                                                                                             not(words.UpdatesHeld, Args{}),
		"Subscription s asks for package etcd, and b is in catalog olm/community":                                                                                                             not(words.CatalogNotAsked, Args{Searched: &Searched{Catalogs: visible}}),
		"Subscription s asks for package etcd, and that channel does not list b":                                                                                                              not(words.NotInChannel, Args{}),
		"Subscription s asks for package etcd, and none of these channels lists b":                                                                                                            not(words.NotInChannels, Args{}),
		"Subscription s asks for package etcd, and so b is no candidate":                                                                                                                      not(words.OtherStartingCSV, Args{}),
		"Subscription s asks for package etcd, and b is not an update of it: it stands below it in channel a":                                                                                 not(words.BelowInstalled, Args{Channel: "a"}),
		"Subscription s asks for package etcd, and b is not an update of it: channel a skips it":                                                                                              not(words.SkippedUpdate, Args{Channel: "a"}),
		"Subscription s asks for package etcd, and b is not an update of it: its entry neither replaces nor skips it, and has no skipRange that covers it; an update goes one step at a time": not(words.NoUpdate, Args{}, New(words.OneStep, Args{})),
		"Subscription s asks for package etcd, and b is not an update of it: its entry neither replaces nor skips it, and has no skipRange that covers it; an update goes one step at a time, and b cannot be used: channel c skips it, and nothing updates to what is skipped": not(words.NoUpdate, Args{},
			New(words.OneStep, Args{}), b(words.Unusable, Args{Err: &Unlisted{Channel: "c", Skipped: true}})),
		"Subscription s asks for package etcd, and b is not an update of it: its entry neither replaces nor skips it, and has no skipRange that covers it; nothing in any channel updates i":                           not(words.NoUpdate, Args{}, dead()),
		"Subscription s asks for package etcd, and b is not an update of it: its entry neither replaces nor skips it, and has no skipRange that covers it; nothing in channel c updates i; channel a leads on from it": not(words.NoUpdate, Args{}, dead("a")),
		"Subscription s asks for package etcd, and b is not offered: no channel lists it":                                                                                                                              not(words.Unlisted, Args{Err: &Unlisted{}}),
		"Subscription s asks for package etcd, and b is not an update of it: it is not in channel a or c, through which updates come":                                                                                  not(words.OtherUpdates, Args{Names: []string{"a", "c"}}),
		"Subscription s asks for package etcd, and its selector does not match catalog olm/community":                                                                                                                  not(words.CatalogUnselected, Args{Searched: &Searched{Catalogs: visible}}),
		"Subscription s asks for package etcd, and version 1.0.0 is not in range":                                                                                                                                      not(words.OutOfRange, Args{Has: "1.0.0"}),
		"Subscription s asks for package etcd, and b is not a successor of it":                                                                                                                                         not(words.NoSuccessorOf, Args{}),
		"Subscription s asks for package etcd, and another catalog than olm/community offers what is installed":                                                                                                        not(words.BetterCatalog, Args{Searched: &Searched{Catalogs: visible}}),
		"Subscription s asks for package etcd, and b of catalog c comes first: what olm/community offers is deprecated":                                                                                                not(words.BetterCatalog, Args{Searched: &Searched{Catalogs: visible}, Other: "b", Names: []string{"c"}}),
		"Subscription s asks for package etcd, and b comes first: the priority of catalog c is 9, that of olm/community 1":                                                                                             not(words.BetterCatalog, Args{Searched: &Searched{Catalogs: visible}, Other: "b", Names: []string{"c"}, Has: "9", Limit: "1"}),
		// below the head
		"x is below h, the head of channel c of package p":                                                                                                                                  below(),
		"x is below h, the head of channel c of package p: its operator is not upgradeable now (Busy: wait a little)":                                                                       below(New(words.NotUpgradeable, Args{Err: held})),
		"x is below h, the head of channel c of package p: an update goes one step at a time":                                                                                               below(New(words.OneStep, Args{})),
		"x is below h, the head of channel c of package p: startingCSV asks for it":                                                                                                         below(New(words.ByStartingCSV, Args{})),
		"x is below h, the head of channel c of package p: an update goes one step at a time, and h is marked olm.deprecated by its publisher: never newly installed":                       below(New(words.OneStep, Args{}), deprecated),
		"x is below h, the head of channel c of package p: h requires an operator providing Etcd (etcd.io/v1), but catalog olm/community has no package p":                                  below(never),
		"x is below h, the head of channel c of package p: h is marked olm.deprecated by its publisher: never newly installed":                                                              below(deprecated, dead()),
		"x is below h, the head of channel c of package p: h is marked olm.deprecated by its publisher: never newly installed; channels a and b lead on from it":                            below(deprecated, dead("a", "b")),
		"x is below h, the head of channel c of package p: nothing in channel c updates i; channel a leads on from it":                                                                      below(dead("a")),
		"x is below h, the head of channel c of package p: nothing in channel c updates i, and no other channel leads on from it: ask the publisher for an entry that replaces or skips it": below(dead()),
		"x is below h, the best bundle that ClusterExtension e asks for: nothing that it asks for updates i, and no other channel leads on from it: ask the publisher for an entry that replaces or skips it": New(words.BelowHead, Args{Subject: "x", Other: "h", Request: extension(func(*Request) {})},
			New(words.DeadEnd, Args{Request: extension(func(r *Request) { r.Installed = "i" })})),
		"x is not in channel c of package p, whose head is h: an update goes one step at a time":                                                                                                                          New(words.NotListed, Args{Subject: "x", Other: "h", Channel: "c", Package: "p"}, New(words.OneStep, Args{})),
		"it comes once its InstallPlan is approved (installPlanApproval is Manual)":                                                                                                                                       New(words.Approval, Args{}),
		"channel c ends here; the default channel d goes on to 2.0.0":                                                                                                                                                     New(words.ChannelEnds, Args{Subject: "x", Channel: "c", Other: "d", Has: "2.0.0"}),
		"version range \"<2.0.0\" keeps out 3.0.0 and 2.0.0":                                                                                                                                                              New(words.KeptOut, Args{Subject: "x", Names: []string{"3.0.0", "2.0.0"}, Request: &Request{Version: "<2.0.0"}}),
		"startingCSV x.v1 of Subscription s is not read any more, as x.v2 is installed; what keeps updates back is installPlanApproval: Manual":                                                                           New(words.StartUnread, Args{Subject: "x.v1", Other: "x.v2", Request: &Request{Key: cluster.RequestKey{Kind: cluster.KindSubscription, Name: "s"}}}),
		"OLM updates x.v1, the startingCSV of Subscription s, to x.v2 at once; what prevents that is installPlanApproval: Manual":                                                                                         New(words.StartLeft, Args{Subject: "x.v1", Other: "x.v2", Request: &Request{Key: cluster.RequestKey{Kind: cluster.KindSubscription, Name: "s"}}}),
		"OLM checks that only after it has resolved: it takes x.v2 anyway, whose ClusterServiceVersion then fails; do not approve its InstallPlan":                                                                        New(words.ChosenAnyway, Args{Subject: "x.v2", Has: "fails", Request: &Request{Key: cluster.RequestKey{Kind: cluster.KindSubscription, Name: "s"}}}),
		"OLM checks that only after it has resolved: it takes x.v2 anyway, whose ClusterServiceVersion then fails; to keep it back, set installPlanApproval of Subscription s to Manual":                                  New(words.ChosenAnyway, Args{Subject: "x.v2", Has: "fails", Limit: "Manual", Request: &Request{Key: cluster.RequestKey{Kind: cluster.KindSubscription, Name: "s"}}}),
		"channel c is to be left: set spec.channel of Subscription s to d":                                                                                                                                                New(words.ChannelLeft, Args{Subject: "x", Channel: "c", Other: "d", Said: "spec.channel", Request: &Request{Key: cluster.RequestKey{Kind: cluster.KindSubscription, Name: "s"}}}),
		"channel d goes on to 2.0.0: set spec.channel of Subscription s to d":                                                                                                                                             New(words.ChannelLeft, Args{Subject: "x", Channel: "c", Other: "d", Has: "2.0.0", Said: "spec.channel", Request: &Request{Key: cluster.RequestKey{Kind: cluster.KindSubscription, Name: "s"}}}),
		"OLM then takes image r/c:v1.28 for CatalogSource olm/c, by its olm.catalogImageTemplate":                                                                                                                         New(words.CatalogImage, Args{Catalog: catalog.Key{Namespace: "olm", Name: "c"}, Subject: "r/c:v1", Has: "r/c:v1.28", Limit: "4.15"}),
		"the image of CatalogSource olm/c stays r/c:v4.14: set spec.image to that of 4.15 after the update":                                                                                                               New(words.CatalogImage, Args{Catalog: catalog.Key{Namespace: "olm", Name: "c"}, Subject: "r/c:v4.14", Limit: "4.15"}),
		"update x.v2 is only in catalog olm/c: OLM takes it once spec.source of Subscription s names that catalog":                                                                                                        New(words.UpdateElsewhere, Args{Subject: "x.v2", Catalog: catalog.Key{Namespace: "olm", Name: "c"}, Said: "spec.source", Request: &Request{Key: cluster.RequestKey{Kind: cluster.KindSubscription, Name: "s"}}}),
		"it comes once its InstallPlan is approved, as installPlanApproval of Subscription y in the same namespace is Manual (for later updates by itself, set that to Automatic, or move this one to another namespace)": New(words.Approval, Args{Names: []string{"Subscription y"}}),
		"it comes once InstallPlan z, which was not given, is approved (installPlanApproval is Manual)":                                                                                                                   New(words.Approval, Args{Other: "z"}),
		"InstallPlan x waits for approval, as installPlanApproval of Subscription y in the same namespace is Manual (for later updates by itself, set that to Automatic, or move this one to another namespace)":          New(words.PendingApproval, Args{Subject: "InstallPlan x", Names: []string{"Subscription y"}}),
		"ClusterServiceVersion x.v1, which Subscription s has installed, is gone: OLM makes no InstallPlan for it, as the Subscription names it already":                                                                  New(words.InstalledGone, Args{Subject: "ClusterServiceVersion x.v1", Request: &Request{Key: cluster.RequestKey{Kind: cluster.KindSubscription, Name: "s"}}}),
		"InstallPlan p, which Subscription s waits for, is gone: OLM makes no other one while the Subscription names it":                                                                                                  New(words.PlanLost, Args{Subject: "InstallPlan p", Request: &Request{Key: cluster.RequestKey{Kind: cluster.KindSubscription, Name: "s"}}}),
		"ClusterServiceVersion x.v1, which Subscription s has installed, is only a copy of the one in namespace n: OLM installs nothing for it here":                                                                      New(words.InstalledGone, Args{Subject: "ClusterServiceVersion x.v1", Other: "n", Request: &Request{Key: cluster.RequestKey{Kind: cluster.KindSubscription, Name: "s"}}}),
		"InstallPlan a brings x.v1, too, and does not count: OLM has written no steps into it, and never executes it; InstallPlan b is the one":                                                                           New(words.TwinPlan, Args{Subject: "a", Names: []string{"x.v1"}, Other: "InstallPlan b"}),
		"InstallPlan a waits for approval and is not needed: InstallPlan b brings all of it; delete it once that is done":                                                                                                 New(words.TwinPlan, Args{Subject: "a", Names: []string{"x.v1"}, Has: "RequiresApproval", Other: "InstallPlan b"}),
		"InstallPlan a in phase Installing brings x.v1, too":                                                                                                                                                              New(words.TwinPlan, Args{Subject: "a", Names: []string{"x.v1"}, Has: "Installing"}),
		"InstallPlan a waits for approval and is not needed: x.v1 is there already; delete it":                                                                                                                            New(words.PlanDone, Args{Subject: "a", Names: []string{"x.v1"}}),
		"InstallPlan x waits for approval": New(words.PendingApproval, Args{Subject: "InstallPlan x"}),
		"x is in phase Failed":             New(words.InPhase, Args{Subject: "x", Has: "phase Failed"}),
		"x is in phase Pending: NotMet: gone; not met: A a: gone and B b: NotPresent; InstallPlan y waits for approval": New(words.InPhase,
			Args{Subject: "x", Has: "phase Pending", Said: "NotMet: gone", Names: []string{"A a: gone", "B b: NotPresent"}, Other: "InstallPlan y"}),
		"x has condition BundleUnpackFailed: Deadline: too slow; InstallPlan y waits for approval": New(words.HasCondition, Args{Subject: "x", Has: "BundleUnpackFailed", Said: "Deadline: too slow", Other: "InstallPlan y"}),
		"x has condition Progressing False: Blocked":                                               New(words.HasCondition, Args{Subject: "x", Has: "Progressing", Limit: "False", Said: "Blocked"}),
		"OLM reports for InstallPlan x: Installed False: Bad: no":                                  New(words.StatedByOLM, Args{Subject: "InstallPlan x", Has: "Installed", Limit: "False", Said: "Bad: no"}),
		"OLM reports: ResolutionFailed: a; it resolves with what you passed: OLM clears this late, only once it has resolved the namespace again, or it saw an older catalog, or a fault that is not in what you passed": New(words.ResolvesNow, Args{Has: "ResolutionFailed", Said: "a"}),
		"OLM reports: ResolutionFailed: a; the reason is above": New(words.FailsToo, Args{Has: "ResolutionFailed", Said: "a"}),
		"OLM reports: InstallPlanMissing; that InstallPlan was deleted, by OLM, which keeps few, or by somebody: what is installed keeps running, and OLM makes another one with the next update":                  New(words.PlanGone, Args{Has: "InstallPlanMissing"}),
		"OLM reports: CatalogSourcesUnhealthy: a; OLM resolves nothing in a namespace as long as a catalog that it sees is unhealthy, or the one that a Subscription names is missing":                             New(words.CatalogsSeen, Args{Has: "CatalogSourcesUnhealthy", Said: "a"}),
		"OLM reports for CatalogSource c: CONNECTING; OLM cannot use the catalog until that is fixed":                                                                                                              New(words.CatalogBroken, Args{Subject: "CatalogSource c", Has: "CONNECTING"}),
		"OLM reports for CatalogSource c: READY: InvalidIntervalError; OLM serves the catalog, but does not look for a newer one as often as you want until you correct spec.updateStrategy.registryPoll.interval": New(words.CatalogPolls, Args{Subject: "CatalogSource c", Has: "READY", Said: "InvalidIntervalError"}),
		"OLM reports for ClusterCatalog c: Serving False; OLM v1 leaves the catalog out until it serves it again":                                                                                                  New(words.CatalogNotServed, Args{Subject: "ClusterCatalog c", Has: "Serving", Limit: "False"}),
		"OLM reports for ClusterCatalog c: Progressing True: Retrying; OLM v1 keeps using the content that it has of this catalog":                                                                                 New(words.CatalogStays, Args{Subject: "ClusterCatalog c", Has: "Progressing", Limit: "True", Said: "Retrying"}),
		"b waits, as a is not upgradeable now (Busy: wait a little)":                                                                                                                                               New(words.HeldUpdate, Args{Subject: "b", Other: "a", Err: held}),
		"b waits, as a is not upgradeable now: no": New(words.HeldUpdate, Args{Subject: "b", Other: "a", Said: "no"}),
		// warnings
		"package p is deprecated: use q":            New(words.Deprecation, Args{Package: "p", Said: "use\nq"}),
		"channel c of package p is deprecated: old": New(words.Deprecation, Args{Package: "p", Channel: "c", Said: "old"}),
		"bundle b is deprecated: old":               New(words.Deprecation, Args{Bundle: "b", Said: "old"}),
		"x is taken for ClusterExtension e; the best would be h, but h is marked olm.deprecated by its publisher: never newly installed": New(words.ForcedChoice, Args{Subject: "x", Request: extension(func(*Request) {}), Other: "h"}, deprecated),
		"x is taken for ClusterExtension e; the best would be h, but dependencies, or what is installed, do not allow it":                New(words.ForcedChoice, Args{Subject: "x", Request: extension(func(*Request) {}), Other: "h"}),
		"catalog olm/community: bundle etcd.v1: it is broken":                                                                            New(words.CatalogFault, Args{Catalog: community, Err: faulty[0]}),
		"catalog olm/community: 7 more faults of package x":                                                                              New(words.CatalogFault, Args{Subject: "x", Catalog: community, Count: 7}),
		"catalog x is left out: gone":                               New(words.CatalogLeftOut, Args{Subject: "x", Err: errors.New("gone")}),
		"catalog x is left out: gone, and no Subscription names it": New(words.CatalogUnnamed, Args{Subject: "x", Err: errors.New("gone")}),
		"catalog x is left out, because it is unhealthy: gone":      New(words.CatalogUnhealthy, Args{Subject: "x", Err: errors.New("gone")}),
		"the selector of OperatorGroup x in namespace n matches no known namespace: no install mode is asked for, and OLM will not run operators there":                                                           New(words.NoTargets, Args{Subject: "x", Namespace: "n"}),
		"b provides Etcd.etcd.io, as a does, which comes to namespace m: there is one CustomResourceDefinition for the whole cluster, and an update of either operator changes it for both":                       New(words.SecondProvider, Args{Subject: "b", APIs: []properties.GVK{{Group: "etcd.io", Kind: "Etcd"}}, Other: "a", Owner: &Owner{Namespace: "m", Chosen: true}}),
		"b provides Etcd.etcd.io, as a of namespace m does already: there is one CustomResourceDefinition for the whole cluster, and an update of either operator changes it for both":                            New(words.SecondProvider, Args{Subject: "b", APIs: []properties.GVK{{Group: "etcd.io", Kind: "Etcd"}}, Other: "a", Owner: &Owner{Namespace: "m"}}),
		"namespace n provides x as v1, and namespace m as v2: both share one definition":                                                                                                                          New(words.APIVersions, Args{Subject: "x", Namespace: "n", Has: "v1", Owner: &Owner{Namespace: "m"}, Limit: "v2"}),
		"x, which is replaced, provides Etcd (etcd.io/v1) and B (v2), and nothing selected does: convert any stored custom resources before the update":                                                           New(words.DroppedVersions, Args{Subject: "x", APIs: []properties.GVK{etcd, {Version: "v2", Kind: "B"}}}),
		"x requires an operator providing Etcd (etcd.io/v1), and OLM v1 resolves no dependencies":                                                                                                                 New(words.RefusedDependency, Args{Bundle: "x", Names: []string{api.String()}}),
		"x owns the API service Etcd (etcd.io/v1), and OLM v1 creates none":                                                                                                                                       New(words.RefusedAPIService, Args{Bundle: "x", APIs: []properties.GVK{etcd}}),
		"x removes v1 from the versions of CustomResourceDefinition a.b, but its status.storedVersions still lists that: OLM refuses it as a risk of data loss":                                                   New(words.RefusedStored, Args{Bundle: "x", Other: "a.b", Names: []string{"v1"}}),
		"x provides Etcd no longer in version v1, which status.storedVersions of CustomResourceDefinition a.b still lists: OLM fails the InstallPlan as a risk of data loss if the new definition has it no more": New(words.DroppedStored, Args{Bundle: "x", Other: "a.b", Said: "Etcd", Names: []string{"v1"}}),
		"x changes spec.scope of CustomResourceDefinition a.b from Cluster to Namespaced, which no API server allows":                                                                                             New(words.RefusedField, Args{Bundle: "x", Other: "a.b", Said: "spec.scope", Has: "Cluster", Limit: "Namespaced"}),
		"x brings CustomResourceDefinition a.b, which the cluster has already and this ClusterExtension did not install: OLM v1 refuses to take it over":                                                          New(words.RefusedOwned, Args{Bundle: "x", Names: []string{"a.b"}}),
		"x needs rights that ServiceAccount sa, with which OLM installs in its namespace, does not have: get pods in namespace n":                                                                                 New(words.RefusedRights, Args{Bundle: "x", Other: "sa", Names: []string{"get pods in namespace n"}}),
		"x cannot be installed: there is no ServiceAccount sa, with which OLM installs in its namespace":                                                                                                          New(words.RefusedAccount, Args{Bundle: "x", Other: "sa"}),
		"x cannot be installed: there is no ServiceAccount sa, with which OLM installs in its namespace; it also needs these rights: get pods in namespace n":                                                     New(words.RefusedAccount, Args{Bundle: "x", Other: "sa", Names: []string{"get pods in namespace n"}}),
		"x supports no install mode":                                                                                                                           New(words.RefusedModes, Args{Bundle: "x", Limit: "AllNamespaces"}),
		"x supports MultiNamespace only, which OLM v1 does not have":                                                                                           New(words.RefusedModes, Args{Bundle: "x", Has: "MultiNamespace", Limit: "AllNamespaces"}),
		"x supports OwnNamespace only, and spec.config.inline.watchNamespace is not set: set it to ns":                                                         New(words.RefusedModes, Args{Bundle: "x", Has: "OwnNamespace", Limit: "AllNamespaces", Names: []string{"set it to ns"}}),
		`x supports AllNamespaces only, and spec.config.inline.watchNamespace is "other": remove it`:                                                           New(words.RefusedModes, Args{Bundle: "x", Has: "AllNamespaces", Limit: "SingleNamespace", Names: []string{"remove it"}, Said: `"other"`}),
		"x came as a dependency, and nothing requires it any more":                                                                                             New(words.Unneeded, Args{Subject: "x"}),
		"runs on OpenShift 4.14 and 4.15 only, by the lifecycle in the catalog":                                                                                New(words.Lifecycle, Args{Subject: "x", Names: []string{"4.14", "4.15"}}),
		"x states an olm.maxOpenShiftVersion that OLM does not accept (no): as long as it is installed, OLM blocks every update of OpenShift to another minor": New(words.OpenShiftLimit, Args{Subject: "x", Err: errors.New("no")}),
		"x declares OpenShift up to 4.8, and this cluster has 4.16: it runs unsupported there, and blocks the next update of OpenShift":                        New(words.AboveLimit, Args{Subject: "x", Limit: "4.8", Has: "4.16"}),
		"only patches (rule a of policy p)":                                                                                                                    New(words.DeniedAnswer, Args{Said: "only patches (rule a of policy p)", Names: []string{"rule a of policy p"}}),
		"x: young (rule a of policy p)":                                                                                                                        New(words.PolicyWarning, Args{Subject: "x", Said: "young (rule a of policy p)", Names: []string{"rule a of policy p"}}),
		"OLM does not accept the olm.maxOpenShiftVersion of x: no":                                                                                             New(words.BlocksUpdates, Args{Subject: "x", Err: errors.New("no")}),
		"the selector of OperatorGroup x in namespace n has a and b, which an API server drops, and an empty selector means all namespaces: labels belong in spec.selector.matchLabels": New(words.SelectorDropped, Args{Subject: "x", Namespace: "n", Names: []string{"a", "b"}}),
		"x: no such version": New(words.NeverInstalled, Args{Subject: "x", Err: errors.New("no such version")}),
		"x supports OwnNamespace, not AllNamespaces, and OLM v1 installs for all namespaces only": New(words.RefusedNamespaces, Args{Bundle: "x", Has: "OwnNamespace", Limit: "AllNamespaces"}),
	}
}

func TestReasons(t *testing.T) {
	for want, r := range said(t) {
		assert.Equal(t, want, r.Message())
	}
}

func within(t *testing.T, text string) versionrange.Range {
	t.Helper()
	r, err := versionrange.Parse(text)
	assert.NoError(t, err)
	return r
}

// argumentsOf lists what a row names: arguments, and other rows behind an @.
func argumentsOf(row string) []string { return argumentsIn(words.English[row]) }

func argumentsIn(texts []string) []string {
	var names []string
	for _, text := range texts {
		for _, part := range strings.Split(text, "{")[1:] {
			name, _, _ := strings.Cut(part, "}")
			if name = strings.TrimLeft(name, "?!~"); !strings.Contains(name, "|") {
				names = append(names, name)
			}
		}
	}
	return names
}

// Every code has arguments and words, whose parts are known, and every row is one of a
// code or a part of another.
func TestVocabulary(t *testing.T) {
	used := map[string]bool{"oneOf": true, "why": true, "noEntry": true, "noUpdateTo": true, "leadsOn": true, "askEntry": true, "deadEndOfUpdates": true}
	for row := range words.English {
		for _, name := range argumentsOf(row) {
			if part, ok := strings.CutPrefix(name, "@"); ok {
				assert.Contains(t, words.English, part)
				used[part] = true
			}
		}
	}
	facts := &sentence{Args: &Args{Constraint: api, Err: &CatalogsUnhealthy{}}, found: &Searched{}, asked: &Request{}, owner: &Owner{}, r: &Reason{args: &Args{Version: &versions(1)[0]}}}
	declared, err := os.ReadFile("../internal/words/code.go")
	assert.NoError(t, err)
	codes := map[words.Code]bool{}
	for _, c := range regexp.MustCompile(`Code = "(\w+)"`).FindAllSubmatch(declared, -1) {
		codes[words.Code(c[1])] = true
	}
	for row := range words.English {
		c, _, _ := strings.Cut(row, ".")
		assert.True(t, codes[words.Code(c)] || used[row], "no code and no row of english.go uses %s", row)
		if row == "noEntry" || row == "noUpdateTo" {
			continue
		}
		assert.NotPanics(t, func() { facts.say(row) })
		for _, name := range argumentsOf(row) {
			if !strings.HasPrefix(name, "@") && !slices.Contains(argumentsOf("noEntry"), name) {
				assert.NotPanics(t, func() { facts.value(name) }, "%s of %s", name, row)
			}
		}
	}
	samples := map[words.Code]bool{words.Conflict: true}
	for _, of := range ruleSamples(t) {
		samples[of.code] = true
	}
	for _, r := range said(t) {
		samples[r.code] = true
		for _, because := range r.because {
			samples[because.code] = true
		}
	}
	for c := range codes {
		assert.True(t, c == words.Conflict || words.English[string(c)] != nil, "english.go has no words of %s", c)
		assert.True(t, c.Kind() != "" || c == words.CannotHold, "kind.go has no kind of %s", c)
		assert.True(t, samples[c], "neither said nor ruleSamples has a sample of %s", c)
	}
}

// Every row of words.Failures is said here or by another row, and its arguments have values here.
func TestFailureWords(t *testing.T) {
	var source strings.Builder
	files, err := filepath.Glob("*.go")
	assert.NoError(t, err)
	for _, name := range files {
		if !strings.HasSuffix(name, "_test.go") {
			text, err := os.ReadFile(name)
			assert.NoError(t, err)
			source.Write(text)
		}
	}
	parts := map[string]bool{}
	for row, texts := range words.Failures {
		for _, name := range argumentsIn(texts) {
			part, ok := strings.CutPrefix(name, "@")
			if ok {
				assert.Contains(t, words.Failures, part)
				parts[part] = true
				continue
			}
			assert.True(t, strings.Contains(source.String(), strconv.Quote(name)+":") || strings.Contains(source.String(), "values["+strconv.Quote(name)+"]"), "%s of %s", name, row)
		}
	}
	for row := range words.Failures {
		assert.True(t, parts[row] || strings.Contains(source.String(), strconv.Quote(row)), "nothing says %s", row)
	}
}

func TestConflict(t *testing.T) {
	node := func(r Reason, list ...BundleRef) *Explanation { return &Explanation{Reason: r, Bundles: list} }
	one, three := bundles("etcd", 1), bundles("zoo", 3)
	owner := node(New(words.Requires, Args{Constraint: api}), one...)
	missing := ConflictCause{Fact: node(New(words.MissingPackage, Args{Package: "p", Searched: &Searched{Catalogs: visible, Namespace: "n"}})), RequiredBy: owner}
	again := ConflictCause{Fact: missing.Fact, RequiredBy: node(New(words.Requires, Args{Constraint: api}), three...)}
	excluded := ConflictCause{Fact: node(New(words.Excluded, Args{}), three...), Excluder: owner, Absent: constraints.Label{Label: "l"}}
	clash := ConflictCause{Fact: node(New(words.OneAPI, Args{APIs: []properties.GVK{etcd}}), append(one, three...)...)}
	installed := []BundleRef{{Bundle: catalog.BundleKey{Name: "i"}, Namespace: "n", Installed: true}}
	clashes := ConflictCause{Fact: node(New(words.OnePackage, Args{Package: "p"}))}
	hold := Request{Key: cluster.RequestKey{Kind: cluster.KindSubscription, Name: "h"}, Installed: "p.v1", Hold: held}
	claims := clashes
	claims.Claims = []Claim{
		{node(New(words.Subscription, Args{Request: &requested})), three[:2]}, {owner, one}, {node(New(words.Installed, Args{})), installed},
		{node(New(words.Selected, Args{})), one}, {node(New(words.Hold, Args{Request: &hold})), installed},
	}
	jointly := Request{Key: cluster.RequestKey{Kind: cluster.KindSubscription, Namespace: "n", Name: "x"}, Jointly: true, Package: "etcd"}
	for _, c := range []struct {
		head Conflict
		want string
	}{
		{Conflict{Scope: cluster.InNamespace("n"), Requests: []*Request{&requested}, Causes: []ConflictCause{missing, again}},
			"Subscription s (package etcd) cannot be satisfied in namespace n:\ncatalog olm/community has no package p; required by etcd.v1.0.0 and 3 versions of zoo from 1.0.0 to 3.0.0"},
		{Conflict{Requests: []*Request{&requested, &jointly}, Installed: installed},
			"Subscriptions s (package etcd) and x (package etcd) in namespace n cannot be satisfied together beside the installed i in namespace n:\nwhat they ask for excludes each other"},
		{Conflict{Scope: cluster.OfExtension("e"), Causes: []ConflictCause{excluded, clash}}, "ClusterExtension e cannot be satisfied:\n" +
			"etcd.v1.0.0 forbids an operator labeled l, which excludes 3 versions of zoo from 1.0.0 to 3.0.0;\n" +
			"etcd.v1.0.0 and zoo both provide Etcd (etcd.io/v1), and a namespace has at most one provider of an API"},
		{Conflict{Scope: cluster.InNamespace("n"), Installed: installed, Causes: []ConflictCause{clashes}},
			"what is installed in namespace n cannot stay: i:\ndifferent bundles are needed, and a namespace has at most one bundle of package p"},
		{Conflict{Scope: cluster.InNamespace("n"), Installed: append(installed, one...), Causes: []ConflictCause{clashes, missing, clash, excluded}},
			"what is installed in namespace n cannot stay together: i and etcd.v1.0.0:\ndifferent bundles are needed, and a namespace has at most one bundle of package p;\n" +
				"catalog olm/community has no package p; required by etcd.v1.0.0;\nand 2 reasons more"},
		{Conflict{Scope: cluster.InNamespace("n"), Requests: []*Request{&requested, &hold}, Causes: []ConflictCause{claims}},
			"Subscriptions s (package etcd) and h cannot be satisfied together in namespace n:\nSubscription s asks for zoo.v1.0.0 or zoo.v2.0.0, etcd.v1.0.0 requires etcd.v1.0.0, " +
				"the installed i, which no Subscription names and none can adopt, must stay and etcd.v1.0.0 was chosen before, but the installed p.v1 refuses updates (Busy: wait a little), and a namespace has at most one bundle of package p"},
		{Conflict{Scope: cluster.InNamespace("n"), Asked: &three[0], Requests: []*Request{&requested}, Chosen: one, Installed: installed},
			"zoo.v1.0.0 cannot be selected in namespace n beside etcd.v1.0.0, chosen before, the installed i and what Subscription s (package etcd) asks for:\nwhat they ask for excludes each other"},
	} {
		assert.Equal(t, c.want, node(New(words.Conflict, Args{Conflict: &c.head})).Text())
	}
}

// Ends of the same text with different facts are different, and a fact that several bundles need
// is one.
func TestEndsByFacts(t *testing.T) {
	parser := constraints.NewParser(constraints.Limits{})
	cause := func(source, by string) Cause {
		rule, err := parser.Rule(source)
		assert.NoError(t, err)
		holds := constraints.CEL{Rule: rule}
		end := ConflictCause{
			Fact:       &Explanation{Reason: New(words.NoMatch, Args{Constraint: holds, Searched: &Searched{Catalogs: visible, Namespace: "n"}})},
			RequiredBy: &Explanation{Reason: New(words.Requires, Args{Constraint: holds}), Bundles: bundles(by, 1)},
		}
		head := &Conflict{Scope: cluster.InNamespace("n"), Requests: []*Request{&requested}, Causes: []ConflictCause{end}}
		return Cause{Requests: []cluster.RequestKey{requested.Key}, Explanation: &Explanation{Reason: New(words.Conflict, Args{Conflict: head})}}
	}
	e := &NotSatisfiable{Causes: []Cause{cause("properties == []", "etcd"), cause("properties != []", "etcd"), cause("properties == []", "zoo")}}
	assert.Equal(t, e.Causes[0].Explanation.ends()[0].text(), e.Causes[1].Explanation.ends()[0].text())
	assert.Len(t, e.News(), 2)
	assert.Len(t, e.Told(), 1, "one with another likewise")
	assert.Len(t, e.Told()[0].Likewise, 1)
}

func TestAbsent(t *testing.T) {
	label := constraints.Label{Label: "l"}
	inRange := func(text string) constraints.Expr { return constraints.Package{Name: "p", Range: within(t, text)} }
	unoffered := []BundleRef{{Bundle: catalog.BundleKey{Name: "a"}}, {Bundle: catalog.BundleKey{Name: "b"}}}
	other := properties.GVK{Group: "etcd.io", Version: "v2", Kind: "Etcd"}
	for _, c := range []struct {
		reason Reason
		want   string
	}{
		{New(words.MissingPackage, Args{Package: "p", Searched: &Searched{Faults: faulty}}), "no given catalog has package p; left out for faults of the catalog: bundle etcd.v1: it is broken"},
		{New(words.NoPackage, Args{Package: "p"}), "no given catalog has package p"},
		{New(words.NoPackage, Args{Package: "p", Request: &Request{Key: cluster.RequestKey{Kind: cluster.KindExtension, Name: "e"}}}), "no given catalog that serves ClusterExtensions has package p"},
		{New(words.NoPackage, Args{Package: "p", Request: &Request{Key: cluster.RequestKey{Kind: cluster.KindSubscription, Name: "s"}, Catalog: catalog.Key{Name: "c"}}}), "no given catalog has package p; set spec.source and spec.sourceNamespace of Subscription s to one that has it"},
		{New(words.MissingVersion, Args{Package: "p", Constraint: inRange(">9.0.0")}), "package p has no usable bundle"},
		{New(words.MissingVersion, Args{Package: "p", Constraint: inRange(">9.0.0"), Searched: &Searched{Versions: versions(1)}}), "no version of package p is in range >9.0.0, only p 1.0.0"},
		{New(words.MissingVersion, Args{Package: "p", Constraint: inRange(">1.0.0"), Searched: &Searched{Versions: versions(2)}, Bundles: bundles("p", 2)}), "no channel offers a version of package p in range >1.0.0; 2 bundles of p from 1.0.0 to 2.0.0 would do"},
		{New(words.MissingAPI, Args{APIs: []properties.GVK{etcd}}), "no given catalog provides the API Etcd (etcd.io/v1)"},
		{New(words.MissingAPI, Args{APIs: []properties.GVK{etcd}}, New(words.OtherVersion, Args{APIs: []properties.GVK{other}, Package: "p"}), New(words.OtherVersion, Args{APIs: []properties.GVK{other}, Package: "q"})), "no given catalog provides the API Etcd (etcd.io/v1), only its version v2"},
		{New(words.MissingAPI, Args{APIs: []properties.GVK{etcd}, Bundles: unoffered}), "no channel offers a provider of the API Etcd (etcd.io/v1); a, b would do"},
		{New(words.MissingLabel, Args{Subject: "l", Constraint: label}), "no given catalog has an operator labeled l"},
		{New(words.MissingLabel, Args{Subject: "l", Constraint: label, Bundles: unoffered}), "no channel offers an operator labeled l; a, b would do"},
		{New(words.NoMatch, Args{Subject: "a rule", Constraint: label}), "no given catalog has a rule"},
		{New(words.CannotHold, Args{Constraint: api}), "it requires an operator providing Etcd (etcd.io/v1), which cannot hold with it"},
	} {
		assert.Equal(t, c.want, c.reason.Absent())
	}
}

func TestErrors(t *testing.T) {
	assert.Equal(t, ResultInvalidInput, Of(&UnknownBundle{Bundle: "x"}), "who asks named something else")
	assert.EqualError(t, &UnknownBundle{Bundle: "x"}, "neither the cluster nor a catalog has a bundle x")
	assert.EqualError(t, &UnknownBundle{Package: "p", Bundle: "x", Nearest: []string{"y"}}, "package p has no bundle or version x; the nearest name is y")
	assert.EqualError(t, &CatalogsUnhealthy{Scope: cluster.InNamespace("n"), Catalogs: []UnhealthyCatalog{{community, errors.New("down")}}},
		"catalogs visible to namespace n are unhealthy: olm/community (down)")
}
