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
	"github.com/resolvent/resolvent/resolver/check/internal/meant"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// candidates returns states that may be repairs of a finding, the best first.
type candidates func(*finder, *state, baseline.Identity) []*state

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

	"duplicatePackage":      {candidates: oneOfSeveral(schemaPackage)},
	"duplicateChannel":      {candidates: oneOfSeveral(schemaChannel)},
	"duplicateBundle":       {candidates: bundlesOfOneName},
	"duplicateDeprecations": {candidates: oneOfSeveral(schemaDeprecations)},
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

func add(doc int, path string, v any) docOp {
	return docOp{doc, Op{Op: "add", Path: path, Value: value(v)}}
}
func replace(doc int, path string, v any) docOp {
	return docOp{doc, Op{Op: "replace", Path: path, Value: value(v)}}
}
func remove(doc int, path string) docOp   { return docOp{doc, Op{Op: "remove", Path: path}} }
func move(doc int, from, to string) docOp { return docOp{doc, Op{Op: "move", From: from, Path: to}} }

// misspeltOnly has nothing to add to what is misspelt.
func misspeltOnly(*finder, *state, baseline.Identity) []*state { return nil }

// emptyChannel removes a channel without entries: nobody is offered anything there.
func emptyChannel(s *finder, now *state, id baseline.Identity) []*state {
	list := oneEntry(s, now, id)
	for _, b := range now.named(s.pkg, schemaChannel, id.Channel) {
		if len(elements(b.node, "entries")) == 0 {
			list = append(list, now.with(remove(b.doc, b.at)))
		}
	}
	return list
}

// misspeltEdge corrects an edge to a name that is nearly that of a bundle. Where an edge to the
// bundle would be wrong, the edge goes.
func misspeltEdge(s *finder, now *state, id baseline.Identity) (list []*state) {
	kind, name := id.Edge()
	for _, other := range s.bundleNames() {
		if because.Alike(other, name) {
			s.meant[name] = other
			if other != id.Bundle {
				list = append(list, now.renamed(s.pkg, id.Channel, id.Bundle, name, other))
			}
		}
	}
	gone := edit{setReplaces, id.Bundle, ""}
	if kind == "skips" {
		gone = edit{removeSkip, id.Bundle, name}
	}
	if s.meant[name] != "" {
		list = append(list, s.edited(now, id.Channel, [][]edit{{gone}})...)
	}
	return list
}

// renamed changes the edges to a name in a channel, those of one entry unless that is empty.
func (s *state) renamed(pkg, channel, of, from, to string) *state {
	next := s
	for _, b := range s.named(pkg, schemaChannel, channel) {
		for i, e := range elements(b.node, "entries") {
			at := pointer(b.at, "entries", i)
			if of != "" && text(e, "name") != of {
				continue
			}
			if text(e, "replaces") == from {
				next = next.with(replace(b.doc, pointer(at, "replaces"), to))
			}
			for j, skip := range elements(e, "skips") {
				if top(skip).Value == from {
					next = next.with(replace(b.doc, pointer(at, "skips", j), to))
				}
			}
		}
	}
	return next
}

// oneOfSeveral removes one of several blobs of a name.
func oneOfSeveral(schema string) candidates {
	return func(s *finder, now *state, id baseline.Identity) (list []*state) {
		name := id.Channel + id.Bundle
		for _, b := range slices.Backward(now.named(s.pkg, schema, name)) {
			list = append(list, now.with(remove(b.doc, b.at)))
		}
		return list
	}
}

// bundlesOfOneName removes one of several bundles of a name. Those of different versions are
// different releases: one gets a name of its own, and an entry above the other.
func bundlesOfOneName(s *finder, now *state, id baseline.Identity) (list []*state) {
	blobs := now.named(s.pkg, schemaBundle, id.Bundle)
	versions := map[string]int{}
	for i, b := range blobs {
		for _, p := range elements(b.node, "properties") {
			if text(p, "type") == properties.TypePackage {
				versions[text(member(p, "value"), "version")] = i
			}
		}
	}
	if len(versions) < 2 {
		return oneOfSeveral(schemaBundle)(s, now, id)
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
		next := now.with(replace(blobs[versions[v]].doc, pointer(blobs[versions[v]].at, "name"), name))
		for _, c := range s.start.snapshot.Package(s.pkg).Channels {
			if c.Entry(id.Bundle) != nil {
				list = append(list, next.added(s.pkg, c.Name, edit{addEntry, name, id.Bundle}))
			}
		}
	}
	return list
}

