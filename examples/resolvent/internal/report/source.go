package report

import (
	"cmp"
	"context"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
)

// Source is what a page is made from.
type Source struct {
	// Date is the day for which the page is true, and Program the program with its version.
	Date, Program, Command string
	Catalogs               []SourceCatalog
	// Notes are what the program said beside the answer.
	Notes []string

	from   *cache.View
	said   io.Writer
	hidden *strings.Replacer
}

// SourceCatalog is a catalog with the digest of what was read of it.
type SourceCatalog struct{ Name, Digest string }

// absolute is an absolute path in an argument, behind what names it.
var absolute = regexp.MustCompile(`(^|[=:])(/[^/,][^,]*)`)

// NewSource returns what a command has of its streams and catalogs. A day that is empty is today. Pages
// show the paths of arguments without the folders that lead to them on this machine.
func NewSource(std inputs.Streams, day string, from *cache.View) *Source {
	s := &Source{Date: inputs.Day(day), Program: std.Version, from: from, said: std.Err}
	words := strings.Fields(std.Program)
	var paths []string
	for _, arg := range std.Args {
		for _, found := range absolute.FindAllStringSubmatch(arg, -1) {
			if clean := path.Clean(found[2]); strings.Count(clean, "/") > 1 { // a short one may be part of a name
				paths = append(paths, found[2], clean)
			}
		}
		arg = absolute.ReplaceAllStringFunc(arg, func(found string) string {
			before, _, _ := strings.Cut(found, "/")
			return before + path.Base(found)
		})
		words = append(words, terminal.Public(arg))
	}
	s.Command = terminal.Command(words...)
	slices.SortFunc(paths, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	var pairs []string
	for _, name := range paths {
		pairs = append(pairs, name, path.Base(name))
	}
	s.hidden = strings.NewReplacer(pairs...)
	return s
}

// read takes in the catalogs that could be read, and what was said until now beside the answer.
func (s *Source) read(ctx context.Context) error {
	s.Notes = terminal.Said(s.said)
	for c := range s.from.Catalogs() {
		if c.Snapshot == nil {
			continue
		}
		digest, err := c.Snapshot.Content(ctx)
		if err != nil {
			return err
		}
		s.Catalogs = append(s.Catalogs, SourceCatalog{c.Key.String(), digest})
	}
	return nil
}

// shown is a text as pages show it.
func (s *Source) shown(text string) string {
	if s == nil || s.hidden == nil {
		return terminal.Plain(text)
	}
	return terminal.Plain(s.hidden.Replace(text))
}
