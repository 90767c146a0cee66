package inventory

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/properties/jsonfield"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/memo"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// Counting returns the ClusterServiceVersions of a namespace that count for resolution.
// Copies do not count, nor does one that is being deleted. One that is being replaced
// counts only if its replacement failed and the group does not fail forward.
func Counting(n *cluster.NamespaceObjects) []*cluster.ClusterServiceVersion {
	var counted []*cluster.ClusterServiceVersion
	counts := counting(n)
	for i := range n.CSVs {
		if counts(&n.CSVs[i]) {
			counted = append(counted, &n.CSVs[i])
		}
	}
	return counted
}

// Counted returns the ClusterServiceVersion of a namespace with this name, nil if there is none
// that counts.
func Counted(n *cluster.NamespaceObjects, name string) *cluster.ClusterServiceVersion {
	csv := CSV(n, name)
	if csv == nil || !counting(n)(csv) {
		return nil
	}
	return csv
}

// counting returns whether a ClusterServiceVersion of a namespace counts.
func counting(n *cluster.NamespaceObjects) func(*cluster.ClusterServiceVersion) bool {
	failForward := len(n.Groups) == 1 && n.Groups[0].FailForward
	var r replacements // built on first use
	return func(csv *cluster.ClusterServiceVersion) bool {
		switch {
		case Copied(csv), csv.Phase == "Deleting":
			return false
		case csv.Phase == "Replacing":
			if r.by == nil {
				r = replacementsIn(n)
			}
			return r.by[csv.Name] == nil || r.endInFailure(csv) && !failForward
		}
		return true
	}
}

// Copied reports whether the object only mirrors one of another namespace.
func Copied(v *cluster.ClusterServiceVersion) bool {
	_, labeled := v.Labels[cluster.LabelCopiedFrom]
	original, ok := v.Annotations[words.AnnotationOperatorNamespace]
	return v.Reason == "Copied" || labeled || ok && original != v.Namespace
}

// BundleFacts is what an installed bundle states.
type BundleFacts struct {
	// Properties is nil if any property cannot be read.
	Properties  *properties.Set
	Constraints []constraints.Constraint
	// Err is the first fault. It fails the namespace, as an installed bundle cannot be
	// quarantined. A bundle without a package is no fault here, unlike in a catalog.
	Err error
}

// Reader reads what installed bundles state. It caches that by its source: it seldom changes
// between calls, and namespaces and clusters run the same operators. It is safe for any number of
// goroutines.
type Reader struct {
	parser *constraints.Parser
	limits catalog.Limits
	kept   memo.Memo[annotation, keptStated]
}

// annotation is the text of an annotation, or of what properties are inferred from.
type annotation struct {
	text     string
	inferred bool
}

// keptStated is what a source of some length states.
type keptStated struct {
	BundleFacts
	length int
}

// NewReader returns a Reader that parses constraints with parser. What is installed has the
// limits that bundles of catalogs have by default.
func NewReader(parser *constraints.Parser) *Reader {
	return &Reader{parser, catalog.Limits{}.WithDefaults(), memo.Memo[annotation, keptStated]{
		Max: maxAnnotations, Weigh: func(k keptStated) int { return k.length + stateBytes },
	}}
}

// Read returns what an installed bundle of a namespace states. The error is that of ctx.
func (r *Reader) Read(ctx context.Context, n *cluster.NamespaceObjects, csv *cluster.ClusterServiceVersion) (BundleFacts, error) {
	if csv.Stated != nil {
		return r.parse(ctx, csv.Stated)
	}
	text, annotated := csv.Annotations[cluster.AnnotationProperties]
	if !annotated {
		text = inferredFrom(n, csv)
	}
	kept, err := r.kept.Get(annotation{text, !annotated}, func() (keptStated, error) {
		if !annotated {
			stated, err := r.decode(ctx, inferProperties(n, csv, cmp.Or(csv.Version, "0.0.0")))
			return keptStated{stated, len(text)}, err
		}
		stated, err := r.annotated(ctx, text)
		return keptStated{stated, len(text)}, err
	})
	return kept.BundleFacts, err
}

// annotated reads an annotation.
func (r *Reader) annotated(ctx context.Context, text string) (BundleFacts, error) {
	if limit := r.limits.DocumentBytes; len(text) > limit {
		return BundleFacts{Err: tooMuch("it has "+words.Count(len(text), "byte"), limit)}, nil
	}
	list, err := propertiesIn(text)
	if err != nil {
		return BundleFacts{Err: err}, nil
	}
	return r.decode(ctx, list)
}

// tooMuch returns the error of properties that exceed a limit.
func tooMuch(what string, limit int) error {
	return words.TooMuch(cluster.AnnotationProperties, what, limit)
}