// oneEntry removes one of several entries of a name.
func oneEntry(s *finder, now *state, id baseline.Identity) (list []*state) {
	for _, b := range now.named(s.pkg, schemaChannel, id.Channel) {
		times := map[string]int{}
		for _, e := range elements(b.node, "entries") {
			times[text(e, "name")]++
		}
		for i, e := range slices.Backward(elements(b.node, "entries")) {
			if times[text(e, "name")] > 1 {
				list = append(list, now.with(remove(b.doc, pointer(b.at, "entries", i))))
			}
		}
	}
	return list
}

// skipUpwards removes the skip. Other edits of the channel may make it harmless, but it stays
// a mistake.
func skipUpwards(s *finder, now *state, id baseline.Identity) []*state {
	_, name := id.Edge()
	return append(s.edited(now, id.Channel, [][]edit{{{removeSkip, id.Bundle, name}}}), oneEntry(s, now, id)...)
}

// otherDefault names a default channel that exists: one of nearly that name, else the one with
// the highest head.
func otherDefault(s *finder, now *state, _ baseline.Identity) (list []*state) {
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
		for _, b := range now.named(s.pkg, schemaPackage, "") {
			list = append(list, now.with(add(b.doc, pointer(b.at, "defaultChannel"), name)))
		}
		for _, d := range now.dirs(s.pkg, "") {
			if d.annotations >= 0 {
				list = append(list, now.with(add(d.annotations, pointer("/annotations", annotationDefault), name)))
			}
		}
	}
	return list
}

// packageProperty corrects the olm.package property of a bundle.
func packageProperty(s *finder, now *state, id baseline.Identity) (list []*state) {
	for _, b := range now.named(s.pkg, schemaBundle, id.Bundle) {
		named := cmp.Or(because.Named(id.Bundle), &semver.Version{})
		stated := 0
		for i, p := range elements(b.node, "properties") {
			if text(p, "type") != properties.TypePackage {
				continue
			}
			stated++
			at := pointer(b.at, "properties", i)
			if text(member(p, "value"), "packageName") != s.pkg {
				list = append(list, now.with(add(b.doc, pointer(at, "value", "packageName"), s.pkg)))
			}
			versions := []string{named.String()}
			if v, err := semver.ParseTolerant(text(member(p, "value"), "version")); err == nil {
				versions = []string{v.String(), named.String()}
			}
			for _, v := range versions {
				list = append(list, now.with(add(b.doc, pointer(at, "value", "version"), v)))
			}
			list = append(list, now.with(remove(b.doc, at)))
		}
		if stated == 0 {
			property := map[string]any{"type": properties.TypePackage, "value": map[string]string{"packageName": s.pkg, "version": named.String()}}
			list = append(list, now.with(add(b.doc, pointer(b.at, "properties", "-"), property)))
			list = append(list, now.with(add(b.doc, pointer(b.at, "properties"), []any{property})))
		}
	}
	for _, d := range now.dirs(s.pkg, id.Bundle) {
		if v, err := semver.ParseTolerant(text(member(now.docs[d.csv].root, "spec"), "version")); err == nil {
			list = append(list, now.with(replace(d.csv, "/spec/version", v.String())))
		}
	}
	return list
}

// rangeOfEntry corrects a skipRange, or removes it, since it covers nothing.
func rangeOfEntry(s *finder, now *state, id baseline.Identity) (list []*state) {
	f, found := now.entry(s.pkg, id.Channel, id.Bundle)
	if !found {
		return nil
	}
	stated := at(now.docs[f.doc].root, f.skipRange)
	if stated == nil {
		return nil
	}
	for _, r := range meant.Ranges(stated.Value) {
		list = append(list, now.with(replace(f.doc, f.skipRange, r)))
	}
	return append(list, now.with(remove(f.doc, f.skipRange)))
}

