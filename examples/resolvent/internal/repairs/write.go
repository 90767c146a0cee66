package repairs

import (
	"fmt"

	"github.com/resolvent/resolvent/examples/resolvent/internal/findings"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/check"
	"github.com/resolvent/resolvent/resolver/check/repair"
)

var Documents = map[string][]any{"check": {repairsJSON{}, releasesJSON{}}}

// numbered is the repair of a finding, by its number.
type numbered struct {
	number  int
	finding *check.Finding
	*repair.Repair
}

// written is a repaired copy, with what is still found in it.
type written struct {
	folder string
	before int // the number of findings
	report *check.Report
}

type repairsJSON struct {
	Repairs terminal.List[repairJSON] `json:"repairs"`
	// Written is there with --write.
	Written *writtenJSON `json:"written,omitempty"`
}

type repairJSON struct {
	Number  int                  `json:"number"`
	Finding findings.FindingJSON `json:"finding"`
	// Patches are operations of RFC 6902, one list for each document of a file.
	Patches []patchJSON `json:"patches"`
	// None says why there is no repair.
	None string `json:"none,omitempty"`
	// Shows counts the findings that show only now, as this one hid them.
	Shows int `json:"shows,omitzero"`
}

type patchJSON struct {
	File string      `json:"file"`
	Line int         `json:"line"` // at which the document begins
	Ops  []repair.Op `json:"patch"`
	Text []string    `json:"text"`
}

type writtenJSON struct {
	Folder string `json:"folder"`
	Before int    `json:"before"`
	After  int    `json:"after"`
	// Findings are those that the copy still has.
	Findings []findings.FindingJSON `json:"findings"`
}

func writeJSON(p *terminal.Page, list []numbered, copied *written) error {
	out := repairsJSON{Repairs: terminal.ListOf(p, "repair", list, func(r numbered) repairJSON {
		one := repairJSON{Number: r.number, Finding: findings.FindingToJSON(*r.finding), Patches: []patchJSON{}, None: r.None, Shows: r.Shows}
		for _, patch := range r.Patches {
			one.Patches = append(one.Patches, patchJSON{findings.FileIn(r.finding.Catalog, patch.File), patch.Line, patch.Ops, patch.Lines})
		}
		return one
	})}
	if copied != nil {
		still := copied.report.Findings
		out.Written = &writtenJSON{copied.folder, copied.before, len(still), terminal.Mapped(still, findings.FindingToJSON)}
	}
	return terminal.WriteJSON(p, out)
}

func writeText(p *terminal.Page, list []numbered, copied *written) {
	w := &p.Buffer
	repaired, shows := 0, false
	for _, r := range list {
		f := r.finding
		terminal.Printf(w, "%3d %s %s\n", r.number, findings.SeverityWord(f.Severity, p.Style), terminal.Indented(fmt.Sprintf("[%s] %s", f.Code, f.Message), "            "))
		switch {
		case r.None != "":
			terminal.Printf(w, "    no repair: %s\n", r.None)
			continue
		case len(r.Patches) == 0:
			terminal.Printf(w, "    gone with the repairs above\n")
		}
		if r.Shows > 0 {
			shows = true
			terminal.Printf(w, "    shows %s that it hid\n", terminal.Count(r.Shows, "finding"))
		}
		repaired++
		for _, patch := range r.Patches {
			terminal.Printf(w, "    %s:%d\n", findings.FileIn(f.Catalog, patch.File), patch.Line)
			for _, line := range patch.Lines {
				terminal.Printf(w, "      %s\n", line)
			}
		}
	}
	other := ""
	if shows {
		other = " but those that it hid"
	}
	terminal.Printf(w, "%d of %s repaired; each was tried: the finding is gone, no other appears%s, no bundle is lost, and nobody loses the way to a head\n", repaired, terminal.Count(len(list), "finding"), other)
	if copied != nil {
		terminal.Printf(w, "%s: written, and checked again: %s; %s before\n", copied.folder, findings.Counts(copied.report), terminal.Count(copied.before, "finding"))
	}
}
