package repair

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/blang/semver/v4"
	"go.yaml.in/yaml/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/check"
	"github.com/resolvent/resolvent/resolver/check/internal/baseline"
	"github.com/resolvent/resolvent/resolver/check/internal/because"
	"github.com/resolvent/resolvent/resolver/check/internal/edit"
	"github.com/resolvent/resolvent/resolver/check/internal/meant"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// candidates returns states that may be repairs of a finding, the best first.
type candidates func(*finder, *edit.Draft, baseline.Identity) []*edit.Draft

// row is how findings of a code are repaired.
type row struct {
	// candidates are tried after what is misspelt is as it was meant, and before the edits of
	// channels that targetOf selects; nil if nothing is tried.
	candidates candidates
	none       string // why no change of the catalog repairs them
}

// repairs has a row for each code of findings.
var repairs = map[catalog.Code]row{
	"severalHeads":       {candidates: oneEntry},
	"noHead":             {candidates: emptyChannel},
	"cycle":              {candidates: oneEntry},
	"stranded":           {candidates: oneEntry},
	"headUnreachable":    {candidates: oneEntry},
	"updateBlocked":      {candidates: oneEntry},
	"skipsUpwards":       {candidates: skipUpwards},
	"skipRangeDowngrade": {candidates: oneEntry},
	"entry":              {candidates: oneEntry},
	"noChannel":          {candidates: oneEntry},
	"danglingEdge":       {candidates: misspeltEdge},

	"duplicatePackage":      {candidates: oneOfSeveral(edit.SchemaPackage)},
	"duplicateChannel":      {candidates: oneOfSeveral(edit.SchemaChannel)},
	"duplicateBundle":       {candidates: bundlesOfOneName},
	"duplicateDeprecations": {candidates: oneOfSeveral(edit.SchemaDeprecations)},
	"duplicateLifecycles":   {candidates: oneOfSeveral("io.openshift.operators.lifecycles.v1alpha1")},
	"duplicateEntry":        {candidates: oneEntry},

	"defaultChannel":  {candidates: otherDefault},
	"packageProperty": {candidates: packageProperty},
	"packageMismatch": {candidates: packageProperty},
	"version":         {candidates: packageProperty},
	"skipRange":       {candidates: rangeOfEntry},
	"trap":            {candidates: corrected},
	"constraint":      {candidates: corrected},
	"property":        {candidates: corrected},
	"propertyType":    {candidates: corrected},
	"nullValue":       {candidates: corrected},
	"undefined":       {candidates: corrected},
	"schema":          {candidates: missingSchema},
	"field":           {candidates: field},
	"deprecation":     {candidates: deprecation},

	"template": {candidates: refused},

	check.CodeUninstallable: {candidates: misspeltRequirement},

	"packageMissing":        {candidates: misspeltOnly, none: "only its author knows the package's default channel"},
	"noBundle":              {none: "add the bundle, or remove the package"},
	"sameVersion":           {none: "only their author knows which version the bundles have"},
	"image":                 {none: "only its author knows the image"},
	"name":                  {none: "whoever uses the name must choose the new one"},
	"deprecatedBundle":      {none: "the bundle is deprecated on purpose: publish another head"},
	"supportEnded":          {none: "publish a supported version"},
	"lifecycle":             {none: "only their author knows when the phases begin and end"},
	"unreadSkipRange":       {none: "only its author knows whether these updates are meant"},
	"droppedVersion":        {none: "the bundle itself decides which versions it serves"},
	"unsafeUpdate":          {none: "only its author knows how custom resources are converted"},
	"refusedUpdate":         {none: "only its author knows how stored resources are converted"},
	"leftBehind":            {none: "a channel may end: nothing is wrong with its updates"},
	"holdsBack":             {none: "only its author knows whether the newer version works"},
	"hiddenBySkips":         {none: "entries are skipped on purpose"},
	"unjudged":              {none: "the limits of the check ended it"},
	"syntax":                {none: "the file cannot be read"},
	"damagedFile":           {none: "the file cannot be read"},
	"unreadableFile":        {none: "the file cannot be read"},
	"limit":                 {none: "what is too large must be made smaller by its author"},
	"passedOver":            {none: "the files must be moved"},
	"clusterServiceVersion": {none: "the bundle's ClusterServiceVersion must be written"},
	"annotations":           {none: "the bundle's annotations must be written"},
	"mediaType":             {none: "a bundle of another media type is not judged"},
	"bundleChannel":         {none: "only its author knows the bundle's channels"},
	"webhook":               {none: "only its author knows what the operator's webhooks and install modes are for"},
	"installModes":          {none: "only its author knows which namespaces the operator can watch"},
	"installStrategy":       {none: "only its author knows the operator's deployments"},
	"ownedCRD":              {none: "add the CustomResourceDefinition"},
}

