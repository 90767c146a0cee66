package model

import (
	"context"
	"crypto/sha256"
	"weak"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/constraints/rules"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/internal/memo"
)

// Verdicts caches which installed bundles match expressions with rules: evaluating a rule
// takes a thousand times as long as a look-up. It keeps neither bundles nor expressions
// alive. It is safe for any number of goroutines.
type Verdicts struct{ kept memo.Memo[verdictKey, bool] }

// verdictKey identifies a bundle, and an expression and facts by their hash.
type verdictKey struct {
	set      weak.Pointer[properties.Set]
	requires [sha256.Size]byte
}

// NewVerdicts returns an empty cache.
func NewVerdicts() *Verdicts {
	return &Verdicts{memo.Memo[verdictKey, bool]{Max: maxVerdicts}}
}

// Of returns a function that reports whether a bundle matches e. Its errors are
// those of [MatchesSet].
func (m *Verdicts) Of(ctx context.Context, e constraints.Expr, facts rules.Facts) func(*properties.Set) (bool, error) {
	text := constraints.Key(e)
	if _, cluster := constraints.Reads(e); cluster {
		text += facts.Key()
	}
	requires := sha256.Sum256([]byte(text))
	return func(set *properties.Set) (bool, error) {
		return m.kept.Get(verdictKey{weak.Make(set), requires}, func() (bool, error) { return MatchesSet(ctx, e, set, facts) })
	}
}

// MatchesSet reports whether a bundle with the properties matches e. The error is that of
// the context.
func MatchesSet(ctx context.Context, e constraints.Expr, set *properties.Set, facts rules.Facts) (bool, error) {
	verdict, _, err := constraints.Match(ctx, e, set, facts)
	if verdict == rules.Unknown {
		return false, err
	}
	return verdict == rules.Yes, nil
}
