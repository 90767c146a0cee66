package inputs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/check"
)

// ignoreFile lists what to leave out of the findings about the catalogs beside it. It is
// not in the catalog, where opm reads every file as a part of that.
const ignoreFile = ".resolventignore"

// maxIgnoreBytes bounds that file.
const maxIgnoreBytes = 1 << 20

// AcceptFlags choose which findings of a check are accepted.
type AcceptFlags struct {
	// Known is what the baseline lists, and Ignored what is left out; both after Read.
	Known   check.Baseline
	Ignored []check.Identity
	// WriteTo is the file for a new baseline, "" for none.
	WriteTo string

	knownIn string
}

func (f *AcceptFlags) Register(set *pflag.FlagSet) {
	String(set, "baseline", "report only findings that `FILE` does not list, and list which of its findings are gone", &f.knownIn)
	String(set, "write-baseline", "write the findings to `FILE`, one per line, and exit with status 0", &f.WriteTo)
	set.Var(words{known: CodeNames(), open: true, set: func(s string) error {
		i, err := parseIgnore(s)
		f.Ignored = append(f.Ignored, i)
		return err
	}}, "ignore", "leave out findings with `CODE`, or with CODE:PACKAGE those of one package; repeatable")
}

// Read reads the baseline, and what lies beside the judged catalogs, which it names. It
// refuses to write a baseline into one of these.
func (f *AcceptFlags) Read(ctx context.Context, judged []string, std Streams) error {
	if f.knownIn != "" {
		if err := f.readKnown(ctx); err != nil {
			return err
		}
	}
	writeTo, err := filepath.Abs(f.WriteTo)
	if err != nil {
		return err
	}
	read := map[string]bool{}
	for _, path := range judged {
		if _, err := os.Stat(path); err != nil {
			continue // it is no file or folder
		}
		path, err := filepath.Abs(path)
		if err != nil {
			return err
		}
		if inside, err := filepath.Rel(path, writeTo); f.WriteTo != "" && err == nil && filepath.IsLocal(inside) {
			return Usagef("--write-baseline %s: the file would become a part of catalog %s; name a file elsewhere", f.WriteTo, path)
		}
		beside := filepath.Join(filepath.Dir(path), ignoreFile)
		if read[beside] {
			continue
		}
		read[beside] = true
		before := len(f.Ignored)
		if err := f.readIgnored(ctx, beside); err != nil {
			return err
		}
		if n := len(f.Ignored) - before; n > 0 {
			terminal.Printf(std.Err, "%s: %s used like --ignore\n", beside, terminal.Count(n, "line"))
		}
	}
	return nil
}

func (f *AcceptFlags) readKnown(ctx context.Context) error {
	file, err := OpenFile(ctx, f.knownIn)
	if err == nil {
		defer file.Close()
		f.Known, err = check.ReadBaseline(ctx, file)
	}
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("--baseline %s: %w", f.knownIn, context.Cause(ctx))
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("--baseline %w; --write-baseline %s writes it", err, f.knownIn)
	}
	return fmt.Errorf("--baseline %s: %w; name a file that --write-baseline wrote", f.knownIn, err)
}

// readIgnored reads a file of what to leave out, if there is one.
func (f *AcceptFlags) readIgnored(ctx context.Context, path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Size() > maxIgnoreBytes || !info.Mode().IsRegular():
		return fmt.Errorf("%s: want a file of at most %d bytes", path, maxIgnoreBytes)
	}
	text, err := ReadFile(ctx, path, maxIgnoreBytes)
	if err != nil {
		return err
	}
	for i, line := range strings.Split(string(text), "\n") {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		ignored, err := parseIgnore(line)
		if err != nil {
			return fmt.Errorf("%s:%d: %w", path, i+1, err)
		}
		f.Ignored = append(f.Ignored, ignored)
	}
	return nil
}

// parseIgnore reads CODE[:PACKAGE].
func parseIgnore(s string) (check.Identity, error) {
	code, pkg, named := strings.Cut(s, ":")
	pkg = strings.TrimSpace(pkg)
	switch codes := CodeNames(); {
	case named && pkg == "":
		return check.Identity{}, Want("CODE or CODE:PACKAGE")
	case !slices.Contains(codes, code):
		return check.Identity{}, fmt.Errorf("unknown code %q%s", code, terminal.Suggestion(code, codes))
	}
	return check.Identity{Code: catalog.Code(code), Package: pkg}, nil
}

// CodeNames are the codes that findings may have.
func CodeNames() []string {
	return terminal.Mapped(slices.Sorted(maps.Keys(check.Codes())), func(code catalog.Code) string { return string(code) })
}

// Write writes the baseline of the next check.
func (f *AcceptFlags) Write(ctx context.Context, r *check.Report, std Streams) error {
	var text bytes.Buffer
	err := r.All.Write(&text)
	if err == nil {
		err = WriteFile(ctx, f.WriteTo, text.Bytes())
	}
	if err != nil {
		return fmt.Errorf("--write-baseline: %w", err)
	}
	terminal.Printf(std.Err, "%s: %s written\n", f.WriteTo, terminal.Count(r.All.Len(), "line"))
	return nil
}
