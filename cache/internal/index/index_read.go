package index

import (
	"context"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/pack"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
)

// packedCatalog is the payload of an index. It is immutable.
type packedCatalog struct {
	*pack.Reader
	tables indexTables[pack.Rows]
	parser *constraints.Parser
}

// readIndex returns a snapshot that is unpacked as far as it is asked for, from
// the payload of an index that was made with the same limits. Everything that
// one part of it says of another is checked at once, so that nothing can go wrong
// later. Properties, constraints and ranges are only texts until then: one that
// cannot be read counts as not stated, and a constraint is never satisfied.
func readIndex(ctx context.Context, payload string, limits constraints.Limits, evaluationCost int) (*catalog.Snapshot, error) {
	p := &packedCatalog{Reader: pack.NewReader(payload), parser: constraints.NewParser(limits)}
	parts := catalog.Parts{
		Faults: p.faults(), Lost: p.lost(),
		EvaluationCost: uint64(evaluationCost),
	}
	p.tables.each(func(t *pack.Rows, columns int) { *t = p.Table(columns) })
	p.End()
	for _, check := range []func(){p.checkTables, p.checkNames, p.checkEntries} {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if p.Err() == nil {
			check()
		}
	}
	if p.Err() == nil {
		parts.Candidates = p.candidates()
	}
	if p.Err() != nil {
		return nil, p.Err()
	}
	parts.Packages = p.packages()
	s := catalog.NewPacked(parts, p)
	return s, p.unpackAhead(ctx, s, parts.Packages)
}

func (p *packedCatalog) faults() []catalog.Fault {
	var list []catalog.Fault
	for range p.Count(12) {
		list = append(list, catalog.Fault{
			Code: catalog.Code(p.String()), File: p.String(),
			Package: p.String(), Channel: p.String(), Bundle: p.String(), Path: p.String(), Message: p.String(),
			Severity: catalog.Severity(p.Index(int(catalog.Warning) + 1)), Line: p.Int(), Column: p.Int(), Property: p.Int(),
			Quarantines: p.Bool(),
		})
	}
	return list
}

func (p *packedCatalog) lost() []catalog.LostProvider {
	var list []catalog.LostProvider
	for range p.Count(5) {
		api := properties.GVK{Group: p.String(), Version: p.String(), Kind: p.String()}
		list = append(list, catalog.LostProvider{API: api, Package: p.String(), Bundle: p.String()})
	}
	return list
}

// checkTables checks what the tables refer to.
func (p *packedCatalog) checkTables() {
	t, texts := &p.tables, p.Texts()
	for _, c := range [...]struct {
		rows   pack.Rows
		column int
		below  int
	}{
		{t.packages, 0, texts}, {t.packages, 1, texts}, {t.packages, 2, texts},
		{t.channels, 0, texts}, {t.channels, 1, texts}, {t.channels, 2, texts},
		{t.entries, 0, texts}, {t.entries, 1, texts}, {t.entries, 3, texts}, {t.entries, 4, t.bundles.Len() + 1}, {t.entries, 5, 2},
		{t.skips, 0, texts},
		{t.bundles, 0, texts}, {t.bundles, 1, t.packages.Len()}, {t.bundles, 2, texts},
		{t.bundles, 3, texts}, {t.bundles, 4, texts},
		{t.stated, 0, t.properties.Len()}, {t.properties, 0, texts}, {t.properties, 1, texts},
		{t.byName, 0, t.bundles.Len()},
	} {
		p.Below(c.rows, c.column, c.below)
	}
	p.Ends(t.packages, 3, t.channels.Len())
	p.Ends(t.channels, 3, t.entries.Len())
	p.Ends(t.channels, 4, t.order.Len())
	p.Ends(t.entries, 2, t.skips.Len())
	p.Ends(t.bundles, 5, t.stated.Len())
	if t.byName.Len() != t.bundles.Len() {
		p.Fail()
	}
}

