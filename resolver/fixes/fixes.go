// Package fixes holds changes of the input with which a failed resolution
// succeeds, as plain data with their default words.
package fixes

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// Fix is a change of the input with which resolution was found to succeed.
type Fix struct {
	// Steps are made together. Those about one object are one change, and so is the
	// deletion of a Subscription with what it has installed. Without any one change the
	// others do not help, but where so many requests are deleted that trying each of
	// them would cost too much.
	Steps []Step
	// Risk is the highest of the steps.
	Risk Risk
	// Then is what resolution gives with the change.
	Then Difference
}

// Step sets or removes one field of an object, or deletes the object.
type Step struct {
	Object Object
	// Field is what changes; without one, the object is deleted.
	Field Field
	// From is the JSON value of the field before, To the one after: a string,
	// []string, cluster.Selector or []cluster.Condition, nil if there is none. Without
	// To the field is removed.
	From, To any
	// Create, where set, is the object to create, and nothing else.
	Create *cluster.Objects
	// Refused is why the operator of an OperatorCondition refuses updates, or the
	// caller's policy a bundle.
	Refused string
	// Watching names the operators of an OperatorGroup that would see other
	// namespaces than today, sorted.
	Watching []string
	// Unmanaged is set if no Subscription manages the ClusterServiceVersion.
	Unmanaged bool
}

// Object is what a Step changes.
type Object struct {
	Kind      ObjectKind
	Namespace string
	Name      string
}

// String names the object.
func (o Object) String() string {
	if o.Namespace == "" {
		return string(o.Kind) + " " + o.Name
	}
	return string(o.Kind) + " " + o.Namespace + "/" + o.Name
}

// ObjectKind is a kind of Kubernetes objects or, for what no object holds, ObjectCluster
// or ObjectOptions.
type ObjectKind string

// The kinds of objects that a Step changes.
const (
	ObjectSubscription   ObjectKind = "Subscription"
	ObjectExtension      ObjectKind = "ClusterExtension"
	ObjectCSV            ObjectKind = "ClusterServiceVersion"
	ObjectOperatorGroup  ObjectKind = "OperatorGroup"
	ObjectCondition      ObjectKind = "OperatorCondition"
	ObjectNamespace      ObjectKind = "Namespace"
	ObjectCatalogSource  ObjectKind = "CatalogSource"
	ObjectClusterCatalog ObjectKind = "ClusterCatalog"
	ObjectCluster        ObjectKind = "Cluster" // the cluster itself
	ObjectOptions        ObjectKind = "Options" // policy.Options
)

// Field is a path in an object.
type Field string

// The fields that a Step changes.
const (
	FieldNamespace         Field = "metadata.namespace"
	FieldPackage           Field = "spec.name"
	FieldChannel           Field = "spec.channel"
	FieldStartingCSV       Field = "spec.startingCSV"
	FieldSource            Field = "spec.source"
	FieldSourceNamespace   Field = "spec.sourceNamespace"
	FieldExtensionPackage  Field = "spec.source.catalog.packageName"
	FieldExtensionChannels Field = "spec.source.catalog.channels"
	FieldExtensionVersion  Field = "spec.source.catalog.version"
	FieldExtensionSelector Field = "spec.source.catalog.selector"
	FieldExtensionPolicy   Field = "spec.source.catalog.upgradeConstraintPolicy"
	FieldTargets           Field = "spec.targetNamespaces"
	FieldTargetSelector    Field = "spec.selector"
	FieldExcludeGlobal     Field = "metadata.annotations." + cluster.AnnotationExcludeGlobal // of an OperatorGroup
	FieldOverrides         Field = "spec.overrides"
	FieldAvailability      Field = "spec.availabilityMode"
	FieldPriority          Field = "spec.priority"
	FieldKubernetesVersion Field = "kubernetesVersion" // of ObjectCluster
	FieldExcludedCatalogs  Field = "excludeCatalogs"   // of ObjectOptions, whose name is that of the catalog
	FieldSystemConstraint  Field = "systemConstraint"  // of ObjectOptions, whose name is that of the bundle
)

// Risk is what a Fix may do beside what it is for. A greater one is worse.
type Risk uint8

