package build

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/code"
	"github.com/resolvent/resolvent/cache/internal/document"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/constraints/versionrange"
	"github.com/resolvent/resolvent/properties"
)

// checker finds faults that only a strict reading reports, such as stranded entries and
// ranges with a surprising meaning.
type checker struct {
	faults
	read     *Contents
	snapshot *catalog.Snapshot
	traps    map[string][]versionrange.Trap // by skipRange
	texts    map[string]string              // see noTruth; nil until a rule needs it

	// The checked package: its name and blobs, the names of its channels, bundles and
	// entries, and the versions of its usable bundles by name.
	name                      string
	blobs                     *Blobs
	channels, bundles, listed map[string]bool
	versions                  map[string]string
	prereleases               map[string]bool // versions with prereleases
}

// Check returns the faults of the snapshot and those of a strict reading. The error is
// that of ctx.
func Check(ctx context.Context, read *Contents, s *catalog.Snapshot) ([]catalog.Fault, error) {
	c := &checker{read: read, snapshot: s, faults: slices.Concat(s.Faults(), read.refused), traps: map[string][]versionrange.Trap{}}
	for name, blobs := range read.packages {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c.name, c.blobs = name, blobs
		c.channels, c.bundles, c.listed = map[string]bool{}, map[string]bool{}, map[string]bool{}
		for _, blob := range blobs.Channels {
			c.channels[blob.Name] = true
			for _, e := range blob.Entries {
				c.listed[e.Name] = true
			}
		}
		for _, blob := range blobs.bundles {
			c.bundles[blob.Name] = true
		}
		c.versions, c.prereleases = map[string]string{}, map[string]bool{}
		for _, id := range s.Packaged(name) {
			b := s.Bundle(id)
			c.versions[b.Name] = b.Version.String()
			if len(b.Version.Pre) > 0 {
				c.prereleases[b.Version.FinalizeVersion()] = true
			}
		}
		c.check()
	}
	return Sorted(c.faults), nil
}

// Sorted returns faults sorted, each once. It reuses the slice.
func Sorted(faults []catalog.Fault) []catalog.Fault {
	slices.SortFunc(faults, catalog.Fault.Compare)
	return slices.Compact(faults)
}

func (c *checker) warn(at document.Origin, code catalog.Code, place catalog.Fault, property int, path, message string) {
	f := at.FaultIn(place, code, message)
	f.Severity, f.Property, f.Path = catalog.Warning, property, path
	c.faults = append(c.faults, f)
}

func (c *checker) check() {
	at, blobs, place := c.blobs.first, c.blobs, catalog.Fault{Package: c.name}
	if !validLabel(c.name) || len(c.name) > 63 {
		c.fault(at, code.Name, place, "the name of a package has at most 63 characters, lower-case letters, digits and dashes, with a letter or digit at both ends")
	}
	c.checkRepeats()
	c.checkDeprecations()
	c.checkLifecycles()
	if blobs.empty() {
		return
	}
	if len(blobs.Channels) == 0 && !blobs.directories() {
		c.fault(at, code.NoChannel, place, "the package has no channel: add one")
	}
	if len(blobs.bundles) == 0 {
		c.fault(at, code.NoBundle, place, "the package has no bundle: add one, or remove the package")
	}
	for _, blob := range blobs.Channels {
		c.checkChannel(blob)
	}
	for _, blob := range blobs.bundles {
		c.checkBundle(blob)
	}
	c.checkVersions()
}

