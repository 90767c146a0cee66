package outcomes

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/examples/resolvent/internal/overview"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/text"
)

// View is how failures are shown to people.
type View struct {
	// All shows everything, instead of a recommendation.
	All bool
	// Fix is true if the command has the flag --fix.
	Fix bool
	// Call is how the program was called.
	Call overview.Call
	// Rest shows what the text leaves out, if that is not --all.
	Rest string
	// Stuck are bundles to install, by scope, that OLM does not install as things stand.
	Stuck map[cluster.Scope][]string
	// numbers are those of all fixes.
	numbers numbering
	// own is why a bundle is, or is not, in the answer without what fails.
	own *result.Explanation
}

// writeFailure prints why a scope has no answer, below a heading that says so.
func (v View) writeFailure(w *bytes.Buffer, err error, heading int, s terminal.Style) {
	say := func(err error) []string { return strings.Split(string(terminal.Message(err)), "\n") }
	v.write(w, *text.Of(err, say), result.HelpOf(err), err, heading, s)
}

// write prints advice, with what this program adds, below a heading.
func (v View) write(w *bytes.Buffer, a text.Advice, help *result.Help, err error, heading int, s terminal.Style) {
	a.Options = v.Call.OptionTexts(help, err)
	if len(a.NotGiven) > 0 {
		a.NotGiven = append(a.NotGiven, v.Call.GiveOrLeave(help.NotGiven))
	}
	a.NumberFrom(v.numbers[help])
	if a.Do != nil && v.Fix {
		a.Do.Shell = fmt.Sprintf("run this again with --fix %d", a.Do.Number)
	}
	limits := text.Limits{}
	if !v.All {
		limits = text.Limits{Lines: text.Screen, Heading: heading, Rest: cmp.Or(v.Rest, "--all")}
	}
	for _, section := range a.Sections(limits) { // with a blank line before each
		terminal.Section(w, s.Bold(section.Title), terminal.Mapped(section.Lines, func(l text.Line) terminal.Lines {
			l.Text = string(terminal.Line(l.Text))
			if l.Label == "Careful:" || l.Label == "warning:" {
				l.Label = s.Notice(l.Label)
			}
			if l.Follows && l.Label != "" {
				return terminal.Lines("   " + l.String())
			}
			return terminal.Lines(l.String())
		}))
	}
}

// Advised returns the outcomes with what to do about unhealthy catalogs: a resolution looks for that, and
// questions about ways do not.
func Advised(ctx context.Context, p resolver.Problem, outcomes []result.Outcome) []result.Outcome {
	unhealthy := func(o result.Outcome) bool {
		_, is := errors.AsType[*result.CatalogsUnhealthy](o.Err)
		return is
	}
	all := slices.Clone(outcomes)
	scopes := terminal.Mapped(slices.DeleteFunc(slices.Clone(all), func(o result.Outcome) bool { return !unhealthy(o) }), func(o result.Outcome) cluster.Scope { return o.Scope })
	for _, o := range resolver.New().ResolveAll(ctx, p, scopes) {
		if unhealthy(o) {
			all[slices.IndexFunc(all, func(a result.Outcome) bool { return a.Scope == o.Scope })] = o
		}
	}
	return all
}
