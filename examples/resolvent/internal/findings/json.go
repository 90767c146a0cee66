package findings

import (
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/check"
	"github.com/resolvent/resolvent/resolver/check/propose"
)

var Documents = map[string][]any{"check": {checkJSON{}}, "graph": {graphJSON{}}}

type checkJSON struct {
	Catalogs []summaryJSON              `json:"catalogs"`
	Findings terminal.List[FindingJSON] `json:"findings"`
	// Known and Ignored count what is left out.
	Known   int              `json:"known,omitzero"`
	Ignored int              `json:"ignored,omitzero"`
	Stale   []check.Identity `json:"stale,omitempty"`
	// Entries are proposed for new bundles, with --channel.
	Entries []propose.Entry `json:"entries,omitempty"`
}

type summaryJSON struct {
	Catalog       string `json:"catalog"`
	Packages      int    `json:"packages"`
	Channels      int    `json:"channels"`
	Bundles       int    `json:"bundles"`
	Published     int    `json:"published,omitzero"`
	Uninstallable int    `json:"uninstallable"`
	NeedOthers    int    `json:"needOthers"`
}

// FindingJSON is a finding as it is written for programs. It has the first place itself, and all of them if there are several.
type FindingJSON struct {
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
	Places   []placeJSON  `json:"places,omitempty"`
	Message  string       `json:"message"`
	// Because says why it is there, Stops whose updates and installs it stops.
	Because []check.Reason `json:"because,omitempty"`
	Stops   []check.Stop   `json:"stops,omitempty"`
}

type placeJSON struct {
	File     string   `json:"file,omitempty"`
	Line     int      `json:"line,omitzero"`
	Column   int      `json:"column,omitzero"`
	Channel  string   `json:"channel,omitempty"`
	Bundles  []string `json:"bundles"`
	Property *int     `json:"property,omitempty"`
	Path     string   `json:"path,omitempty"`
}

func WriteFindingsJSON(p *terminal.Page, r *check.Report, proposed []propose.Entry) error {
	out := checkJSON{Catalogs: []summaryJSON{}, Known: r.Known, Ignored: r.Ignored, Stale: r.Stale.Identities(), Entries: proposed}
	for _, c := range r.Catalogs {
		out.Catalogs = append(out.Catalogs, summaryJSON{c.Key.String(), c.Packages, c.Channels, c.Bundles, c.Published, c.Uninstallable, c.NeedOthers})
	}
	out.Findings = terminal.ListOf(p, "finding", r.Findings, FindingToJSON)
	return terminal.WriteJSON(p, out)
}

func FindingToJSON(f check.Finding) FindingJSON {
	places := terminal.Mapped(f.Places, func(at check.Place) placeJSON { return placeOf(&f, &at) })
	first := places[0]
	finding := FindingJSON{
		Severity: f.Severity.String(), Code: f.Code, Catalog: f.Catalog.String(), File: first.File, Line: first.Line, Column: first.Column,
		Package: f.Package, Channel: first.Channel, Bundles: f.Bundles, Property: first.Property, Path: first.Path, Message: f.Message,
		Because: f.Because, Stops: f.Stops,
	}
	if len(places) > 1 {
		finding.Places = places
	}
	return finding
}

func placeOf(f *check.Finding, at *check.Place) placeJSON {
	place := placeJSON{
		File: FileIn(f.Catalog, at.File), Line: at.Line, Column: at.Column,
		Channel: at.Channel, Bundles: at.Bundles, Path: at.Path,
	}
	if at.Property >= 0 {
		place.Property = &at.Property
	}
	return place
}
