package cache

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/properties/pack"
)

// ErrIndex is the error of an index that is damaged, or that another version of
// this package has written.
var ErrIndex = errors.New("the index cannot be used")

// ReadIndex reads what [WriteIndex] wrote, with the Options that the snapshot was
// read with. An index that was cut off or changed is an error that wraps
// [ErrIndex]; the other error is that of the context. The checksum guards against damage, not against an author who means
// harm: an index is to be trusted as much as whoever can write it.
func ReadIndex(ctx context.Context, index []byte, opts Options) (*Snapshot, error) {
	return await(ctx, func() (*Snapshot, error) { return decodeIndex(ctx, index, "", opts) })
}

func decodeIndex(ctx context.Context, index []byte, seal string, opts Options) (*Snapshot, error) {
	payload, err := openIndex(index, seal)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrIndex, err)
	}
	s, err := unpackSnapshot(ctx, payload, opts)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrIndex, err)
	}
	return s, nil
}

// openIndex checks the header and returns the packed snapshot.
func openIndex(index []byte, seal string) ([]byte, error) {
	if len(index) < indexHeader || string(index[:len(indexMagic)]) != indexMagic {
		return nil, errors.New("it is no index, or cut off")
	}
	summed := index[:indexHeader-sha256.Size]
	fields := summed[len(indexMagic):]
	if format := binary.BigEndian.Uint32(fields); format != indexFormat {
		return nil, fmt.Errorf("its format is %d, not %d", format, indexFormat)
	}
	payload := index[indexHeader:]
	if length := binary.BigEndian.Uint64(fields[4:]); length != uint64(len(payload)) {
		return nil, fmt.Errorf("%d bytes of %d are there", len(payload), length)
	}
	if indexSum(seal, summed, payload) != [sha256.Size]byte(index[len(summed):]) {
		return nil, errors.New("its checksum is wrong")
	}
	return payload, nil
}

func unpackSnapshot(ctx context.Context, payload []byte, opts Options) (*Snapshot, error) {
	parser, err := constraints.NewParser(opts.Constraints)
	if err != nil {
		return nil, err
	}
	r := &indexReader{ctx: ctx, Reader: pack.NewReader(payload), parser: parser, snapshot: &Snapshot{}}
	r.sets = properties.NewSetReader(r.Reader)
	r.bundles()
	r.packages()
	r.faults()
	r.lost()
	r.End()
	if r.Err() == nil {
		r.link()
	}
	if r.Err() != nil {
		return nil, r.Err()
	}
	r.snapshot.index()
	r.snapshot.evaluationCost = uint64(opts.Limits.withDefaults().EvaluationCost)
	return r.snapshot, nil
}

// indexReader unpacks a snapshot. What makes no sense is noted in its Reader.
type indexReader struct {
	*pack.Reader
	ctx      context.Context
	sets     *properties.SetReader
	parser   *constraints.Parser
	snapshot *Snapshot
}

func (r *indexReader) bundles() {
	r.snapshot.bundles = make([]Bundle, r.Count(5))
	for i := range r.snapshot.bundles {
		b := &r.snapshot.bundles[i]
		b.Name, b.Package, b.Image, b.Deprecation = r.String(), r.String(), r.String(), r.String()
		b.Properties = r.sets.Read()
		if r.ctx.Err() != nil {
			r.Fail()
		}
		if r.Err() != nil {
			return
		}
		pkg, _ := b.Properties.Package()
		b.Version, b.Release = pkg.Version, pkg.Release
		var faults []*constraints.ParseError
		if b.Constraints, faults = r.parser.ParseSet(b.Properties); len(faults) > 0 {
			r.Fail() // other Options: what cannot be read is in no snapshot
		}
	}
}

