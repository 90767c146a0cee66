package check

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/check/internal/baseline"
)

// Identity identifies a finding about one bundle, channel or package. It stays the same while
// the catalog grows and its files move.
type Identity = baseline.Identity

// Baseline is a set of findings; the zero value is empty. [ReadBaseline] reads what its method
// Write writes. It is immutable, and safe for any number of goroutines.
type Baseline = baseline.Set

// ReadBaseline reads a baseline, up to 256 MiB. The error names the line, or is that of the
// reader or of ctx.
func ReadBaseline(ctx context.Context, r io.Reader) (Baseline, error) { return baseline.Read(ctx, r) }

func identityOf(f catalog.Fault) Identity {
	id := Identity{Code: f.Code, Package: f.Package, Channel: f.Channel, Bundle: f.Bundle}
	switch {
	case f.Code == "template": // its path moves with the lists of the template
		id.Cause = f.Message
	case f.Package == "" || slices.Contains(ofFiles, f.Code):
		id.Cause = f.File
	case slices.Contains(onePerPlace, f.Code):
	case f.Code == "field": // its message may name a line
		id.Cause = f.Path
	case f.Path != "":
		id.Cause = f.Path + ": " + f.Message
	default:
		id.Cause = f.Message
	}
	return id
}

// digest returns the digest of a text, to put behind a shortened form of it.
func digest(whole string) string {
	sum := sha256.Sum256([]byte(whole))
	return fmt.Sprintf(" (%x)", sum[:6])
}