// checkNames checks that names ascend where they are searched for.
func (p *packedCatalog) checkNames() {
	ascend := func(t pack.Rows, from, to int) {
		for i := from + 1; i < to; i++ {
			if p.text(t, i-1, 0) >= p.text(t, i, 0) {
				p.Fail()
				return
			}
		}
	}
	t := &p.tables
	ascend(t.packages, 0, t.packages.Len())
	for i := range t.packages.Len() {
		from, to := t.packages.Span(i, 3)
		ascend(t.channels, from, to)
	}
	for i := range t.channels.Len() {
		from, to := t.channels.Span(i, 3)
		ascend(t.entries, from, to)
	}
	for i := 1; i < t.byName.Len(); i++ {
		a, b := t.byName.At(i-1, 0), t.byName.At(i, 0)
		if before, name := p.text(t.bundles, a, 0), p.text(t.bundles, b, 0); before > name || before == name && a >= b {
			p.Fail()
			return
		}
	}
}

// checkEntries checks that entries are of the bundles that they lead to, and that
// an order leads to entries of its channel, to each at most once.
func (p *packedCatalog) checkEntries() {
	t := &p.tables
	ordered := make([]bool, t.entries.Len())
	for pkg := range t.packages.Len() {
		from, to := t.packages.Span(pkg, 3)
		for c := from; c < to; c++ {
			first, end := t.channels.Span(c, 3)
			for e := first; e < end; e++ {
				if b := t.entries.At(e, 4) - 1; b >= 0 && (t.bundles.At(b, 0) != t.entries.At(e, 0) || t.bundles.At(b, 1) != pkg) {
					p.Fail()
					return
				}
			}
			from, to := t.channels.Span(c, 4)
			for i := from; i < to; i++ {
				e := first + t.order.At(i, 0)
				if e >= end || ordered[e] {
					p.Fail()
					return
				}
				ordered[e] = true
			}
		}
	}
}

// candidates counts the candidates, and checks that they have the IDs that
// builder.order gives.
func (p *packedCatalog) candidates() (n int) {
	t := &p.tables
	for _, isDefault := range []bool{true, false} {
		for pkg := range t.packages.Len() {
			from, to := t.packages.Span(pkg, 3)
			for c := from; c < to; c++ {
				if p.isDefault(pkg, c) != isDefault {
					continue
				}
				first, _ := t.channels.Span(c, 3)
				from, to := t.channels.Span(c, 4)
				for i := from; i < to; i++ {
					e := first + t.order.At(i, 0)
					id := t.entries.At(e, 4) - 1
					if id < 0 || t.entries.At(e, 5) == 1 || id < n {
						continue
					}
					if id > n {
						p.Fail()
						return n
					}
					n++
				}
			}
		}
	}
	return n
}

// isDefault reports whether a channel is the default channel of its package.
func (p *packedCatalog) isDefault(pkg, channel int) bool {
	return p.text(p.tables.packages, pkg, 1) == p.text(p.tables.channels, channel, 0)
}

// text is the text whose index stands in a table.
func (p *packedCatalog) text(t pack.Rows, row, column int) string { return p.Text(t.At(row, column)) }

// packages returns the packages with what they have before they are unpacked.
func (p *packedCatalog) packages() []*catalog.Package {
	t := &p.tables
	packages, counts := make([]catalog.Package, t.packages.Len()), make([]int, t.packages.Len())
	for id := range p.Len() {
		counts[t.bundles.At(id, 1)]++
	}
	all, list := make([]catalog.ID, p.Len()), make([]*catalog.Package, len(packages))
	for i, n := range counts {
		packages[i].Name = p.text(t.packages, i, 0)
		packages[i].Bundles, all = all[:0:n], all[n:]
		list[i] = &packages[i]
	}
	for id := range p.Len() {
		pkg := list[t.bundles.At(id, 1)]
		pkg.Bundles = append(pkg.Bundles, catalog.ID(id))
	}
	return list
}
