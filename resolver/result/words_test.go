package result

import (
	"errors"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/constraints/versionrange"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
)

var (
	etcd      = properties.GVK{Group: "etcd.io", Version: "v1", Kind: "Etcd"}
	etcdKind  = properties.GVK{Group: "etcd.io", Kind: "Etcd"}
	community = catalog.Key{Namespace: "olm", Name: "community"}
	visible   = Searched{Catalogs: []catalog.Key{community}, Namespace: "n"}
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
	of := func(at int, d Detail) string {
		return (&Explanation{Reason: Reason{Version: &three[at].Version, Detail: d}, Bundles: three, All: true}).Text()
	}
	openShift := OpenShiftTooNew{properties.MajorMinor{Major: 4, Minor: 8}, properties.MajorMinor{Major: 4, Minor: 16}}
	assert.Equal(t, "none of 3 versions of etcd from 1.0.0 to 3.0.0 runs on OpenShift 4.16; 1.0.0 runs up to 4.8", of(0, openShift))
	assert.Equal(t, "none of 3 versions of etcd from 1.0.0 to 3.0.0 runs on OpenShift 4.16; the newest, 3.0.0, runs up to 4.8", of(2, openShift))
	assert.Equal(t, "none of 3 versions of etcd from 1.0.0 to 3.0.0 runs on Kubernetes 1.25.0; 2.0.0 needs 1.30 or newer", of(1, KubernetesTooOld{"1.30", "1.25.0"}))
}

