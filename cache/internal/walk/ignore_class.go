package walk

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// runeRange is a range of characters, both ends included.
type runeRange struct{ low, high rune }

// namedClasses are what [:name:] stands for inside brackets.
var namedClasses = map[string][]runeRange{
	"alnum": {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}, "alpha": {{'A', 'Z'}, {'a', 'z'}},
	"blank": {{' ', ' '}, {'\t', '\t'}}, "cntrl": {{0, 0x1f}, {0x7f, 0x7f}}, "digit": {{'0', '9'}},
	"graph": {{'!', '~'}}, "lower": {{'a', 'z'}}, "print": {{' ', '~'}},
	"punct": {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}, "space": {{'\t', '\r'}, {' ', ' '}},
	"upper": {{'A', 'Z'}}, "xdigit": {{'0', '9'}, {'A', 'F'}, {'a', 'f'}},
}

// classExpression translates the bracket expression that the pattern starts
// with, and returns its length. It is false if the brackets are not closed or
// name a class that does not exist: git then matches nothing.
func classExpression(pattern string) (expression string, length int, ok bool) {
	i := 1
	negated := strings.HasPrefix(pattern[i:], "!") || strings.HasPrefix(pattern[i:], "^")
	if negated {
		i++
	}
	var ranges []runeRange
	for first := true; ; first = false {
		if i >= len(pattern) {
			return "", 0, false
		}
		if pattern[i] == ']' && !first {
			return classOf(ranges, negated), i + 1, true
		}
		if name, ok := strings.CutPrefix(pattern[i:], "[:"); ok {
			name, _, closed := strings.Cut(name, ":]")
			class, known := namedClasses[name]
			if closed && !known {
				return "", 0, false
			}
			if closed {
				ranges = append(ranges, class...)
				i += len("[:") + len(name) + len(":]")
				continue
			}
		}
		low, size, ok := classRune(pattern[i:])
		if !ok {
			return "", 0, false
		}
		i += size
		high := low
		if rest := pattern[i:]; len(rest) > 1 && rest[0] == '-' && rest[1] != ']' {
			if high, size, ok = classRune(rest[1:]); !ok {
				return "", 0, false
			}
			i += 1 + size
		}
		ranges = append(ranges, runeRange{low, high})
	}
}

// classRune reads a character inside brackets, which a backslash may protect.
func classRune(text string) (r rune, size int, ok bool) {
	if escaped, cut := strings.CutPrefix(text, `\`); cut {
		r, size = utf8.DecodeRuneInString(escaped)
		return r, size + 1, size > 0
	}
	r, size = utf8.DecodeRuneInString(text)
	return r, size, size > 0
}

// classOf writes the ranges as a class of a regular expression. A slash is never
// in it: brackets do not reach across directories.
func classOf(ranges []runeRange, negated bool) string {
	var b strings.Builder
	add := func(low, high rune) {
		if low <= high {
			fmt.Fprintf(&b, `\x{%x}-\x{%x}`, low, high)
		}
	}
	if negated {
		add('/', '/')
		for _, r := range ranges {
			add(r.low, r.high)
		}
		return "[^" + b.String() + "]"
	}
	for _, r := range ranges {
		if r.low <= '/' && '/' <= r.high {
			add(r.low, '/'-1)
			add('/'+1, r.high)
			continue
		}
		add(r.low, r.high)
	}
	if b.Len() == 0 {
		return `[^\x{0}-\x{10FFFF}]`
	}
	return "[" + b.String() + "]"
}
