package walk

import (
	"path"
	"regexp"
	"strings"
)

// glob is a pattern of an ignore file. For each part of a path it has a pattern of
// [path.Match], or anyDirs.
type glob []string

// anyDirs matches any number of directories, and at the end everything below.
const anyDirs = "**"

var (
	// globToken is an escape, a bracket expression, or a character.
	globToken = regexp.MustCompile(`(?s)\\.|\[[!^]?(?:\[:\w*:\]|\\.|[^\\])(?:\[:\w*:\]|\\.|[^\]\\])*\]|.`)
	// classToken is a named class, a range, or a character inside brackets.
	classToken = regexp.MustCompile(`(?s)\[:\w*:\]|\\?(.)-\\?(.)|\\?(.)`)
)

// namedClasses are the classes inside brackets that [path.Match] does not know.
var namedClasses = map[string]string{
	"[:alnum:]": "0-9A-Za-z", "[:alpha:]": "A-Za-z", "[:blank:]": " \t", "[:cntrl:]": "\x00-\x1f\x7f",
	"[:digit:]": "0-9", "[:graph:]": "!-~", "[:lower:]": "a-z", "[:print:]": " -~",
	"[:punct:]": "!-/:-@\\[-`{-~", "[:space:]": "\t-\r ", "[:upper:]": "A-Z", "[:xdigit:]": "0-9A-Fa-f",
}

// parseGlob returns false for a pattern that can match nothing. Such a pattern is
// incomplete, or names an unknown class.
func parseGlob(pattern string) (glob, bool) {
	var g glob
	for part := range strings.SplitSeq(pattern, "/") {
		if len(part) > 1 && strings.Trim(part, "*") == "" {
			g = append(g, anyDirs)
			continue
		}
		part = globToken.ReplaceAllStringFunc(part, matchToken)
		if _, err := path.Match(part, ""); err != nil {
			return nil, false
		}
		g = append(g, part)
	}
	return g, true
}

// matchToken returns a token in the syntax of [path.Match]. For an unknown class that is
// "[]", which path.Match refuses.
func matchToken(token string) string {
	if len(token) < 2 || token[0] != '[' {
		return token
	}
	inner, negated := token[1:len(token)-1], ""
	if rest := strings.TrimLeft(inner[:1], "!^"); rest == "" {
		inner, negated = inner[1:], "^"
	}
	var class strings.Builder
	for _, found := range classToken.FindAllStringSubmatch(inner, -1) {
		switch low, high, char := found[1], found[2], found[3]; {
		case low != "":
			class.WriteString(`\` + low + `-\` + high)
		case char != "":
			class.WriteString(`\` + char)
		case namedClasses[found[0]] == "":
			return "[]"
		default:
			class.WriteString(namedClasses[found[0]])
		}
	}
	return "[" + negated + class.String() + "]"
}

// stepsAtOnce is the number of comparisons of single characters in one step.
const stepsAtOnce = 16

// match reports whether the pattern matches a path, and counts its steps. It goes back
// to the last anyDirs only, because each earlier one has matched as little as it can.
func (g glob) match(name string, steps *int) bool {
	type place struct{ part, at int }
	names, here, dirs := strings.Split(name, "/"), place{}, place{}
	for {
		*steps++
		switch {
		case here.part < len(g) && g[here.part] == anyDirs:
			if here.part++; here.part == len(g) {
				return here.at < len(names)
			}
			dirs = here
			continue
		case here.part == len(g) && here.at == len(names):
			return true
		case here.part < len(g) && here.at < len(names):
			part, name := g[here.part], names[here.at]
			*steps += len(part) * len(name) / stepsAtOnce
			if matched, _ := path.Match(part, name); matched { // parseGlob has refused errors
				here = place{here.part + 1, here.at + 1}
				continue
			}
		}
		if dirs.part == 0 || dirs.at == len(names) {
			return false
		}
		dirs.at++
		here = dirs
	}
}
