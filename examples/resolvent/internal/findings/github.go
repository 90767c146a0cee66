package findings

import (
	"fmt"
	"io"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/catalogcheck"
)

// WriteAnnotations prints findings as the commands that annotate files in a
// workflow of GitHub.
func WriteAnnotations(w io.Writer, r *catalogcheck.Report, show catalog.Severity) {
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Severity > show {
			continue
		}
		place := "file=" + escapeProperty(findingFile(f))
		if f.Line > 0 {
			place += fmt.Sprintf(",line=%d,col=%d", f.Line, f.Column)
		}
		title := string(f.Code)
		if f.Package != "" {
			title = f.Package + ": " + title
		}
		fmt.Fprintf(w, "::%s %s,title=%s::%s\n", annotation(f.Severity), place, escapeProperty(title), escapeData(annotationText(f)))
	}
}

func annotation(s catalog.Severity) string {
	if s == catalog.Note {
		return "notice"
	}
	return s.String()
}

// annotationText is the message with the part of the place that an annotation
// has no field for.
func annotationText(f *catalogcheck.Finding) string {
	parts := findingParts(f)
	if len(parts) == 0 {
		return f.Message
	}
	return strings.Join(parts, ", ") + ": " + f.Message
}

// escapeData escapes what would end a workflow command.
func escapeData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

// escapeProperty escapes what would end a property of a workflow command.
func escapeProperty(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(escapeData(s))
}
