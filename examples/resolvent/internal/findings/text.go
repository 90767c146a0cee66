// Package findings prints what checks find, as text, JSON and annotations of a pull
// request.
package findings

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/check"
	"github.com/resolvent/resolvent/resolver/check/propose"
)

// WriteFindings prints a report for people, grouped by package, and the entries that are
// proposed for new bundles.
func WriteFindings(p *terminal.Page, r *check.Report, show catalog.Severity, proposed []propose.Entry) {
	w := &p.Buffer
	hidden, uninstallable := writeList(p, r, show)
	for _, c := range r.Catalogs {
		terminal.Printf(w, "%s: %s, %s, %s", c.Key, terminal.Count(c.Packages, "package"), terminal.Count(c.Channels, "channel"), terminal.Count(c.Bundles, "bundle"))
		if c.Published > 0 {
			terminal.Printf(w, ", %d of them published", c.Published)
		}
		if c.Uninstallable > 0 {
			terminal.Printf(w, "; %d cannot be installed", c.Uninstallable)
		}
		if c.NeedOthers > 0 {
			terminal.Printf(w, "; %d only together with what others provide", c.NeedOthers)
		}
		w.WriteByte('\n')
	}
	if uninstallable {
		w.WriteString("to count what other catalogs provide, pass them with --catalog, or use --assume-package and --assume-api\n")
	}
	writeAccepted(w, r)
	terminal.Printf(w, "%s%s\n", Counts(r), hidden)
	writeProposed(p, proposed)
}

// WriteNew prints the findings of a report, and counts those that are not listed.
func WriteNew(p *terminal.Page, r *check.Report, show catalog.Severity) {
	hidden, _ := writeList(p, r, show)
	terminal.Printf(&p.Buffer, "%s%s\n", Counts(r), hidden)
}

// writeList prints findings by package. It returns what to say of those that are not listed, and
// whether bundles cannot be installed.
func writeList(p *terminal.Page, r *check.Report, show catalog.Severity) (hidden string, uninstallable bool) {
	w, s := &p.Buffer, p.Style
	group, numbers := "", Numbers(r, show)
	p.Each(len(r.Findings), "finding", func(i int) bool {
		f := &r.Findings[i]
		uninstallable = uninstallable || f.Code == check.CodeUninstallable
		if !listed(f, show) {
			hidden = fmt.Sprintf(" (--show %s lists all)", catalog.Note)
			return true
		}
		if heading := Group(r, f); heading != group {
			if group != "" {
				w.WriteByte('\n')
			}
			group = heading
			terminal.Printf(w, "%s\n", s.Bold(heading))
		}
		terminal.Printf(w, "%3d %s %s\n", numbers[i], SeverityWord(f.Severity, s), terminal.Indented(f.Message, "            "))
		writeReasons(w, f)
		writePlaces(w, f)
		return true
	})
	if group != "" {
		w.WriteByte('\n')
	}
	return hidden, uninstallable
}

// listed reports whether the text has a finding.
func listed(f *check.Finding, show catalog.Severity) bool {
	return f.Severity <= show || f.Code == check.CodeUnjudged
}

// Numbers are the numbers of findings, from 1. Those that are listed come first: a list has no gaps.
func Numbers(r *check.Report, show catalog.Severity) []int {
	numbers, n := make([]int, len(r.Findings)), 0
	for _, wanted := range []bool{true, false} {
		for i := range r.Findings {
			if listed(&r.Findings[i], show) == wanted {
				n++
				numbers[i] = n
			}
		}
	}
	return numbers
}

// Counts says how many findings there are of each severity.
func Counts(r *check.Report) string {
	var counts [catalog.Note + 1]int
	for i := range r.Findings {
		counts[r.Findings[i].Severity]++
	}
	return terminal.Count(counts[catalog.Error], "error") + ", " + terminal.Count(counts[catalog.Warning], "warning") + ", " + terminal.Count(counts[catalog.Note], "note")
}

// maxStale is how many findings the text lists that are not found any more.
const maxStale = 10