var digits = regexp.MustCompile(`\d+`)

func (s *finder) bundleNames() (names []string) {
	if p := s.start.snapshot.Package(s.pkg); p != nil {
		for _, id := range p.Bundles {
			names = append(names, s.start.snapshot.Bundle(id).Name)
		}
	}
	return names
}

// misspeltOnly has nothing to add to what is misspelt.
func misspeltOnly(*finder, *edit.Draft, baseline.Identity) []*edit.Draft { return nil }

// emptyChannel removes a channel without entries: nobody is offered anything there.
func emptyChannel(s *finder, now *edit.Draft, id baseline.Identity) []*edit.Draft {
	list := oneEntry(s, now, id)
	for _, b := range now.Named(s.pkg, edit.SchemaChannel, id.Channel) {
		if len(edit.Elements(b.Node, "entries")) == 0 {
			list = append(list, now.With(edit.Remove(b.Doc, b.At)))
		}
	}
	return list
}

// misspeltEdge corrects an edge to a name that is nearly that of a bundle. Where an edge to the
// bundle would be wrong, the edge goes.
func misspeltEdge(s *finder, now *edit.Draft, id baseline.Identity) (list []*edit.Draft) {
	kind, name := id.Edge()
	for _, other := range s.bundleNames() {
		if because.Alike(other, name) {
			s.meant[name] = other
			if other != id.Bundle {
				list = append(list, now.Renamed(s.pkg, id.Channel, id.Bundle, name, other))
			}
		}
	}
	gone := edit.SetReplaces.Of(id.Bundle, "")
	if kind == "skips" {
		gone = edit.RemoveSkip.Of(id.Bundle, name)
	}
	if s.meant[name] != "" {
		list = append(list, s.edited(now, id.Channel, [][]edit.EntryEdit{{gone}})...)
	}
	return list
}

// oneOfSeveral removes one of several blobs of a name.
func oneOfSeveral(schema string) candidates {
	return func(s *finder, now *edit.Draft, id baseline.Identity) (list []*edit.Draft) {
		name := id.Channel + id.Bundle
		for _, b := range slices.Backward(now.Named(s.pkg, schema, name)) {
			list = append(list, now.With(edit.Remove(b.Doc, b.At)))
		}
		return list
	}
}

// bundlesOfOneName removes one of several bundles of a name. Those of different versions are
// different releases: one gets a name of its own, and an entry above the other.
func bundlesOfOneName(s *finder, now *edit.Draft, id baseline.Identity) (list []*edit.Draft) {
	blobs := now.Named(s.pkg, edit.SchemaBundle, id.Bundle)
	versions := map[string]int{}
	for i, b := range blobs {
		for _, p := range edit.Elements(b.Node, "properties") {
			if edit.Text(p, "type") == properties.TypePackage {
				versions[edit.Text(edit.Member(p, "value"), "version")] = i
			}
		}
	}
	if len(versions) < 2 {
		return oneOfSeveral(edit.SchemaBundle)(s, now, id)
	}
	own := because.Named(id.Bundle)
	if own == nil {
		return nil
	}
	for _, v := range slices.Sorted(maps.Keys(versions)) {
		name := strings.TrimSuffix(id.Bundle, own.String()) + v
		if v == own.String() || s.start.snapshot.Find(s.pkg, name) != nil {
			continue
		}
		next := now.With(edit.Replace(blobs[versions[v]].Doc, edit.Pointer(blobs[versions[v]].At, "name"), name))
		for _, c := range s.start.snapshot.Package(s.pkg).Channels {
			if c.Entry(id.Bundle) != nil {
				list = append(list, next.Added(s.pkg, c.Name, edit.AddEntry.Of(name, id.Bundle)))
			}
		}
	}
	return list
}

// oneEntry removes one of several entries of a name.
func oneEntry(s *finder, now *edit.Draft, id baseline.Identity) (list []*edit.Draft) {
	for _, b := range now.Named(s.pkg, edit.SchemaChannel, id.Channel) {
		times := map[string]int{}
		for _, e := range edit.Elements(b.Node, "entries") {
			times[edit.Text(e, "name")]++
		}
		for i, e := range slices.Backward(edit.Elements(b.Node, "entries")) {
			if times[edit.Text(e, "name")] > 1 {
				list = append(list, now.With(edit.Remove(b.Doc, edit.Pointer(b.At, "entries", i))))
			}
		}
	}
	return list
}

