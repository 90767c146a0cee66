package cache

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/properties/pack"
)

// packedBundles are the packages and bundles of a snapshot that was read from an
// index. A package is unpacked, with its channels and bundles, when somebody asks
// for any of them: most requests touch few. Whoever finds it ready may read it
// without a lock, since nothing is written to it any more.
type packedBundles struct {
	*pack.Reader // immutable after unpackSnapshot
	tables       indexTables[pack.Rows]
	parser       *constraints.Parser
	snapshot     *Snapshot
	ordered      []bool // entries that are in the order of their channels; while checking

	bundles  []atomic.Pointer[Bundle] // nil if it is not unpacked
	unpacked []atomic.Bool            // by package

	// Of the inverted indexes of the snapshot.
	providers, labeled, byName sync.Once

	mu   sync.Mutex
	sets *properties.SetReader // guarded by mu
	// parsed are the constraints of bundles that are not unpacked yet. Guarded by
	// mu.
	parsed map[ID][]constraints.Constraint
	// unread: a constraint or a range could not be read. Guarded by mu.
	unread bool
}

// bundle returns a bundle, unpacked.
func (p *packedBundles) bundle(id ID) *Bundle {
	b := p.bundles[id].Load()
	if b == nil {
		p.unpack(p.tables.bundles.At(int(id), 1))
		b = p.bundles[id].Load()
	}
	return b
}

// pkg makes sure that a package is unpacked.
func (p *packedBundles) pkg(i int) {
	if !p.unpacked[i].Load() {
		p.unpack(i)
	}
}

// unpack unpacks a package.
func (p *packedBundles) unpack(i int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.unpacked[i].Load() {
		return
	}
	pkg := p.snapshot.packages[i]
	pkg.DefaultChannel = p.text(p.tables.packages, i, 1)
	pkg.Deprecation = p.text(p.tables.packages, i, 2)
	from, to := p.tables.packages.Span(i, 3)
	channels := make([]Channel, to-from)
	pkg.Channels = make([]*Channel, 0, len(channels))
	for c := range channels {
		channels[c].Package, channels[c].Default = pkg.Name, p.isDefault(i, from+c)
		p.channel(&channels[c], from+c)
		pkg.Channels = append(pkg.Channels, &channels[c])
	}
	bundles := make([]Bundle, len(pkg.Bundles))
	for b, id := range pkg.Bundles {
		p.unpackBundle(&bundles[b], id, pkg.Name)
	}
	setPlaces(pkg, bundles)
	for b, id := range pkg.Bundles {
		p.bundles[id].Store(&bundles[b])
	}
	p.unpacked[i].Store(true)
}

func (p *packedBundles) channel(c *Channel, row int) {
	t := &p.tables
	c.Name, c.Fault, c.Deprecation = p.text(t.channels, row, 0), p.text(t.channels, row, 1), p.text(t.channels, row, 2)
	first, end := t.channels.Span(row, 3)
	c.Entries = make([]Entry, end-first)
	for i := range c.Entries {
		p.entry(&c.Entries[i], first+i)
	}
	from, to := t.channels.Span(row, 4)
	if from == to {
		return
	}
	c.Order = make([]int32, to-from)
	for depth := range c.Order {
		i := t.order.At(from+depth, 0)
		c.Order[depth], c.Entries[i].Depth = int32(i), int32(depth)
	}
}

func (p *packedBundles) entry(e *Entry, row int) {
	t := &p.tables
	e.Name, e.Replaces = p.text(t.entries, row, 0), p.text(t.entries, row, 1)
	if from, to := t.entries.Span(row, 2); from < to {
		e.Skips = make([]string, to-from)
		for i := range e.Skips {
			e.Skips[i] = p.text(t.skips, from+i, 0)
		}
	}
	if text := p.text(t.entries, row, 3); text != "" {
		var err error
		if e.SkipRange, err = p.parser.Range(text); err != nil {
			p.unread = true
		}
	}
	e.Bundle, e.Depth = ID(t.entries.At(row, 4)-1), -1
	e.Skipped = t.entries.At(row, 5) == 1
}

func (p *packedBundles) unpackBundle(b *Bundle, id ID, pkg string) {
	t := &p.tables
	b.Name, b.Package = p.text(t.bundles, int(id), 0), pkg
	b.Image = joinImage(p.text(t.bundles, int(id), 2), t.digests, t.bundles.At(int(id), 3))
	b.Deprecation = p.text(t.bundles, int(id), 4)
	b.Properties = p.sets.Set(int(id))
	stated, _ := b.Properties.Package()
	b.Version, b.Release = stated.Version, stated.Release
	if !p.sets.Asks(int(id)) {
		return
	}
	list, ok := p.parsed[id]
	if ok {
		delete(p.parsed, id)
	} else {
		list = p.parse(b.Properties)
	}
	b.Constraints = list
}