// What is said of one bundle, and of several for which the same holds.
func TestRules(t *testing.T) {
	reason := Reason{Kind: ReasonDeprecated, Bundle: "etcd.v1.0.0", Package: "etcd", API: etcd, Constraint: api}
	for _, c := range []struct {
		detail    Detail
		one, many string
	}{
		{Requires{}, "requires an operator providing Etcd (etcd.io/v1) (Install etcd.)", "require an operator providing Etcd (etcd.io/v1) (Install etcd.)"},
		{TakesPlace{[]string{"a", "b"}}, "takes the place of a and b", "take the place of a and b"},
		{IsInstalled{}, "is installed", "are installed"},
		{nil, "is marked olm.deprecated by its publisher: never newly installed", "are marked olm.deprecated by its publisher: never newly installed"},
		{OpenShiftTooNew{properties.MajorMinor{Major: 4, Minor: 8}, properties.MajorMinor{Major: 4, Minor: 16}},
			"runs on OpenShift up to 4.8, and this cluster has 4.16", "run on OpenShift up to 4.8, and this cluster has 4.16"},
		{KubernetesTooOld{"1.30", "1.25.0"}, "needs Kubernetes 1.30 or newer, and this cluster has 1.25.0", "need Kubernetes 1.30 or newer, and this cluster has 1.25.0"},
		{Pinned{Package: "etcd", Version: "1.0.0"}, "is not allowed: package etcd is pinned to version 1.0.0", "are not allowed: package etcd is pinned to version 1.0.0"},
		{Pinned{Package: "etcd", Bundle: "b"}, "is not allowed: package etcd is pinned to b", "are not allowed: package etcd is pinned to b"},
		{Pinned{Package: "etcd"}, "is not allowed: package etcd is pinned to what is installed", "are not allowed: package etcd is pinned to what is installed"},
		{Forbidden{"no\nstrangers"}, "is not allowed here: no strangers", "are not allowed here: no strangers"},
		{Owned{etcd, Owner{Request: cluster.RequestKey{Kind: cluster.KindExtension, Name: "e"}}, true},
			"provides Etcd (etcd.io/v1), which ClusterExtension e owns already; a kind has one owner in a cluster",
			"provide Etcd (etcd.io/v1), which ClusterExtension e owns already; a kind has one owner in a cluster"},
		{Owned{API: etcdKind, Owner: Owner{Namespace: "m", Bundle: "b"}},
			"provides Etcd.etcd.io, which ClusterServiceVersion m/b owns already; a kind has one owner in the cluster",
			"provide Etcd.etcd.io, which ClusterServiceVersion m/b owns already; a kind has one owner in the cluster"},
		{Owned{API: etcdKind, Owner: Owner{Namespace: "m", Bundle: "b", Chosen: true}},
			"provides Etcd.etcd.io, which b, chosen for namespace m, owns; a kind has one owner in the cluster",
			"provide Etcd.etcd.io, which b, chosen for namespace m, owns; a kind has one owner in the cluster"},
		{OtherVersions{etcdKind, "v1", Owner{Namespace: "m", Bundle: "b"}, "v2"},
			"provides Etcd.etcd.io as v1, and ClusterServiceVersion m/b provides it as v2; a kind has one set of versions in the cluster",
			"provide Etcd.etcd.io as v1, and ClusterServiceVersion m/b provides it as v2; a kind has one set of versions in the cluster"},
		{OtherVersions{Kind: etcdKind, Versions: "v1", Owner: Owner{Namespace: "m"}},
			"provides Etcd.etcd.io as v1, and bundles of namespace m in other versions; a kind has one set of versions in the cluster",
			"provide Etcd.etcd.io as v1, and bundles of namespace m in other versions; a kind has one set of versions in the cluster"},
		{GroupRefuses{Group: "g", Mode: properties.OwnNamespace},
			"does not run under OperatorGroup g, which needs install mode OwnNamespace; supported: none (UnsupportedOperatorGroup)",
			"do not run under OperatorGroup g, which needs install mode OwnNamespace; supported: none (UnsupportedOperatorGroup)"},
		{GroupRefuses{Group: "g", Mode: properties.OwnNamespace, Supported: properties.InstallModes{2: properties.MultiNamespace, 3: properties.AllNamespaces}},
			"does not run under OperatorGroup g, which needs install mode OwnNamespace; supported: MultiNamespace, AllNamespaces (UnsupportedOperatorGroup)",
			"do not run under OperatorGroup g, which needs install mode OwnNamespace; supported: MultiNamespace, AllNamespaces (UnsupportedOperatorGroup)"},
		{GroupRefuses{API: etcd, OtherNamespace: "m", Other: "g"},
			"provides Etcd (etcd.io/v1), which OperatorGroup m/g with common target namespaces provides already (InterOperatorGroupOwnerConflict)",
			"provide Etcd (etcd.io/v1), which OperatorGroup m/g with common target namespaces provides already (InterOperatorGroupOwnerConflict)"},
		{GroupRefuses{API: etcd, OtherNamespace: "m"},
			"provides Etcd (etcd.io/v1), as bundles of namespace m do, whose OperatorGroup has target namespaces in common (InterOperatorGroupOwnerConflict)",
			"provide Etcd (etcd.io/v1), as bundles of namespace m do, whose OperatorGroup has target namespaces in common (InterOperatorGroupOwnerConflict)"},
		{GroupRefuses{API: etcd, Group: "g"},
			"provides Etcd (etcd.io/v1), which the static OperatorGroup g does not list (CannotModifyStaticOperatorGroupProvidedAPIs)",
			"provide Etcd (etcd.io/v1), which the static OperatorGroup g does not list (CannotModifyStaticOperatorGroupProvidedAPIs)"},
		{Member{}, "provides Etcd (etcd.io/v1)", "provide Etcd (etcd.io/v1)"},
		{CanSatisfy{}, "can satisfy it", "can satisfy it"},
	} {
		reason.Detail = c.detail
		assert.Equal(t, c.one, reason.Phrase())
		assert.Equal(t, "etcd.v1.0.0 "+c.one, reason.Message())
		all := Explanation{Reason: reason, Bundles: bundles("etcd", 3), All: true}
		assert.Equal(t, "all 3 versions of etcd from 1.0.0 to 3.0.0 "+c.many, all.Text())
	}
}

