package candidate

import (
	"context"
	"crypto/sha256"
	"weak"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
)

// Verdicts remembers which installed bundles match expressions with rules, as
// evaluating a rule takes a thousand times as long as looking it up. It keeps
// neither bundles nor expressions alive.
type Verdicts struct {
	Memo[VerdictKey, bool]
}

// VerdictKey tells expressions and facts apart by their hash.
type VerdictKey struct {
	set  weak.Pointer[properties.Set]
	asks [sha256.Size]byte
}

// MaxVerdicts is half of how many verdicts a Resolver remembers.
const MaxVerdicts = 1 << 16

// Of returns what tells whether bundles match e. Its errors are as those of
// constraints.Match.
func (m *Verdicts) Of(ctx context.Context, e constraints.Expr, facts constraints.Facts) func(*properties.Set) (bool, error) {
	text := constraints.Key(e)
	if constraints.ReadsCluster(e) {
		text += facts.Key()
	}
	asks := sha256.Sum256([]byte(text))
	return func(set *properties.Set) (bool, error) {
		return m.Get(VerdictKey{weak.Make(set), asks}, func() (bool, error) { return MatchesSet(ctx, e, set, facts) })
	}
}

// MatchesSet reports whether a bundle with the properties matches e. The error
// is set if that cannot be told.
func MatchesSet(ctx context.Context, e constraints.Expr, set *properties.Set, facts constraints.Facts) (bool, error) {
	verdict, err := constraints.Match(ctx, e, set, facts)
	if verdict == constraints.Unknown {
		return false, err
	}
	return verdict == constraints.Yes, nil
}
