package constraints

import (
	"fmt"
	"regexp"
	"regexp/syntax"
)

// Bounds of the cache of regular expressions.
const (
	maxRegexesKept     = 1 << 8
	maxRegexBytesKept  = 1 << 16
	maxRegexTextLength = 4 << 10
)

// regexes compiles regular expressions of bounded size and caches them.
type regexes struct {
	maxSize int
	memo    *memo[regex]
}

// regex is a compiled expression and its size in instructions.
type regex struct {
	*regexp.Regexp
	size int
}

func newRegexes(maxSize int) *regexes {
	return &regexes{maxSize: maxSize, memo: newMemo[regex](maxRegexesKept, maxRegexBytesKept)}
}

func (r *regexes) get(pattern string) (regex, error) {
	if len(pattern) > maxRegexTextLength {
		return regex{}, fmt.Errorf("the regular expression is %d bytes long, more than the %d allowed", len(pattern), maxRegexTextLength)
	}
	return r.memo.get(pattern, r.compile)
}

func (r *regexes) compile(pattern string) (regex, error) {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return regex{}, err
	}
	// Repetitions such as a{1000} are short to write and large when compiled, so
	// the size is worked out before.
	size := regexSize(parsed)
	if size > r.maxSize {
		return regex{}, overLimit("RegexSize", "the regular expression %q is too large: about %d instructions, more than the %d allowed",
			cut(pattern, maxRuleShown), size, r.maxSize)
	}
	compiled, err := regexp.Compile(pattern)
	return regex{compiled, size}, err
}

// regexSize estimates the number of instructions of a compiled expression.
func regexSize(re *syntax.Regexp) int {
	size := 1 + len(re.Rune)
	for _, sub := range re.Sub {
		size += regexSize(sub)
	}
	if re.Op == syntax.OpRepeat {
		// The parser keeps products of repetitions below 1,000.
		size *= max(re.Min, re.Max, 1)
	}
	return size
}
