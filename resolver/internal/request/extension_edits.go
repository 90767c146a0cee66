package request

import (
	"math"
	"slices"
	"strings"

	masterminds "github.com/Masterminds/semver/v3"
	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// Edits implements Object: edits of channels, version, selector, upgradeConstraintPolicy and
// packageName in spec.source.catalog. As packageName is immutable, that edit creates the
// object anew.
func (a *Extension) Edits(p *model.Part, r *Request, _ bool) []Edit {
	e := a.Object
	o := result.Object{Kind: words.ObjectExtension, Name: e.Name}
	looked := a.looked(p)
	list := a.channelEdits(p, o, looked)
	for _, to := range a.widened(p, looked) {
		edit := set(EditVersion, o, words.FieldExtensionVersion, e.Version, to.text)
		edit.Version, edit.Admits = &to.reaches, to.admits
		list = append(list, edit)
	}
	list = append(list, a.catalogEdits(p, o, looked)...)
	if a.onlySuccessors() {
		list = append(list, set(EditPolicy, o, words.FieldExtensionPolicy, "CatalogProvided", "SelfCertified"))
	}
	if r.Fault != nil && r.Fault.Kind == FaultPackage && r.Current < 0 {
		if len(looked) == 0 { // another edit brings one of them
			for c := range p.Catalogs {
				looked = append(looked, c)
			}
		}
		for _, name := range misspelt(p, looked, e.Name, e.Package) {
			made := *e
			made.Package = name
			list = append(list, Edit{Kind: EditName, Object: o, Steps: []result.Step{
				{Object: o}, {Object: o, Create: &cluster.Objects{ClusterExtensions: []cluster.ClusterExtension{made}}},
			}})
		}
	}
	return list
}

// catalogEdits choose one of the catalogs that have the package: by the selector, or by a
// priority above the others.
func (a *Extension) catalogEdits(p *model.Part, o result.Object, looked []int) []Edit {
	var list []Edit
	var from any
	if a.Object.Selector != nil {
		from = *a.Object.Selector
	}
	if !a.Object.Selector.Empty() {
		list = append(list, set(EditSelector, o, words.FieldExtensionSelector, from, nil))
	}
	lacks := func(c int) bool { return p.Catalogs[c].Snapshot.Package(a.Object.Package) == nil }
	rivals := slices.DeleteFunc(slices.Clone(looked), lacks)
	for c := range p.Catalogs {
		if lacks(c) || slices.Equal(rivals, []int{c}) {
			continue
		}
		to := cluster.Selector{MatchLabels: map[string]string{cluster.LabelMetadataName: p.Catalogs[c].Key.Name}}
		list = append(list, set(EditSelector, o, words.FieldExtensionSelector, from, to))
		declared := p.In.Cluster.ClusterCatalog(p.Catalogs[c].Key.Name)
		if !slices.Contains(rivals, c) || declared == nil || declared.Priority != p.Catalogs[c].Priority {
			continue // the priority comes from elsewhere: editing the object has no effect
		}
		above := declared.Priority
		for _, rival := range rivals {
			if rival != c {
				above = max(above, p.Catalogs[rival].Priority+1)
			}
		}
		if above > declared.Priority && above <= math.MaxInt32 {
			prior := set(EditPriority, result.Object{Kind: words.ObjectClusterCatalog, Name: declared.Name}, words.FieldPriority, orNil(declared.Priority), orNil(above))
			prior.Reaches = true
			list = append(list, prior)
		}
	}
	return list
}

// channelEdits remove the channels, name one other channel, or add one to those that exist.
func (a *Extension) channelEdits(p *model.Part, o result.Object, looked []int) []Edit {
	stated := a.Object.Channels
	if len(stated) == 0 {
		return nil
	}
	names := channelNames(p, a.Object.Package, looked, func(*catalog.Channel) bool { return true })
	exist := slices.DeleteFunc(slices.Clone(stated), func(c string) bool { return !slices.Contains(names, c) })
	list := []Edit{set(EditChannels, o, words.FieldExtensionChannels, stated, nil)}
	for _, name := range names {
		if !slices.Equal(stated, []string{name}) {
			list = append(list, set(EditChannels, o, words.FieldExtensionChannels, stated, []string{name}))
		}
		if !slices.Contains(exist, name) && len(exist) > 0 {
			list = append(list, set(EditChannels, o, words.FieldExtensionChannels, stated, append(slices.Clone(exist), name)))
		}
	}
	return list
}

// widerRange is a range that contains the stated one and the version reaches.
type widerRange struct {
	text    string
	reaches semver.Version
	admits  int // number of the package's versions that it admits
}

// widened returns a range for each version of the searched catalogs that the stated range
// does not admit: one interval that contains the stated range and that version. An end that
// need not move stays as written.
func (a *Extension) widened(p *model.Part, looked []int) []widerRange {
	if a.versions == nil {
		return nil
	}
	low, high := ends(a.versions)
	all := p.Universe.VersionsOf(a.Object.Package) // of catalogs that the selector leaves out, too
	var versions []semver.Version
	for _, c := range looked {
		for b := range p.Catalogs[c].Bundles(a.Object.Package) {
			v := b.Version
			v.Build = nil
			versions = append(versions, v)
		}
	}
	slices.SortFunc(versions, semver.Version.Compare)
	versions = slices.CompactFunc(versions, semver.Version.EQ)
	var list []widerRange
	for _, v := range versions {
		if a.Accepts(v) {
			continue
		}
		from, to := low, high
		if from.text != "" && from.version.Compare(masterminds.MustParse(v.String())) >= 0 {
			from.text = ">=" + v.String()
		} else if to.text != "" && to.version.Compare(masterminds.MustParse(v.String())) <= 0 {
			to.text = "<=" + v.String()
		} else if len(v.Pre) > 0 && from.text != "" {
			from.text = ">=" + from.version.String() + "-0"
		}
		text := strings.TrimSpace(from.text + " " + to.text)
		wider := *a.Object
		wider.Version = text
		read, err := readExtension(&wider)
		if err != nil || text == "" || !read.Accepts(v) {
			continue
		}
		admits, keeps := 0, !slices.ContainsFunc(list, func(known widerRange) bool { return known.text == text })
		for _, w := range all {
			if read.Accepts(w) {
				admits++
			} else if a.Accepts(w) {
				keeps = false
			}
		}
		if keeps {
			list = append(list, widerRange{text, v, admits})
		}
	}
	return list
}

// bound is one bound of a range: a version and how it is written. Without text it is open.
type bound struct {
	text    string
	version *masterminds.Version
}

// ends returns the lowest and the highest end of the arms of a range.
func ends(versions *masterminds.Constraints) (low, high bound) {
	for i, arm := range strings.Split(versions.String(), " || ") {
		from, to := armEnds(arm)
		if i == 0 || from.text == "" || low.text != "" && from.version.LessThan(low.version) {
			low = from
		}
		if i == 0 || to.text == "" || high.text != "" && to.version.GreaterThan(high.version) {
			high = to
		}
	}
	return low, high
}

// armEnds returns the ends of an arm, all terms of which must hold.
func armEnds(arm string) (low, high bound) {
	for term := range strings.FieldsSeq(arm) {
		from, to := termEnds(term)
		if from.text != "" && (low.text == "" || from.version.GreaterThan(low.version)) {
			low = from
		}
		if to.text != "" && (high.text == "" || to.version.LessThan(high.version)) {
			high = to
		}
	}
	return low, high
}

// termEnds returns the ends of one term, which may have wildcards.
func termEnds(term string) (low, high bound) {
	text := strings.TrimLeft(term, "=!<>~^")
	numbers, _, _ := strings.Cut(strings.TrimPrefix(text, "v"), "-")
	known := 0 // numbers before a wildcard
	for number := range strings.SplitSeq(numbers, ".") {
		if strings.ContainsAny(number, "xX*") {
			break
		}
		known++
	}
	plain := text
	if known < 3 {
		plain = strings.Join(strings.Split(numbers, ".")[:known], ".")
	}
	version, err := masterminds.NewVersion(plain)
	if err != nil {
		return low, high // a wildcard, which every version satisfies
	}
	above := version.IncMajor()
	switch op := strings.TrimSuffix(term, text); {
	case strings.HasPrefix(op, "!"):
		return low, high
	case strings.ContainsAny(op, ">") && op != "~>":
		return bound{term, version}, high
	case strings.ContainsAny(op, "<"):
		return low, bound{term, version}
	case op == "^" && version.Major() == 0 && known > 1 && version.Minor() > 0, op != "^" && known == 2, strings.HasPrefix(op, "~") && known == 3:
		above = version.IncMinor()
	case op == "^" && version.Major() == 0 && known > 1:
		above = version.IncPatch()
	case op != "^" && known == 3:
		return bound{">=" + version.String(), version}, bound{"<=" + version.String(), version}
	}
	return bound{">=" + version.String(), version}, bound{"<" + above.String(), &above}
}