// The risks of a Fix.
const (
	RiskNone      Risk = iota // only what would be installed changes
	RiskWidens                // operators or requests of the namespace may see or do more
	RiskRemoves               // an operator that runs goes
	RiskOverrides             // an operator, or the caller's policy, refuses what is done
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
	// Removes are installed bundles that nothing replaces.
	Removes []Version
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
	add("installs", words.Texts(d.Installs))
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
	add("removes", words.Texts(d.Removes))
	if len(parts) == 0 {
		return "what is installed stays as it is"
	}
	return strings.Join(parts, "; ")
}

// Text states what an administrator has to do, what happens then, and the
// risk. The namespace home is not named.
func (f *Fix) Text(home string) string {
	steps := make([]string, len(f.Steps))
	for i := range f.Steps {
		steps[i] = f.Steps[i].text(home)
	}
	text := strings.Join(steps, ", and ") + ": " + f.Then.Text()
	if len(f.Then.Removes) > 0 {
		text += " (custom resource definitions and custom resources stay, and nothing manages them)"
	}
	for i := range f.Steps {
		text += f.Steps[i].caution()
	}
	return words.Unbroken(text)
}

func (s *Step) text(home string) string {
	o := s.Object
	named := o.Name + words.InOther(o.Namespace, home)
	object, to := string(o.Kind)+" "+named, shown(s.To)
	switch {
	case s.Field == "" && s.Unmanaged:
		return "delete " + object + ", which no Subscription manages"
	case s.Field == "":
		return "delete " + object
	case s.Field == FieldExcludeGlobal:
		return "remove the annotation " + cluster.AnnotationExcludeGlobal + " from " + object
	case s.Field == FieldOverrides:
		return "override " + object + " (spec.overrides: " + to + ")"
	case s.Field == FieldNamespace:
		return "move " + object + " to namespace " + to
	case s.Field == FieldExcludedCatalogs:
		return "do not exclude catalog " + o.Name
	case s.Field == FieldSystemConstraint:
		return "let the policy allow " + named
	case s.Field == FieldKubernetesVersion:
		return "update the cluster to Kubernetes " + to + " or newer"
	case s.To == nil:
		return fmt.Sprintf("remove %s from %s", s.Field, object)
	}
	return fmt.Sprintf("set %s of %s to %s", s.Field, object, to)
}

// shown is the value of a field for people.
func shown(value any) string {
	var texts []string
	switch value := value.(type) {
	case string:
		return value
	case []string:
		texts = value
	case cluster.Selector:
		for _, label := range slices.Sorted(maps.Keys(value.MatchLabels)) {
			texts = append(texts, label+"="+value.MatchLabels[label])
		}
	case []cluster.Condition:
		for _, c := range value {
			texts = append(texts, c.Type+" "+c.Status)
		}
	}
	return strings.Join(texts, ", ")
}

// holds reports whether the step overrides an operator that refuses updates.
func (s *Step) holds() bool { return s.Field == FieldOverrides }

// waits reports whether the fix only overrides operators that refuse updates, so
// that waiting for them helps, too.
func (f *Fix) waits() bool {
	return !slices.ContainsFunc(f.Steps, func(s Step) bool { return !s.holds() })
}

// caution says what speaks against the step.
func (s *Step) caution() string {
	switch {
	case s.holds() && s.Refused == "":
		return "; warning: the operator refuses updates"
	case s.holds():
		return "; warning: the operator refuses updates: " + words.OneLine(s.Refused)
	case s.Refused != "":
		return "; warning: the policy refuses it: " + words.OneLine(s.Refused)
	case s.Field == FieldExcludeGlobal:
		return "; every Subscription of the namespace then sees the global catalogs"
	case len(s.Watching) > 0:
		return "; " + words.Listed(s.Watching, words.MaxNamed) + " would then watch the same namespaces"
	}
	return ""
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

// Wait says for what one could wait; it is empty if waiting does not help.
func Wait(list []Fix) string {
	i := slices.IndexFunc(list, func(f Fix) bool { return f.waits() })
	if i < 0 {
		return ""
	}
	var names []string
	for _, s := range list[i].Steps {
		names = append(names, s.Object.Name)
	}
	return words.Unbroken("wait until " + words.Listed(names, words.MaxNamed) + words.Verb(len(names), " allows", " allow") + " updates, then nothing needs to change")
}

// Texts say what would help: what to wait for, then the fixes in their order. The
// namespace home is not named.
func Texts(list []Fix, home string) []string {
	var texts []string
	if wait := Wait(list); wait != "" {
		texts = append(texts, wait)
	}
	for i := range list {
		texts = append(texts, list[i].Text(home))
	}
	return texts
}
