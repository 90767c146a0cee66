package walk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

const (
	ignoreFileName = ".indexignore"
	// maxIgnoreBytes is far more than a person writes.
	maxIgnoreBytes = 1 << 20
	maxIgnoreLines = 2000
	maxIgnoreLine  = 4 << 10 // bytes
	// maxIgnoreSteps bounds matching all names of a tree. It takes a second or two.
	maxIgnoreSteps = 1 << 26
)

// ignoreFiles are the .indexignore files of a tree, as operator-registry reads them. Each
// applies to the files of its directory and below. Of all patterns that match a file the
// last one in the order of a walk counts, so that a deeper directory goes before a higher
// one. Directories are never asked about: a pattern can restore what is below an ignored
// one.
type ignoreFiles struct {
	fsys fs.FS
	// open are the files of the directories that the walk is in, in the order of a walk.
	open  []ignoreFile
	steps int
}

type ignoreFile struct {
	dir      string
	patterns []ignorePattern
}

// enter reads the file of a directory, if there is one.
func (f *ignoreFiles) enter(ctx context.Context, dir string) error {
	name := path.Join(dir, ignoreFileName)
	if info, err := fs.Stat(f.fsys, name); errors.Is(err, fs.ErrNotExist) || (err == nil && !info.Mode().IsRegular()) {
		return nil
	}
	var text bytes.Buffer
	if err := ReadFile(ctx, f.fsys, name, maxIgnoreBytes, &text); err != nil {
		return err
	}
	if text.Len() > maxIgnoreBytes {
		return fmt.Errorf("%s is larger than the %d bytes allowed", name, maxIgnoreBytes)
	}
	patterns, err := parseIgnore(text.String())
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	f.open = append(f.open, ignoreFile{dir, patterns})
	slices.SortFunc(f.open, func(a, b ignoreFile) int {
		// A walk reads "-dir/.indexignore" before ".indexignore".
		return slices.Compare(strings.Split(path.Join(a.dir, ignoreFileName), "/"), strings.Split(path.Join(b.dir, ignoreFileName), "/"))
	})
	return nil
}

// match reports whether a file is ignored. The directories above it must have been
// entered. Those that the walk has left must not be entered again.
func (f *ignoreFiles) match(ctx context.Context, name string) (bool, error) {
	f.open = slices.DeleteFunc(f.open, func(file ignoreFile) bool {
		return file.dir != "." && !strings.HasPrefix(name, file.dir+"/")
	})
	for _, file := range slices.Backward(f.open) {
		below := name
		if file.dir != "." {
			below = name[len(file.dir)+1:]
		}
		names := strings.Split(below, "/")
		for _, p := range slices.Backward(file.patterns) {
			if p.match(names, &f.steps) {
				return !p.negated, nil
			}
			if f.steps > maxIgnoreSteps {
				return false, fmt.Errorf("%s: matching patterns takes more than the %d steps allowed", path.Join(file.dir, ignoreFileName), maxIgnoreSteps)
			}
		}
		if err := ctx.Err(); err != nil {
			return false, err
		}
	}
	return false, nil
}

// ignorePattern is one line of an ignore file.
type ignorePattern struct {
	negated  bool
	dirsOnly bool
	// parts are patterns of [path.Match], or anyDirs. One part matches a name at any depth.
	// Several match the first names below the directory of the file. What is below a match
	// is matched, too.
	parts []string
}

// anyDirs matches any number of directories before the first name that the next part
// matches, even where a later name would match more.
const anyDirs = "**"

func (p *ignorePattern) match(names []string, steps *int) bool {
	anchored, rest := len(p.parts) > 1, names
	deep, matched := !anchored, false
	for i, part := range p.parts {
		switch {
		case anchored && part == "":
			deep = false
		case anchored && part == anyDirs:
			deep = i+1 < len(p.parts)
		default:
			at := 0
			for at < len(rest) && !matchName(part, rest[at], steps) {
				if at++; !deep {
					return false
				}
			}
			if at >= len(rest) {
				return false
			}
			rest, deep, matched = rest[at+1:], false, true
		}
	}
	return matched && !(p.dirsOnly && len(rest) == 0)
}

// stepsAtOnce is the number of comparisons of single characters in one step.
const stepsAtOnce = 16

func matchName(part, name string, steps *int) bool {
	*steps += 1 + len(part)*len(name)/stepsAtOnce
	matched, _ := path.Match(part, name) // parseIgnoreLine has refused errors
	return matched
}

// parseIgnore reads an ignore file within the limits of lines.
func parseIgnore(text string) ([]ignorePattern, error) {
	var patterns []ignorePattern
	lines := 0
	for line := range strings.Lines(text) {
		if len(line) > maxIgnoreLine {
			return nil, fmt.Errorf("a line is %d bytes long, more than the %d allowed", len(line), maxIgnoreLine)
		}
		if lines++; lines > maxIgnoreLines {
			return nil, fmt.Errorf("it has more than the %d lines allowed", maxIgnoreLines)
		}
		if p, ok := parseIgnoreLine(strings.TrimSpace(line)); ok {
			patterns = append(patterns, p)
		}
	}
	return patterns, nil
}

// parseIgnoreLine reads a line. It returns false if that can match nothing.
func parseIgnoreLine(line string) (p ignorePattern, ok bool) {
	if line == "" || line[0] == '#' {
		return p, false
	}
	line, p.negated = strings.CutPrefix(line, "!")
	line, p.dirsOnly = strings.CutSuffix(line, "/")
	p.parts = strings.Split(line, "/")
	for _, part := range p.parts {
		if _, err := path.Match(part, ""); err != nil || len(p.parts) > 1 && part != anyDirs && strings.Contains(part, anyDirs) {
			return p, false
		}
	}
	return p, true
}
