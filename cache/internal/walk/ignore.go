package walk

import (
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
	// maxIgnoreBytes is far more than anyone writes by hand.
	maxIgnoreBytes = 1 << 20
	maxIgnoreLines = 2000
	maxIgnoreLine  = 4 << 10 // bytes
	// maxIgnoreSteps is what matching the names of a tree may take: a second or two.
	maxIgnoreSteps = 1 << 26
)

// ignoreFiles are the .indexignore files of a tree. They work as .gitignore files
// do in git: each counts for its directory and below, the deeper file before the
// higher, in a file the last pattern that matches. What is below an ignored
// directory cannot be taken back in; the walk never gets there.
type ignoreFiles struct {
	fsys fs.FS
	// open are those of the directories that the walk is in, the deepest last.
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
	text, err := ReadFile(ctx, f.fsys, name, maxIgnoreBytes, nil)
	if err != nil {
		return err
	}
	if len(text) > maxIgnoreBytes {
		return fmt.Errorf("%s is larger than the %d bytes allowed", name, maxIgnoreBytes)
	}
	patterns, err := parseIgnore(text)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	f.open = append(f.open, ignoreFile{dir, patterns})
	return nil
}

// match reports whether a file or directory is kept out. The directories above
// it have been entered, and those left behind are not entered again.
func (f *ignoreFiles) match(ctx context.Context, name string, isDir bool) (bool, error) {
	for i, file := range slices.Backward(f.open) {
		below, ok := name, true
		if file.dir != "." {
			below, ok = strings.CutPrefix(name, file.dir+"/")
		}
		if !ok {
			f.open = f.open[:i]
			continue
		}
		for _, p := range slices.Backward(file.patterns) {
			if p.match(below, isDir, &f.steps) {
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
	// anchored: the whole path below the file's directory is meant, otherwise
	// the last part of it.
	anchored bool
	glob     glob
}

func (p *ignorePattern) match(below string, isDir bool, steps *int) bool {
	if p.dirsOnly && !isDir {
		return false
	}
	if !p.anchored {
		below = path.Base(below)
	}
	return p.glob.match(below, steps)
}

// parseIgnore keeps to the limits of lines.
func parseIgnore(text []byte) ([]ignorePattern, error) {
	var patterns []ignorePattern
	lines := 0
	for line := range strings.Lines(strings.TrimPrefix(string(text), "\ufeff")) {
		if len(line) > maxIgnoreLine {
			return nil, fmt.Errorf("a line is %d bytes long, more than the %d allowed", len(line), maxIgnoreLine)
		}
		if lines++; lines > maxIgnoreLines {
			return nil, fmt.Errorf("it has more than the %d lines allowed", maxIgnoreLines)
		}
		if p, ok := parseIgnoreLine(strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")); ok {
			patterns = append(patterns, p)
		}
	}
	return patterns, nil
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
	p.glob, ok = parseGlob(line)
	return p, ok
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
