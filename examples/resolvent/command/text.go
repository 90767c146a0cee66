package command

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/resolvent/resolvent/resolver/fixes"
	"github.com/resolvent/resolvent/resolver/result"
)

// writeText prints the outcomes for people.
func writeText(w *bytes.Buffer, outcomes []result.Outcome, s style) {
	for i, o := range toShow(outcomes) {
		if i > 0 {
			w.WriteByte('\n')
		}
		if o.Err != nil {
			fmt.Fprintf(w, "%s %s\n", s.bold(o.title+":"), s.bad(resultWords[o.Result()]))
			w.WriteString(failureText(o.Err, s))
			continue
		}
		writeResolution(w, o.Outcome, s)
	}
}

// resultWords head the answers for people.
var resultWords = map[result.Result]string{
	result.Resolved:           "resolved",
	result.ResultUnsatisfied:  "cannot be resolved",
	result.ResultUnhealthy:    "not resolved, as catalogs are unhealthy",
	result.ResultInvalidInput: "not resolved, as the input is invalid",
	result.ResultAmbiguous:    "not resolved, as several catalogs offer the package",
	result.ResultIncomplete:   "not finished",
	result.ResultInternal:     "not resolved, for a fault of this program",
}

func writeResolution(w *bytes.Buffer, o result.Outcome, s style) {
	r := o.Resolution
	fmt.Fprintf(w, "%s %s, %s to install", s.bold(title(o)+":"), s.good(resultWords[o.Result()]), count(len(r.Installs), "bundle"))
	if r.Approval == result.Manual && len(r.Installs) > 0 {
		w.WriteString(" after manual approval")
	}
	w.WriteString("\n")
	if len(r.Installs) > 0 {
		w.WriteString("\n")
		writeTable(w, r)
	}
	if tree := dependencyTree(r); tree != "" {
		w.WriteString("\n" + s.bold("Dependencies") + "\n" + tree)
	}
	section(w, s.bold("Kept"), mapped(r.Kept, func(k result.Kept) string { return plain(k.Bundle) }))
	section(w, s.bold("Replaced"), mapped(r.Replaced, plain))
	section(w, s.bold("Not needed any more"), mapped(r.Unneeded, plain))
	section(w, s.notice("Left out"), mapped(r.LeftOut, func(l result.LeftOut) string {
		return plain(describeServed(l.Request)) + ": " + l.Err.Error()
	}))
	section(w, s.notice("Warnings"), mapped(r.Warnings, func(x result.Warning) string {
		message := x.Message()
		if strings.Contains(message, x.Subject) {
			return message
		}
		return plain(x.Subject) + ": " + message
	}))
}

// writeTable lists what is installed, and what that replaces if anything is replaced.
func writeTable(w io.Writer, r *result.Resolution) {
	replaces := len(r.Replaced) > 0
	row := func(bundle, pkg, version, channel, catalog, replaced, why string) string {
		cells := []string{bundle, pkg, version, channel, catalog}
		if replaces {
			cells = append(cells, replaced)
		}
		return strings.Join(mapped(append(cells, why), plain), "\t")
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, row("BUNDLE", "PACKAGE", "VERSION", "CHANNEL", "CATALOG", "REPLACES", "WHY"))
	for _, i := range r.Installs {
		replaced := "-"
		if slices.Contains(r.Replaced, i.Replaces) {
			replaced = i.Replaces
		}
		fmt.Fprintln(t, row(i.Bundle, i.Package, i.Version, cmp.Or(i.Channel, "-"), i.Catalog.String(), replaced, why(i.For)))
	}
	t.Flush()
}

// why names the first thing that a bundle serves, and how many more there are.
func why(served []result.Served) string {
	if len(served) == 0 {
		return "-"
	}
	text := describeServed(served[0])
	if more := len(served) - 1; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

func describeServed(s result.Served) string {
	switch {
	case s.Request != "":
		return string(s.Request) + " " + s.Name
	case s.Namespace != "":
		return "for " + s.Bundle + " in namespace " + s.Namespace
	}
	return "for " + s.Bundle
}

// failureText prints why there is no answer.
func failureText(err error, s style) string {
	var b bytes.Buffer
	unsatisfied, ok := errors.AsType[*result.NotSatisfiable](err)
	if !ok {
		section(&b, s.bold("Why"), []string{err.Error()})
		section(&b, s.bold("What would help"), healthFixes(err))
		return b.String()
	}
	explanation := unsatisfied.Summary()
	if unsatisfied.Explanation != nil {
		explanation = strings.TrimSuffix(unsatisfied.Explanation.String(), "\n")
	}
	section(&b, s.bold("Why"), []string{explanation})
	if waits := unsatisfied.ProceedText(); waits != "" {
		section(&b, s.bold("What can proceed"), []string{waits})
	}
	section(&b, s.bold("What is missing (it needs another catalog)"), unsatisfied.MissingTexts())
	section(&b, s.bold("What would help"), fixes.Texts(unsatisfied.Fixes, unsatisfied.Namespace))
	return b.String()
}