// checkRepeats finds what is stated several times in equal words. It counts as one, but opm refuses
// it. Repeats that differ are faults of every reading.
func (c *checker) checkRepeats() {
	if c.blobs.directories() {
		return // each directory states its package and channels
	}
	repeats(c, c.blobs.Stated, code.DuplicatePackage, catalog.Fault{Package: c.name}, nil)
	repeats(c, c.blobs.deprecations, code.DuplicateDeprecations, catalog.Fault{Package: c.name}, nil)
	repeats(c, c.blobs.Channels, code.DuplicateChannel, catalog.Fault{Package: c.name}, func(f *catalog.Fault, b *Channel) { f.Channel = b.Name })
	repeats(c, c.blobs.bundles, code.DuplicateBundle, catalog.Fault{Package: c.name}, func(f *catalog.Fault, b *Bundle) { f.Bundle = b.Name })
	for _, blob := range c.blobs.Channels {
		for group, alike := range groups(slices.Clone(blob.Entries)) {
			if alike && len(group) > 1 {
				c.fault(blob.Origin, code.DuplicateEntry, catalog.Fault{Package: c.name, Channel: blob.Name, Bundle: group[0].Name}, fmt.Sprintf("the channel lists it %d times in equal words, and opm refuses the catalog: keep one", len(group)))
			}
		}
	}
}

// stated is a blob with its place.
type stated[B any] interface {
	named[B]
	At() document.Origin
}

func repeats[B stated[B]](c *checker, blobs []B, code catalog.Code, place catalog.Fault, name func(*catalog.Fault, B)) {
	for group, alike := range groups(slices.Clone(blobs)) {
		for _, b := range group[1:] {
			if alike {
				if name != nil {
					name(&place, b)
				}
				c.fault(b.At(), code, place, fmt.Sprintf("it is stated %d times in equal words, and opm refuses the catalog: keep one", len(group)))
			}
		}
	}
}

func (c *checker) checkChannel(blob *Channel) {
	for _, e := range blob.Entries {
		c.checkSkipRange(blob, e)
	}
	if p := c.snapshot.Package(blob.Pkg); p != nil {
		if channel := p.Channel(blob.Name); channel.Fault == "" {
			c.checkChain(blob.Origin, channel)
		}
	}
}

// checkChain finds entries without a way to the head, in a channel with an order.
func (c *checker) checkChain(at document.Origin, channel *catalog.Channel) {
	stranded := func(e *catalog.Entry, message string) {
		c.fault(at, code.Stranded, catalog.Fault{Package: channel.Package, Channel: channel.Name, Bundle: e.Name}, message)
	}
	passed, end := "", "" // a skipped entry on the chain, and that from which it leads on
	for at := range channel.Chain() {
		e := at.At()
		switch {
		case e.Skipped && end != "" || passed == "" && e.Skipped:
			passed, end = e.Name, ""
		case !e.Skipped && passed != "":
			end = cmp.Or(end, e.Name)
			stranded(e, fmt.Sprintf("updates end at %s, because %s, which leads on from it, is skipped: have the entry that skips it skip %[1]s, too", end, passed))
		}
	}
	for i := range channel.Entries {
		if e := &channel.Entries[i]; e.Depth < 0 && !e.Skipped {
			stranded(e, fmt.Sprintf("no chain of replaces leads here from the head %s, so nobody is offered this entry: have another entry replace or skip it, or remove it", channel.Head().Name))
		}
	}
}

func (c *checker) checkBundle(blob *Bundle) {
	place := catalog.Fault{Package: blob.Pkg, Bundle: blob.Name}
	if blob.Image == "" && !blob.Directory {
		c.fault(blob.Origin, code.Image, place, "the bundle has no image: name it")
	} else if blob.Image != "" && !document.PullSpec(blob.Image) {
		c.fault(blob.Origin, code.Image, place, fmt.Sprintf("the image %.200q is not a pull spec: write [HOST/]NAME[:TAG][@DIGEST]", blob.Image))
	}
	if blob.NoImage != "" {
		c.warn(blob.Origin, code.Image, place, -1, blob.NoImage, "a related image is empty, so that nobody can mirror it: name it, or remove it")
	}
	// A bundle directory without channels has that fault already.
	if !c.listed[blob.Name] && !blob.Directory {
		c.fault(blob.Origin, code.NoChannel, place, "no channel lists the bundle, so nobody is offered it: add an entry, or remove the bundle")
	}
	if blob.properties == nil {
		return // unusable, which has been said
	}
	for _, gvk := range blob.properties.GVKs() {
		c.checkGVK(blob.Origin, place, -1, "", gvk)
	}
	for _, stated := range blob.constraints {
		c.checkConstraint(blob.originOf(stated.Index), place, stated)
	}
	c.checkRelease(blob, place)
	c.checkLimits(blob, place)
	for key := range blob.properties.Metadata().Annotations() {
		if properties.MeantAsLabel(key) {
			c.warn(blob.Origin, code.Undefined, place, -1, "", fmt.Sprintf("the annotation %q has no effect: it is a label of the ClusterServiceVersion", key))
		}
		if meant := meantAnnotation(key); meant != "" {
			c.warn(blob.Origin, code.Undefined, place, -1, "", fmt.Sprintf("the annotation %q has no effect: %s is meant", key, meant))
		}
	}
	for i, p := range blob.properties.Undefined() {
		c.warn(blob.originOf(i), code.Undefined, place, i, "", undefined("property type", p.Type, "the property"))
	}
}

