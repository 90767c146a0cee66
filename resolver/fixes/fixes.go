// Package fixes holds changes of the input with which a failed resolution
// succeeds, as plain data with their default words.
package fixes

import (
	"errors"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// Help is what would help. The errors that changes may correct embed it.
type Help struct {
	// Home is the namespace that was resolved by itself, which texts need not name.
	Home string
	// Fixes are changes of objects that were solved again, each by itself, and work.
	Fixes []Fix
	// Wait are catalogs of which it is enough that they become healthy.
	Wait []Object
	// Options are what the options of the call could allow; they change no object.
	Options []Fix
	// Others are what only others can change, of failures. Each was tried by itself.
	Others []Other
	// Search is how the search ended, empty if there was none. Of one that was canceled
	// nothing else is stated, as how far it came is a matter of luck.
	Search SearchEnd
	// Conditions are what OLM states of the requests that this is about, and is not as it
	// should be: the first hundred.
	Conditions []Condition
}

// Condition is a condition of an object that is not as it should be, or its phase: of a
// ClusterServiceVersion any but Succeeded, of an InstallPlan Failed and RequiresApproval.
type Condition struct {
	Object  Object `json:"object"`
	Type    string `json:"type"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// String quotes the condition in a line.
func (c Condition) String() string {
	said := slices.DeleteFunc([]string{c.Object.String(), c.Type, c.Reason, c.Message}, func(s string) bool { return s == "" })
	return words.Clip(words.OneLine(strings.Join(said, ": ")), maxQuoted)
}

// maxQuoted is how many bytes of a condition a text quotes.
const maxQuoted = 500

// HelpOf returns the help of an error, empty if it has none.
func HelpOf(err error) *Help {
	var helped interface{ help() *Help }
	if errors.As(err, &helped) {
		return helped.help()
	}
	return &Help{}
}

func (h *Help) help() *Help { return h }

// Fix is a minimal set of changes that was tried, and reaches the goal of its group.
type Fix struct {
	// Group is that of the causes that it removes; 0: all.
	Group   int
	Changes []Change
	// Risk is the highest of the changes, and Cautions say what speaks against them.
	Risk     Risk
	Cautions []Caution
	// GivesUp are the requests that it drops.
	GivesUp []cluster.RequestKey
	// Waiting are the requests of other groups, which may still have to be solved before
	// anything is resolved (but see policy.Options.Partial). Then is what resolution gives
	// with the changes, and without what waits.
	Waiting []cluster.RequestKey
	Then    Difference
	// Further are the bundles of the updates that follow then, to the head, or to the end of
	// the path that was sought.
	Further []string
}

// Other is what only others can change: what a catalog would have to have, or a version of
// a bundle's package accept.
type Other struct {
	// Kind is catalog, publisher or, where such a version would have to run on the version
	// of the cluster, platform.
	Kind string `json:"kind"`
	// Bundle is the one that requires what is missing, or does not accept what there is. None
	// is, where a request names what is missing.
	Bundle catalog.BundleKey `json:",embed,inline"`
	// Constraints are what a catalog would have to satisfy, or what a publisher would have to
	// state in place of the constraints of Bundle with the same packages.
	Constraints []string `json:"constraints,omitempty"`
	// Accepts are the versions that these accept in addition, as "PACKAGE VERSION", what is
	// excluded no more, or the platforms.
	Accepts []string `json:"accepts,omitempty"`
	// After are changes with which this helps; none: it does as things are.
	After []Change `json:"after,omitempty"`
}

// Change is what an administrator does at once: all steps on one object, a move, a new
// installation, or the deletion of a request with what it has installed.
type Change struct {
	Object Object `json:"object"`
	Steps  []Step `json:"steps"`
	// With are the fields in which an object that is created differs from what it was.
	With []Step `json:"-"`
}

// Steps are those of all changes.
func (f *Fix) Steps() []Step {
	var steps []Step
	for i := range f.Changes {
		steps = append(steps, f.Changes[i].Steps...)
	}
	return steps
}

// Step sets or removes one field of an object, deletes the object, or creates it.
type Step struct {
	Object Object `json:"object"`
	// Field is what changes; without one, the object is deleted, or created.
	Field Field `json:"field,omitempty"`
	// From is the value of the field before, To the one after: a string, an int, a bool,
	// []string, cluster.Selector or []cluster.Condition, nil if there is none. Without To
	// the field is removed.
	From any `json:"from,omitempty"`
	To   any `json:"to,omitempty"`
	// Create, where set, is the object to create, and nothing else.
	Create *cluster.Objects `json:"create,omitempty"`
}

// Object is what a Step changes.
type Object struct {
	Kind      ObjectKind `json:"kind"`
	Namespace string     `json:"namespace,omitempty"`
	Name      string     `json:"name"`
}

// String names the object.
func (o Object) String() string {
	if o.Namespace == "" {
		return string(o.Kind) + " " + o.Name
	}
	return string(o.Kind) + " " + o.Namespace + "/" + o.Name
}

// ObjectKind is a kind of Kubernetes objects or, for what no object holds, ObjectOptions.
type ObjectKind string

// The kinds of objects that a Step changes.
const (
	ObjectSubscription   ObjectKind = "Subscription"
	ObjectExtension      ObjectKind = "ClusterExtension"
	ObjectCSV            ObjectKind = "ClusterServiceVersion"
	ObjectOperatorGroup  ObjectKind = "OperatorGroup"
	ObjectCondition      ObjectKind = "OperatorCondition"
	ObjectInstallPlan    ObjectKind = "InstallPlan"
	ObjectNamespace      ObjectKind = "Namespace"
	ObjectCatalogSource  ObjectKind = "CatalogSource"
	ObjectClusterCatalog ObjectKind = "ClusterCatalog"
	ObjectOptions        ObjectKind = "Options" // policy.Options
)

// Field is a path in an object.
type Field string

// The fields that a Step changes.
const (
	FieldPackage           Field = "spec.name"
	FieldChannel           Field = "spec.channel"
	FieldStartingCSV       Field = "spec.startingCSV"
	FieldSource            Field = "spec.source"
	FieldSourceNamespace   Field = "spec.sourceNamespace"
	FieldExtensionChannels Field = "spec.source.catalog.channels"
	FieldExtensionVersion  Field = "spec.source.catalog.version"
	FieldExtensionSelector Field = "spec.source.catalog.selector"
	FieldExtensionPolicy   Field = "spec.source.catalog.upgradeConstraintPolicy"
	FieldTargets           Field = "spec.targetNamespaces"
	FieldTargetSelector    Field = "spec.selector"
	FieldExcludeGlobal     Field = "metadata.annotations." + cluster.AnnotationExcludeGlobal // of an OperatorGroup
	FieldOverrides         Field = "spec.overrides"
	FieldApproved          Field = "spec.approved"
	FieldAvailability      Field = "spec.availabilityMode"
	FieldPriority          Field = "spec.priority"
	FieldExcludedCatalogs  Field = "excludeCatalogs"  // of ObjectOptions, named as the catalog: whether that is one of them
	FieldLenientHealth     Field = "lenientHealth"    // of ObjectOptions
	FieldSystemConstraint  Field = "systemConstraint" // of ObjectOptions, whose name is that of the bundle
)

// Risk is what a Fix may do beside what it is for. A greater one is worse.
type Risk uint8

// The risks of a Fix.
const (
	RiskNone      Risk = iota // only what would be installed changes
	RiskWidens                // operators or requests of the namespace may see or do more
	RiskRemoves               // an operator that runs goes, or is downgraded
	RiskOverrides             // an operator asked not to be updated
)

// String is the word of machine-readable outputs.
func (r Risk) String() string {
	names := [...]string{"none", "widens", "removes", "overrides"}
	if int(r) >= len(names) {
		return ""
	}
	return names[r]
}

// Difference is what a resolution changes about what is installed.
type Difference struct {
	Installs []Version
	Updates  []Update
	// Removes are installed bundles that nothing replaces. Stays is set if any stays.
	Removes []Version
	Stays   bool
}

// Version is one version of a package. What is installed may state no package, and no
// Version, which is nil then.
type Version struct {
	Bundle  catalog.BundleKey
	Version *semver.Version
}

// String names package and version, else the bundle.
func (v Version) String() string {
	if v.Bundle.Package == "" || v.Version == nil {
		return v.Bundle.Name
	}
	return v.Bundle.Package + " " + v.Version.String()
}

// Update replaces an installed bundle, by an older version if Down is set.
type Update struct {
	From, To Version
	Down     bool
}

// String names both versions.
func (u Update) String() string {
	if u.From.Bundle.Package == u.To.Bundle.Package && u.From.Version != nil && u.To.Version != nil {
		return u.To.Bundle.Package + " from " + u.From.Version.String() + " to " + u.To.Version.String()
	}
	return u.From.String() + " to " + u.To.String()
}

// maxChanges is how many changes of a Difference a text names.
const maxChanges = 4

// Text says what changes.
func (d Difference) Text() string {
	var parts []string
	add := func(verb string, names []string) {
		if len(names) > 0 {
			parts = append(parts, verb+" "+words.Listed(names, maxChanges))
		}
	}
	installs, removes := words.Texts(d.Installs), words.Texts(d.Removes)
	both := func(name string) bool {
		return slices.Contains(removes, name) && slices.Contains(words.Texts(d.Installs), name)
	}
	anew := slices.DeleteFunc(slices.Clone(installs), func(name string) bool { return !both(name) })
	add("installs anew", anew)
	add("installs", slices.DeleteFunc(installs, both))
	var up, down []string
	for _, u := range d.Updates {
		if u.Down {
			down = append(down, u.String())
		} else {
			up = append(up, u.String())
		}
	}
	add("updates", up)
	add("downgrades", down)
	add("removes", slices.DeleteFunc(removes, func(name string) bool { return slices.Contains(anew, name) }))
	switch {
	case len(parts) > 0:
		return strings.Join(parts, "; ")
	case d.Stays:
		return "what is installed stays as it is"
	}
	return "installs nothing"
}

// SearchEnd is how a search for fixes ended.
type SearchEnd string

// How a search for fixes ends.
const (
	SearchComplete SearchEnd = "complete" // it knows of nothing more to try
	SearchLimit    SearchEnd = "limit"    // it made as many tries as it may
	SearchCanceled SearchEnd = "canceled" // its context ended
)

// CutOff says that the search was cut off; it is empty if it was not.
func (s SearchEnd) CutOff() string {
	switch s {
	case SearchLimit:
		return "The search for what would help ended at its limit: there may be more"
	case SearchCanceled:
		return "The search for what would help was cut off: there may be changes that help"
	}
	return ""
}
