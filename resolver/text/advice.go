// Package text says of a failure what somebody reads who has little time: why, what to do
// first, what else could be done, and what only others can change. It is a choice from what
// the failure holds, which stays complete, and laid out within limits.
package text

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// advice is what to read of a failure.
type advice struct {
	// why has the causes. The first is that of derivation, if it has one.
	why        []cause
	derivation []string
	// moreCauses counts those that the failure does not hold.
	moreCauses int
	// proceed says what could go on without what fails.
	proceed string
	// notGiven says, below its title, of which catalogs of the cluster nothing is known, though
	// they may have what is missing.
	notGivenTitle string
	notGiven      []string
	// missing is what no catalog has, others what only others can change.
	missing, others []string
	// wait is what to wait for, and afterWait what comes then. repair is how to end it, nil if
	// that is not known.
	wait, afterWait string
	repair          *result.Repair
	// leave says that nothing has to be done at once.
	leave string
	// do is what to do, nil if nothing helps, or waiting does.
	do *Recommendation
	// nothing is what to say if nothing helps.
	nothing string
	// or are other fixes.
	or []alternative
	// options are what options of the call, or of a program, would do.
	options []string
	// stated are conditions that OLM states of it.
	stated []string
	// cutOff says that not everything was searched.
	cutOff string

	groups int
	tool   Tool
}

// cause is a reason of a failure, a line for each sentence. step counts from 1 if it remains
// once the steps before it are done.
type cause struct {
	lines []string
	step  int
}

// Recommendation is the fix to carry out.
type Recommendation struct {
	// Number is what the fix is asked for by, from 1.
	Number int
	Class  result.Class
	// GivesUp are the requests that it drops.
	GivesUp string
	// Steps are to be done in this order, each on one object.
	Steps []string
	// Then is what it brings, and Careful what to know before.
	Then    string
	Careful []string
}

// alternative is another fix, or several with other values of the same fields, as what is
// done otherwise.
type alternative struct {
	number int // of the first
	text   string
}

// Tool is what a program adds to the advice.
type Tool struct {
	// Heading is the number of lines that stand above the advice, within its limits.
	Heading int
	// Options replace those of the call.
	Options []string
	// Give says how to have catalogs judged.
	Give func([]catalog.Key) string
	// Message says an error that has no causes, a line each; nil: as the error itself.
	Message func(error) []string
	// Print says what prints a fix for the shell, and All what shows everything.
	Print func(number int) string
	All   string
}

// Of returns the advice for an error.
func Of(err error, tool Tool) []Section { return adviceFor(err, tool).sections() }

func adviceFor(err error, tool Tool) *advice {
	help := result.HelpOf(err)
	a := &advice{groups: 1, tool: tool}
	if e, ok := errors.AsType[*result.NotSatisfiable](err); ok && len(e.Causes) > 0 {
		a.causes(e)
		a.missing, a.proceed = e.MissingTexts(), e.ProceedText()
	} else if none, ok := errors.AsType[*result.NoPath](err); ok {
		for _, reason := range none.Reasons() {
			if len(reason) == 2 {
				reason = []string{strings.Join(reason, " ")}
			}
			a.why = append(a.why, cause{lines: reason})
		}
	} else if err != nil {
		say := tool.Message
		if say == nil {
			say = func(err error) []string { return strings.Split(err.Error(), "\n") }
		}
		a.why = []cause{{lines: say(err)}}
		for _, t := range result.FurtherOf(err).Told() {
			a.told(&t, help)
		}
	}
	a.takeHelp(help)
	a.noChange(err, help)
	return a
}

// For returns the advice of a help without a failure.
func For(help *result.Help, tool Tool) []Section {
	a := &advice{groups: 1, tool: tool}
	a.takeHelp(help)
	return a.sections()
}

// causes takes in what to say of causes.
func (a *advice) causes(e *result.NotSatisfiable) {
	a.moreCauses = e.MoreCauses
	for i, t := range e.Told() {
		a.groups = max(a.groups, t.Group)
		if i == 0 {
			a.derivation = t.Derivation()
		}
		a.told(&t, &e.Help)
	}
	if e.CutOff != nil {
		a.why = append(a.why, cause{lines: []string{fmt.Sprintf("the search for further causes was cut off: %v", e.CutOff)}})
	}
}

// told takes in a cause. One that remains after some changes counts if the recommended fix
// begins with these.
func (a *advice) told(t *result.Cause, help *result.Help) {
	c := cause{lines: t.Head()}
	if len(t.After) > 0 {
		if len(help.Fixes) == 0 || len(missing(t.After, help.Fixes[0].Changes)) > 0 {
			return
		}
		c.step = stepAfter(&help.Fixes[0], t.After, help.Home)
	}
	a.why = append(a.why, c)
}

