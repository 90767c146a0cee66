package findings

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/check"
)

// WriteSARIF prints findings for scanners of code, as SARIF 2.1.0.
func WriteSARIF(p *terminal.Page, r *check.Report, show catalog.Severity) error {
	run := sarif.NewRunWithInformationURI("resolvent", "https://github.com/resolvent/resolvent")
	for _, code := range slices.Sorted(maps.Keys(check.Codes())) {
		run.Tool.Driver.AddRule(sarif.NewReportingDescriptor().WithID(string(code)))
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Severity > show {
			continue
		}
		result := sarif.NewResult().WithRuleID(string(f.Code)).WithLevel(f.Severity.String()).WithMessage(sarif.NewMessage().WithText(withReasons(f)))
		for _, at := range f.Places {
			uri := url.URL{Path: FileIn(f.Catalog, at.File)}
			place := sarif.NewPhysicalLocation().WithArtifactLocation(sarif.NewArtifactLocation().WithURI(uri.String()))
			if at.Line > 0 {
				place.WithRegion(sarif.NewRegion().WithStartLine(at.Line).WithStartColumn(at.Column))
			}
			location := sarif.NewLocation().WithPhysicalLocation(place)
			if parts := placeParts(f, &at); len(parts) > 0 {
				location.WithMessage(sarif.NewMessage().WithText(strings.Join(parts, ", ")))
			}
			result.AddLocation(location)
		}
		run.AddResult(result)
	}
	defer p.WriteByte('\n')
	return sarif.NewReport().AddRun(run).PrettyWrite(p)
}