// Sentences that do not change with the number of bundles.
func TestReasons(t *testing.T) {
	two := append(bundles("etcd", 1), bundles("zoo", 1)...)
	fault := Reason{Package: "etcd", Detail: MissingPackage{Searched: visible, Nearest: []string{"etcd2"}}}
	obligation := Reason{Bundle: "app.v1", Constraint: api, Detail: Requires{}}
	for _, c := range []struct {
		reason Reason
		want   string
	}{
		// requests
		{Reason{Detail: Requested{Request: &requested}}, "Subscription s asks for package etcd"},
		{Reason{Detail: Requested{request(func(r *Request) {
			r.Key.Namespace, r.Jointly, r.Channels, r.Catalog, r.Installed = "n", true, []string{"beta"}, "olm/community", "etcd.v1"
		}), bundles("etcd", 1)}},
			"Subscription s in namespace n asks for package etcd in channel beta of catalog olm/community; etcd.v1 is installed: only etcd.v1.0.0 can satisfy it"},
		{Reason{Detail: Requested{request(func(r *Request) { r.StartingCSV = "etcd.v1" }), bundles("etcd", 3)}},
			"Subscription s asks for package etcd, startingCSV etcd.v1: all 3 versions of etcd from 1.0.0 to 3.0.0 can satisfy it"},
		{Reason{Detail: Requested{request(func(r *Request) { r.Installed, r.Hold = "etcd.v1", held }), bundles("etcd", 3)}},
			"Subscription s must keep etcd.v1: its operator is not upgradeable (Busy: wait a little)"},
		{Reason{Detail: Requested{extension(func(r *Request) { r.Channels, r.Version = []string{"a", "b"}, ">1" }), two}},
			"ClusterExtension e asks for package etcd in channels a or b in version >1: etcd.v1.0.0 or zoo.v1.0.0 can satisfy it"},
		{Reason{Detail: Unsatisfied{request(func(r *Request) { r.Key.Namespace, r.Jointly = "n", true }), fault}},
			"Subscription s cannot be satisfied in namespace n: catalog olm/community has no package etcd; the nearest name is etcd2"},
		// what requests name
		{Reason{Detail: NoBundles{Request: &Request{}}}, "it names no package; set spec.name"},
		{Reason{Detail: NoSuchCatalog{Request: request(func(r *Request) { r.Catalog = "comunity" }), Nearest: []string{"community", "other"}}},
			"catalog comunity is not known here; the nearest names are community, other"},
		{Reason{Detail: NoSuchCatalog{Request: request(func(r *Request) { r.Catalog = "c" }), Namespace: "n"}},
			"catalog c exists, but namespace n does not see it: it is neither in that namespace nor in a global one"},
		{Reason{Detail: NoSuchCatalog{Request: request(func(r *Request) { r.Catalog = "c" }), Excluded: true}}, "catalog c is excluded by the caller"},
		{Reason{Detail: CatalogUnhealthy{[]UnhealthyCatalog{{community, errors.New("down")}}}},
			"it could be served by a catalog that is unhealthy: olm/community (down)"},
		{Reason{Detail: NoChannel{request(func(r *Request) { r.Channels = []string{"x"} }), []string{"a", "b"}}}, "package etcd has no channel x; its channels are a, b"},
		{Reason{Detail: NoChannel{extension(func(r *Request) { r.Channels = []string{"x", "y"} }), []string{"a"}}}, "package etcd has no such channels (x, y); its channels are a"},
		{Reason{Detail: ChannelUnusable{&requested, []Unlisted{{Channel: "a", Fault: "it has a cycle"}, {Channel: "b", Fault: "it has no head"}}}},
			"channel a of package etcd cannot be used: it has a cycle; channel b of package etcd cannot be used: it has no head"},
		{Reason{Detail: NoStartingCSV{Request: request(func(r *Request) { r.StartingCSV = "x" }), Nearest: []string{"y"}}}, "package etcd has no startingCSV x; the nearest name is y"},
		{Reason{Detail: NoStartingCSV{Request: request(func(r *Request) { r.StartingCSV, r.Channels = "x", []string{"a"} }), Listed: true, Faults: faulty}},
			"channel a of package etcd lists the startingCSV x, but no usable bundle has that name; left out for faults of the catalog: bundle etcd.v1: it is broken"},
		{Reason{Detail: NoBundles{Request: request(func(r *Request) { r.Channels = []string{"a"} })}}, "channel a of package etcd offers no bundle"},
		{Reason{Detail: NoBundles{Request: extension(func(r *Request) { r.Channels = []string{"a", "b"} })}}, "package etcd offers no bundle in channels a, b"},
		{Reason{Detail: NoBundles{extension(func(r *Request) { r.Version = ">9" }), versions(6), faulty}},
			`package etcd has no bundle with a version in ">9"; it has 6 versions from 1.0.0 to 6.0.0; left out for faults of the catalog: bundle etcd.v1: it is broken`},
		{Reason{Detail: NoBundles{Request: extension(func(r *Request) { r.Version = ">9" }), Versions: versions(1)}}, `package etcd has no bundle with a version in ">9"; it has only 1.0.0`},
		{Reason{Detail: NoBundles{Request: extension(func(r *Request) { r.Version = ">9" })}}, `package etcd has no bundle with a version in ">9"; it has no usable version`},
		{Reason{Detail: NoSuccessor{Request: extension(func(r *Request) { r.Installed, r.Version = "etcd.v1", ">9" })}},
			`no bundle of package etcd succeeds the installed etcd.v1, and that one is not in ">9"`},
		{Reason{Detail: NoSuccessor{Request: extension(func(r *Request) { r.Installed = "etcd.v1" }), Gone: true}},
			"no bundle of package etcd succeeds the installed etcd.v1, and that one is not offered any more"},
		{Reason{Detail: HasDependencies{"etcd.v1", api}}, "its best bundle etcd.v1 has dependencies, which the caller rejects: it requires an operator providing Etcd (etcd.io/v1)"},
		// what is missing
		{Reason{Detail: Searched{Namespace: "n"}}, "namespace n sees no catalog that can be used"},
		{Reason{Detail: Searched{Unselected: true}}, "no available catalog has the labels that the selector asks for"},
		{Reason{Detail: Searched{}}, "there is no catalog that is available"},
		{Reason{Package: "p", Detail: MissingPackage{}}, "there is no catalog that is available, so package p cannot be found"},
		{Reason{Package: "p", Detail: MissingPackage{Searched: Searched{Catalogs: []catalog.Key{{Name: "a"}, {Name: "b"}}}}}, "none of the catalogs a, b has package p"},
		{Reason{Package: "p", Detail: MissingVersion{Range: within(t, ">9.0.0"), Catalogs: []catalog.Key{community}, Versions: versions(2)}},
			"no version of package p in catalog olm/community is in range >9.0.0; it has 1.0.0 and 2.0.0"},
		{Reason{Package: "p", Detail: MissingVersion{Range: within(t, ">1.0.0"), Catalogs: []catalog.Key{{Name: "a"}, {Name: "b"}}, InRange: versions(2)}},
			"no version of package p in range >1.0.0 can be chosen from catalogs a and b"},
		{Reason{API: etcd, Detail: MissingAPI{Searched: visible, Others: []OtherVersion{{properties.GVK{Group: "etcd.io", Version: "v2", Kind: "Etcd"}, "p"}}}},
			"no operator of the visible catalog olm/community provides Etcd (etcd.io/v1); that kind is provided as etcd.io/v2 (by package p) only"},
		{Reason{API: etcd, Detail: MissingAPI{NotOffered: []string{"b"}}}, "no operator that can be chosen provides Etcd (etcd.io/v1)"},
		{Reason{Kind: ReasonMissingLabel, Subject: "l", Detail: NoMatch{Searched: Searched{Catalogs: []catalog.Key{{Name: "a"}, {Name: "b"}}}}}, "no operator of the available catalogs a and b carries the label l"},
		{Reason{Kind: ReasonMissingLabel, Subject: "l", Detail: NoMatch{}}, "no operator can be had, as there is no catalog that is available, that carries the label l"},
		{Reason{Detail: NoMatch{Searched: visible, Rule: true}}, "no operator of the visible catalog olm/community satisfies the rule"},
		{Reason{Detail: NoMatch{Searched: visible}}, "no single operator of the visible catalog olm/community satisfies all of that"},
		{Reason{Bundle: "b", Catalog: community, Detail: RuleFailed{errors.New("no such\nkey")}},
			"the rule cannot be evaluated on some bundles, such as b of catalog olm/community, and so they do not satisfy it: no such key"},
		{Reason{Bundle: "b", Catalog: community, Detail: NotOffered{Fit: FitAPI, Why: Unlisted{Channel: "a", Fault: "it has a cycle"}}},
			"b of catalog olm/community provides it, but channel a cannot be used: it has a cycle"},
		{Reason{Bundle: "b", Catalog: community, Detail: NotOffered{Fit: FitRange, Why: Unlisted{Channel: "a", Skipped: true}}},
			"b of catalog olm/community is in range, but channel a skips it; only startingCSV reaches it"},
		{Reason{Bundle: "b", Catalog: community, Detail: NotOffered{Fit: FitRange, Why: Unlisted{Channel: "a", NoBundle: true, Quarantine: errors.New("x")}}},
			"b of catalog olm/community is in range, but its bundle is left out for a fault: x"},
		{Reason{Bundle: "b", Catalog: community, Detail: NotOffered{Fit: FitRange}}, "b of catalog olm/community is in range, but no channel lists it"},
		{Reason{Bundle: "b", Catalog: community, Detail: NotOffered{Fit: FitMatch, Installed: true}}, "b of catalog olm/community satisfies it, but the installed b counts instead"},
		{Reason{Bundle: "b", Catalog: community, Detail: NotOffered{Fit: FitRange, Installed: true}}, "b of catalog olm/community is in range, but the installed b counts instead"},
		{Reason{Detail: NoMatch{Searched: visible, Rule: true, NotOffered: []string{"b"}}}, "no operator that can be chosen satisfies the rule"},
		{Reason{Bundle: "b", Detail: Stays{Request: cluster.RequestKey{Kind: cluster.KindExtension, Name: "e"}}}, "b is installed, and not by ClusterExtension e: it must stay"},
		{Reason{Bundle: "b", Detail: Stays{cluster.RequestKey{Kind: cluster.KindSubscription, Namespace: "n", Name: "s"}, true}}, "b is installed, and stays where Subscription s cannot be satisfied"},
		{Reason{Bundle: "b", Catalog: community, API: etcd, Detail: Quarantined{errors.New("x")}}, "b of catalog olm/community would provide it, but is left out for a fault: x"},
		{Reason{Catalog: community, Detail: Quarantined{errors.New("x")}}, "catalog olm/community: left out for a fault: x"},
		{Reason{Catalog: community, Package: "p", Bundle: "b", Detail: Elsewhere{Uncounted{Namespace: "n"}}}, "catalog olm/community has it (b), but namespace n does not see that catalog"},
		{Reason{Catalog: community, Package: "p", Detail: Elsewhere{Uncounted{NotAsked: true}}}, "catalog olm/community has package p, but the request does not ask that catalog"},
		{Reason{Catalog: community, Package: "p", Detail: Elsewhere{Uncounted{Excluded: true}}}, "catalog olm/community has package p, but the caller excludes that catalog"},
		{Reason{Catalog: community, Bundle: "b", Detail: Elsewhere{Uncounted{Unhealthy: true}}}, "catalog olm/community has it, but that catalog is unhealthy"},
		{Reason{Catalog: community, Bundle: "b", Detail: Elsewhere{}}, "catalog olm/community has it, but that catalog is not available"},
		// groups
		{Reason{Kind: ReasonOnePackage, Package: "p", Detail: AtMostOne{}}, "a namespace has at most one bundle of package p"},
		{Reason{Kind: ReasonOneName, Bundle: "b", Detail: AtMostOne{Namespace: "n"}}, "namespace n has at most one bundle named b"},
		{Reason{Kind: ReasonOneAPI, API: etcdKind, Detail: AtMostOne{Cluster: true}}, "a cluster has at most one provider of Etcd.etcd.io"},
		{Reason{Kind: ReasonPart, Constraint: api}, "as for an operator providing Etcd (etcd.io/v1):"},
		// why, and why not
		{Reason{Kind: ReasonInstalled, Bundle: "b", Namespace: "n"}, "b is installed in namespace n, and no Subscription names it: it must stay"},
		{Reason{Kind: ReasonSelected, Bundle: "b", Namespace: "n"}, "b in namespace n was chosen before"},
		{Reason{Kind: ReasonAsked, Bundle: "b"}, "if b were selected:"},
		{Reason{Kind: ReasonCommitted}, "an alternative of a constraint was decided for before"},
		{Reason{Subject: "b\nc", Detail: Selected{Scope: cluster.InNamespace("n")}}, "b c is selected in namespace n"},
		{Reason{Subject: "b", Detail: Selected{Scope: cluster.OfExtension("e"), Kept: true}}, "b is kept for ClusterExtension e"},
		{Reason{Kind: ReasonNotSelected, Subject: "b", Detail: Selected{Scope: cluster.InNamespace("n")}}, "b is not selected in namespace n"},
		{Reason{Bundle: "app.v1", Constraint: api, Detail: Chosen{Requires{}, "b", 0, 1}}, "app.v1 requires an operator providing Etcd (etcd.io/v1) (Install etcd.): b is the only candidate"},
		{Reason{Detail: Chosen{Requested{Request: &requested}, "b", 0, 2}}, "Subscription s asks for package etcd: b is the first of 2 candidates"},
		{Reason{Detail: Chosen{Requested{Request: &requested}, "b", 1, 2}}, "Subscription s asks for package etcd: b is the first possible of 2 candidates, at place 2"},
		{Reason{Bundle: "b", Detail: Preferred{obligation, 0, 2, "c"}},
			"app.v1 requires an operator providing Etcd (etcd.io/v1) (Install etcd.): b, at place 1 of its candidates, is preferred to c, at place 3"},
		{Reason{Bundle: "b", Detail: Preferred{Obligation: obligation}}, "app.v1 requires an operator providing Etcd (etcd.io/v1) (Install etcd.), which b satisfies already"},
		{Reason{Kind: ReasonUnasked}, "no request, and nothing that is selected, asks for it"},
	} {
		assert.Equal(t, c.want, c.reason.Message())
	}
}