// stepAfter returns the number of the first step of a fix that is of none of the changes.
func stepAfter(fix *result.Fix, done []result.Change, home string) int {
	step := 1 + saves(fix)
	for i := range fix.Changes {
		if len(missing(fix.Changes[i:i+1], done)) > 0 {
			return step
		}
		step += len(fix.Changes[i].Lines(home))
	}
	return step
}

// missing returns the changes of a list that another one does not have.
func missing(list, other []result.Change) []result.Change {
	return slices.DeleteFunc(slices.Clone(list), func(c result.Change) bool {
		return slices.ContainsFunc(other, func(o result.Change) bool { return c.Object == o.Object && reflect.DeepEqual(c.Steps, o.Steps) })
	})
}

// takeHelp takes in what would help.
func (a *advice) takeHelp(help *result.Help) {
	for i := range help.Others {
		if o := &help.Others[i]; !o.Missing() || len(o.After) > 0 { // Missing has the others
			a.others = append(a.others, o.Text(help.Home))
		}
	}
	title, text := help.NotGivenText()
	if text != "" {
		if a.notGivenTitle, a.notGiven = title, []string{text}; a.tool.Give != nil {
			a.notGiven = append(a.notGiven, a.tool.Give(help.NotGiven))
		}
	}
	for _, c := range help.Conditions {
		a.stated = append(a.stated, c.String())
	}
	if a.options = a.tool.Options; a.options == nil {
		a.options = help.OptionTexts()
	}
	a.cutOff = help.SearchText()
	a.wait, a.afterWait = help.WaitFor()
	a.leave = help.LeaveText()
	a.repair = help.Repair
	if len(help.Fixes) == 0 || a.repair != nil && a.repair.ByItself() {
		return
	}
	first := &help.Fixes[0]
	if a.wait == "" || first.Class < result.ClassGivesUp {
		a.do = Recommend(first, 1, help.Home)
	}
	a.alternatives(help)
}

// Recommend returns a fix of a number as a recommendation that does not name the namespace home.
func Recommend(f *result.Fix, number int, home string) *Recommendation {
	r := &Recommendation{Number: number, Class: f.Class, Then: f.Outcome(home), GivesUp: givenUp(f, home)}
	if save := f.Save(); save != "" {
		r.Steps = []string{save}
	}
	for i := range f.Changes {
		r.Steps = append(r.Steps, f.Changes[i].Lines(home)...)
	}
	for i := range f.Cautions {
		if c := &f.Cautions[i]; c.Kind == words.CautionUnusedGroup && f.Changes[0].Object.Kind == words.ObjectOperatorGroup { // it speaks for the fix
			r.Then += "; " + c.Clause()
		} else {
			r.Careful = append(r.Careful, c.Clause())
		}
	}
	r.Careful = words.Distinct(r.Careful)
	return r
}

// givenUp names the requests that a fix drops.
func givenUp(f *result.Fix, home string) string {
	names := words.Mapped(f.GivesUp, func(k cluster.RequestKey) string { return k.Name + words.InOther(k.Namespace, home) })
	if len(names) == 0 {
		return ""
	}
	return string(f.GivesUp[0].Kind) + words.Plural(len(names)) + " " + words.Listed(names, words.MaxNamed)
}

// noChange takes in what to say if nothing helps.
func (a *advice) noChange(err error, help *result.Help) {
	if len(help.Fixes)+len(help.NotGiven) > 0 || a.wait != "" || help.Search != words.SearchComplete && help.Search != words.SearchLimit {
		return
	}
	a.nothing = "no change of the cluster's objects that was tried helps"
	if len(a.missing)+len(help.Options) > 0 {
		return
	}
	if e, ok := errors.AsType[*result.NotSatisfiable](err); ok && len(e.Causes) > 0 {
		for _, end := range e.Causes[0].Explanation.Reason.Args().Conflict.Causes {
			for _, e := range []*result.Explanation{end.RequiredBy, end.Fact} {
				if e != nil && len(e.Bundles) > 0 && e.Bundles[0].Bundle.Package != "" {
					a.nothing += ": ask the publisher of package " + e.Bundles[0].Bundle.Package
					return
				}
			}
		}
	}
}

// alternatives takes in the fixes behind the recommended one.
func (a *advice) alternatives(help *result.Help) {
	list := help.Fixes
	first := map[int]*result.Fix{} // of a group
	for i := range list {
		if first[list[i].Group] == nil {
			first[list[i].Group] = &list[i]
		}
	}
	var last *result.Fix // whose alternative is the last of a.or
	for i := range list {
		f, than := &list[i], &list[0]
		if list[0].Group == 0 && f.Group != 0 {
			than = first[f.Group]
		}
		recommended := &list[0]
		if a.do == nil {
			than, recommended = &result.Fix{}, &result.Fix{}
		}
		own := missing(f.Changes, than.Changes)
		switch {
		case len(own) == 0: // it is a part of what is recommended
		case last != nil && f.Class == last.Class && slices.Equal(f.GivesUp, last.GivesUp) && alike(own, missing(last.Changes, than.Changes)):
			a.or[len(a.or)-1].text += "; or " + strconv.Itoa(i+1) + ". " + values(own)
			if !reflect.DeepEqual(f.Then, last.Then) {
				a.or[len(a.or)-1].text += ": " + f.Then.Text()
			}
		default:
			a.or, last = append(a.or, alternative{i + 1, otherwise(f, than, recommended, own, help.Home)}), f
		}
	}
}

