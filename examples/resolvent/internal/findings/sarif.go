package findings

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/check"
)

// sarifLog is what SARIF 2.1.0 calls a log, with the parts of it that findings have. What is
// absent has the default of the standard.
type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool    sarifTool     `json:"tool"`
	Results []sarifResult `json:"results"` // an empty list says that nothing was found, none that nothing was searched
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name  string      `json:"name"`
	URI   string      `json:"informationUri"`
	Rules []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID catalog.Code `json:"id"`
}

type sarifResult struct {
	Rule      catalog.Code    `json:"ruleId"`
	Level     string          `json:"level"`
	Message   sarifMessage    `json:"message"`
	Locations []sarifLocation `json:"locations,omitempty"`
}

type sarifMessage struct {
	Text string `json:"text"`
}

type sarifLocation struct {
	Physical sarifPlace    `json:"physicalLocation"`
	Message  *sarifMessage `json:"message,omitempty"`
}

type sarifPlace struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   *sarifRegion  `json:"region,omitempty"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

// sarifRegion counts from 1.
type sarifRegion struct {
	Line   int `json:"startLine"`
	Column int `json:"startColumn,omitzero"`
}

// WriteSARIF prints findings for scanners of code, as SARIF 2.1.0.
func WriteSARIF(p *terminal.Page, r *check.Report, show catalog.Severity) error {
	driver := sarifDriver{Name: "resolvent", URI: "https://github.com/resolvent/resolvent"}
	for _, code := range slices.Sorted(maps.Keys(check.Codes())) {
		driver.Rules = append(driver.Rules, sarifRule{code})
	}
	run := sarifRun{Tool: sarifTool{driver}}
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Severity > show {
			continue
		}
		result := sarifResult{Rule: f.Code, Level: f.Severity.String(), Message: sarifMessage{withReasons(f)}}
		for _, at := range f.Places {
			uri := url.URL{Path: FileIn(f.Catalog, at.File)}
			location := sarifLocation{Physical: sarifPlace{Artifact: sarifArtifact{uri.String()}}}
			if at.Line > 0 {
				location.Physical.Region = &sarifRegion{at.Line, at.Column}
			}
			if parts := placeParts(f, &at); len(parts) > 0 {
				location.Message = &sarifMessage{strings.Join(parts, ", ")}
			}
			result.Locations = append(result.Locations, location)
		}
		run.Results = append(run.Results, result)
	}
	return terminal.WriteIndented(p, sarifLog{
		Schema:  "https://raw.githubusercontent.com/oasis-tcs/sarif-spec/main/sarif-2.1/schema/sarif-schema-2.1.0.json",
		Version: "2.1.0",
		Runs:    []sarifRun{run},
	})
}