func within(t *testing.T, text string) versionrange.Range {
	t.Helper()
	r, err := constraints.ParseRange(text)
	assert.NoError(t, err)
	return r
}

func TestNotReached(t *testing.T) {
	for want, n := range map[string]NotReached{
		"so nothing else can be chosen":                         {Kind: UpdatesHeld},
		"b is in catalog olm/community":                         {Kind: OtherCatalog, Catalog: community},
		"that channel does not list b":                          {Kind: OtherChannel},
		"so b is no candidate":                                  {Kind: OtherStartingCSV},
		"b is no update of it: it stands below it in channel a": {Kind: BelowInstalled, Channel: "a"},
		"b is no update of it: channel a skips it":              {Kind: SkippedUpdate, Channel: "a"},
		"b is no update of it: its entry neither replaces nor skips it, and has no skipRange that covers it; an update goes one step at a time":                                           {Kind: NoUpdate},
		"b is no update of it: its entry neither replaces nor skips it, and has no skipRange that covers it; an update goes one step at a time, and a cannot be used: channel c skips it": {Kind: NoUpdate, Next: &Hopeless{Rule: Reason{Bundle: "a", Detail: Unusable{Unlisted{Channel: "c", Skipped: true}}}}},
		"b is not offered: no channel lists it":                                         {Kind: NotListed},
		"its selector does not match catalog olm/community":                             {Kind: UnselectedCatalog, Catalog: community},
		"version 1.0.0 is not in range":                                                 {Kind: OutOfRange, Version: "1.0.0"},
		"b is no update of it: it is not in channel a or c, through which updates come": {Kind: OtherUpdates, Channels: []string{"a", "c"}},
		"none of these channels lists b":                                                {Kind: OtherChannels},
		"b is no successor of it":                                                       {Kind: NotSuccessor},
		"another catalog than olm/community offers the best bundle":                     {Kind: BetterCatalog, Catalog: community},
	} {
		r := Reason{Bundle: "b", Detail: Unreached{&requested, n}}
		assert.Equal(t, "Subscription s asks for package etcd, and "+want, r.Message())
	}
}