// corrected corrects the values of a property: what is at the place of the finding, and all
// ranges, versions and types in it. A requirement is never removed.
func corrected(s *finder, now *state, id baseline.Identity) (list []*state) {
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
	for _, b := range now.named(s.pkg, schemaBundle, id.Bundle) {
		for i := range elements(b.node, "properties") {
			all = append(all, stated{b.doc, pointer(b.at, "properties", i)})
		}
	}
	for _, place := range s.finding.Places {
		if doc, path, found := now.place(place.File, place.Line, place.Column); found && s.tree.directories && path != "" {
			all = append(all, stated{doc, path})
		}
	}
	for _, d := range now.dirs(s.pkg, id.Bundle) {
		all = append(all, stated{d.csv, "/spec/minKubeVersion"})
	}
	for _, p := range all {
		n := at(now.docs[p.doc].root, p.path)
		kind := text(n, "type")
		for _, name := range meant.Closest(kind, definedTypes) {
			list = append(list, now.with(replace(p.doc, pointer(p.path, "type"), name)))
		}
		eachScalar(n, p.path, func(path string, scalar *yaml.Node) {
			for _, v := range correctedScalars(path, scalar) {
				list = append(list, now.with(replace(p.doc, path, v)))
			}
		})
		if n == nil || n.Kind == yaml.ScalarNode {
			continue
		}
		if v := member(n, "value"); kind == "" || v == nil || v.ShortTag() == "!!null" {
			list = append(list, now.with(remove(p.doc, p.path))) // nobody can read it
		}
	}
	return append(list, annotated(s, now, id.Bundle)...)
}

// annotated renames annotations of a bundle that look like those of OLM.
func annotated(s *finder, now *state, bundle string) (list []*state) {
	in := func(doc int, path string) {
		n := at(now.docs[doc].root, path)
		for i := 0; n != nil && n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i].Value, top(n.Content[i+1]).Value
			plain := strings.NewReplacer("-", "", "_", "", ".", "").Replace(strings.ToLower(key))
			for _, olm := range []string{"olm.skipRange", "olm.properties"} {
				from, to := pointer(path, key), pointer(path, olm)
				if key == olm || !strings.HasSuffix(plain, strings.ToLower(olm[len("olm."):])) {
					continue
				}
				if member(n, olm) != nil {
					list = append(list, now.with(remove(doc, from)))
					continue
				}
				list = append(list, now.with(move(doc, from, to)))
				for _, r := range meant.Ranges(value) {
					list = append(list, now.with(move(doc, from, to), replace(doc, to, r)))
				}
			}
		}
	}
	for _, b := range now.named(s.pkg, schemaBundle, bundle) {
		for i := range elements(b.node, "properties") {
			in(b.doc, pointer(b.at, "properties", i, "value", "annotations"))
		}
	}
	for _, d := range now.dirs(s.pkg, bundle) {
		in(d.csv, "/metadata/annotations")
	}
	return list
}

var definedTypes = []string{
	properties.TypePackage, properties.TypePackageRequired, properties.TypeGVK, properties.TypeGVKRequired, properties.TypeLabel,
	properties.TypeLabelRequired, properties.TypeConstraint, properties.TypeMaxOpenShift, properties.TypeDeprecated,
	properties.TypeCSVMetadata, properties.TypeBundleObject,
}