// skipUpwards removes the skip. Other edits of the channel may make it harmless, but it stays
// a mistake.
func skipUpwards(s *finder, now *edit.Draft, id baseline.Identity) []*edit.Draft {
	_, name := id.Edge()
	return append(s.edited(now, id.Channel, [][]edit.EntryEdit{{edit.RemoveSkip.Of(id.Bundle, name)}}), oneEntry(s, now, id)...)
}

// otherDefault names a default channel that exists: one of nearly that name, else the one with
// the highest head.
func otherDefault(s *finder, now *edit.Draft, _ baseline.Identity) (list []*edit.Draft) {
	p := s.start.snapshot.Package(s.pkg)
	if p == nil {
		return nil
	}
	channels := slices.Clone(p.Channels)
	head := func(c *catalog.Channel) semver.Version {
		if c.Head() != nil {
			if b := s.start.snapshot.Bundle(c.Head().Bundle); b != nil {
				return b.Version
			}
		}
		return semver.Version{}
	}
	slices.SortStableFunc(channels, func(a, b *catalog.Channel) int { return head(b).Compare(head(a)) })
	names := words.Mapped(channels, func(c *catalog.Channel) string { return c.Name })
	names = append(meant.Closest(p.DefaultChannel, names), names...)
	for _, name := range names {
		for _, b := range now.Named(s.pkg, edit.SchemaPackage, "") {
			list = append(list, now.With(edit.Add(b.Doc, edit.Pointer(b.At, "defaultChannel"), name)))
		}
		for _, d := range now.Dirs(s.pkg, "") {
			if d.Annotations >= 0 {
				list = append(list, now.With(edit.Add(d.Annotations, edit.Pointer("/annotations", edit.AnnotationDefault), name)))
			}
		}
	}
	return list
}

// packageProperty corrects the olm.package property of a bundle.
func packageProperty(s *finder, now *edit.Draft, id baseline.Identity) (list []*edit.Draft) {
	for _, b := range now.Named(s.pkg, edit.SchemaBundle, id.Bundle) {
		named := cmp.Or(because.Named(id.Bundle), &semver.Version{})
		stated := 0
		for i, p := range edit.Elements(b.Node, "properties") {
			if edit.Text(p, "type") != properties.TypePackage {
				continue
			}
			stated++
			at := edit.Pointer(b.At, "properties", i)
			if edit.Text(edit.Member(p, "value"), "packageName") != s.pkg {
				list = append(list, now.With(edit.Add(b.Doc, edit.Pointer(at, "value", "packageName"), s.pkg)))
			}
			versions := []string{named.String()}
			if v, err := semver.ParseTolerant(edit.Text(edit.Member(p, "value"), "version")); err == nil {
				versions = []string{v.String(), named.String()}
			}
			for _, v := range versions {
				list = append(list, now.With(edit.Add(b.Doc, edit.Pointer(at, "value", "version"), v)))
			}
			list = append(list, now.With(edit.Remove(b.Doc, at)))
		}
		if stated == 0 {
			property := map[string]any{"type": properties.TypePackage, "value": map[string]string{"packageName": s.pkg, "version": named.String()}}
			list = append(list, now.With(edit.Add(b.Doc, edit.Pointer(b.At, "properties", "-"), property)))
			list = append(list, now.With(edit.Add(b.Doc, edit.Pointer(b.At, "properties"), []any{property})))
		}
	}
	for _, d := range now.Dirs(s.pkg, id.Bundle) {
		if v, err := semver.ParseTolerant(edit.Text(edit.Member(now.Docs[d.CSV].Root, "spec"), "version")); err == nil {
			list = append(list, now.With(edit.Replace(d.CSV, "/spec/version", v.String())))
		}
	}
	return list
}

// rangeOfEntry corrects a skipRange, or removes it, since it covers nothing.
func rangeOfEntry(s *finder, now *edit.Draft, id baseline.Identity) (list []*edit.Draft) {
	f, found := now.Entry(s.pkg, id.Channel, id.Bundle)
	if !found {
		return nil
	}
	stated := edit.At(now.Docs[f.Doc].Root, f.SkipRange)
	if stated == nil {
		return nil
	}
	for _, r := range meant.Ranges(stated.Value) {
		list = append(list, now.With(edit.Replace(f.Doc, f.SkipRange, r)))
	}
	return append(list, now.With(edit.Remove(f.Doc, f.SkipRange)))
}

