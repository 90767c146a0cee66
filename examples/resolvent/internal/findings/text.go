package findings

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/catalogcheck"
)

// WriteFindings prints a report for people, grouped by package.
func WriteFindings(w *bytes.Buffer, r *catalogcheck.Report, show catalog.Severity, s terminal.Style) {
	var counts [catalog.Note + 1]int
	group := ""
	for i := range r.Findings {
		f := &r.Findings[i]
		counts[f.Severity]++
		if f.Severity > show {
			continue
		}
		if heading := findingGroup(r, f); heading != group {
			if group != "" {
				w.WriteByte('\n')
			}
			group = heading
			fmt.Fprintf(w, "%s\n", s.Bold(terminal.Plain(heading)))
		}
		fmt.Fprintf(w, "  %s %s\n", SeverityWord(f.Severity, s), terminal.Indented(f.Message, "          "))
		fmt.Fprintf(w, "          [%s] %s\n", f.Code, terminal.Plain(findingPlace(f)))
	}
	if group != "" {
		w.WriteByte('\n')
	}
	for _, c := range r.Catalogs {
		fmt.Fprintf(w, "%s: %s, %s, %s", c.Key, terminal.Count(c.Packages, "package"), terminal.Count(c.Channels, "channel"), terminal.Count(c.Bundles, "bundle"))
		if c.Uninstallable > 0 {
			fmt.Fprintf(w, "; %d cannot be installed", c.Uninstallable)
		}
		if c.NeedOthers > 0 {
			fmt.Fprintf(w, "; %d only together with the other catalogs given", c.NeedOthers)
		}
		w.WriteByte('\n')
	}
	hidden := ""
	for severity := show + 1; severity <= catalog.Note; severity++ {
		if counts[severity] > 0 {
			hidden = fmt.Sprintf(" (--show %s lists all)", catalog.Note)
		}
	}
	fmt.Fprintf(w, "%s, %s, %s%s\n", terminal.Count(counts[catalog.Error], "error"), terminal.Count(counts[catalog.Warning], "warning"), terminal.Count(counts[catalog.Note], "note"), hidden)
}

// findingGroup is the heading that a finding stands under.
func findingGroup(r *catalogcheck.Report, f *catalogcheck.Finding) string {
	heading := "package " + f.Package
	if f.Package == "" {
		heading = "no package"
	}
	if len(r.Catalogs) > 1 {
		heading += " of " + f.Catalog.String()
	}
	return heading
}

// SeverityWord is a severity as the first word of a line.
func SeverityWord(severity catalog.Severity, s terminal.Style) string {
	word := fmt.Sprintf("%-7s", severity)
	switch severity {
	case catalog.Error:
		return s.Bad(word)
	case catalog.Warning:
		return s.Notice(word)
	}
	return word
}

// maxNamed is how many bundles the text names before it counts them.
const maxNamed = 3

// findingPlace is the file and line of a finding, and the parts below.
func findingPlace(f *catalogcheck.Finding) string {
	place := findingFile(f)
	if f.Line > 0 {
		place = fmt.Sprintf("%s:%d:%d", place, f.Line, f.Column)
	}
	return strings.Join(append([]string{place}, findingParts(f)...), ", ")
}

// findingParts are the channel, bundles, property and path of a finding.
func findingParts(f *catalogcheck.Finding) []string {
	var parts []string
	if f.Channel != "" {
		parts = append(parts, "channel "+f.Channel)
	}
	switch n := len(f.Bundles); {
	case n > maxNamed:
		parts = append(parts, fmt.Sprintf("%d bundles from %s to %s", n, f.Bundles[0], f.Bundles[n-1]))
	case n > 0:
		parts = append(parts, strings.Join(f.Bundles, ", "))
	}
	if f.Property >= 0 {
		parts = append(parts, fmt.Sprintf("property %d", f.Property))
	}
	if f.Path != "" {
		parts = append(parts, f.Path)
	}
	return parts
}