func eachScalar(n *yaml.Node, path string, visit func(path string, n *yaml.Node)) {
	if n = top(n); n.Kind == yaml.ScalarNode {
		visit(path, n)
	}
	for i, inner := range n.Content {
		if n.Kind == yaml.SequenceNode {
			eachScalar(inner, pointer(path, i), visit)
		} else if i%2 == 1 {
			eachScalar(inner, pointer(path, n.Content[i-1].Value), visit)
		}
	}
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
func missingSchema(s *finder, now *state, id baseline.Identity) (list []*state) {
	for _, b := range now.all() {
		if b.schema != "" || now.docs[b.doc].file != id.Cause && id.Cause != "" && text(b.node, "package") != id.Package {
			continue
		}
		for _, schema := range []string{schemaChannel, schemaBundle, schemaPackage, schemaDeprecations} {
			list = append(list, now.with(add(b.doc, pointer(b.at, "schema"), schema)))
		}
	}
	return list
}

// pointerOf returns the pointer of a path with dots and brackets.
func pointerOf(path string) (to string) {
	for _, part := range strings.FieldsFunc(path, func(r rune) bool { return r == '.' || r == '[' || r == ']' }) {
		to = pointer(to, part)
	}
	return to
}

// field gives a field the form that it must have.
func field(s *finder, now *state, id baseline.Identity) (list []*state) {
	path := pointerOf(id.Cause)
	for _, b := range now.all() {
		n, path := at(b.node, path), b.at+path
		if n == nil || path == b.at {
			continue
		}
		if n.Kind == yaml.ScalarNode && n.ShortTag() != "!!null" {
			list = append(list, now.with(replace(b.doc, path, n.Value)), now.with(replace(b.doc, path, []string{n.Value})))
		}
		list = append(list, now.with(remove(b.doc, path)))
	}
	return list
}

// deprecation corrects the reference of a deprecation, or removes the deprecation.
func deprecation(s *finder, now *state, id baseline.Identity) (list []*state) {
	names := s.bundleNames()
	if p := s.start.snapshot.Package(s.pkg); p != nil {
		for _, c := range p.Channels {
			names = append(names, c.Name)
		}
	}
	for _, b := range now.named(s.pkg, schemaDeprecations, "") {
		for i, e := range elements(b.node, "entries") {
			reference := pointer(b.at, "entries", i, "reference")
			name := text(member(e, "reference"), "name")
			if name != id.Channel+id.Bundle && id.Channel+id.Bundle != "" {
				continue
			}
			for _, other := range names {
				if because.Alike(other, name) {
					list = append(list, now.with(replace(b.doc, pointer(reference, "name"), other)))
				}
			}
			for _, schema := range meant.Closest(text(member(e, "reference"), "schema"), []string{schemaPackage, schemaChannel, schemaBundle}) {
				list = append(list, now.with(replace(b.doc, pointer(reference, "schema"), schema)))
			}
			list = append(list, now.with(remove(b.doc, pointer(reference, "name"))), now.with(remove(b.doc, pointer(b.at, "entries", i))))
		}
		list = append(list, now.with(remove(b.doc, b.at)))
	}
	return list
}

// misspeltRequirement corrects the name of a package, or the version of an API, that a bundle
// requires and nothing provides.
func misspeltRequirement(s *finder, now *state, id baseline.Identity) (list []*state) {
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
	for _, b := range now.named(s.pkg, schemaBundle, id.Bundle) {
		for i, p := range elements(b.node, "properties") {
			at := pointer(b.at, "properties", i, "value")
			v := member(p, "value")
			switch text(p, "type") {
			case properties.TypePackageRequired:
				if slices.Contains(packages, text(v, "packageName")) {
					continue // another version of it is missing
				}
				for _, name := range meant.Closest(text(v, "packageName"), packages) {
					list = append(list, now.with(replace(b.doc, pointer(at, "packageName"), name)))
				}
			case properties.TypeGVKRequired:
				api := properties.GVK{Group: text(v, "group"), Version: text(v, "version"), Kind: text(v, "kind")}
				if slices.ContainsFunc(snapshots, func(s *catalog.Snapshot) bool { return len(s.Providers(api)) > 0 }) {
					continue
				}
				for _, snapshot := range snapshots {
					for _, other := range snapshot.OtherVersions(api) {
						list = append(list, now.with(replace(b.doc, pointer(at, "version"), other.Version)))
					}
				}
			}
		}
	}
	return list
}