// corrected corrects the values of a property: what is at the place of the finding, and all
// ranges, versions and types in it. A requirement is never removed.
func corrected(s *finder, now *edit.Draft, id baseline.Identity) (list []*edit.Draft) {
	if id.Bundle == "" {
		return nil
	}
	if id.Channel != "" {
		return rangeOfEntry(s, now, id)
	}
	type stated struct {
		doc  int
		path string
	}
	var all []stated
	for _, b := range now.Named(s.pkg, edit.SchemaBundle, id.Bundle) {
		for i := range edit.Elements(b.Node, "properties") {
			all = append(all, stated{b.Doc, edit.Pointer(b.At, "properties", i)})
		}
	}
	for _, place := range s.finding.Places {
		if doc, path, found := now.Place(place.File, place.Line, place.Column); found && s.tree.Directories && path != "" {
			all = append(all, stated{doc, path})
		}
	}
	for _, d := range now.Dirs(s.pkg, id.Bundle) {
		all = append(all, stated{d.CSV, "/spec/minKubeVersion"})
	}
	for _, p := range all {
		n := edit.At(now.Docs[p.doc].Root, p.path)
		kind := edit.Text(n, "type")
		for _, name := range meant.Closest(kind, definedTypes) {
			list = append(list, now.With(edit.Replace(p.doc, edit.Pointer(p.path, "type"), name)))
		}
		edit.EachScalar(n, p.path, func(path string, scalar *yaml.Node) {
			for _, v := range correctedScalars(path, scalar) {
				list = append(list, now.With(edit.Replace(p.doc, path, v)))
			}
		})
		if n == nil || n.Kind == yaml.ScalarNode {
			continue
		}
		if v := edit.Member(n, "value"); kind == "" || v == nil || v.ShortTag() == "!!null" {
			list = append(list, now.With(edit.Remove(p.doc, p.path))) // nobody can read it
		}
	}
	return append(list, annotated(s, now, id.Bundle)...)
}

// annotated renames annotations of a bundle that look like those of OLM.
func annotated(s *finder, now *edit.Draft, bundle string) (list []*edit.Draft) {
	in := func(doc int, path string) {
		n := edit.At(now.Docs[doc].Root, path)
		for i := 0; n != nil && n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i].Value, edit.Top(n.Content[i+1]).Value
			plain := strings.NewReplacer("-", "", "_", "", ".", "").Replace(strings.ToLower(key))
			for _, olm := range []string{"olm.skipRange", "olm.properties"} {
				from, to := edit.Pointer(path, key), edit.Pointer(path, olm)
				if key == olm || !strings.HasSuffix(plain, strings.ToLower(olm[len("olm."):])) {
					continue
				}
				if edit.Member(n, olm) != nil {
					list = append(list, now.With(edit.Remove(doc, from)))
					continue
				}
				list = append(list, now.With(edit.Move(doc, from, to)))
				for _, r := range meant.Ranges(value) {
					list = append(list, now.With(edit.Move(doc, from, to), edit.Replace(doc, to, r)))
				}
			}
		}
	}
	for _, b := range now.Named(s.pkg, edit.SchemaBundle, bundle) {
		for i := range edit.Elements(b.Node, "properties") {
			in(b.Doc, edit.Pointer(b.At, "properties", i, "value", "annotations"))
		}
	}
	for _, d := range now.Dirs(s.pkg, bundle) {
		in(d.CSV, "/metadata/annotations")
	}
	return list
}

var definedTypes = []string{
	properties.TypePackage, properties.TypePackageRequired, properties.TypeGVK, properties.TypeGVKRequired, properties.TypeLabel,
	properties.TypeLabelRequired, properties.TypeConstraint, properties.TypeMaxOpenShift, properties.TypeDeprecated,
	properties.TypeCSVMetadata, properties.TypeBundleObject,
}

// correctedScalars returns what a scalar of a property may be meant to be.
func correctedScalars(path string, n *yaml.Node) []string {
	if strings.HasSuffix(path, "/type") {
		return nil
	}
	var list []string
	if n.ShortTag() == "!!float" || n.ShortTag() == "!!int" {
		list = append(list, n.Value) // as a text
	}
	list = append(list, meant.Ranges(n.Value)...)
	if v, err := semver.ParseTolerant(n.Value); err == nil {
		list = append(list, v.String(), v.FinalizeVersion())
	}
	if parts := digits.FindAllString(n.Value, 3); len(parts) >= 2 {
		list = append(list, strings.Join(parts[:2], ".")) // a release of OpenShift
	}
	return slices.DeleteFunc(list, func(s string) bool { return s == n.Value && n.ShortTag() == "!!str" })
}

