package model

import (
	"sync"

	"github.com/resolvent/resolvent/cache/catalog"
)

// Reads collects what calls read, for a footprint. It is safe for any number of goroutines.
// A nil Reads collects nothing.
type Reads struct {
	mu       sync.Mutex
	parts    []*Part
	packages map[PackageKey]bool
}

// PackageKey is a package of a catalog.
type PackageKey struct {
	Catalog catalog.Key
	Package string
}

func (r *Reads) part(p *Part) {
	if r != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.parts = append(r.parts, p)
	}
}

// Package adds a package that an explanation mentions.
func (r *Reads) Package(k catalog.Key, name string) {
	if r != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.packages == nil {
			r.packages = map[PackageKey]bool{}
		}
		r.packages[PackageKey{k, name}] = true
	}
}

// All returns the Parts that were made, and the packages that explanations mention. It must
// be called after the calls have returned.
func (r *Reads) All() ([]*Part, map[PackageKey]bool) { return r.parts, r.packages }
