package command

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/catalogcheck"
)

// ignoreFile lists what to leave out of the findings about the catalogs beside it. It is
// not in the catalog, where opm reads every file as a part of that.
const ignoreFile = ".resolventignore"

// maxIgnoreBytes bounds that file.
const maxIgnoreBytes = 1 << 20

// acceptFlags choose which findings are accepted.
type acceptFlags struct {
	knownIn, writeTo string
	ignore           []catalogcheck.Ignore

	known catalogcheck.Baseline
}

func (f *acceptFlags) register(set *flag.FlagSet) {
	set.StringVar(&f.knownIn, "baseline", "", "")
	set.StringVar(&f.writeTo, "write-baseline", "", "")
	set.Func("ignore", "", func(s string) error {
		i, err := parseIgnore(s)
		f.ignore = append(f.ignore, i)
		return err
	})
}

// read reads the baseline, and what lies beside the judged catalogs.
func (f *acceptFlags) read(ctx context.Context, judged []string) error {
	if f.knownIn != "" {
		file, err := os.Open(f.knownIn)
		if errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("--baseline: %w; --write-baseline %s writes it", err, f.knownIn)
		}
		if err != nil {
			return fmt.Errorf("--baseline: %w", err)
		}
		defer file.Close()
		if f.known, err = catalogcheck.ReadBaseline(ctx, file); err != nil {
			return fmt.Errorf("--baseline %s: %w", f.knownIn, err)
		}
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
		beside := filepath.Join(filepath.Dir(path), ignoreFile)
		if read[beside] {
			continue
		}
		read[beside] = true
		if err := f.readIgnored(beside); err != nil {
			return err
		}
	}
	return nil
}

// readIgnored reads a file of what to leave out, if there is one.
func (f *acceptFlags) readIgnored(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Size() > maxIgnoreBytes || !info.Mode().IsRegular():
		return fmt.Errorf("%s: it is no file of at most %d bytes", path, maxIgnoreBytes)
	}
	text, err := os.ReadFile(path)
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
		f.ignore = append(f.ignore, ignored)
	}
	return nil
}

// parseIgnore reads CODE[:PACKAGE].
func parseIgnore(s string) (catalogcheck.Ignore, error) {
	code, pkg, named := strings.Cut(s, ":")
	switch codes := codeNames(); {
	case named && pkg == "":
		return catalogcheck.Ignore{}, errors.New("want CODE or CODE:PACKAGE")
	case !slices.Contains(codes, code):
		return catalogcheck.Ignore{}, fmt.Errorf("there is no code %q%s", code, terminal.Suggestion(code, codes))
	}
	return catalogcheck.Ignore{Code: catalog.Code(code), Package: pkg}, nil
}

func codeNames() []string {
	var names []string
	for _, code := range catalogcheck.Codes() {
		names = append(names, string(code))
	}
	return names
}

// write writes the baseline of the next check.
func (f *acceptFlags) write(r *catalogcheck.Report, std inputs.Streams) error {
	var text bytes.Buffer
	err := r.All.Write(&text)
	if err == nil {
		err = os.WriteFile(f.writeTo, text.Bytes(), 0o644)
	}
	if err != nil {
		return fmt.Errorf("--write-baseline: %w", err)
	}
	fmt.Fprintf(std.Err, "%s: %s written\n", f.writeTo, terminal.Count(r.All.Len(), "line"))
	return nil
}

func registerAssumptions(set *flag.FlagSet, to *catalogcheck.Assumptions) {
	set.Func("assume-package", "", func(s string) error {
		name, version, stated := strings.Cut(s, "=")
		if name == "" {
			return errors.New("want NAME or NAME=VERSION")
		}
		p := catalogcheck.AssumedPackage{Name: name}
		if stated {
			v, err := semver.Parse(version)
			if err != nil {
				return errors.New("want NAME or NAME=VERSION, with a version such as 1.2.3")
			}
			p.Version = &v
		}
		to.Packages = append(to.Packages, p)
		return nil
	})
	set.Func("assume-api", "", func(s string) error {
		parts := strings.SplitN(s, ".", 3)
		if len(parts) < 3 || slices.Contains(parts, "") {
			return errors.New("want KIND.VERSION.GROUP, such as Certificate.v1.cert-manager.io")
		}
		to.APIs = append(to.APIs, properties.GVK{Kind: parts[0], Version: parts[1], Group: parts[2]})
		return nil
	})
}