func (p *packedBundles) parse(set *properties.Set) []constraints.Constraint {
	list, faults := p.parser.ParseSet(set)
	for _, f := range faults {
		// What cannot be read is in no snapshot, unless the Options are others.
		p.unread = true
		never := constraints.CEL{} // a rule that is none fails on every bundle
		list = append(list, constraints.Constraint{Index: f.Index, Type: f.Type, Expr: never})
	}
	return list
}

// setPlaces sets the places of a package's bundles, best first.
func setPlaces(pkg *Package, bundles []Bundle) {
	of := func(place Place) int {
		i, _ := slices.BinarySearch(pkg.Bundles, place.Channel.Entries[place.Entry].Bundle)
		return i
	}
	counts, total := make([]int, len(bundles)), 0
	for place := range candidatePlaces([]*Package{pkg}) {
		counts[of(place)]++
		total++
	}
	all := make([]Place, total) // one piece of memory for all bundles
	for i, n := range counts {
		bundles[i].Places, all = all[:0:n], all[n:]
	}
	for place := range candidatePlaces([]*Package{pkg}) {
		b := &bundles[of(place)]
		b.Places = append(b.Places, place)
	}
}

// The inverted indexes of the snapshot are made when they are asked for, too.

func (p *packedBundles) fillProviders() {
	p.locked(func() { p.snapshot.providers = properties.Providers[ID](p.sets) })
}

func (p *packedBundles) fillLabeled() {
	p.locked(func() { p.snapshot.labeled = properties.Labeled[ID](p.sets) })
}

func (p *packedBundles) locked(do func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	do()
}

func (p *packedBundles) fillByName() {
	byName := make([]ID, p.tables.byName.Len())
	for i := range byName {
		byName[i] = ID(p.tables.byName.At(i, 0))
	}
	compare := func(a, b ID) int {
		return cmp.Or(strings.Compare(p.text(p.tables.bundles, int(a), 0), p.text(p.tables.bundles, int(b), 0)), cmp.Compare(a, b))
	}
	// Each is there once if they ascend strictly.
	for i := 1; i < len(byName); i++ {
		if compare(byName[i-1], byName[i]) >= 0 {
			for id := range byName {
				byName[id] = ID(id)
			}
			slices.SortFunc(byName, compare)
			break
		}
	}
	p.snapshot.byName = byName
}

// parseAhead reads the constraints of some bundles before they are asked for.
func (p *packedBundles) parseAhead(ctx context.Context, wanted func(i int) bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id := range p.bundles {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, ok := p.parsed[ID(id)]; !ok && wanted(id) {
			p.parsed[ID(id)] = p.parse(p.sets.Set(id))
		}
	}
	return nil
}

// What is larger is unpacked when the index is read: who asks for it later may
// wait for it without a context.
const (
	lazyPackage    = 1000   // bundles and entries
	lazyProperties = 5000   // of a package, constraints and what is opaque
	lazyCatalog    = 20_000 // bundles
)

// entries is how many entries the channels of a package have.
func (p *packedBundles) entries(pkg int) int {
	from, to := p.tables.packages.Span(pkg, 3)
	if from == to {
		return 0
	}
	first, _ := p.tables.channels.Span(from, 3)
	_, end := p.tables.channels.Span(to-1, 3)
	return end - first
}

// untyped is how many properties of a package's bundles are kept as stated.
func (p *packedBundles) untyped(pkg *Package) int {
	n := 0
	for _, id := range pkg.Bundles {
		n += p.sets.Untyped(int(id))
	}
	return n
}

// unpackAhead does what would take long later.
func (p *packedBundles) unpackAhead(ctx context.Context) error {
	if err := p.parseAhead(ctx, p.sets.MayRule); err != nil {
		return err
	}
	for i, pkg := range p.snapshot.packages {
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(pkg.Bundles)+p.entries(i) > lazyPackage || p.untyped(pkg) > lazyProperties {
			p.unpack(i)
		}
	}
	if len(p.bundles) > lazyCatalog {
		s := p.snapshot
		s.allProviders()
		s.allLabeled()
		s.sortedNames()
	}
	return ctx.Err()
}

// checkTexts reads all texts that may be unreadable.
func (p *packedBundles) checkTexts(ctx context.Context) error {
	if err := p.parseAhead(ctx, p.sets.Asks); err != nil {
		return err
	}
	t := &p.tables
	for i := range t.entries.Len() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if text := p.text(t.entries, i, 3); text != "" {
			if _, err := p.parser.Range(text); err != nil {
				return err
			}
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.unread {
		return pack.ErrDamaged
	}
	return nil
}
