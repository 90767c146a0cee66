package cache

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/properties/pack"
)

// ErrIndex is the error of an index that is damaged, or that another version of
// this package has written.
var ErrIndex = errors.New("the index cannot be used")

// ReadIndex reads what [WriteIndex] wrote, with the Options that the snapshot was
// read with. An index that was cut off or changed is an error that wraps
// [ErrIndex]; the other error is that of the context. The checksum guards against
// damage, not against an author who means harm: an index is to be trusted as much
// as whoever can write it.
//
// The snapshot is unpacked as far as it is asked for, and keeps what it is
// unpacked from.
func ReadIndex(ctx context.Context, index []byte, opts Options) (*Snapshot, error) {
	return await(ctx, func() (*Snapshot, error) {
		payload, err := indexKind.decode("", bytes.NewReader(index), int64(len(index)))
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrIndex, err)
		}
		s, err := unpackSnapshot(ctx, payload, opts)
		if err == nil {
			err = s.packed.checkTexts(ctx)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrIndex, err)
		}
		return s, nil
	})
}

// unpackSnapshot returns a snapshot that is unpacked as far as it is asked for.
// Everything that one part of it says of another is checked at once, so that
// nothing can go wrong later. Constraints and ranges are only texts until then:
// one that cannot be read is never met.
func unpackSnapshot(ctx context.Context, payload string, opts Options) (*Snapshot, error) {
	parser := constraints.NewParser(opts.Constraints)
	s := &Snapshot{evaluationCost: uint64(opts.Limits.withDefaults().EvaluationCost)}
	p := &packedBundles{Reader: pack.NewReader(payload), parser: parser, snapshot: s, parsed: map[ID][]constraints.Constraint{}}
	p.faults()
	p.lost()
	p.tables.each(func(t *pack.Rows, columns int) { *t = p.Table(columns) })
	p.sets = properties.NewSetReader(p.Reader)
	p.End()
	for _, check := range []func(){p.checkTables, p.checkOrder, p.checkEntries, p.checkIDs} {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if p.Err() == nil {
			check()
		}
	}
	if p.Err() != nil {
		return nil, p.Err()
	}
	p.prepare()
	s.indexFaults()
	if err := p.unpackAhead(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

func (p *packedBundles) faults() {
	for range p.Count(12) {
		p.snapshot.faults = append(p.snapshot.faults, Fault{
			Code: Code(p.String()), File: p.String(),
			Package: p.String(), Channel: p.String(), Bundle: p.String(), Path: p.String(), Message: p.String(),
			Severity: Severity(p.Index(int(Warning) + 1)), Line: p.Int(), Column: p.Int(), Property: p.Int(),
			Quarantines: p.Bool(),
		})
	}
}

func (p *packedBundles) lost() {
	for range p.Count(5) {
		p.snapshot.lost = append(p.snapshot.lost, LostProvider{properties.UnpackGVK(p.Reader), p.String(), p.String()})
	}
}

// checkTables checks what the tables refer to.
func (p *packedBundles) checkTables() {
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
		{t.bundles, 3, t.digests.Len() + 1}, {t.bundles, 4, texts},
		{t.byName, 0, t.bundles.Len()},
	} {
		p.Below(c.rows, c.column, c.below)
	}
	p.Ends(t.packages, 3, t.channels.Len())
	p.Ends(t.channels, 3, t.entries.Len())
	p.Ends(t.channels, 4, t.order.Len())
	p.Ends(t.entries, 2, t.skips.Len())
	if p.sets.Len() != t.bundles.Len() || t.byName.Len() != t.bundles.Len() {
		p.Fail()
	}
}

// checkOrder checks that names ascend where they are searched for.
func (p *packedBundles) checkOrder() {
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
}

// checkEntries checks that entries are of the bundles that they lead to, and that
// an order leads to entries of its channel, to each at most once.
func (p *packedBundles) checkEntries() {
	t := &p.tables
	p.ordered = make([]bool, t.entries.Len())
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
				if e >= end || p.ordered[e] {
					p.Fail()
					return
				}
				p.ordered[e] = true
			}
		}
	}
}

// checkIDs checks that candidates have the IDs that builder.order gives.
func (p *packedBundles) checkIDs() {
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
					if id < 0 || t.entries.At(e, 5) == 1 || id < p.snapshot.candidates {
						continue
					}
					if id > p.snapshot.candidates {
						p.Fail()
						return
					}
					p.snapshot.candidates++
				}
			}
		}
	}
}

// isDefault reports whether a channel is the default channel of its package.
func (p *packedBundles) isDefault(pkg, channel int) bool {
	return p.text(p.tables.packages, pkg, 1) == p.text(p.tables.channels, channel, 0)
}

// text is the text whose index stands in a table.
func (p *packedBundles) text(t pack.Rows, row, column int) string { return p.Text(t.At(row, column)) }

// prepare makes room for what will be unpacked.
func (p *packedBundles) prepare() {
	s, t := p.snapshot, &p.tables
	s.packed = p
	s.packages = make([]*Package, t.packages.Len())
	p.bundles = make([]atomic.Pointer[Bundle], t.bundles.Len())
	p.unpacked = make([]atomic.Bool, len(s.packages))
	packages := make([]Package, len(s.packages))
	for i := range packages {
		packages[i].Name = p.text(t.packages, i, 0)
		s.packages[i] = &packages[i]
	}
	counts := make([]int, len(packages))
	for id := range p.bundles {
		counts[t.bundles.At(id, 1)]++
	}
	all := make([]ID, len(p.bundles))
	for i, n := range counts {
		packages[i].Bundles, all = all[:0:n], all[n:]
	}
	for id := range p.bundles {
		pkg := &packages[t.bundles.At(id, 1)]
		pkg.Bundles = append(pkg.Bundles, ID(id))
	}
	p.ordered = nil
}
