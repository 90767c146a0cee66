package index

import (
	"context"

	"github.com/go-json-experiment/json"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
)

// packedCatalog is the payload of an index, a [catalog.Packed]. It is immutable.
type packedCatalog struct {
	*reader
	tables tables[rows]
	parser *constraints.Parser
}

// Decode returns the snapshot in the payload of an index. The limits must be those with
// which the index was written. Packages are unpacked when they are first needed.
//
// Decode checks all references between tables at once, so that unpacking cannot fail.
// Properties, constraints and ranges stay texts until they are unpacked. Unreadable ones
// count as not stated, but nothing satisfies an unreadable constraint.
func Decode(ctx context.Context, payload string, limits constraints.Limits, evaluationCost int) (*catalog.Snapshot, error) {
	p := &packedCatalog{reader: newReader(payload), parser: constraints.NewParser(limits)}
	p.tables.each(func(t *rows, columns int) { *t = p.table(columns) })
	if len(p.rest) > 0 {
		p.fail()
	}
	for _, check := range []func(){p.checkTables, p.checkNames, p.checkEntries} {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if p.err == nil {
			check()
		}
	}
	if p.err != nil {
		return nil, p.err
	}
	parts := catalog.Parts{Candidates: p.candidates(), Packages: p.packages(), EvaluationCost: uint64(evaluationCost), Packed: p}
	for row, into := range []any{&parts.Faults, &parts.Lost, &parts.Content} {
		if err := json.Unmarshal([]byte(p.name(p.tables.faults, row, 0)), into); err != nil {
			p.fail()
		}
	}
	if p.err != nil {
		return nil, p.err
	}
	s := catalog.NewSnapshot(parts)
	return s, p.unpackAhead(ctx, s, parts.Packages)
}

// checkTables checks the references of the tables.
func (p *packedCatalog) checkTables() {
	t, texts := &p.tables, p.ends.len()
	for _, c := range [...]struct {
		rows   rows
		column int
		below  int
	}{
		{t.packages, 0, texts}, {t.packages, 1, texts}, {t.packages, 2, texts}, {t.packages, 3, texts},
		{t.channels, 0, texts}, {t.channels, 1, texts}, {t.channels, 2, texts},
		{t.entries, 0, texts}, {t.entries, 1, texts}, {t.entries, 3, texts}, {t.entries, 4, t.bundles.len() + 1}, {t.entries, 5, 2},
		{t.skips, 0, texts},
		{t.bundles, 0, texts}, {t.bundles, 1, t.packages.len()}, {t.bundles, 2, texts},
		{t.bundles, 3, texts}, {t.bundles, 4, texts},
		{t.stated, 0, t.properties.len()}, {t.properties, 0, texts}, {t.properties, 1, texts}, {t.properties, 2, texts},
		{t.byName, 0, t.bundles.len()}, {t.faults, 0, texts},
	} {
		p.checkBelow(c.rows, c.column, c.below)
	}
	p.checkEnds(t.packages, 4, t.channels.len())
	p.checkEnds(t.channels, 3, t.entries.len())
	p.checkEnds(t.channels, 4, t.order.len())
	p.checkEnds(t.entries, 2, t.skips.len())
	p.checkEnds(t.bundles, 5, t.stated.len())
	if t.byName.len() != t.bundles.len() || t.faults.len() != 3 {
		p.fail()
	}
}

// checkNames checks that names ascend where they are searched for.
func (p *packedCatalog) checkNames() {
	ascend := func(t rows, from, to int) {
		for i := from + 1; i < to; i++ {
			if p.name(t, i-1, 0) >= p.name(t, i, 0) {
				p.fail()
				return
			}
		}
	}
	t := &p.tables
	ascend(t.packages, 0, t.packages.len())
	for i := range t.packages.len() {
		from, to := t.packages.span(i, 4)
		ascend(t.channels, from, to)
	}
	for i := range t.channels.len() {
		from, to := t.channels.span(i, 3)
		ascend(t.entries, from, to)
	}
	for i := 1; i < t.byName.len(); i++ {
		a, b := t.byName.at(i-1, 0), t.byName.at(i, 0)
		if before, name := p.name(t.bundles, a, 0), p.name(t.bundles, b, 0); before > name || before == name && a >= b {
			p.fail()
			return
		}
	}
}

// checkEntries checks that entries have the name and package of their bundles. It also
// checks that an order has only entries of its channel, each at most once.
func (p *packedCatalog) checkEntries() {
	t := &p.tables
	ordered := make([]bool, t.entries.len())
	for pkg := range t.packages.len() {
		from, to := t.packages.span(pkg, 4)
		for c := from; c < to; c++ {
			first, end := t.channels.span(c, 3)
			for e := first; e < end; e++ {
				if b := t.entries.at(e, 4) - 1; b >= 0 && (t.bundles.at(b, 0) != t.entries.at(e, 0) || t.bundles.at(b, 1) != pkg) {
					p.fail()
					return
				}
			}
			from, to := t.channels.span(c, 4)
			for i := from; i < to; i++ {
				e := first + t.order.at(i, 0)
				if e >= end || ordered[e] {
					p.fail()
					return
				}
				ordered[e] = true
			}
		}
	}
}

// candidates counts the candidates, and checks that they have the IDs of builder.order in
// package build.
func (p *packedCatalog) candidates() (n int) {
	t := &p.tables
	for _, isDefault := range []bool{true, false} {
		for pkg := range t.packages.len() {
			from, to := t.packages.span(pkg, 4)
			for c := from; c < to; c++ {
				if p.isDefault(pkg, c) != isDefault {
					continue
				}
				first, _ := t.channels.span(c, 3)
				from, to := t.channels.span(c, 4)
				for i := from; i < to; i++ {
					e := first + t.order.at(i, 0)
					id := t.entries.at(e, 4) - 1
					if id < 0 || t.entries.at(e, 5) == 1 || id < n {
						continue
					}
					if id > n {
						p.fail()
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
	return p.name(p.tables.packages, pkg, 1) == p.name(p.tables.channels, channel, 0)
}

// name returns the text with the index in a table.
func (p *packedCatalog) name(t rows, row, column int) string { return p.text(t.at(row, column)) }

// packages returns the packages before unpacking, with names only.
func (p *packedCatalog) packages() []*catalog.Package {
	list := make([]*catalog.Package, p.tables.packages.len())
	for i := range list {
		list[i] = &catalog.Package{Name: p.name(p.tables.packages, i, 0)}
	}
	return list
}
