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

// ignoreFiles are the .indexignore files of a tree. They work as .gitignore files do in
// git. Each applies to its directory and below, and a deeper file goes before a higher
// one. In one file the last pattern that matches counts. No pattern can restore what is
// below an ignored directory: the walk never gets there.
type ignoreFiles struct {
	fsys fs.FS
	// open are the files of the directories that the walk is in, the deepest last.
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
	return nil
}

// match reports whether a file or directory is ignored. The directories above it must
// have been entered. Those that the walk has left must not be entered again.
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
	// anchored: the glob matches the whole path below the directory of the file,
	// otherwise the last part of the path.
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

// parseIgnore reads an ignore file within the limits of lines.
func parseIgnore(text string) ([]ignorePattern, error) {
	var patterns []ignorePattern
	lines := 0
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
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

// parseIgnoreLine reads a line. It returns false if that can match nothing.
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

// trimTrailingSpaces removes spaces at the end, but keeps one after a backslash.
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