func TestConflict(t *testing.T) {
	node := func(r Reason, list ...BundleRef) *Explanation { return &Explanation{Reason: r, Bundles: list} }
	one, three := bundles("etcd", 1), bundles("zoo", 3)
	owner := node(Reason{Constraint: api, Detail: Requires{}}, one...)
	missing := ConflictCause{Fact: node(Reason{Package: "p", Detail: MissingPackage{Searched: visible}}), RequiredBy: owner}
	again := ConflictCause{Fact: missing.Fact, RequiredBy: node(Reason{Constraint: api, Detail: Requires{}}, three...)}
	excluded := ConflictCause{Fact: node(Reason{Kind: ReasonExcluded}, three...), Excluder: owner, Absent: constraints.Label{Label: "l"}}
	clash := ConflictCause{Fact: node(Reason{Kind: ReasonOneAPI, API: etcd, Detail: AtMostOne{}}, append(one, three...)...)}
	installed := []BundleRef{{Bundle: catalog.BundleKey{Name: "i"}, Namespace: "n", Installed: true}}
	two := ConflictCause{Fact: node(Reason{Kind: ReasonOnePackage, Package: "p", Detail: AtMostOne{}})}
	hold := Request{Key: cluster.RequestKey{Kind: cluster.KindSubscription, Name: "h"}, Installed: "p.v1", Hold: held}
	claims := two
	claims.Claims = []Claim{
		{node(Reason{Detail: Requested{Request: &requested}}), three[:2]}, {owner, one}, {node(Reason{Kind: ReasonInstalled}), installed},
		{node(Reason{Kind: ReasonSelected}), one}, {node(Reason{Detail: Requested{Request: &hold}}), installed},
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
			"etcd.v1.0.0 requires no operator labeled l, which excludes 3 versions of zoo from 1.0.0 to 3.0.0; " +
			"etcd.v1.0.0 and zoo both provide Etcd (etcd.io/v1), and a namespace has at most one provider of an API"},
		{Conflict{Scope: cluster.InNamespace("n"), Installed: installed, Causes: []ConflictCause{two}},
			"what is installed in namespace n cannot stay: i:\ndifferent bundles are needed, and a namespace has at most one bundle of package p"},
		{Conflict{Scope: cluster.InNamespace("n"), Installed: append(installed, one...), Causes: []ConflictCause{two, missing, clash, excluded}},
			"what is installed in namespace n cannot stay together: i and etcd.v1.0.0:\ndifferent bundles are needed, and a namespace has at most one bundle of package p; " +
				"catalog olm/community has no package p; required by etcd.v1.0.0; and 2 reasons more"},
		{Conflict{Scope: cluster.InNamespace("n"), Requests: []*Request{&requested, &hold}, Causes: []ConflictCause{claims}},
			"Subscriptions s (package etcd) and h cannot be satisfied together in namespace n:\nSubscription s asks for zoo.v1.0.0 or zoo.v2.0.0, etcd.v1.0.0 requires etcd.v1.0.0, " +
				"the installed i must stay and etcd.v1.0.0 was chosen before, but the installed p.v1 refuses updates (Busy: wait a little), and a namespace has at most one bundle of package p"},
		{Conflict{Scope: cluster.InNamespace("n"), Asked: &three[0], Requests: []*Request{&requested}, Chosen: one, Installed: installed},
			"zoo.v1.0.0 cannot be selected in namespace n beside etcd.v1.0.0, chosen before, the installed i and what Subscription s (package etcd) asks for:\nwhat they ask for excludes each other"},
	} {
		assert.Equal(t, c.want, node(Reason{Detail: c.head}).Text())
	}
}

