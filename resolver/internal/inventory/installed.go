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

// Counting returns the ClusterServiceVersions of a namespace that count for
// resolution: no copies, nothing that is being deleted, and nothing whose
// replacement is under way, unless that ended in failure.
func Counting(n *cluster.NamespaceObjects) []*cluster.ClusterServiceVersion {
	failForward := len(n.Groups) == 1 && n.Groups[0].FailForward
	var counted []*cluster.ClusterServiceVersion
	var r replacements // made when it is needed
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
	// Properties are nil if they cannot all be read.
	Properties  *properties.Set
	Constraints []constraints.Constraint
	// Err is the first fault. An installed bundle cannot be quarantined, so every
	// fault fails its namespace; but only catalogs must name a package.
	Err error
}

// Reader reads what installed bundles state, and equal annotations once: they seldom
// change between calls, and namespaces run the same operators. It is safe for any
// number of goroutines.
type Reader struct {
	parser *constraints.Parser
	kept   memo.Memo[string, Stated]
}

// maxAnnotations is half of how many annotations a Reader keeps; each is a few KiB.
const maxAnnotations = 1 << 12

// NewReader returns a Reader of constraints in the language of the parser.
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

// PropertiesOf returns the properties of a ClusterServiceVersion: those of its
// annotation, else what its APIs and the Subscriptions that installed it say. unset
// is the version of an inferred package where the object states none.
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

// inferProperties builds properties from the APIs of a bundle without the
// annotation and, if exactly one package subscribes to it, that package. They are
// decoded as those of an annotation are: the object may state what is no API.
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

// replacements follow spec.replaces among the ClusterServiceVersions of a
// namespace.
type replacements struct {
	// by leads from a name to the first object, by name, that replaces it.
	by map[string]*cluster.ClusterServiceVersion
	// failed keeps how the chains end that start at an object.
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
// ClusterServiceVersion of the namespace ends in one in phase Failed. A cycle does
// not.
func EndsInFailure(n *cluster.NamespaceObjects, csv *cluster.ClusterServiceVersion) bool {
	return replacementsIn(n).endInFailure(csv)
}

// endInFailure walks each chain once: what follows holds for all of it, so that all
// chains together take linear time.
func (r replacements) endInFailure(csv *cluster.ClusterServiceVersion) bool {
	var chain []*cluster.ClusterServiceVersion
	for {
		// A chain that returns to where it was ends in nothing.
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
