package rules

import (
	"sync"

	"github.com/resolvent/resolvent/constraints/versionrange"
)

// Reader reads the rules of bundles and the version ranges in them, and caches both. It is
// safe for concurrent use.
type Reader struct {
	limits Limits
	rules  *memo[*Rule]
	ranges *memo[versionrange.Range]
	// compiler is made for the first rule: preparing CEL takes longer than all else that
	// a short process does.
	compiler func() (*compiler, error)
}

// NewReader returns a Reader. If CEL cannot be prepared, every rule has that error.
func NewReader(limits Limits) *Reader {
	limits = limits.withDefaults()
	r := &Reader{
		limits: limits,
		rules:  newMemo[*Rule](maxRulesKept, maxRuleBytesKept),
		ranges: newMemo[versionrange.Range](maxRangesKept, maxRangeBytesKept),
	}
	r.compiler = sync.OnceValues(func() (*compiler, error) { return newCompiler(limits, r.Range, bundleVariables()...) })
	return r
}

// Rule compiles a CEL rule. Its error shows the place in the source.
func (r *Reader) Rule(source string) (*Rule, error) {
	return r.rules.get(source, func(source string) (*Rule, error) {
		c, err := r.compiler()
		if err != nil {
			return nil, err
		}
		return c.compile(source, source)
	})
}

// Range reads a version range.
func (r *Reader) Range(text string) (versionrange.Range, error) {
	return r.ranges.get(text, func(text string) (versionrange.Range, error) {
		if len(text) > r.limits.RangeLength {
			return versionrange.Range{}, overLimit("RangeLength", "the version range is %d bytes long, more than the %d allowed", len(text), r.limits.RangeLength)
		}
		return versionrange.Parse(text)
	})
}
