package result

import (
	"strconv"
	"strings"

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
	return strings.NewReplacer("{called}", called, "{request}", string(f.Request)+" "+called, "{subject}", f.Subject,
		"{value}", f.Value, "{from}", f.From, "{range}", strconv.Quote(f.From), "{package}", f.Package, "{bundle}", f.Bundle,
		"{namespace}", f.VisibleTo).Replace(f.template())
}

// template is the text with fields in braces.
func (f *Fix) template() string {
	removes, extension := f.Value == "", f.Request == ClusterExtension
	switch {
	case f.Kind == FixChannel && !extension:
		return "set the channel of {request} to {value}"
	case f.Kind == FixChannel && removes:
		return "remove the channels from {request}"
	case f.Kind == FixStartingCSV && removes:
		return "remove startingCSV from {request}"
	case f.Kind == FixCatalog && extension:
		return "let the selector of {request} choose catalog {value} (label {from})"
	case f.Kind == FixVisible && f.Excluded:
		return "do not exclude catalog {subject}"
	case f.Kind == FixVisible && f.VisibleTo != "":
		return "make catalog {subject} visible to namespace {namespace}"
	case f.Kind == FixGroup && removes:
		return "let OperatorGroup {called} target all namespaces"
	case f.Kind == FixDeleteCSV && f.Unmanaged:
		return "delete ClusterServiceVersion {called}, which no Subscription manages"
	case f.Kind == FixDeleteCSV && f.Managed:
		return "delete ClusterServiceVersion {called} and its Subscription"
	case f.Kind == FixDrop && f.Bundle != "":
		return "delete {request} and ClusterServiceVersion {bundle}"
	}
	return fixTexts[f.Kind]
}

var fixTexts = map[FixKind]string{
	FixRename:      "let {request} ask for package {value}",
	FixChannel:     "let {request} ask for channel {value}",
	FixStartingCSV: "set startingCSV of {request} to {value}",
	FixCatalog:     "let {request} take package {package} from catalog {value}",
	FixSelector:    "remove the selector from {request}",
	FixVersion:     "remove the version range {range} from {request}",
	FixPolicy:      "set upgradeConstraintPolicy of {request} to {value}",
	FixHold:        "let OperatorCondition {called} allow updates (Upgradeable)",
	FixVisible:     "make catalog {subject} available",
	FixAllow:       "let the policy allow {called}",
	FixGroup:       "let OperatorGroup {called} target only its own namespace",
	FixCluster:     "update the cluster to {subject} {value} or newer",
	FixDeleteCSV:   "delete ClusterServiceVersion {called}",
	FixDrop:        "delete {request}",
}
