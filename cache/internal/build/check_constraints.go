package build

import (
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/document"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
)

// checkConstraint judges what a bundle requires: the names of APIs, ranges that
// surprise, and a not at the top.
func (c *checker) checkConstraint(at document.Origin, fault catalog.Fault, stated constraints.Constraint) {
	if _, ok := stated.Expr.(constraints.Not); ok {
		c.warn(at, fault, stated.Index, "not", "the constraint only forbids: other resolvers may refuse it, or take it for a demand that any other bundle meets")
	}
	for place, part := range constraints.Parts(stated.Expr) {
		if stated.Type != properties.TypeConstraint {
			place = "" // the older types do not name the kind
		}
		switch part := part.(type) {
		case constraints.Package:
			for _, trap := range part.Range.Traps() {
				path := strings.TrimPrefix(place+".versionRange", ".")
				c.warn(at, fault, stated.Index, path, "the range of package "+part.Name+": "+trap.Text)
			}
		case constraints.GVK:
			c.checkGVK(at, fault, stated.Index, place, part.GVK)
		}
	}
}

// checkSkipRange warns of the traps of an entry's skipRange. That the
// prereleases of the entry's own version are in is what its author wants.
func (c *checker) checkSkipRange(blob *Channel, e Entry) {
	own := ""
	for _, id := range c.snapshot.Named(e.Name) {
		if b := c.snapshot.Bundle(id); b.Package == blob.Pkg {
			own = b.Version.String()
		}
	}
	if own == "" {
		return // the entry leads to nothing
	}
	traps, known := c.traps[e.SkipRange]
	if !known {
		if r, err := constraints.ParseRange(e.SkipRange); err == nil { // otherwise it is reported already
			traps = r.Traps()
		}
		c.traps[e.SkipRange] = traps
	}
	for _, trap := range traps {
		if trap.Prereleases != own {
			c.warn(blob.Origin, catalog.Fault{Package: blob.Pkg, Channel: blob.Name, Bundle: e.Name}, -1, "", "skipRange "+trap.Text)
		}
	}
}
