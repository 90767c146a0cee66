package check

import (
	"context"
	"io"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/check/internal/finding"
)

// Identity identifies a finding about one bundle, channel or package. It stays the same while
// the catalog grows and its files move.
type Identity = finding.Identity

// Baseline is a set of findings; the zero value is empty. [ReadBaseline] reads what its method
// Write writes. It is immutable, and safe for any number of goroutines.
type Baseline = finding.Set

// ReadBaseline reads a baseline, up to 256 MiB. The error names the line, or is that of the
// reader or of ctx.
func ReadBaseline(ctx context.Context, r io.Reader) (Baseline, error) { return finding.Read(ctx, r) }

const (
	// CodeUninstallable is the code of a bundle that cannot be installed on its own. [Codes] has all
	// codes.
	CodeUninstallable = finding.CodeUninstallable
	// CodeUnjudged is the code of what was not judged: a bundle's requirements without a catalog that
	// may have them, or rules that cost too much.
	CodeUnjudged = finding.CodeUnjudged
)

// Codes returns all codes of findings, each with what is the matter there.
func Codes() map[catalog.Code]string {
	codes := map[catalog.Code]string{}
	for code, kind := range finding.Kinds {
		codes[code] = kind.Meaning
	}
	return codes
}