// missingSchema gives a document the schema that its fields show.
func missingSchema(s *finder, now *edit.Draft, id baseline.Identity) (list []*edit.Draft) {
	for _, b := range now.All() {
		if b.Schema != "" || now.Docs[b.Doc].File != id.Cause && id.Cause != "" && edit.Text(b.Node, "package") != id.Package {
			continue
		}
		for _, schema := range []string{edit.SchemaChannel, edit.SchemaBundle, edit.SchemaPackage, edit.SchemaDeprecations} {
			list = append(list, now.With(edit.Add(b.Doc, edit.Pointer(b.At, "schema"), schema)))
		}
	}
	return list
}

// field gives a field the form that it must have.
func field(s *finder, now *edit.Draft, id baseline.Identity) (list []*edit.Draft) {
	path := edit.PointerOf(id.Cause)
	for _, b := range now.All() {
		n, path := edit.At(b.Node, path), b.At+path
		if n == nil || path == b.At {
			continue
		}
		if n.Kind == yaml.ScalarNode && n.ShortTag() != "!!null" {
			list = append(list, now.With(edit.Replace(b.Doc, path, n.Value)), now.With(edit.Replace(b.Doc, path, []string{n.Value})))
		}
		list = append(list, now.With(edit.Remove(b.Doc, path)))
	}
	return list
}

// deprecation corrects the reference of a deprecation, or removes the deprecation.
func deprecation(s *finder, now *edit.Draft, id baseline.Identity) (list []*edit.Draft) {
	names := s.bundleNames()
	if p := s.start.snapshot.Package(s.pkg); p != nil {
		for _, c := range p.Channels {
			names = append(names, c.Name)
		}
	}
	for _, b := range now.Named(s.pkg, edit.SchemaDeprecations, "") {
		for i, e := range edit.Elements(b.Node, "entries") {
			reference := edit.Pointer(b.At, "entries", i, "reference")
			name := edit.Text(edit.Member(e, "reference"), "name")
			if name != id.Channel+id.Bundle && id.Channel+id.Bundle != "" {
				continue
			}
			for _, other := range names {
				if because.Alike(other, name) {
					list = append(list, now.With(edit.Replace(b.Doc, edit.Pointer(reference, "name"), other)))
				}
			}
			for _, schema := range meant.Closest(edit.Text(edit.Member(e, "reference"), "schema"), []string{edit.SchemaPackage, edit.SchemaChannel, edit.SchemaBundle}) {
				list = append(list, now.With(edit.Replace(b.Doc, edit.Pointer(reference, "schema"), schema)))
			}
			list = append(list, now.With(edit.Remove(b.Doc, edit.Pointer(reference, "name"))), now.With(edit.Remove(b.Doc, edit.Pointer(b.At, "entries", i))))
		}
		list = append(list, now.With(edit.Remove(b.Doc, b.At)))
	}
	return list
}

// misspeltRequirement corrects the name of a package, or the version of an API, that a bundle
// requires and nothing provides.
func misspeltRequirement(s *finder, now *edit.Draft, id baseline.Identity) (list []*edit.Draft) {
	var packages []string
	snapshots := []*catalog.Snapshot{s.start.snapshot}
	for _, c := range s.options.Background {
		snapshots = append(snapshots, c.Snapshot)
	}
	for _, snapshot := range snapshots {
		for p := range snapshot.Packages() {
			packages = append(packages, p.Name)
		}
	}
	for _, b := range now.Named(s.pkg, edit.SchemaBundle, id.Bundle) {
		for i, p := range edit.Elements(b.Node, "properties") {
			at := edit.Pointer(b.At, "properties", i, "value")
			v := edit.Member(p, "value")
			switch edit.Text(p, "type") {
			case properties.TypePackageRequired:
				if slices.Contains(packages, edit.Text(v, "packageName")) {
					continue // another version of it is missing
				}
				for _, name := range meant.Closest(edit.Text(v, "packageName"), packages) {
					list = append(list, now.With(edit.Replace(b.Doc, edit.Pointer(at, "packageName"), name)))
				}
			case properties.TypeGVKRequired:
				api := properties.GVK{Group: edit.Text(v, "group"), Version: edit.Text(v, "version"), Kind: edit.Text(v, "kind")}
				if slices.ContainsFunc(snapshots, func(s *catalog.Snapshot) bool { return len(s.Providers(api)) > 0 }) {
					continue
				}
				for _, snapshot := range snapshots {
					for _, other := range snapshot.OtherVersions(api) {
						list = append(list, now.With(edit.Replace(b.Doc, edit.Pointer(at, "version"), other.Version)))
					}
				}
			}
		}
	}
	return list
}