func TestWarnings(t *testing.T) {
	hopeless := &Hopeless{Rule: Reason{Bundle: "h", Constraint: api, Detail: Requires{}},
		Missing: &Reason{Package: "p", Detail: MissingPackage{Searched: visible, Nearest: []string{"q"}}}}
	below := BelowHead{Head: "h", Channel: "c", Package: "p"}
	because := func(edit func(b *BelowHead)) Detail { b := below; edit(&b); return b }
	for want, d := range map[string]Detail{
		"package p is deprecated: use q":                   Deprecation{Package: "p", Message: "use\nq"},
		"channel c of package p is deprecated: old":        Deprecation{Package: "p", Channel: "c", Message: "old"},
		"bundle b is deprecated: old":                      Deprecation{Bundle: "b", Message: "old"},
		"x is below h, the head of channel c of package p": below,
		"x is below h, the head of channel c of package p: its operator is not upgradeable now (Busy: wait a little)": because(func(b *BelowHead) { b.Hold = held }),
		"x is below h, the head of channel c of package p: an update goes one step at a time":                         because(func(b *BelowHead) { b.OneStep = true }),
		"x is below h, the head of channel c of package p: startingCSV asks for it":                                   because(func(b *BelowHead) { b.StartingCSV = true }),
		"x is below h, the head of channel c of package p: an update goes one step at a time, and h is marked olm.deprecated by its publisher: never newly installed": because(func(b *BelowHead) {
			b.OneStep, b.Hopeless = true, &Hopeless{Rule: Reason{Kind: ReasonDeprecated, Bundle: "h"}}
		}),
		"x is below h, the head of channel c of package p: h cannot be used: its bundle is left out for a fault: bundle etcd.v1: it is broken": because(func(b *BelowHead) {
			b.Hopeless = &Hopeless{Rule: Reason{Bundle: "h", Detail: Unusable{Unlisted{Channel: "c", NoBundle: true, Quarantine: faulty[0]}}}}
		}),
		"x is below h, the head of channel c of package p: h requires an operator providing Etcd (etcd.io/v1), but catalog olm/community has no package p": because(func(b *BelowHead) { b.Hopeless = hopeless }),
		"x is taken for ClusterExtension e; the best would be h, but h is installed":                                                                       ForcedChoice{cluster.RequestKey{Kind: cluster.KindExtension, Name: "e"}, "h", &Hopeless{Rule: Reason{Bundle: "h", Detail: IsInstalled{}}}},
		"x is taken for ClusterExtension e; the best would be h, but dependencies, or what is installed, do not allow it":                                  ForcedChoice{cluster.RequestKey{Kind: cluster.KindExtension, Name: "e"}, "h", nil},
		"catalog olm/community: bundle etcd.v1: it is broken":                                                                                              CatalogFault{Catalog: community, Fault: faulty[0]},
		"catalog olm/community: 7 more faults of package x":                                                                                                CatalogFault{Catalog: community, More: 7},
		"catalog x is left out: gone":                               CatalogLeftOut{Err: errors.New("gone")},
		"catalog x is left out: gone, and no Subscription names it": CatalogLeftOut{Err: errors.New("gone"), Unnamed: true},
		"catalog x is left out, because it is unhealthy: gone":      CatalogLeftOut{Err: errors.New("gone"), Unhealthy: true},
		"the selector of OperatorGroup x in namespace n matches no known namespace: no install mode is asked for, and OLM will not run operators there": NoTargets{"n"},
		"namespace n provides x as v1, and namespace m as v2: both share one definition":                                                                APIVersions{"n", "v1", "m", "v2"},
		"x, which is replaced, provides Etcd (etcd.io/v1) and B (v2), and nothing selected does: convert any stored custom resources before the update": DroppedVersions{[]properties.GVK{{Group: "etcd.io", Version: "v1", Kind: "Etcd"}, {Version: "v2", Kind: "B"}}},
	} {
		w := Warning{Subject: "x", Detail: d}
		assert.Equal(t, want, w.Message())
	}
	for kind, want := range map[WarningKind]string{
		WarnUnneeded:        "x came as a dependency, and nothing requires it any more",
		WarnOpenShiftLimit:  "x states an olm.maxOpenShiftVersion that cannot be read; it counts as having no limit",
		WarnNoOperatorGroup: "namespace x has no OperatorGroup: OLM will not run operators there",
	} {
		w := Warning{Kind: kind, Subject: "x"}
		assert.Equal(t, want, w.Message())
	}
}

