package text

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// OfRow returns the advice about rows of status in a few lines, as far as it is safe: of what helps
// them, the fixes that count for them, an error, and what options of a program would do. Numbers are
// places among these fixes.
func OfRow(help *result.Help, fixes []result.Fix, err error, options []string) *Advice {
	help = cmp.Or(help, &result.Help{})
	a := &Advice{err: err, help: *help, groups: 1}
	a.Wait, a.Then = help.WaitFor()
	forward := len(fixes) > 0 && fixes[0].FailsForward()
	grants := len(fixes) > 0 && fixes[0].Grants() // what the repair begins with
	serves := len(fixes) > 0 && help.Repair.Shares() && Recommend(&fixes[0], 1, help.Home).Serves != ""
	instead := len(help.Wait) > 0 || help.Repair.Shares()
	switch {
	case serves: // what runs for all namespaces stays, so waiting ends nothing
		a.Wait, a.Then = "", ""
		a.do(fixes)
	case a.Wait != "" && len(fixes) > 0 && (fixes[0].Overrides() || instead && fixes[0].Class <= result.ClassGivesUp):
		a.Or = []Alternative{{Number: 1, Text: fixes[0].Do(help.Home)}}
		if !fixes[0].Overrides() { // what that risks stands in the reason
			for i := range fixes[0].Cautions {
				a.Or[0].Careful = append(a.Or[0].Careful, fixes[0].Cautions[i].Clause())
			}
		}
	case a.Wait != "" && !forward && !grants:
	case len(fixes) > 0 && (forward || fixes[0].Class <= result.ClassGivesUp):
		a.do(fixes)
	default:
		a.Risky = len(fixes) > 0
	}
	if a.Wait == "" && (a.Do == nil || a.Do.GivesUp != "") {
		if a.Do == nil && !a.Risky {
			a.Leave = leaveOf(help)
		}
		a.Else = a.otherwise(len(fixes) == 0, options)
		if way := plain(help, fixes); way != "" && a.Do == nil {
			a.Else = strings.TrimPrefix(a.Else+"; or "+way, "; or ")
		}
	}
	return a
}

// plain returns the fix that gives up a request, leaves what it has installed running and lets others
// go on, if it is the first and all works; else an empty text.
func plain(help *result.Help, fixes []result.Fix) string {
	if len(help.Runs) == 0 || len(fixes) == 0 || fixes[0].Class != result.ClassAbandons || len(fixes[0].Waiting) > 0 {
		return ""
	}
	f := &fixes[0]
	if f.Risk != result.RiskNone || len(f.Then.Removes) > 0 || len(f.Then.Updates)+len(f.Then.Installs) == 0 {
		return ""
	}
	text, careful := f.Parts(help.Home)
	return "if it can go without updates: " + strings.Join(append([]string{text}, careful...), "; ")
}

// do takes in the first fix, and one at a risk that drops nothing where it drops a request.
func (a *Advice) do(fixes []result.Fix) {
	a.Do = Recommend(&fixes[0], 1, a.help.Home)
	at := slices.IndexFunc(fixes, func(f result.Fix) bool { return f.Class == result.ClassRemoves || f.Class == result.ClassOverrides })
	if at > 0 && a.Do.GivesUp != "" {
		text, careful := fixes[at].Parts(a.help.Home)
		a.Or = []Alternative{{Number: at + 1, Text: text, Risky: true, Careful: careful}}
	}
	if _, ambiguous := errors.AsType[*result.Ambiguous](a.err); ambiguous && len(fixes) > 1 && alike(fixes[1].Changes, fixes[0].Changes) { // which one is for the administrator to say
		a.Or = []Alternative{{Number: 2, Text: values(fixes[1].Changes) + " instead: " + fixes[1].Then.Text()}}
	}
	if names := words.Mapped(fixes[0].Waiting, func(k cluster.RequestKey) string { return k.Name }); len(names) > 0 {
		a.Do.After = strings.Join(few(names, mostAwaited, "%d others"), ", ") + words.Verb(len(names), " is", " are") + " satisfied or deleted"
		a.Do.Then = "" // it is what all bring
	}
}

// otherwise returns what others, or options of the program, could do if nothing else helps, or before
// the recommended fix drops a request.
func (a *Advice) otherwise(none bool, options []string) string {
	var missing []string
	if e, ok := errors.AsType[*result.NotSatisfiable](a.err); ok {
		missing = e.MissingTexts()
	}
	others, n := a.help.Others, len(a.help.NotGiven)
	other := slices.IndexFunc(others, func(o result.Other) bool { return !o.Updates() && !o.Missing() }) // the reason says what updates, and what is missing
	if other < 0 && a.Do == nil {
		other = slices.IndexFunc(others, func(o result.Other) bool { return !o.Updates() })
	}
	switch {
	case none && n > 0:
		names := words.Mapped(a.help.NotGiven, catalog.Key.String)
		return "no advice without catalog" + words.Plural(n) + " " + strings.Join(few(names, mostAwaited, "%d others"), ", ") + ": see above"
	case len(missing) > 0:
		text := strings.Join(few(missing, mostMissing, "%d more are missing"), "; ")
		if a.Do != nil {
			text = "first look for a catalog that has what is missing: " + text
		}
		return text
	case other >= 0 && others[other].Missing():
		return others[other].Text(a.help.Home)
	case other >= 0:
		return "needs a change by others: " + others[other].Text(a.help.Home)
	case len(options) > 0:
		return options[0]
	case a.Do == nil:
		return cutOff(&a.help)
	}
	return ""
}

// few returns the first texts, and how many follow if that is more than one.
func few(texts []string, most int, rest string) []string {
	if more := len(texts) - most; more > 1 {
		return append(slices.Clone(texts[:most]), fmt.Sprintf(rest, more))
	}
	return texts
}

// Label is what stands above the steps, with the number of the fix where fixes have one; empty without a
// recommendation.
func (a *Advice) Label(numbered bool) string {
	if a.Do == nil {
		return ""
	}
	label := "Fix"
	switch {
	case a.Do.Class == result.ClassOverrides && a.Repair != nil:
		label = "Only if it cannot be repaired, risky fix"
	case a.Do.Class == result.ClassOverrides:
		label = "Risky fix"
	}
	if numbered {
		label += fmt.Sprintf(" %d", a.Do.Number)
	}
	if a.Do.GivesUp != "" && a.Do.Serves == "" {
		label += ", if you can do without " + a.Do.GivesUp
	}
	if a.Do.After != "" {
		label += ", once " + a.Do.After
	}
	return label
}
