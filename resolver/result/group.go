package result

import (
	"fmt"
	"slices"

	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// AtMostOne states that a namespace, or the cluster, has one selected bundle at
// most: of the package, with the name, or providing the API of the reason, as its
// kind says.
type AtMostOne struct {
	Cluster bool
	// Namespace is set where several are resolved jointly.
	Namespace string
}

func (d AtMostOne) words(r *Reason, _ subject) string {
	switch r.Kind {
	case ReasonOnePackage:
		return d.one("bundle of package " + r.Package)
	case ReasonOneName:
		return d.one("bundle named " + r.Bundle)
	}
	return d.one("provider of " + APIText(r.API))
}

func (d AtMostOne) one(what string) string {
	where := "a namespace"
	switch {
	case d.Cluster:
		where = "a cluster"
	case d.Namespace != "":
		where = "namespace " + d.Namespace
	}
	return where + " has at most one " + what
}

// cause says that the bundles are more than one.
func (d AtMostOne) cause(r *Reason, members []BundleRef, claims []Claim) string {
	switch r.Kind {
	case ReasonOnePackage:
		claims = slices.DeleteFunc(slices.Clone(claims), func(c Claim) bool { return c.By.Reason.Kind == ReasonAsked })
		if len(claims) == 0 {
			return "different bundles are needed, and " + d.one("bundle of package "+r.Package)
		}
		return claimed(claims) + ", and " + d.one("bundle of package "+r.Package)
	case ReasonOneName:
		return d.words(r, subject{})
	}
	var names []string
	for _, list := range ByPackage(members) {
		name := list[0].Bundle.Package + words.InNamespace(list[0].Namespace)
		if len(list) == 1 || list[0].Bundle.Package == "" || list[0].Installed {
			name = DescribeBundles(list, false)
		}
		names = append(names, name)
	}
	names = words.Distinct(names)
	if len(names) < 2 {
		return d.words(r, subject{})
	}
	what := "an API"
	if r.API.Version == "" {
		what = "a kind"
	}
	return fmt.Sprintf("%s %s provide %s, and %s", words.Listed(names, words.MaxNamed), words.Verb(len(names)-1, "both", "all"), APIText(r.API), d.one("provider of "+what))
}

// claimed says who leads to which bundles.
func claimed(claims []Claim) string {
	texts := words.Distinct(mapped(claims, Claim.text))
	last := len(texts) - 1
	if last == 0 {
		return texts[0]
	}
	return words.Listed(texts[:last], words.MaxNamed) + ", but " + texts[last]
}

// Member states that bundles are members of a group of which one can be selected:
// of providers of the reason's API, of a package, or of a name.
type Member struct{ Package, Name string }

func (d Member) words(r *Reason, s subject) string {
	switch {
	case r.API != properties.GVK{}:
		return s.provides(APIText(r.API))
	case d.Package != "":
		return s.does("can", "can") + " satisfy it"
	}
	return s.does("has", "has") + " the name " + d.Name
}

// CanSatisfy states that the bundles satisfy what is asked for. Other facts of the
// derivation rule them out.
type CanSatisfy struct{}

func (CanSatisfy) words(_ *Reason, s subject) string { return s.does("can", "can") + " satisfy it" }