// checkRelease judges a release as opm does.
func (c *checker) checkRelease(blob *Bundle, place catalog.Fault) {
	pkg, ok := blob.properties.Package()
	if !ok || pkg.Release == "" {
		return
	}
	if len(pkg.Version.Build) > 0 {
		c.fault(blob.Origin, code.Property, place, fmt.Sprintf("version %s has build metadata beside release %s, and opm refuses the catalog: leave one of them out", pkg.Version, pkg.Release))
	} else if name := fmt.Sprintf("%s-v%s-%s", blob.Pkg, pkg.Version, pkg.Release); blob.Name != name {
		c.fault(blob.Origin, code.Property, place, fmt.Sprintf("a bundle with release %s of version %s must be named %s, and opm refuses the catalog: rename it, and its entries", pkg.Release, pkg.Version, name))
	}
}

// checkLimits judges what a bundle states of the versions of clusters.
func (c *checker) checkLimits(blob *Bundle, place catalog.Fault) {
	if err := blob.properties.Metadata().KubeFault(); err != nil {
		c.fault(blob.Origin, code.Property, place, err.Error()+": write all three, as 1.21.0")
	}
	if err := blob.properties.Metadata().ModesFault(); err != nil {
		c.fault(blob.Origin, code.InstallModes, place, err.Error())
	}
	if !blob.properties.States(properties.TypeMaxOpenShift) {
		return
	}
	for i, p := range blob.properties.All() {
		if remark := p.UnquotedLimit(); remark != "" {
			c.warn(blob.originOf(i), code.Trap, place, i, "", remark)
		}
	}
}

// meantAnnotation returns the annotation of OLM that a key looks like and is not, or what to
// state in its place; empty if it looks like none.
func meantAnnotation(key string) string {
	name := strings.ToLower(key[strings.LastIndexByte(key, '/')+1:])
	name, olm := strings.CutPrefix(name, "olm.")
	switch name = strings.NewReplacer("-", "", "_", "", ".", "").Replace(name); {
	case name == "skiprange" && key != "olm.skipRange":
		return "olm.skipRange"
	case name == "properties" && olm && key != "olm.properties":
		return "olm.properties"
	case name == "maxopenshiftversion":
		return "the property olm.maxOpenShiftVersion, in olm.properties or metadata/properties.yaml,"
	}
	return ""
}

// checkConstraint judges what a bundle requires: the names of APIs, ranges that
// surprise, and a not at the top.
func (c *checker) checkConstraint(at document.Origin, fault catalog.Fault, stated constraints.Constraint) {
	if _, ok := stated.Expr.(constraints.Not); ok {
		c.warn(at, code.Trap, fault, stated.Index, "not", "the constraint only forbids: other resolvers may refuse it, or take it for a demand that any other bundle satisfies")
	}
	for place, part := range constraints.Parts(stated.Expr) {
		if stated.Type != properties.TypeConstraint {
			place = "" // the older types do not name the kind
		}
		switch part := part.(type) {
		case constraints.Package:
			for _, trap := range part.Range.Traps() {
				path := strings.TrimPrefix(place+".versionRange", ".")
				c.warn(at, code.Trap, fault, stated.Index, path, "the range of package "+part.Name+": "+c.tried(part, trap))
			}
		case constraints.CEL:
			traps := slices.Clone(part.Rule.Traps())
			for _, propertyType := range part.Rule.Truths() {
				if text := c.noTruth(propertyType); text != "" {
					traps = append(traps, fmt.Sprintf("the value of property %s is a text in every bundle, such as %.200q, and never true or false: compare it with a text", propertyType, text))
				}
			}
			for _, trap := range traps {
				c.warn(at, code.Trap, fault, stated.Index, strings.TrimPrefix(place+".rule", "."), trap)
			}
		case constraints.GVK:
			c.checkGVK(at, fault, stated.Index, place, part.GVK)
		}
	}
}