func (r *indexReader) packages() {
	r.snapshot.packages = make([]*Package, r.Count(4))
	for i := range r.snapshot.packages {
		p := &Package{Name: r.String(), DefaultChannel: r.String(), Deprecation: r.String()}
		r.snapshot.packages[i] = p
		if i > 0 && r.snapshot.packages[i-1].Name >= p.Name {
			r.Fail()
		}
		for range r.Count(5) {
			c := &Channel{Package: p.Name}
			r.channel(c)
			if n := len(p.Channels); n > 0 && p.Channels[n-1].Name >= c.Name {
				r.Fail()
			}
			c.Default = c.Name == p.DefaultChannel
			p.Channels = append(p.Channels, c)
		}
		if r.Err() != nil {
			return
		}
	}
}

func (r *indexReader) channel(c *Channel) {
	c.Name, c.Fault, c.Deprecation = r.String(), r.String(), r.String()
	c.Entries = make([]Entry, r.Count(6))
	for i := range c.Entries {
		e := &c.Entries[i]
		e.Name, e.Replaces = r.String(), r.String()
		if n := r.Count(1); n > 0 {
			e.Skips = make([]string, n)
		}
		for j := range e.Skips {
			e.Skips[j] = r.String()
		}
		if text := r.String(); text != "" {
			var err error
			if e.SkipRange, err = r.parser.Range(text); err != nil {
				r.Fail()
			}
		}
		e.Bundle, e.Depth = ID(r.Index(len(r.snapshot.bundles)+1)-1), -1
		e.Skipped = r.Bool()
		if r.Err() != nil {
			return
		}
		if i > 0 && c.Entries[i-1].Name >= e.Name {
			r.Fail()
		}
		if b := r.snapshot.Bundle(e.Bundle); b != nil && (b.Name != e.Name || b.Package != c.Package) {
			r.Fail()
		}
	}
	if n := r.Count(1); n > 0 {
		c.Order = make([]int32, n)
	}
	for depth := range c.Order {
		i := r.Index(len(c.Entries))
		if r.Err() != nil {
			return
		}
		if c.Entries[i].Depth >= 0 {
			r.Fail() // twice in the order
		}
		c.Order[depth], c.Entries[i].Depth = int32(i), int32(depth)
	}
}

func (r *indexReader) faults() {
	for range r.Count(12) {
		r.snapshot.faults = append(r.snapshot.faults, Fault{
			Code: Code(r.String()), File: r.String(),
			Package: r.String(), Channel: r.String(), Bundle: r.String(), Path: r.String(), Message: r.String(),
			Severity: Severity(r.Index(int(Warning) + 1)), Line: r.Int(), Column: r.Int(), Property: r.Int(),
			Quarantines: r.Bool(),
		})
	}
}

func (r *indexReader) lost() {
	for range r.Count(5) {
		r.snapshot.lost = append(r.snapshot.lost, LostProvider{properties.UnpackGVK(r.Reader), r.String(), r.String()})
	}
}

// link derives the places of the bundles, and the bundles of the packages. The
// IDs have to be those that builder.order gives.
func (r *indexReader) link() {
	s := r.snapshot
	counts, total := make([]int, len(s.bundles)), 0
	for place := range candidatePlaces(s.packages) {
		id := place.Channel.Entries[place.Entry].Bundle
		if counts[id] == 0 {
			if int(id) != s.candidates {
				r.Fail()
				return
			}
			s.candidates++
		}
		counts[id]++
		total++
	}
	all := make([]Place, total) // one piece of memory for all bundles
	for i, n := range counts {
		s.bundles[i].Places, all = all[:0:n], all[n:]
	}
	for place := range candidatePlaces(s.packages) {
		b := &s.bundles[place.Channel.Entries[place.Entry].Bundle]
		b.Places = append(b.Places, place)
	}
	owned := map[string][]ID{}
	for i := range s.bundles {
		name := s.bundles[i].Package
		owned[name] = append(owned[name], ID(i))
	}
	for _, p := range s.packages {
		p.Bundles = append(make([]ID, 0, len(owned[p.Name])), owned[p.Name]...)
		delete(owned, p.Name)
	}
	if len(owned) > 0 {
		r.Fail() // bundles of no package
	}
}
