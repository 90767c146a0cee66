package findings

import (
	"fmt"
	"io"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/check"
)

// WriteAnnotations prints findings as the commands that annotate files in a
// workflow of GitHub.
func WriteAnnotations(w io.Writer, r *check.Report, show catalog.Severity) {
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Severity > show {
			continue
		}
		title := string(f.Code)
		if f.Package != "" {
			title = f.Package + ": " + title
		}
		for _, at := range f.Places {
			place := "file=" + escapeProperty(FileIn(f.Catalog, at.File))
			if at.Line > 0 {
				place += fmt.Sprintf(",line=%d,col=%d", at.Line, at.Column)
			}
			text := withReasons(f)
			if parts := placeParts(f, &at); len(parts) > 0 {
				text = strings.Join(parts, ", ") + ": " + text
			}
			fmt.Fprintf(w, "::%s %s,title=%s::%s\n", annotation(f.Severity), place, escapeProperty(title), escapeData(text))
		}
	}
	if stale := r.Stale.Identities(); len(stale) > 0 {
		fmt.Fprintf(w, "::notice title=baseline::%s\n", escapeData(fmt.Sprintf(
			"no longer found, but in the baseline: %d, such as %s; --write-baseline removes them", len(stale), stale[0])))
	}
}

func annotation(s catalog.Severity) string {
	if s == catalog.Note {
		return "notice"
	}
	return s.String()
}

// escapeData escapes what would end a workflow command.
func escapeData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

// escapeProperty escapes what would end a property of a workflow command.
func escapeProperty(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(escapeData(s))
}
