package request

import (
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/reason"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// kindRow is a kind of requests, with the constructor of the reader of a scope.
type kindRow struct {
	kind      *model.Kind
	newReader func(scope cluster.Scope, in *model.Inputs) (scopeReader, error)
}

// kinds is the table of the kinds of requests.
var kinds = map[cluster.RequestKind]kindRow{
	cluster.KindSubscription: {&subscriptions, func(cluster.Scope, *model.Inputs) (scopeReader, error) { return namespaceReader{}, nil }},
	cluster.KindExtension:    {&extensions, newExtensionReader},
}

var subscriptions = model.Kind{
	Span:       model.Span{ByChannel: true},
	Namespaced: true, OnlyUpdates: true, Lenient: true, NeedsKube: true,
	Code:   reason.Subscription,
	Serves: func(k catalog.Key) bool { return k.Namespace != "" },
	Visible: func(s cluster.Scope, in *model.Inputs) inventory.Visibility {
		return inventory.Visible(s.Name, in.Cluster, in.View, in.Options)
	},
	Owner:  (*model.Part).OwnedInNamespace,
	RunsIn: func(_ *cluster.Index, s cluster.Scope) string { return s.Name },
	VersionOf: func(known *cluster.Index, k cluster.RequestKey, name string) string {
		csv := inventory.CSV(known.In(k.Namespace), name)
		if csv == nil {
			return ""
		}
		return csv.Version
	},
	All:    allOf,
	Stated: statedSubscriptions,
}

var extensions = model.Kind{
	Span:    model.Span{OneInCluster: true},
	Ranged:  true,
	Selects: true,
	Code:    reason.Extension,
	Serves:  func(k catalog.Key) bool { return k.Namespace == "" },
	Visible: func(s cluster.Scope, in *model.Inputs) inventory.Visibility {
		if e := in.Cluster.Extension(s.Name); e != nil {
			return inventory.VisibleTo(e, in.Cluster, in.View, in.Options)
		}
		return inventory.Visibility{}
	},
	Owner: (*model.Part).OwnedInCluster,
	RunsIn: func(known *cluster.Index, s cluster.Scope) string {
		if e := known.Extension(s.Name); e != nil {
			return e.Namespace
		}
		return ""
	},
	VersionOf: func(known *cluster.Index, k cluster.RequestKey, name string) string {
		if e := known.Extension(k.Name); e != nil && e.Installed != nil && e.Installed.Name == name {
			return e.Installed.Version
		}
		return ""
	},
	All:    named,
	Stated: statedExtension,
}

// unknown is the kind of scopes that cannot be read.
var unknown = kindRow{
	&model.Kind{
		Serves:    func(catalog.Key) bool { return false },
		Visible:   func(cluster.Scope, *model.Inputs) inventory.Visibility { return inventory.Visibility{} },
		Owner:     (*model.Part).OwnedInNamespace,
		RunsIn:    func(*cluster.Index, cluster.Scope) string { return "" },
		VersionOf: func(*cluster.Index, cluster.RequestKey, string) string { return "" },
		All:       named,
		Stated:    func(_ *cluster.Index, s cluster.Scope) []result.Request { return []result.Request{{Key: named(s)}} },
	},
	func(cluster.Scope, *model.Inputs) (scopeReader, error) {
		return nil, words.ErrNoKind
	},
}

// rowOf returns the row of a kind, unknown if there is none.
func rowOf(kind cluster.RequestKind) kindRow {
	if r, ok := kinds[kind]; ok {
		return r
	}
	return unknown
}

// KindOf returns the kind of the requests of a scope.
func KindOf(scope cluster.Scope) *model.Kind { return rowOf(scope.Kind).kind }

// Known reports whether a key is that of a request: objects of other kinds are none.
func Known(key cluster.RequestKey) bool {
	_, known := kinds[key.Kind]
	return known
}

// allOf returns the key that stands for all Subscriptions of a namespace.
func allOf(s cluster.Scope) cluster.RequestKey {
	return cluster.RequestKey{Kind: s.Kind, Namespace: s.Name}
}

// named returns the key of the only request of a scope that has its name.
func named(s cluster.Scope) cluster.RequestKey { return cluster.RequestKey{Kind: s.Kind, Name: s.Name} }

// statedSubscriptions returns what the Subscriptions of a namespace state: one without a name
// if they could not be read.
func statedSubscriptions(known *cluster.Index, scope cluster.Scope) (list []result.Request) {
	state := known.In(scope.Name)
	there := map[string]bool{}
	for _, csv := range inventory.Counting(state) {
		there[csv.Name] = true
	}
	for i := range state.Subscriptions {
		s := &state.Subscriptions[i]
		stated := result.Request{Key: s.Key(), Package: s.Package}
		if there[s.InstalledCSV] {
			stated.Installed = s.InstalledCSV
		}
		list = append(list, stated)
	}
	if len(list) == 0 && known.ClusterScoped().Unread[scope] != nil {
		return []result.Request{{Key: allOf(scope)}}
	}
	return list
}

// statedExtension returns what a ClusterExtension states, if it is there.
func statedExtension(known *cluster.Index, scope cluster.Scope) []result.Request {
	stated := result.Request{Key: named(scope)}
	if e := known.Extension(scope.Name); e != nil {
		if stated.Package = e.Package; e.Installed != nil {
			stated.Installed = e.Installed.Name
		}
	}
	return []result.Request{stated}
}