func TestAbsent(t *testing.T) {
	other := properties.GVK{Group: "etcd.io", Version: "v2", Kind: "Etcd"}
	for _, c := range []struct {
		reason Reason
		want   string
	}{
		{Reason{Package: "p", Detail: MissingPackage{Faults: faulty}}, "no catalog given has package p; left out for faults of the catalog: bundle etcd.v1: it is broken"},
		{Reason{Package: "p", Detail: MissingVersion{}}, "package p has no usable bundle"},
		{Reason{Package: "p", Detail: MissingVersion{Range: within(t, ">9.0.0"), Versions: versions(1)}}, "no version of package p is in range >9.0.0, only p 1.0.0"},
		{Reason{Package: "p", Detail: MissingVersion{Range: within(t, ">1.0.0"), Versions: versions(2), InRange: versions(2)}}, "no channel offers a version of package p in range >1.0.0; 2 bundles of p from 1.0.0 to 2.0.0 would do"},
		{Reason{API: etcd, Detail: MissingAPI{}}, "no catalog given provides the API Etcd (etcd.io/v1)"},
		{Reason{API: etcd, Detail: MissingAPI{Others: []OtherVersion{{other, "p"}, {other, "q"}}}}, "no catalog given provides the API Etcd (etcd.io/v1), only its version v2"},
		{Reason{API: etcd, Detail: MissingAPI{NotOffered: []string{"a", "b"}}}, "no channel offers a provider of the API Etcd (etcd.io/v1); a, b would do"},
		{Reason{Kind: ReasonMissingLabel, Subject: "l", Detail: NoMatch{}}, "no catalog given has an operator labeled l"},
		{Reason{Subject: "a rule", Detail: NoMatch{}}, "no catalog given has a rule"},
		{Reason{Kind: ReasonMissingLabel, Subject: "l", Detail: NoMatch{NotOffered: []string{"a", "b"}}}, "no channel offers an operator labeled l; a, b would do"},
		{Reason{Constraint: api, Detail: CannotHold{}}, "it requires an operator providing Etcd (etcd.io/v1), which cannot hold with it"},
	} {
		assert.Equal(t, c.want, c.reason.Absent())
	}
}

