package result

import (
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

// Why is reason and message in one line, as far as they are stated.
func (h *Hold) Why() string {
	reason, message := words.OneLine(h.Reason), words.OneLine(h.Message)
	if reason == "" || message == "" {
		return reason + message
	}
	return reason + ": " + message
}

// text shows the hold behind a sentence.
func (h *Hold) text() string {
	if why := h.Why(); why != "" {
		return " (" + why + ")"
	}
	return ""
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

// text says what the request asks for.
func (r *Request) text() string {
	if r.Hold != nil {
		return r.called() + " must keep " + r.Installed + ": " + r.Hold.Error()
	}
	text := r.called() + " asks for package " + r.Package
	if len(r.Channels) > 0 {
		text += " in channel" + words.Plural(len(r.Channels)) + " " + words.Either(r.Channels)
	}
	if r.Catalog != "" {
		text += " of catalog " + r.Catalog
	}
	if r.Version != "" {
		text += " in version " + r.Version
	}
	switch {
	case r.Installed != "":
		text += "; " + r.Installed + " is installed"
	case r.StartingCSV != "":
		text += ", startingCSV " + r.StartingCSV
	}
	return text
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

// Requested states a request, with the bundles that can satisfy it if they matter.
type Requested struct {
	Request    *Request
	Candidates []BundleRef
}

func (d Requested) words(*Reason, subject) string {
	text := d.Request.text()
	if len(d.Candidates) == 0 || d.Request.Hold != nil {
		return text
	}
	var parts []string
	for _, list := range ByPackage(d.Candidates) {
		parts = append(parts, DescribeBundles(list, true))
	}
	text += ": "
	if len(d.Candidates) == 1 {
		text += "only "
	}
	return text + words.Either(parts) + " can satisfy it"
}

// Unsatisfied states that nothing can satisfy a request, and why.
type Unsatisfied struct {
	Request *Request
	Fault   Reason
}

func (d Unsatisfied) words(*Reason, subject) string {
	return d.Request.Key.String() + " cannot be satisfied" + words.InNamespace(d.Request.home()) + ": " + d.Fault.Message()
}
