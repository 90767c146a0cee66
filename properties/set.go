package properties

import (
	"iter"
	"slices"
	"strings"
	"sync/atomic"
	"weak"

	"github.com/agnivade/levenshtein"
)

// Set is what a bundle states about itself. It is immutable and safe for any number
// of goroutines. The zero Set states nothing.
type Set struct {
	// stated has one item per stated property, so that its indices are those of faults
	// and constraints.
	stated []item
	raw    []Property
	gvks   []GVK

	labels     []string
	pkg        Package
	metadata   *Metadata
	objects    *Objects
	openShift  MajorMinor
	unfit      error
	hasPackage bool
	limited    bool
	deprecated bool

	// cel leads to the properties as rules read them while the collector keeps these.
	cel atomic.Pointer[weak.Pointer[celValues]]
}

// celValues is what [Set.CEL] returns.
type celValues struct{ list []any }

// Package returns the bundle's package and version, false if it states none.
func (s *Set) Package() (Package, bool) { return s.pkg, s.hasPackage }

// GVKs returns the provided APIs in the stated order, without repeats. The
// result is shared: read it only.
func (s *Set) GVKs() []GVK { return s.gvks }

// Labels returns the labels in the stated order, without repeats. The result is
// shared: read it only.
func (s *Set) Labels() []string { return s.labels }

// HasLabel reports whether the bundle carries the label.
func (s *Set) HasLabel(label string) bool { return slices.Contains(s.labels, label) }

// Provides reports whether the bundle provides the API.
func (s *Set) Provides(gvk GVK) bool { return slices.Contains(s.gvks, gvk) }

// Deprecated reports whether the bundle must not be selected anew.
func (s *Set) Deprecated() bool { return s.deprecated }

// MaxOpenShift returns the highest OpenShift version that the bundle supports, false
// if it states none. Of several the lowest counts.
func (s *Set) MaxOpenShift() (MajorMinor, bool) { return s.openShift, s.limited }

// OpenShiftFault returns why OLM does not accept what the bundle states of OpenShift: it then
// blocks every update of OpenShift where the bundle is installed. It is nil if OLM accepts it.
func (s *Set) OpenShiftFault() error { return s.unfit }

// Metadata returns what is kept of olm.csv.metadata, or without it of the
// ClusterServiceVersion among the properties olm.bundle.object. It is nil if there is none.
func (s *Set) Metadata() *Metadata { return s.metadata }

// Constraints walks the properties that require other bundles, with their indices, in
// the stated order.
func (s *Set) Constraints() iter.Seq2[int, Property] { return s.rawOf(isConstraint) }

// Undefined walks the properties whose types look like those of OLM, as [LooksDefined] says, but
// are not defined by it, with their indices, in the stated order.
func (s *Set) Undefined() iter.Seq2[int, Property] {
	return s.rawOf(func(propertyType string) bool {
		return !slices.Contains(defined, propertyType) && LooksDefined(propertyType, defined)
	})
}

// LooksDefined reports whether a name begins with "olm.", or differs from a defined one in a letter
// or in two that changed places.
func LooksDefined(name string, defined []string) bool {
	return strings.HasPrefix(name, "olm.") || slices.ContainsFunc(defined, func(known string) bool {
		for i := 1; len(name) == len(known) && i < len(name); i++ {
			if name[:i-1] == known[:i-1] && name[i-1] == known[i] && name[i] == known[i-1] && name[i+1:] == known[i+1:] {
				return true
			}
		}
		return levenshtein.ComputeDistance(name, known) == 1
	})
}

// rawOf walks the properties of the wanted types among those that are kept as JSON.
func (s *Set) rawOf(wanted func(propertyType string) bool) iter.Seq2[int, Property] {
	return func(yield func(int, Property) bool) {
		for index, it := range s.items() {
			if it.kind() == inRaw && wanted(s.typeOf(it)) && !yield(index, s.raw[it.index()]) {
				return
			}
		}
	}
}

// States reports whether the Set keeps a property of that type.
func (s *Set) States(propertyType string) bool {
	return slices.ContainsFunc(s.stated, func(it item) bool { return it.kind() != dropped && s.typeOf(it) == propertyType })
}

// items walks the kept items with their indices in the stated list.
func (s *Set) items() iter.Seq2[int, item] {
	return func(yield func(int, item) bool) {
		for index, it := range s.stated {
			if it.kind() != dropped && !yield(index, it) {
				return
			}
		}
	}
}

func (s *Set) typeOf(it item) string { return it.typeName(s.raw) }
