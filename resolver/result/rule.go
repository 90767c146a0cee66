package result

import (
	"fmt"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// groupOwnerConflict is OLM's own name for what an OperatorGroup refuses.
const groupOwnerConflict = "InterOperatorGroupOwnerConflict"

// What a bundle states, or what rules it out. The sentences begin with the bundle,
// or with several for which the same holds.
type (
	// Requires: the bundle states the constraint of the reason. AnyVersion says
	// that its range does not matter, as no catalog has the package. In a Cause,
	// Missing is what no catalog has of it, and Offered is set if some bundle
	// satisfies each part by itself.
	Requires struct {
		AnyVersion bool
		Missing    []Reason
		Offered    bool
	}
	// TakesPlace: an update excludes the installed bundles that it replaces.
	TakesPlace struct{ Replaced []string }
	// IsInstalled: an entry of a catalog that is installed is not selected anew.
	IsInstalled struct{}
	// Stays: others than the Request have the bundle installed; or it has, is LeftOut, and
	// cannot be satisfied.
	Stays struct {
		Request cluster.RequestKey
		LeftOut bool
	}
	// OpenShiftTooNew: the bundle states the newest OpenShift that it runs on. The
	// version of the Cluster is zero where it is one that the cluster has not yet.
	OpenShiftTooNew struct{ Limit, Cluster properties.MajorMinor }
	// KubernetesTooOld: the bundle states the oldest Kubernetes that it runs on.
	KubernetesTooOld struct{ Least, Cluster string }
	// Pinned: the package is pinned to another bundle or version, or, if both are
	// empty, to what is installed.
	Pinned struct{ Package, Bundle, Version string }
	// Forbidden: the caller's SystemConstraint forbids the bundle.
	Forbidden struct{ Why string }
	// Owned: a kind of the bundle has another owner in the cluster. For a
	// ClusterExtension, API is a version of it.
	Owned struct {
		API          properties.GVK
		Owner        Owner
		ForExtension bool
	}
	// OtherVersions: another namespace provides a kind of the bundle in other
	// versions. They are empty if they differ between its bundles.
	OtherVersions struct {
		Kind          properties.GVK
		Versions      string
		Owner         Owner
		OwnerVersions string
	}
	// GroupRefuses: the OperatorGroup asks for an install Mode that the bundle does
	// not support, but others; or it is static, and does not list an API of the bundle; or Other, a
	// group with common target namespaces, provides that API, or would if its
	// namespace is resolved jointly.
	GroupRefuses struct {
		Group          string
		Mode           properties.InstallMode
		Supported      properties.InstallModes
		API            properties.GVK
		OtherNamespace string
		Other          string
	}
)

// Owner has an API: a Request, which is a ClusterExtension, or a bundle of a namespace
// that is installed or, if Chosen is set, was chosen by the same call.
type Owner struct {
	Request           cluster.RequestKey
	Namespace, Bundle string
	Chosen            bool
}

func (o Owner) text() string {
	switch {
	case o.Request.Name != "":
		return o.Request.String()
	case o.Chosen:
		return o.Bundle + ", chosen for namespace " + o.Namespace + ","
	}
	return "ClusterServiceVersion " + o.Namespace + "/" + o.Bundle
}

func (d Requires) words(r *Reason, s subject) string {
	e := r.Constraint
	text, message := e.String(), words.OneLine(e.FailureMessage())
	if s.short {
		message = words.Clip(message, MaxSummary)
		if pkg, ok := e.(constraints.Package); ok && d.AnyVersion {
			text = "package " + pkg.Name
		}
	}
	return s.does("requires", "require") + " " + text + failureText(message)
}

// failureText ends a sentence with what the author of a constraint states.
func failureText(message string) string {
	if message == "" {
		return ""
	}
	return " (" + message + ")"
}

func (d TakesPlace) words(_ *Reason, s subject) string {
	return s.does("takes", "take") + " the place of " + words.Listed(d.Replaced, words.MaxNamed)
}

func (IsInstalled) words(_ *Reason, s subject) string { return s.does("is", "are") + " installed" }

func (d Stays) words(r *Reason, _ subject) string {
	if d.LeftOut {
		return fmt.Sprintf("%s is installed, and stays where %s cannot be satisfied", r.Bundle, d.Request)
	}
	return fmt.Sprintf("%s is installed, and not by %s: it must stay", r.Bundle, d.Request)
}

// closest names the bundle of the reason, which of several comes closest.
func (s subject) closest(r *Reason) string {
	if s.newest != nil && r.Version.EQ(*s.newest) {
		return "the newest, " + r.Version.String() + ","
	}
	return r.Version.String()
}

func (d OpenShiftTooNew) words(r *Reason, s subject) string {
	switch {
	case d.Cluster == (properties.MajorMinor{}):
		return fmt.Sprintf("%s on OpenShift up to %s", s.does("runs", "run"), d.Limit)
	case s.none != "" && r.Version != nil:
		return fmt.Sprintf("%s runs on OpenShift %s; %s runs up to %s", s.none, d.Cluster, s.closest(r), d.Limit)
	}
	return fmt.Sprintf("%s on OpenShift up to %s, and this cluster has %s", s.does("runs", "run"), d.Limit, d.Cluster)
}

func (d KubernetesTooOld) words(r *Reason, s subject) string {
	if s.none != "" && r.Version != nil {
		return fmt.Sprintf("%s runs on Kubernetes %s; %s needs %s or newer", s.none, d.Cluster, s.closest(r), d.Least)
	}
	return fmt.Sprintf("%s Kubernetes %s or newer, and this cluster has %s", s.does("needs", "need"), d.Least, d.Cluster)
}

func (d Pinned) words(_ *Reason, s subject) string {
	to := "what is installed"
	switch {
	case d.Bundle != "":
		to = d.Bundle
	case d.Version != "":
		to = "version " + d.Version
	}
	return fmt.Sprintf("%s not allowed: package %s is pinned to %s", s.does("is", "are"), d.Package, to)
}

func (d Forbidden) words(_ *Reason, s subject) string {
	return s.does("is", "are") + " not allowed here: " + words.OneLine(d.Why)
}

func (d Owned) words(_ *Reason, s subject) string {
	if d.ForExtension {
		return fmt.Sprintf("%s, which %s owns already; a kind has one owner in a cluster", s.provides(d.API.Describe()), d.Owner.text())
	}
	already := " already"
	if d.Owner.Chosen {
		already = ""
	}
	return fmt.Sprintf("%s, which %s owns%s; a kind has one owner in the cluster", s.provides(APIName(d.API)), d.Owner.text(), already)
}

func (d OtherVersions) words(_ *Reason, s subject) string {
	other := fmt.Sprintf("%s provides it as %s", d.Owner.text(), d.OwnerVersions)
	if d.OwnerVersions == "" {
		other = fmt.Sprintf("bundles of namespace %s in other versions", d.Owner.Namespace)
	}
	return fmt.Sprintf("%s as %s, and %s; a kind has one set of versions in the cluster", s.provides(APIName(d.Kind)), d.Versions, other)
}

func (d GroupRefuses) words(_ *Reason, s subject) string {
	switch {
	case d.Mode != "":
		return fmt.Sprintf("%s under OperatorGroup %s, which needs install mode %s; supported: %s (UnsupportedOperatorGroup)", s.does("does not run", "do not run"), d.Group, d.Mode, d.Supported)
	case d.Other != "":
		return fmt.Sprintf("%s, which OperatorGroup %s/%s with common target namespaces provides already (%s)",
			s.provides(d.API.Describe()), d.OtherNamespace, d.Other, groupOwnerConflict)
	case d.OtherNamespace != "":
		return fmt.Sprintf("%s, as bundles of namespace %s do, whose OperatorGroup has target namespaces in common (%s)",
			s.provides(d.API.Describe()), d.OtherNamespace, groupOwnerConflict)
	}
	return fmt.Sprintf("%s, which the static OperatorGroup %s does not list (CannotModifyStaticOperatorGroupProvidedAPIs)", s.provides(d.API.Describe()), d.Group)
}

func (s subject) provides(what string) string { return s.does("provides", "provide") + " " + what }

// APIName names an API, or a kind where there is no version.
func APIName(api properties.GVK) string {
	if api.Version == "" {
		return api.Kind + "." + api.Group
	}
	return api.String()
}

// APIText shows an API for people, and a kind where there is no version.
func APIText(api properties.GVK) string {
	if api.Version == "" {
		return APIName(api)
	}
	return api.Describe()
}