func TestErrors(t *testing.T) {
	assert.EqualError(t, &UnknownBundle{Bundle: "x"}, "neither the cluster nor a catalog has a bundle x")
	assert.EqualError(t, &UnknownBundle{Package: "p", Bundle: "x", Nearest: []string{"y"}}, "package p has no bundle x; the nearest name is y")
	assert.EqualError(t, &CatalogsUnhealthy{Scope: cluster.InNamespace("n"), Catalogs: []UnhealthyCatalog{{community, errors.New("down")}}},
		"catalogs visible to namespace n are unhealthy: olm/community (down)")
	e := &NotSatisfiable{Scopes: []cluster.Scope{cluster.InNamespace("m")}, Blocking: []cluster.RequestKey{{Kind: cluster.KindSubscription, Name: "a", Namespace: "m"}}, Proceeding: []cluster.RequestKey{{Kind: cluster.KindSubscription, Name: "b", Namespace: "m"}}}
	assert.Equal(t, "2 Subscriptions wait until this is solved. Without Subscription a, the other can proceed: b.", e.ProceedText())
	e.Scopes = append(e.Scopes, cluster.InNamespace("n"))
	e.Blocking, e.Proceeding = append(e.Blocking, cluster.RequestKey{Kind: cluster.KindSubscription, Name: "c", Namespace: "n"}), append(e.Proceeding, e.Proceeding...)
	assert.Equal(t, "4 Subscriptions wait until this is solved. Without Subscriptions a in namespace m and c in namespace n, the other 2 can proceed: b in namespace m and b in namespace m.", e.ProceedText())
}
