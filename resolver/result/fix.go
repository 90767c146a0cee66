package result

import (
	"fmt"

	"github.com/resolvent/resolvent/resolver/internal/words"
)

// Fix is a change of the input with which resolution was found to succeed. Only
// the fields that its kind needs are set.
type Fix struct {
	Kind FixKind
	// Request is the kind of the subject, if that is a request, and Namespace that
	// of the subject, where several namespaces are resolved jointly. Subject names
	// what to change: a Subscription, catalog or other object.
	Request   RequestKind
	Namespace string
	Subject   string
	// Value is what to set, where the kind needs one; From is what to replace or
	// to remove.
	Value, From string

	Package   string // which is taken from another catalog
	Bundle    string // which is deleted with a Subscription
	VisibleTo string // the namespace that is to see a catalog
	Excluded  bool   // the caller excludes the catalog
	Unmanaged bool   // no Subscription manages the ClusterServiceVersion
	Managed   bool   // its Subscription is to be deleted as well

	// More are further changes that have to be made together with this one.
	More []Fix
}

// FixKind says what a Fix changes.
type FixKind string

// The kinds of fixes. An empty value removes the field, or means all namespaces.
const (
	FixRename      FixKind = "rename"         // corrects the package, channel or startingCSV of a request
	FixChannel     FixKind = "channel"        // changes the channels of a request
	FixStartingCSV FixKind = "startingCSV"    // changes the startingCSV of a Subscription
	FixCatalog     FixKind = "catalog"        // takes a request from another catalog, by the label From of an extension's selector
	FixSelector    FixKind = "selector"       // removes the catalog selector of a ClusterExtension
	FixVersion     FixKind = "version"        // changes the version range of a ClusterExtension
	FixPolicy      FixKind = "upgradePolicy"  // changes the upgrade policy of a ClusterExtension
	FixHold        FixKind = "hold"           // removes the hold of an OperatorCondition
	FixVisible     FixKind = "visibleCatalog" // makes a known catalog visible to the namespace, or available
	FixAllow       FixKind = "allow"          // lets the caller's policy allow a bundle
	FixGroup       FixKind = "operatorGroup"  // changes the target namespaces of the OperatorGroup
	FixCluster     FixKind = "clusterVersion" // updates the cluster itself
	FixDeleteCSV   FixKind = "deleteCSV"      // deletes an installed bundle
	FixDrop        FixKind = "drop"           // deletes a request, with what it has installed
)

// Text tells an administrator what to do.
func (f *Fix) Text() string {
	text := f.own()
	for i := range f.More {
		text += ", and " + f.More[i].own()
	}
	return words.Unbroken(text)
}

// own is the text of the fix without further changes.
func (f *Fix) own() string {
	called := f.Subject + words.InNamespace(f.Namespace)
	request := string(f.Request) + " " + called
	switch f.Kind {
	case FixRename:
		return fmt.Sprintf("let %s ask for package %s", request, f.Value)
	case FixChannel:
		return f.channel(request)
	case FixStartingCSV:
		if f.Value == "" {
			return "remove startingCSV from " + request
		}
		return fmt.Sprintf("set startingCSV of %s to %s", request, f.Value)
	case FixCatalog:
		if f.Request == ClusterExtension {
			return fmt.Sprintf("let the selector of %s choose catalog %s (label %s)", request, f.Value, f.From)
		}
		return fmt.Sprintf("let %s take package %s from catalog %s", request, f.Package, f.Value)
	case FixSelector:
		return "remove the selector from " + request
	case FixVersion:
		return fmt.Sprintf("remove the version range %q from %s", f.From, request)
	case FixPolicy:
		return fmt.Sprintf("set upgradeConstraintPolicy of %s to %s", request, f.Value)
	case FixHold:
		return "let OperatorCondition " + called + " allow updates (Upgradeable)"
	case FixVisible:
		return f.visible()
	case FixAllow:
		return "let the policy allow " + called
	case FixGroup:
		if f.Value == "" {
			return "let OperatorGroup " + called + " target all namespaces"
		}
		return "let OperatorGroup " + called + " target only its own namespace"
	case FixCluster:
		return fmt.Sprintf("update the cluster to %s %s or newer", f.Subject, f.Value)
	case FixDeleteCSV:
		if f.Unmanaged {
			called += ", which no Subscription manages"
		} else if f.Managed {
			called += " and its Subscription"
		}
		return "delete ClusterServiceVersion " + called
	case FixDrop:
		if f.Bundle != "" {
			return fmt.Sprintf("delete %s and ClusterServiceVersion %s", request, f.Bundle)
		}
		return "delete " + request
	}
	return ""
}

func (f *Fix) channel(request string) string {
	switch {
	case f.Request == Subscription:
		return fmt.Sprintf("set the channel of %s to %s", request, f.Value)
	case f.Value == "":
		return "remove the channels from " + request
	}
	return fmt.Sprintf("let %s ask for channel %s", request, f.Value)
}

func (f *Fix) visible() string {
	switch {
	case f.Excluded:
		return "do not exclude catalog " + f.Subject
	case f.VisibleTo != "":
		return fmt.Sprintf("make catalog %s visible to namespace %s", f.Subject, f.VisibleTo)
	}
	return "make catalog " + f.Subject + " available"
}
