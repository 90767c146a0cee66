package index

import (
	"context"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
)

func (p *packedCatalog) Len() int { return p.tables.bundles.len() }

func (p *packedCatalog) BundleName(id catalog.ID) string { return p.name(p.tables.bundles, int(id), 0) }

func (p *packedCatalog) BundlePackage(id catalog.ID) int { return p.tables.bundles.at(int(id), 1) }

func (p *packedCatalog) Unpack(i int, pkg *catalog.Package) []catalog.Bundle {
	pkg.DefaultChannel = p.name(p.tables.packages, i, 1)
	pkg.Deprecation = p.name(p.tables.packages, i, 2)
	if text := p.name(p.tables.packages, i, 3); text != "" {
		_ = json.Unmarshal([]byte(text), &pkg.Lifecycles) // unreadable text counts as not stated
	}
	from, to := p.tables.packages.span(i, 4)
	channels := make([]catalog.Channel, to-from)
	pkg.Channels = make([]*catalog.Channel, 0, len(channels))
	for c := range channels {
		channels[c].Package, channels[c].Default = pkg.Name, p.isDefault(i, from+c)
		p.channel(&channels[c], from+c)
		pkg.Channels = append(pkg.Channels, &channels[c])
	}
	bundles, in := make([]catalog.Bundle, len(pkg.Bundles)), &properties.Interner{}
	var stated []properties.Property
	for b, id := range pkg.Bundles {
		stated = p.bundle(&bundles[b], id, pkg.Name, stated[:0], in)
	}
	return bundles
}

func (p *packedCatalog) channel(c *catalog.Channel, row int) {
	t := &p.tables
	c.Name, c.Fault, c.Deprecation = p.name(t.channels, row, 0), p.name(t.channels, row, 1), p.name(t.channels, row, 2)
	first, end := t.channels.span(row, 3)
	c.Entries = make([]catalog.Entry, end-first)
	for i := range c.Entries {
		p.entry(&c.Entries[i], first+i)
	}
	from, to := t.channels.span(row, 4)
	if from == to {
		return
	}
	c.Order = make([]int32, to-from)
	for depth := range c.Order {
		i := t.order.at(from+depth, 0)
		c.Order[depth], c.Entries[i].Depth = int32(i), int32(depth)
	}
}

func (p *packedCatalog) entry(e *catalog.Entry, row int) {
	t := &p.tables
	e.Name, e.Replaces = p.name(t.entries, row, 0), p.name(t.entries, row, 1)
	if from, to := t.entries.span(row, 2); from < to {
		e.Skips = make([]string, to-from)
		for i := range e.Skips {
			e.Skips[i] = p.name(t.skips, from+i, 0)
		}
	}
	if text := p.name(t.entries, row, 3); text != "" {
		if r, err := p.parser.Range(text); err == nil {
			e.SkipRange = r
		}
	}
	e.Bundle, e.Depth = catalog.ID(t.entries.at(row, 4)-1), -1
	e.Skipped = t.entries.at(row, 5) == 1
}

// bundle unpacks a bundle. It returns the slice stated with the properties of the bundle.
func (p *packedCatalog) bundle(b *catalog.Bundle, id catalog.ID, pkg string, stated []properties.Property, in *properties.Interner) []properties.Property {
	t, row := &p.tables, int(id)
	b.Name, b.Package = p.name(t.bundles, row, 0), pkg
	b.Image = joinImage(p.name(t.bundles, row, 2), p.name(t.bundles, row, 3))
	b.Deprecation = p.name(t.bundles, row, 4)
	from, to := t.bundles.span(row, 5)
	for i := from; i < to; i++ {
		stated = append(stated, p.property(t.stated.at(i, 0)))
	}
	b.Properties, _ = properties.Decode(stated, in) // the catalog has its faults
	name, _ := b.Properties.Package()
	b.Version, b.Release = name.Version, name.Release
	var errs []*constraints.ParseError
	b.Constraints, errs = p.parser.ParseSet(b.Properties)
	for _, err := range errs {
		never := constraints.CEL{} // the missing rule fails on every bundle
		b.Constraints = append(b.Constraints, constraints.Constraint{Index: err.Index, Type: err.Type, Expr: never})
	}
	return stated
}

