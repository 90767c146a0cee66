package cluster

import (
	"cmp"
	"strings"
)

// RequestKind is the Kubernetes kind of a request.
type RequestKind string

// The kinds of requests.
const (
	KindSubscription RequestKind = "Subscription"
	KindExtension    RequestKind = "ClusterExtension"
)

// RequestKey identifies a request of a cluster.
type RequestKey struct {
	Kind RequestKind `json:"kind"`
	// Namespace is empty for a ClusterExtension.
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

// Key identifies the Subscription.
func (s *Subscription) Key() RequestKey { return RequestKey{KindSubscription, s.Namespace, s.Name} }

// Key identifies the ClusterExtension.
func (e *ClusterExtension) Key() RequestKey { return RequestKey{Kind: KindExtension, Name: e.Name} }

// Compare orders keys by namespace, name and kind.
func (k RequestKey) Compare(other RequestKey) int {
	return cmp.Or(strings.Compare(k.Namespace, other.Namespace), strings.Compare(k.Name, other.Name), strings.Compare(string(k.Kind), string(other.Kind)))
}

// Scope returns the scope that resolves the request.
func (k RequestKey) Scope() Scope {
	if k.Kind == KindSubscription {
		return InNamespace(k.Namespace)
	}
	return Scope{k.Kind, k.Name}
}

// Extension returns the name of the ClusterExtension, empty for a Subscription.
func (k RequestKey) Extension() string { return k.Scope().Extension() }

// String returns kind and name, for display.
func (k RequestKey) String() string { return string(k.Kind) + " " + k.Name }

// Scope is what one call resolves: the Subscriptions of a namespace, or one
// ClusterExtension.
type Scope struct {
	// Kind is the kind of its requests.
	Kind RequestKind
	// Name names the namespace, or the ClusterExtension.
	Name string
}

// InNamespace returns the scope of all Subscriptions of a namespace.
func InNamespace(name string) Scope { return Scope{KindSubscription, name} }

// OfExtension returns the scope of a ClusterExtension.
func OfExtension(name string) Scope { return Scope{KindExtension, name} }

// Compare orders scopes: namespaces first, then by name.
func (s Scope) Compare(other Scope) int {
	return cmp.Or(strings.Compare(string(other.Kind), string(s.Kind)), strings.Compare(s.Name, other.Name))
}

// Alone reports whether the scope is one request by itself. The requests of a namespace share it.
func (s Scope) Alone() bool { return s.Kind == KindExtension }

// Namespace returns the namespace of the Subscriptions, empty for a ClusterExtension.
func (s Scope) Namespace() string {
	if s.Kind == KindSubscription {
		return s.Name
	}
	return ""
}

// Extension returns the name of the ClusterExtension, empty for a namespace.
func (s Scope) Extension() string {
	if s.Kind == KindExtension {
		return s.Name
	}
	return ""
}

// String returns "namespace NAME" or "ClusterExtension NAME", for display.
func (s Scope) String() string {
	if s.Kind == KindSubscription {
		return "namespace " + s.Name
	}
	return string(s.Kind) + " " + s.Name
}