// decode reads properties within the limits.
func (r *Reader) decode(ctx context.Context, list []properties.Property) (BundleFacts, error) {
	if n, limit := len(list), r.limits.Properties; n > limit {
		return BundleFacts{Err: tooMuch(fmt.Sprintf("it has %d properties", n), limit)}, nil
	}
	for i, p := range list {
		if depth, limit := jsonfield.Nesting(p.Value), r.limits.Depth; depth > limit {
			return BundleFacts{Err: tooMuch(words.TooDeep(i, p.Type, depth), limit)}, nil
		}
	}
	set, faults := properties.Decode(list, nil)
	for _, f := range faults {
		if f.Fatal && f.Index >= 0 {
			return BundleFacts{Err: f}, nil
		}
	}
	return r.parse(ctx, set)
}

// parse reads the constraints of a bundle. Compiling one rule may take a millisecond, so the
// context is checked before each constraint.
func (r *Reader) parse(ctx context.Context, set *properties.Set) (BundleFacts, error) {
	n := 0
	for range set.Constraints() {
		n++
	}
	if limit := r.limits.BundleConstraints; n > limit {
		return BundleFacts{Err: tooMuch(fmt.Sprintf("it has %d constraints", n), limit)}, nil
	}
	stated := BundleFacts{Properties: set, Constraints: make([]constraints.Constraint, 0, n)}
	for index, p := range set.Constraints() {
		if err := ctx.Err(); err != nil {
			return BundleFacts{}, err
		}
		c, err := r.parser.Parse(index, p)
		if err != nil {
			return BundleFacts{Properties: set, Err: err}, nil
		}
		stated.Constraints = append(stated.Constraints, c)
	}
	return stated, nil
}

// PropertiesOf returns the properties of a ClusterServiceVersion: those of its annotation,
// else those that follow from its APIs and its Subscriptions. unset is the version of an
// inferred package if the object states none. The error says why the annotation cannot be
// read.
func PropertiesOf(n *cluster.NamespaceObjects, csv *cluster.ClusterServiceVersion, unset string) ([]properties.Property, error) {
	if text, ok := csv.Annotations[cluster.AnnotationProperties]; ok {
		return propertiesIn(text)
	}
	return inferProperties(n, csv, cmp.Or(csv.Version, unset)), nil
}

// MaxOpenShift returns the highest version of OpenShift that a ClusterServiceVersion states to support,
// nil if it states none.
func MaxOpenShift(n *cluster.NamespaceObjects, csv *cluster.ClusterServiceVersion) *properties.MajorMinor {
	list, err := PropertiesOf(n, csv, "")
	if err != nil {
		return nil
	}
	set, _ := properties.Decode(slices.DeleteFunc(list, func(p properties.Property) bool { return p.Type != properties.TypeMaxOpenShift }), nil)
	if limit, stated := set.MaxOpenShift(); stated {
		return &limit
	}
	return nil
}

// propertiesIn returns the properties that an annotation lists.
func propertiesIn(text string) ([]properties.Property, error) {
	var annotation struct {
		Properties []properties.Property `json:"properties"`
	}
	if err := jsonfield.Decode([]byte(text), &annotation, ""); err != nil {
		return nil, words.Unreadable(cluster.AnnotationProperties, err)
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

// inferredFrom returns all that inferProperties reads, with lengths: no two sources have the same
// text.
func inferredFrom(n *cluster.NamespaceObjects, csv *cluster.ClusterServiceVersion) string {
	var text []byte
	add := func(part string) { text = append(binary.AppendUvarint(text, uint64(len(part))), part...) }
	add(csv.Version)
	for _, apis := range [][]properties.GVK{csv.Provides, csv.Requires} {
		text = binary.AppendUvarint(text, uint64(len(apis)))
		for _, api := range apis {
			add(api.Group)
			add(api.Version)
			add(api.Kind)
		}
	}
	if packages := SubscribedPackages(n, csv.Name); len(packages) == 1 {
		add(packages[0])
	}
	return string(text)
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

// ReplacedBy returns the name of what replaces a ClusterServiceVersion of the namespace, empty if
// nothing does.
func ReplacedBy(n *cluster.NamespaceObjects, name string) string {
	if by := replacementsIn(n).by[name]; by != nil && name != "" {
		return by.Name
	}
	return ""
}

// InUpdate reports whether OLM replaces a ClusterServiceVersion of the namespace, or puts it in the
// place of one that a Subscription has.
func InUpdate(n *cluster.NamespaceObjects, csv *cluster.ClusterServiceVersion) bool {
	return csv.Phase == "Replacing" || len(n.Installers[csv.Replaces]) > 0 && csv.Replaces != csv.Name ||
		slices.ContainsFunc(n.CSVs, func(o cluster.ClusterServiceVersion) bool {
			return o.Replaces == csv.Name && o.Name != csv.Name && o.Phase != "Deleting" && !Copied(&o)
		})
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
