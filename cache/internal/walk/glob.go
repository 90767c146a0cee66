package walk

import (
	"strings"
	"unicode/utf8"
)

// glob is a pattern of an ignore file.
type glob []globPart

// globPart is what a pattern has in one place.
type globPart struct {
	kind  byte
	char  rune
	class *class
}

// Kinds of parts.
const (
	globChar  = iota
	globAny   // ?: any character but a slash
	globClass // brackets
	globStar  // *: any number of characters but slashes
	globDirs  // **/: any number of directories
	globRest  // ** at the end: anything
)

// class is a set of characters.
type class struct {
	ranges  []runeRange
	negated bool
}

// runeRange is a range of characters, both ends included.
type runeRange struct{ low, high rune }

// has reports whether a character is in the class. A slash never is: brackets do
// not reach across directories.
func (c *class) has(char rune) bool {
	for _, r := range c.ranges {
		if r.low <= char && char <= r.high {
			return !c.negated && char != '/'
		}
	}
	return c.negated && char != '/'
}

// parseGlob returns false for a pattern that is not complete.
func parseGlob(pattern string) (glob, bool) {
	var g glob
	for i := 0; i < len(pattern); {
		rest := pattern[i:]
		part, size := globPart{}, 1
		switch rest[0] {
		case '*':
			size = len(rest) - len(strings.TrimLeft(rest, "*"))
			part.kind = globStar
			if size >= 2 && (i == 0 || pattern[i-1] == '/') {
				switch {
				case size == len(rest):
					part.kind = globRest
				case rest[size] == '/':
					part.kind = globDirs
					size++
				}
			}
		case '?':
			part.kind = globAny
		case '[':
			var ok bool
			part.kind = globClass
			if part.class, size, ok = parseClass(rest); !ok {
				return nil, false
			}
		default:
			escape := len(rest) - len(strings.TrimPrefix(rest, `\`))
			part.char, size = utf8.DecodeRuneInString(rest[escape:])
			if part.char == utf8.RuneError && size < 2 {
				return nil, false
			}
			size += escape
		}
		g = append(g, part)
		i += size
	}
	return g, true
}

// match reports whether the pattern matches a path, and counts the steps that this
// takes. It goes back to the last star of a name, which can take another character
// of it, and then to the last stars of directories, which can take another one. To
// go back further is of no use: what stands before matches as little as it can.
func (g glob) match(name string, steps *int) bool {
	type place struct{ part, at int } // at is -1 if there is no such place
	star, dirs, here := place{at: -1}, place{at: -1}, place{}
	for {
		*steps++
		if here.part == len(g) && here.at == len(name) {
			return true
		}
		if here.part < len(g) {
			part := &g[here.part]
			switch part.kind {
			case globRest:
				return true
			case globStar:
				here.part++
				star = here
				continue
			case globDirs:
				here.part++
				star, dirs = place{at: -1}, here
				continue
			}
			if part.class != nil {
				*steps += len(part.class.ranges)
			}
			if char, size := utf8.DecodeRuneInString(name[here.at:]); size > 0 && part.matches(char) {
				here = place{here.part + 1, here.at + size}
				continue
			}
		}
		if star.at >= 0 && star.at < len(name) && name[star.at] != '/' {
			_, size := utf8.DecodeRuneInString(name[star.at:])
			star.at += size
			here = star
			continue
		}
		if dirs.at < 0 {
			return false
		}
		slash := strings.IndexByte(name[dirs.at:], '/')
		if slash < 0 {
			return false
		}
		dirs.at += slash + 1
		star, here = place{at: -1}, dirs
	}
}

// matches reports whether a part that stands for one character stands for this.
func (p *globPart) matches(char rune) bool {
	switch p.kind {
	case globAny:
		return char != '/'
	case globClass:
		return p.class.has(char)
	}
	return char == p.char
}

// namedClasses are what [:name:] stands for inside brackets.
var namedClasses = map[string][]runeRange{
	"alnum": {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}, "alpha": {{'A', 'Z'}, {'a', 'z'}},
	"blank": {{' ', ' '}, {'\t', '\t'}}, "cntrl": {{0, 0x1f}, {0x7f, 0x7f}}, "digit": {{'0', '9'}},
	"graph": {{'!', '~'}}, "lower": {{'a', 'z'}}, "print": {{' ', '~'}},
	"punct": {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}, "space": {{'\t', '\r'}, {' ', ' '}},
	"upper": {{'A', 'Z'}}, "xdigit": {{'0', '9'}, {'A', 'F'}, {'a', 'f'}},
}

// parseClass reads the bracket expression that the pattern starts with, and returns
// its length. It is false if the brackets are not closed or name a class that does
// not exist: git then matches nothing.
func parseClass(pattern string) (c *class, length int, ok bool) {
	c = &class{}
	i := 1
	if strings.HasPrefix(pattern[i:], "!") || strings.HasPrefix(pattern[i:], "^") {
		c.negated = true
		i++
	}
	for first := true; ; first = false {
		if i >= len(pattern) {
			return nil, 0, false
		}
		if pattern[i] == ']' && !first {
			return c, i + 1, true
		}
		if name, ok := strings.CutPrefix(pattern[i:], "[:"); ok {
			name, _, closed := strings.Cut(name, ":]")
			ranges, known := namedClasses[name]
			if closed && !known {
				return nil, 0, false
			}
			if closed {
				c.ranges = append(c.ranges, ranges...)
				i += len("[:") + len(name) + len(":]")
				continue
			}
		}
		low, size, ok := classRune(pattern[i:])
		if !ok {
			return nil, 0, false
		}
		i += size
		high := low
		if rest := pattern[i:]; len(rest) > 1 && rest[0] == '-' && rest[1] != ']' {
			if high, size, ok = classRune(rest[1:]); !ok {
				return nil, 0, false
			}
			i += 1 + size
		}
		c.ranges = append(c.ranges, runeRange{low, high})
	}
}

// classRune reads a character inside brackets, which a backslash may protect.
func classRune(text string) (r rune, size int, ok bool) {
	escaped, _ := strings.CutPrefix(text, `\`)
	r, size = utf8.DecodeRuneInString(escaped)
	return r, len(text) - len(escaped) + size, size > 0
}
