package findings

import (
	"io"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/catalogcheck"
)

type checkJSON struct {
	Catalogs []summaryJSON `json:"catalogs"`
	Findings []findingJSON `json:"findings"`
}

type summaryJSON struct {
	Catalog       string `json:"catalog"`
	Packages      int    `json:"packages"`
	Channels      int    `json:"channels"`
	Bundles       int    `json:"bundles"`
	Uninstallable int    `json:"uninstallable"`
	NeedOthers    int    `json:"needOthers"`
}

type findingJSON struct {
	Severity string       `json:"severity"`
	Code     catalog.Code `json:"code"`
	Catalog  string       `json:"catalog"`
	File     string       `json:"file,omitempty"`
	Line     int          `json:"line,omitzero"`
	Column   int          `json:"column,omitzero"`
	Package  string       `json:"package,omitempty"`
	Channel  string       `json:"channel,omitempty"`
	Bundles  []string     `json:"bundles"`
	Property *int         `json:"property,omitempty"`
	Path     string       `json:"path,omitempty"`
	Message  string       `json:"message"`
}

// WriteFindingsJSON prints all of a report.
func WriteFindingsJSON(w io.Writer, r *catalogcheck.Report) error {
	out := checkJSON{Catalogs: []summaryJSON{}, Findings: []findingJSON{}}
	for _, c := range r.Catalogs {
		out.Catalogs = append(out.Catalogs, summaryJSON{c.Key.String(), c.Packages, c.Channels, c.Bundles, c.Uninstallable, c.NeedOthers})
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		finding := findingJSON{
			Severity: f.Severity.String(), Code: f.Code, Catalog: f.Catalog.String(), File: findingFile(f), Line: f.Line, Column: f.Column,
			Package: f.Package, Channel: f.Channel, Bundles: f.Bundles, Path: f.Path, Message: f.Message,
		}
		if f.Property >= 0 {
			finding.Property = &f.Property
		}
		out.Findings = append(out.Findings, finding)
	}
	return terminal.Encode(w, out)
}
