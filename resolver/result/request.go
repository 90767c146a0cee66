package result

import (
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// Request is what a Subscription or ClusterExtension states.
type Request struct {
	Key cluster.RequestKey
	// Jointly is true if several namespaces are resolved as one problem. Texts then name the
	// namespace of the request.
	Jointly bool
	Package string
	// Channels has at most one channel for a Subscription.
	Channels []string
	// Catalog is the catalog of a Subscription, without a namespace if it names none.
	Catalog     catalog.Key
	StartingCSV string
	// Version is the range of a ClusterExtension.
	Version string
	// Installed is the installed bundle of the request. Hold is why its operator refuses
	// updates, nil if it does not.
	Installed string
	Hold      *Hold
}

// Hold means that the OperatorCondition of an installed bundle refuses updates.
type Hold struct{ Reason, Message string }

func (h *Hold) Error() string { return words.Failures.With("held", 1, words.Values{"hold": h.text()}) }

// text returns reason and message in parentheses, as far as they are stated.
func (h *Hold) text() string {
	parts := []string{words.OneLine(h.Reason), words.OneLine(h.Message)}
	why := strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), ": ")
	return when(why != "", " ("+why+")")
}

// String returns kind, name and namespace.
func (r *Request) String() string { return r.Key.String() + words.InNamespace(r.Key.Namespace) }

// called returns kind and name of the request, and its namespace if that is one of several.
func (r *Request) called() string {
	return r.Key.String() + words.InNamespace(r.home())
}

// home returns the namespace if it is one of several, else nothing.
func (r *Request) home() string {
	if !r.Jointly {
		return ""
	}
	return r.Key.Namespace
}

// place returns the package with the channel of a request that has one of its own.
func (r *Request) place() string {
	if !r.Key.Scope().Alone() && len(r.Channels) > 0 {
		return "channel " + r.Channels[0] + " of package " + r.Package
	}
	return "package " + r.Package
}

// inChannels returns " in channels NAMES" for a ClusterExtension that names any.
func (r *Request) inChannels() string {
	if !r.Key.Scope().Alone() || len(r.Channels) == 0 {
		return ""
	}
	return " in channels " + strings.Join(r.Channels, ", ")
}