func (p *packedCatalog) property(row int) properties.Property {
	t := p.tables.properties
	return properties.Property{Type: p.name(t, row, 0), Value: []byte(p.name(t, row, 1) + p.name(t, row, 2))}
}

func (p *packedCatalog) Providers() map[properties.GVK][]catalog.ID {
	return invert(p, properties.TypeGVK, (*properties.Set).GVKs)
}

func (p *packedCatalog) Labeled() map[string][]catalog.ID {
	return invert(p, properties.TypeLabel, (*properties.Set).Labels)
}

// invert returns the bundles by the keys of their properties of one type.
func invert[K comparable](p *packedCatalog, propertyType string, keys func(*properties.Set) []K) map[K][]catalog.ID {
	t, in := &p.tables, &properties.Interner{}
	lists := []*[]catalog.ID{nil} // the first one is for properties of other types
	byKey, byRow := map[K]int{}, make([]int, t.properties.len())
	for row := range byRow {
		if p.name(t.properties, row, 0) != propertyType {
			continue
		}
		set, _ := properties.Decode([]properties.Property{p.property(row)}, in)
		for _, key := range keys(set) {
			if byKey[key] == 0 {
				byKey[key] = len(lists)
				lists = append(lists, new([]catalog.ID))
			}
			byRow[row] = byKey[key]
		}
	}
	for id := range catalog.ID(p.Len()) {
		from, to := t.bundles.span(int(id), 5)
		for i := from; i < to; i++ {
			list := lists[byRow[t.stated.at(i, 0)]]
			if list != nil && (len(*list) == 0 || (*list)[len(*list)-1] != id) {
				*list = append(*list, id)
			}
		}
	}
	inverted := make(map[K][]catalog.ID, len(byKey))
	for key, i := range byKey {
		if len(*lists[i]) > 0 {
			inverted[key] = slices.Clip(*lists[i])
		}
	}
	return inverted
}

func (p *packedCatalog) ByName() []catalog.ID {
	byName := make([]catalog.ID, p.Len())
	for i := range byName {
		byName[i] = catalog.ID(p.tables.byName.at(i, 0))
	}
	return byName
}

// Larger packages and catalogs are unpacked when the index is read. Unpacking them later
// would make callers wait without a context.
const (
	lazyPackage    = 1000   // bundles and entries of a package
	lazyProperties = 5000   // properties of the bundles of a package
	lazyCatalog    = 20_000 // bundles of a catalog
)

// unpackAhead unpacks what would take long later.
func (p *packedCatalog) unpackAhead(ctx context.Context, s *catalog.Snapshot, packages []*catalog.Package) error {
	t := &p.tables
	for row := range t.properties.len() {
		if p.name(t.properties, row, 0) != properties.TypeConstraint {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		// Compiling rules takes long. The parser caches them.
		_, _ = p.parser.Parse(0, p.property(row))
	}
	for _, pkg := range p.large(packages) {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.Package(pkg)
	}
	if p.Len() > lazyCatalog {
		s.Providers(properties.GVK{})
		s.Labeled("")
		s.Named("")
	}
	return ctx.Err()
}

// large returns the names of packages that take long to unpack.
func (p *packedCatalog) large(packages []*catalog.Package) (names []string) {
	stated := make([]int, len(packages))
	for id := range p.Len() {
		from, to := p.tables.bundles.span(id, 5)
		stated[p.tables.bundles.at(id, 1)] += to - from
	}
	for i, pkg := range packages {
		if len(pkg.Bundles)+p.entries(i) > lazyPackage || stated[i] > lazyProperties {
			names = append(names, pkg.Name)
		}
	}
	return names
}

// entries returns the number of entries in the channels of a package.
func (p *packedCatalog) entries(pkg int) int {
	from, to := p.tables.packages.span(pkg, 4)
	if from == to {
		return 0
	}
	first, _ := p.tables.channels.span(from, 3)
	_, end := p.tables.channels.span(to-1, 3)
	return end - first
}
