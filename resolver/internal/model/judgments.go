package model

import (
	"sync/atomic"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/policy"
)

// Judgments caches what a group of rules says of the bundles of a catalog, or what rules read of
// them. It is safe for any number of goroutines.
type Judgments struct {
	chunks []atomic.Pointer[[judgedTogether]atomic.Pointer[Judgment]]
}

// Judgment is what rules say of a bundle, and what it cost, or what they read of it.
type Judgment struct {
	Facts    *policy.Bundle
	Breaches []policy.Breach
	Cost     uint64
}

// Judgments returns the cache for the rules with a key, and one of the catalogs.
func (u *Universe) Judgments(key string, c int) *Judgments {
	return u.judged.Value(key, func() *Judgments {
		return &Judgments{make([]atomic.Pointer[[judgedTogether]atomic.Pointer[Judgment]], u.Catalogs[c].Snapshot.Len()/judgedTogether+1)}
	})
}

// Of returns what the rules say of a bundle, nil if that is not cached.
func (j *Judgments) Of(id catalog.ID) *Judgment {
	if chunk := j.chunks[id/judgedTogether].Load(); chunk != nil {
		return chunk[id%judgedTogether].Load()
	}
	return nil
}

// Keep caches what the rules say of a bundle.
func (j *Judgments) Keep(id catalog.ID, judgment *Judgment) {
	at := &j.chunks[id/judgedTogether]
	if at.Load() == nil {
		at.CompareAndSwap(nil, new([judgedTogether]atomic.Pointer[Judgment]))
	}
	at.Load()[id%judgedTogether].Store(judgment)
}