// tried returns a trap of a range without its advice, if no version of the package that the catalog
// has would be left.
func (c *checker) tried(required constraints.Package, trap versionrange.Trap) string {
	example := ""
	for _, id := range c.snapshot.Packaged(required.Name) {
		v := &c.snapshot.Bundle(id).Version
		if !required.Range.Contains(*v) {
			continue
		}
		if trap.Prereleases == "" || len(v.Pre) == 0 || v.FinalizeVersion() != trap.Prereleases {
			return trap.Text
		}
		if text := v.String(); example == "" || text < example {
			example = text
		}
	}
	if example == "" {
		return trap.Text
	}
	return fmt.Sprintf("only prereleases of %s are in it, such as %s: name them, as in >=%[2]s, if these are meant", trap.Prereleases, example)
}

// noTruth returns a value of a property that only has texts in the catalog, the first in the order
// of texts, empty if there is another one, or none.
func (c *checker) noTruth(propertyType string) (example string) {
	if c.texts == nil {
		c.texts = map[string]string{}
		others := map[string]bool{}
		for _, blobs := range c.read.packages {
			for _, blob := range blobs.bundles {
				if blob.properties == nil {
					continue
				}
				for _, p := range blob.properties.All() {
					var text string
					if json.Unmarshal(p.Value, &text) != nil {
						others[p.Type] = true
					} else if known, is := c.texts[p.Type]; !is || text < known {
						c.texts[p.Type] = text
					}
				}
			}
		}
		for propertyType := range others {
			delete(c.texts, propertyType)
		}
	}
	return c.texts[propertyType]
}

// checkSkipRange warns of the traps of the skipRange of an entry. Prereleases in the range
// matter only if the package has some. The author wants those of the entry's own version.
func (c *checker) checkSkipRange(blob *Channel, e Entry) {
	version, usable := c.versions[e.Name]
	if !usable {
		return // the entry leads to nothing
	}
	traps, known := c.traps[e.SkipRange]
	if !known {
		if r, err := versionrange.Parse(e.SkipRange); err == nil { // otherwise it is reported already
			traps = r.Traps()
		}
		c.traps[e.SkipRange] = traps
	}
	for _, trap := range traps {
		if trap.Prereleases == "" || trap.Prereleases != version && c.prereleases[trap.Prereleases] {
			c.warn(blob.Origin, code.Trap, catalog.Fault{Package: blob.Pkg, Channel: blob.Name, Bundle: e.Name}, -1, "", "skipRange: "+trap.Text)
		}
	}
}

// The names that Kubernetes accepts: a package is a label, an API group is a subdomain, and a
// version or lower-case kind begins with a letter.

// validLabel reports whether a name of any length has lower-case letters, digits and dashes,
// with a letter or digit at both ends. Regular expressions take ten times as long, and
// catalogs have hundreds of thousands of such names.
func validLabel(name string) bool {
	for i := range len(name) {
		c := name[i]
		alphanumeric := 'a' <= c && c <= 'z' || '0' <= c && c <= '9'
		if !alphanumeric && (c != '-' || i == 0 || i == len(name)-1) {
			return false
		}
	}
	return name != ""
}

// validGroup reports whether a name consists of labels with dots between them.
func validGroup(name string) bool {
	for label := range strings.SplitSeq(name, ".") {
		if !validLabel(label) {
			return false
		}
	}
	return true
}