// alike reports whether changes set the same fields of the same objects, and nothing else.
func alike(list, other []result.Change) bool {
	return slices.EqualFunc((&result.Fix{Changes: list}).Steps(), (&result.Fix{Changes: other}).Steps(), func(a, b result.Step) bool {
		return a.Object == b.Object && a.Field == b.Field && a.Field != ""
	})
}

// values are what changes set.
func values(list []result.Change) string {
	return "with " + strings.Join(words.Mapped((&result.Fix{Changes: list}).Steps(), result.Step.Setting), " and ")
}

// otherwise returns what a fix does otherwise than another one, of which recommended has the
// steps: what it gives up, or risks, then the changes of its own, and what it brings.
func otherwise(f, than, recommended *result.Fix, own []result.Change, home string) string {
	dropped := missing(than.Changes, f.Changes)
	steps, caution := numbers(recommended, dropped, home), against(f, recommended)
	var parts []string
	if f.Class >= result.ClassRemoves && f.Class <= result.ClassOverrides {
		parts = append(parts, "at a risk"+caution)
	} else if gives := givenUp(f, home); gives != "" {
		parts = append(parts, "giving up "+gives+caution)
	}
	text := ""
	if alike(own, dropped) {
		text = values(own) + " instead"
		if len(recommended.Changes) > len(dropped) {
			text = values(own) + " in step " + words.Listed(steps, len(steps)) + " instead"
		}
	} else {
		var changes []string
		for i := range own {
			if !drops(f, &own[i]) {
				changes = append(changes, own[i].Brief(home))
			} else if n := len(own[i].Steps); n > 1 {
				changes = append(changes, "delete "+own[i].Steps[n-1].Object.Name+" with it")
			}
		}
		text = strings.Join(changes, ", and ")
		if instead := " instead of step" + words.Plural(len(steps)) + " " + words.Listed(steps, len(steps)); len(steps) == 0 || len(recommended.Changes) == len(dropped) {
		} else if text != "" {
			text += "," + instead
		} else {
			parts[0] += instead // it only gives up a request
		}
	}
	if text != "" && len(parts) == 0 {
		text += caution
	}
	parts = append(parts, text)
	switch same := reflect.DeepEqual(f.Then, than.Then); {
	case len(than.Changes) > 0 && !same, len(f.Then.Removes) > 0:
		parts = append(parts, f.Then.Text())
	case caution != "", f.Class == result.ClassOverrides: // the caution, or what is overridden, says what comes of it
	case f.Class == result.ClassGivesUp:
		parts = append(parts, "nothing is installed for "+words.Verb(len(f.GivesUp), "it", "them"))
	case len(than.Changes) > 0:
		parts = append(parts, "the same comes of it")
	}
	return words.Unbroken(strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ": "))
}

// drops reports whether a change of a fix deletes a request that the fix gives up.
func drops(f *result.Fix, c *result.Change) bool {
	return slices.ContainsFunc(f.GivesUp, func(k cluster.RequestKey) bool {
		return c.Object == result.Object{Kind: string(k.Kind), Namespace: k.Namespace, Name: k.Name}
	}) && !slices.ContainsFunc(c.Steps, func(s result.Step) bool { return s.Create != nil || s.Field != "" })
}

// against returns the first caution against a fix that the recommended one does not have, a grave
// one if there is any.
func against(f, recommended *result.Fix) (text string) {
	for i := range f.Cautions {
		c := &f.Cautions[i]
		if slices.ContainsFunc(recommended.Cautions, func(r result.Caution) bool { return reflect.DeepEqual(r, *c) }) {
			continue
		}
		if c.Grave() {
			return " (" + c.Clause() + ")"
		} else if text == "" {
			text = " (" + c.Clause() + ")"
		}
	}
	return text
}

// saves is the number of steps with which a recommended fix begins, to keep what it deletes.
func saves(f *result.Fix) int { return min(1, len(f.Save())) }

// numbers returns the steps of a fix that belong to changes.
func numbers(f *result.Fix, changes []result.Change, home string) (steps []string) {
	n := saves(f)
	for i := range f.Changes {
		lines := len(f.Changes[i].Lines(home))
		for range lines {
			if n++; len(missing(f.Changes[i:i+1], changes)) == 0 {
				steps = append(steps, strconv.Itoa(n))
			}
		}
	}
	return steps
}
