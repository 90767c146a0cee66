package walk

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

const (
	ignoreFileName = ".indexignore"
	// maxIgnoreBytes is far more than anyone writes by hand.
	maxIgnoreBytes = 1 << 20
	// What is compiled from a line takes hundreds of times its size.
	maxIgnoreLines = 2000
	maxIgnoreLine  = 4 << 10 // bytes
)

// ignoreFiles are the .indexignore files of a tree. They work as .gitignore files
// do in git: each counts for its directory and below, the deeper file before the
// higher, in a file the last pattern that matches. What is below an ignored
// directory cannot be taken back in; the walk never gets there.
type ignoreFiles struct {
	fsys     fs.FS
	patterns map[string][]ignorePattern // by directory
}

// enter reads the file of a directory, if there is one.
func (f *ignoreFiles) enter(dir string) error {
	name := path.Join(dir, ignoreFileName)
	if info, err := fs.Stat(f.fsys, name); errors.Is(err, fs.ErrNotExist) || (err == nil && !info.Mode().IsRegular()) {
		return nil
	}
	file, err := f.fsys.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxIgnoreBytes+1))
	if err != nil {
		return err
	}
	if len(text) > maxIgnoreBytes {
		return fmt.Errorf("%s is larger than the %d bytes allowed", name, maxIgnoreBytes)
	}
	if err := checkIgnore(text); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if patterns := parseIgnore(text); len(patterns) > 0 {
		if f.patterns == nil {
			f.patterns = map[string][]ignorePattern{}
		}
		f.patterns[dir] = patterns
	}
	return nil
}

// match reports whether a file or directory is kept out. The directories above
// it have been entered.
func (f *ignoreFiles) match(name string, isDir bool) bool {
	if len(f.patterns) == 0 {
		return false
	}
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		below := name
		if dir != "." {
			below = name[len(dir)+1:]
		}
		for _, p := range slices.Backward(f.patterns[dir]) {
			if p.match(below, isDir) {
				return !p.negated
			}
		}
		if dir == "." {
			return false
		}
	}
}

// ignorePattern is one line of an ignore file.
type ignorePattern struct {
	negated  bool
	dirsOnly bool
	// anchored: the whole path below the file's directory is meant, otherwise
	// the last part of it.
	anchored bool
	glob     *regexp.Regexp
}

func (p *ignorePattern) match(below string, isDir bool) bool {
	if p.dirsOnly && !isDir {
		return false
	}
	if !p.anchored {
		below = path.Base(below)
	}
	return p.glob.MatchString(below)
}

// checkIgnore keeps to the limits of what is compiled from a file.
func checkIgnore(text []byte) error {
	lines := 0
	for line := range bytes.Lines(text) {
		if len(line) > maxIgnoreLine {
			return fmt.Errorf("a line is %d bytes long, more than the %d allowed", len(line), maxIgnoreLine)
		}
		if lines++; lines > maxIgnoreLines {
			return fmt.Errorf("it has more than the %d lines allowed", maxIgnoreLines)
		}
	}
	return nil
}

func parseIgnore(text []byte) []ignorePattern {
	var patterns []ignorePattern
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	for line := range strings.SplitSeq(string(text), "\n") {
		if p, ok := parseIgnoreLine(strings.TrimSuffix(line, "\r")); ok {
			patterns = append(patterns, p)
		}
	}
	return patterns
}

// parseIgnoreLine returns false for a line that can match nothing.
func parseIgnoreLine(line string) (p ignorePattern, ok bool) {
	if strings.HasPrefix(line, "#") {
		return p, false
	}
	line = trimTrailingSpaces(line)
	line, p.negated = strings.CutPrefix(line, "!")
	line, p.dirsOnly = strings.CutSuffix(line, "/")
	p.anchored = strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" {
		return p, false
	}
	expression, ok := globExpression(line)
	if !ok {
		return p, false
	}
	glob, err := regexp.Compile(expression)
	p.glob = glob
	return p, err == nil
}

// trimTrailingSpaces keeps a space that a backslash protects.
func trimTrailingSpaces(line string) string {
	end := 0
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\\' && i+1 < len(line):
			i++
			end = i + 1
		case line[i] != ' ':
			end = i + 1
		}
	}
	return line[:end]
}

// globExpression translates a pattern into a regular expression, which takes
// linear time on any path. It returns false for a pattern that is not complete.
func globExpression(pattern string) (string, bool) {
	var b strings.Builder
	b.WriteString(`(?s)\A`)
	for i := 0; i < len(pattern); {
		rest := pattern[i:]
		switch rest[0] {
		case '*':
			stars := len(rest) - len(strings.TrimLeft(rest, "*"))
			i += stars
			whole := stars >= 2 && (i == stars || pattern[i-stars-1] == '/')
			switch {
			case whole && i == len(pattern):
				b.WriteString(`.*`)
			case whole && pattern[i] == '/':
				b.WriteString(`(?:.*/)?`)
				i++
			default:
				b.WriteString(`[^/]*`)
			}
		case '?':
			b.WriteString(`[^/]`)
			i++
		case '[':
			class, length, ok := classExpression(rest)
			if !ok {
				return "", false
			}
			b.WriteString(class)
			i += length
		case '\\':
			if len(rest) == 1 {
				return "", false
			}
			b.WriteString(regexp.QuoteMeta(rest[1:2]))
			i += 2
		default:
			b.WriteString(regexp.QuoteMeta(rest[:1]))
			i++
		}
	}
	b.WriteString(`\z`)
	return b.String(), true
}