// validVersion reports whether a name is a label that begins with a letter.
func validVersion(name string) bool { return validLabel(name) && name[0] >= 'a' }

func (c *checker) checkGVK(at document.Origin, place catalog.Fault, property int, path string, gvk properties.GVK) {
	kind := strings.ToLower(gvk.Kind)
	for _, part := range [...]struct {
		what, text string
		valid      bool
		longest    int
	}{
		{"group", gvk.Group, validGroup(gvk.Group), 253},
		{"version", gvk.Version, validVersion(gvk.Version), 63},
		{"kind", kind, validVersion(kind), 63},
	} {
		if !part.valid || len(part.text) > part.longest {
			f := at.FaultIn(place, code.Name, fmt.Sprintf("the %s of the API %s is not one that Kubernetes accepts", part.what, gvk.Describe()))
			f.Property, f.Path = property, path
			c.faults = append(c.faults, f)
		}
	}
}

// checkVersions finds bundles with equal versions.
func (c *checker) checkVersions() {
	type versioned struct {
		*Bundle
		version string
	}
	var list []versioned
	for _, blob := range c.blobs.bundles {
		if blob.properties == nil {
			continue
		}
		if pkg, ok := blob.properties.Package(); ok {
			list = append(list, versioned{blob, versionText(pkg)})
		}
	}
	slices.SortStableFunc(list, func(a, b versioned) int {
		return cmp.Or(strings.Compare(a.version, b.version), strings.Compare(a.Name, b.Name))
	})
	for i := 1; i < len(list); i++ {
		if a, b := list[i-1], list[i]; a.Name != b.Name && a.version == b.version {
			c.fault(b.Origin, code.SameVersion, catalog.Fault{Package: b.Pkg, Bundle: b.Name},
				fmt.Sprintf("the bundle has the version %s, as %s has: give one of them another", b.version, a.Name))
		}
	}
}

// versionText returns a text that also differs for builds, which Version.Compare ignores.
func versionText(pkg properties.Package) string {
	if pkg.Release == "" {
		return pkg.Version.String()
	}
	return pkg.Version.String() + ", release " + string(pkg.Release)
}

func (c *checker) checkDeprecations() {
	for _, blob := range c.blobs.deprecations {
		if c.blobs.empty() {
			c.fault(blob.Origin, code.Deprecation, catalog.Fault{Package: c.name}, "there is no such package: remove the deprecations")
			continue
		}
		for i, d := range blob.entries { // sorted
			c.checkDeprecation(blob.Origin, d)
			if i > 0 && blob.entries[i-1].schema == d.schema && blob.entries[i-1].name == d.name {
				c.fault(blob.Origin, code.Deprecation, placeOf(c.name, d), "it is deprecated more than once, and opm refuses the catalog: keep one entry")
			}
		}
	}
}

// placeOf returns the place of what is deprecated.
func placeOf(pkg string, d deprecation) catalog.Fault {
	switch d.schema {
	case document.SchemaChannel:
		return catalog.Fault{Package: pkg, Channel: d.name}
	case document.SchemaBundle:
		return catalog.Fault{Package: pkg, Bundle: d.name}
	}
	return catalog.Fault{Package: pkg}
}

func (c *checker) checkDeprecation(at document.Origin, d deprecation) {
	place, known := placeOf(c.name, d), true
	report := func(message string) { c.fault(at, code.Deprecation, place, message) }
	switch d.schema {
	case document.SchemaPackage:
		if d.name != "" {
			report(fmt.Sprintf("a reference to olm.package has no name, but this one has %q: remove it", d.name))
		}
	case document.SchemaChannel:
		known = c.channels[d.name]
	case document.SchemaBundle:
		known = c.bundles[d.name]
	default:
		report(fmt.Sprintf("schema %q of a reference is none of olm.package, olm.channel and olm.bundle", d.schema))
	}
	if !known {
		report("what is deprecated does not exist, and opm refuses the whole catalog for it: remove the deprecation")
	}
	if strings.TrimSpace(d.message) == "" {
		report("the deprecation has no message: say what to use instead")
	}
}
