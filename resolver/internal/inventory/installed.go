package inventory

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/properties/jsonfield"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/memo"
)

// Counting returns the ClusterServiceVersions of a namespace that count for resolution.
// Copies do not count, nor does one that is being deleted. One that is being replaced
// counts only if its replacement failed and the group does not fail forward.
func Counting(n *cluster.NamespaceObjects) []*cluster.ClusterServiceVersion {
	failForward := len(n.Groups) == 1 && n.Groups[0].FailForward
	var counted []*cluster.ClusterServiceVersion
	var r replacements // built on first use
	for i := range n.CSVs {
		csv := &n.CSVs[i]
		switch {
		case Copied(csv), csv.Phase == "Deleting":
			continue
		case csv.Phase == "Replacing":
			if r.by == nil {
				r = replacementsIn(n)
			}
			if r.by[csv.Name] != nil && (!r.endInFailure(csv) || failForward) {
				continue
			}
		}
		counted = append(counted, csv)
	}
	return counted
}

// Copied reports whether the object only mirrors one of another namespace.
func Copied(v *cluster.ClusterServiceVersion) bool {
	_, labeled := v.Labels[cluster.LabelCopiedFrom]
	original, ok := v.Annotations[cluster.AnnotationOperatorNamespace]
	return v.Reason == "Copied" || labeled || ok && original != v.Namespace
}

// Stated is what an installed bundle states.
type Stated struct {
	// Properties is nil if any property cannot be read.
	Properties  *properties.Set
	Constraints []constraints.Constraint
	// Err is the first fault. It fails the namespace, as an installed bundle cannot be
	// quarantined. A bundle without a package is no fault here, unlike in a catalog.
	Err error
}

// Reader reads what installed bundles state. It caches annotations by their text: they
// seldom change between calls, and namespaces run the same operators. It is safe for any
// number of goroutines.
type Reader struct {
	parser *constraints.Parser
	kept   memo.Memo[string, Stated]
}

// maxAnnotations is half the number of annotations that a Reader caches; each takes a few
// KiB.
const maxAnnotations = 1 << 12

// NewReader returns a Reader that parses constraints with parser.
func NewReader(parser *constraints.Parser) *Reader {
	return &Reader{parser, memo.Memo[string, Stated]{Max: maxAnnotations}}
}

// Read returns what an installed bundle of a namespace states.
func (r *Reader) Read(n *cluster.NamespaceObjects, csv *cluster.ClusterServiceVersion) Stated {
	if csv.Stated != nil {
		return r.parse(csv.Stated)
	}
	read := func() Stated {
		list, err := PropertiesOf(n, csv, "0.0.0")
		if err != nil {
			return Stated{Err: err}
		}
		set, faults := properties.Decode(list, nil)
		for _, f := range faults {
			if f.Fatal && f.Index >= 0 {
				return Stated{Err: f}
			}
		}
		return r.parse(set)
	}
	if text, ok := csv.Annotations[cluster.AnnotationProperties]; ok {
		return r.kept.Value(text, read)
	}
	return read()
}

func (r *Reader) parse(set *properties.Set) Stated {
	parsed, failed := r.parser.ParseSet(set)
	if len(failed) > 0 {
		return Stated{Properties: set, Err: failed[0]}
	}
	return Stated{Properties: set, Constraints: parsed}
}

// PropertiesOf returns the properties of a ClusterServiceVersion: those of its annotation,
// else those that follow from its APIs and its Subscriptions. unset is the version of an
// inferred package if the object states none. The error says why the annotation cannot be
// read.
func PropertiesOf(n *cluster.NamespaceObjects, csv *cluster.ClusterServiceVersion, unset string) ([]properties.Property, error) {
	text, ok := csv.Annotations[cluster.AnnotationProperties]
	if !ok {
		return inferProperties(n, csv, cmp.Or(csv.Version, unset)), nil
	}
	var annotation struct {
		Properties []properties.Property `json:"properties"`
	}
	if err := jsonfield.Decode([]byte(text), &annotation, ""); err != nil {
		return nil, fmt.Errorf("annotation %s cannot be read: %w; correct or remove it", cluster.AnnotationProperties, err)
	}
	return annotation.Properties, nil
}

// inferProperties builds the properties of a bundle without the annotation: its APIs and,
// if its Subscriptions name exactly one package, that package. The caller decodes them as
// those of an annotation, because the object may state an invalid API.
func inferProperties(n *cluster.NamespaceObjects, csv *cluster.ClusterServiceVersion, version string) []properties.Property {
	var list []properties.Property
	add := func(propertyType string, apis []properties.GVK) {
		for _, api := range apis {
			list = append(list, properties.NewProperty(propertyType, api))
		}
	}
	add(properties.TypeGVK, csv.Provides)
	add(properties.TypeGVKRequired, csv.Requires)
	if packages := SubscribedPackages(n, csv.Name); len(packages) == 1 {
		list = append(list, properties.NewProperty(properties.TypePackage, map[string]string{"packageName": packages[0], "version": version}))
	}
	return list
}

// SubscribedPackages returns the packages of the Subscriptions that installed
// the named bundle, sorted and without repeats.
func SubscribedPackages(n *cluster.NamespaceObjects, name string) []string {
	var packages []string
	for _, i := range n.Installers[name] {
		if pkg := n.Subscriptions[i].Package; pkg != "" {
			packages = append(packages, pkg)
		}
	}
	slices.Sort(packages)
	return slices.Compact(packages)
}

// replacements follows spec.replaces among the ClusterServiceVersions of a namespace.
type replacements struct {
	// by leads from a name to the first object, by name, that replaces it.
	by map[string]*cluster.ClusterServiceVersion
	// failed caches whether the chain that starts at an object ends in failure.
	failed map[*cluster.ClusterServiceVersion]bool
}

func replacementsIn(n *cluster.NamespaceObjects) replacements {
	r := replacements{by: map[string]*cluster.ClusterServiceVersion{}, failed: map[*cluster.ClusterServiceVersion]bool{}}
	for i := range n.CSVs {
		next := &n.CSVs[i]
		if next.Replaces == next.Name || Copied(next) {
			continue
		}
		if _, known := r.by[next.Replaces]; !known {
			r.by[next.Replaces] = next
		}
	}
	return r
}

// EndsInFailure reports whether the chain of spec.replaces that starts at a
// ClusterServiceVersion of the namespace ends in phase Failed. A cycle does not.
func EndsInFailure(n *cluster.NamespaceObjects, csv *cluster.ClusterServiceVersion) bool {
	return replacementsIn(n).endInFailure(csv)
}

// endInFailure is [EndsInFailure]. It notes the end of a chain at each of its members, so
// that all chains together take linear time.
func (r replacements) endInFailure(csv *cluster.ClusterServiceVersion) bool {
	var chain []*cluster.ClusterServiceVersion
	for {
		// In a cycle this is the false that was noted on the way in.
		if known, ok := r.failed[csv]; ok {
			return r.note(chain, known)
		}
		r.failed[csv] = false
		chain = append(chain, csv)
		next := r.by[csv.Name]
		if next == nil {
			return r.note(chain, csv.Phase == "Failed")
		}
		csv = next
	}
}

func (r replacements) note(chain []*cluster.ClusterServiceVersion, failed bool) bool {
	for _, csv := range chain {
		r.failed[csv] = failed
	}
	return failed
}
