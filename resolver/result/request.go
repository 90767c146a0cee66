package result

import (
	"slices"
	"strings"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// Request is what a user asks for.
type Request struct {
	Key cluster.RequestKey
	// Jointly is set where several namespaces are resolved as one problem: texts name that
	// of the request.
	Jointly bool
	Package string
	// Channels are at most one of a Subscription.
	Channels []string
	// Catalog is that of a Subscription, with its namespace if it names one, and
	// StartingCSV the bundle to begin with.
	Catalog     string
	StartingCSV string
	// Version is the range of a ClusterExtension.
	Version string
	// Installed is the bundle that the request has installed, and Hold why that
	// must not be updated now; nil if it may.
	Installed string
	Hold      *Hold
}

// Hold means that the OperatorCondition of an installed bundle refuses updates.
type Hold struct{ Reason, Message string }

func (h *Hold) Error() string { return "its operator is not upgradeable" + h.text() }

// text shows reason and message behind a sentence, as far as they are stated.
func (h *Hold) text() string {
	parts := []string{words.OneLine(h.Reason), words.OneLine(h.Message)}
	why := strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), ": ")
	return when(why != "", " ("+why+")")
}

// called names the request.
func (r *Request) called() string {
	return r.Key.String() + words.InNamespace(r.home())
}

// home is the namespace, if it is one of several.
func (r *Request) home() string {
	if !r.Jointly {
		return ""
	}
	return r.Key.Namespace
}

// place names the package, and the channel of a Subscription.
func (r *Request) place() string {
	if r.Key.Kind == cluster.KindSubscription && len(r.Channels) > 0 {
		return "channel " + r.Channels[0] + " of package " + r.Package
	}
	return "package " + r.Package
}

// inChannels names the channels of a ClusterExtension.
func (r *Request) inChannels() string {
	if r.Key.Kind == cluster.KindSubscription || len(r.Channels) == 0 {
		return ""
	}
	return " in channels " + strings.Join(r.Channels, ", ")
}