// writeAccepted prints what the caller chose not to see.
func writeAccepted(w *bytes.Buffer, r *check.Report) {
	if r.Ignored > 0 {
		terminal.Printf(w, "ignored: %d\n", r.Ignored)
	}
	if r.Known > 0 {
		terminal.Printf(w, "known from the baseline: %d\n", r.Known)
	}
	stale := r.Stale.Identities()
	if len(stale) == 0 {
		return
	}
	terminal.Printf(w, "no longer found, but in the baseline: %d; --write-baseline removes them\n", len(stale))
	for _, text := range terminal.First(terminal.Mapped(stale, check.Identity.String), maxStale, "and %d more (-o json lists all)") {
		terminal.Printf(w, "  %s\n", text)
	}
}

// Group is the heading that a finding stands under.
func Group(r *check.Report, f *check.Finding) string {
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

// maxReasons is how many reasons, and channels whose users a finding stops, the text lists
// before it counts them.
const maxReasons = 3

// writeReasons prints why a finding is there, as far as its message does not say it, and whom
// it stops.
func writeReasons(w *bytes.Buffer, f *check.Finding) {
	list := func(what string, lines []string) {
		for _, line := range terminal.First(lines, maxReasons, "%d more (-o json lists all)") {
			terminal.Printf(w, "%12s%s%s\n", "", what, terminal.Indented(line, "              "))
		}
	}
	list("because ", Reasons(f))
	list("stops ", terminal.Mapped(f.Stops, check.Stop.String))
}

// Reasons returns the reasons of a finding that its message does not say.
func Reasons(f *check.Finding) (lines []string) {
	for _, r := range f.Because {
		if !r.Said() {
			lines = append(lines, r.String())
		}
	}
	return lines
}

// withReasons returns the message of a finding with its first reasons.
func withReasons(f *check.Finding) string {
	lines := Reasons(f)
	if len(lines) > maxReasons {
		lines = lines[:maxReasons]
	}
	return strings.Join(append([]string{f.Message}, lines...), "; because ")
}

// maxPlaces is how many places of a finding the text lists before it counts them.
const maxPlaces = 3

func writePlaces(w *bytes.Buffer, f *check.Finding) {
	code := fmt.Sprintf("[%s] ", f.Code)
	places := terminal.Mapped(f.Places, func(at check.Place) string { return Place(f, &at) })
	for _, place := range terminal.First(places, maxPlaces, "and %d more places (-o json lists all)") {
		terminal.Printf(w, "%12s%s%s\n", "", code, place)
		code = "  " // where the first place stands, too, if a terminal breaks its line
	}
}

// Place is one of the places of a finding, on one line.
func Place(f *check.Finding, at *check.Place) string {
	file := FileIn(f.Catalog, at.File)
	if at.Line > 0 {
		file = fmt.Sprintf("%s:%d:%d", file, at.Line, at.Column)
	}
	return strings.Join(append([]string{file}, placeParts(f, at)...), ", ")
}

// placeParts are what the message of a finding does not say about one of its places: if
// there are several, the channel, and the bundles if those of the others differ.
func placeParts(f *check.Finding, at *check.Place) []string {
	var parts []string
	if at.Channel != "" && len(f.Places) > 1 {
		parts = append(parts, "channel "+at.Channel)
	}
	switch n := len(at.Bundles); {
	case n == 0, n == len(f.Bundles):
	case n == 1:
		parts = append(parts, at.Bundles[0])
	default:
		parts = append(parts, fmt.Sprintf("%d bundles from %s to %s", n, at.Bundles[0], at.Bundles[n-1]))
	}
	if at.Property >= 0 {
		parts = append(parts, fmt.Sprintf("property %d", at.Property))
	}
	if at.Path != "" {
		parts = append(parts, at.Path)
	}
	return parts
}

// FileIn is a file of a judged catalog as the caller would name it: the names of these
// catalogs are their paths.
func FileIn(judged catalog.Key, file string) string {
	if file == "" || file == "." {
		return judged.Name
	}
	if strings.HasPrefix(filepath.Base(judged.Name), file) {
		return judged.Name // it is one file, perhaps compressed
	}
	return judged.Name + "/" + file
}
