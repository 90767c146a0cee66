// Package text is how answers are said to people: [Of] a failure, or [OfHelp] without one, it
// returns an [Advice], which [Advice.Sections] lays out within [Limits]. Sentences about a single
// fact are of package words.
package text

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// Advice is what to say of a failure, of a row of status, or of why a bundle is not selected: why,
// what to do first, what else could be done, and what only others can change. A program may
// change its texts before it lays them out.
type Advice struct {
	// Why has the causes, each a line for each sentence. The first is that of Derivation, if it has
	// one. MoreCauses counts those that the failure does not hold.
	Why        []Cause
	Derivation []string
	MoreCauses int
	// Proceed says what could go on without what fails.
	Proceed string
	// NotGiven says of which catalogs of the cluster nothing is known, though they may have what
	// is missing.
	NotGiven []string
	// Missing is what no catalog has, Others what only others can change.
	Missing, Others []string
	// Wait is what to wait for, empty if waiting does not help, and Then what comes then. Repair is
	// how to end it, nil if that is not known.
	Wait, Then string
	Repair     *result.Repair
	// Leave says that nothing has to be done at once, if waiting does not help.
	Leave string
	// Do is what to do, nil if nothing helps, or waiting does.
	Do *Recommendation
	// Nothing is what to say if nothing helps.
	Nothing string
	// Or are other fixes. Risky is true if there are fixes, but none without a risk: only [OfRow] sets
	// it, and Else, which is the first thing that others, or options, could do.
	Or    []Alternative
	Risky bool
	Else  string
	// Options are what options of the call, or of a program, would do.
	Options []string
	// Stated are conditions that OLM states of it.
	Stated []string
	// CutOff says that not everything was searched.
	CutOff string

	groups int
	kept   int // options that always stay
	before int // fixes with numbers before those of help
	err    error
	help   result.Help
}

// Cause is a reason of a failure, a line for each sentence. Step counts from 1 if it remains once
// the steps of the recommendation before it are done.
type Cause struct {
	Lines []string
	Step  int
	after bool // it remains once something is done
}

// Recommendation is the fix to carry out.
type Recommendation struct {
	// Number is what the fix is asked for by, from 1.
	Number int
	Class  result.Class
	// GivesUp are the requests that it drops. Serves says what has installed the same for them already.
	GivesUp, Serves string
	// Steps are to be done in this order, each on one object.
	Steps []string
	// After is what it waits for, if it changes nothing before.
	After string
	// Then is what it brings, and Careful what to know before. Shell says what prints it for the
	// shell, empty if nothing does.
	Then    string
	Careful []string
	Shell   string
}

// Alternative is another fix of a number, as what is done otherwise. Also are fixes that only have other
// values of the same fields.
type Alternative struct {
	Number int
	Text   string
	Also   []Alternative
	// Risky is set by [OfRow] alone, where the text does not say so.
	Risky bool
	// Careful is what to know before, if Text does not say it.
	Careful []string
}

// Of returns the advice for an error. say returns the lines of one that has no causes; if it is nil,
// these are the error's own.
func Of(err error, say func(error) []string) *Advice {
	help := result.HelpOf(err)
	a := &Advice{groups: 1, err: err, help: *help}
	if e, ok := errors.AsType[*result.NotSatisfiable](err); ok && len(e.Causes) > 0 {
		a.causes(e)
		a.Missing, a.Proceed = e.MissingTexts(), proceed(e)
	} else if none, ok := errors.AsType[*result.NoPath](err); ok {
		for _, reason := range none.Reasons() {
			if len(reason) == 2 {
				reason = []string{strings.Join(reason, " ")}
			}
			a.Why = append(a.Why, Cause{Lines: reason})
		}
	} else if err != nil {
		if say == nil {
			say = func(err error) []string { return strings.Split(err.Error(), "\n") }
		}
		a.Why = []Cause{{Lines: say(err)}}
		for _, t := range result.FurtherOf(err).Told() {
			a.told(&t)
		}
	}
	a.takeHelp()
	a.noChange()
	return a
}

// OfHelp returns the advice of a help without a failure.
func OfHelp(help *result.Help) *Advice {
	a := &Advice{groups: 1, help: *cmp.Or(help, &result.Help{})}
	a.takeHelp()
	return a
}

// NumberFrom has the numbers of all fixes follow those of others, which so many stand before.
func (a *Advice) NumberFrom(before int) {
	a.before = before
	if a.Do != nil {
		a.Do.Number += before
	}
	for i := range a.Or {
		a.Or[i].Number += before
		for j := range a.Or[i].Also {
			a.Or[i].Also[j].Number += before
		}
	}
}

// causes takes in what to say of causes.
func (a *Advice) causes(e *result.NotSatisfiable) {
	a.MoreCauses = e.MoreCauses
	for i, t := range e.Told() {
		a.groups = max(a.groups, t.Group)
		if i == 0 {
			a.Derivation = derivation(&t)
		}
		a.told(&t)
	}
	if e.CutOff != nil {
		a.Why = append(a.Why, Cause{Lines: []string{fmt.Sprintf("the search for further causes was cut off: %v", e.CutOff)}})
	}
}

// told takes in a cause. One that remains after some changes counts if the recommended fix
// begins with these.
func (a *Advice) told(t *result.Cause) {
	c := Cause{Lines: head(t)}
	c.after = len(t.After) > 0
	switch fixes := a.help.Fixes; {
	case !c.after:
	case len(fixes) > 0 && len(missing(t.After, fixes[0].Changes)) == 0:
		c.Step = stepAfter(&fixes[0], t.After, a.help.Home)
	case len(fixes) > 0 && fixes[0].Class <= result.ClassWidens || !invalid(a.err):
		return
	}
	a.Why = append(a.Why, c)
}

// invalid reports whether an error states a fault beside which nothing else was looked at.
func invalid(err error) bool { return result.Of(err) == result.ResultInvalidInput }

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
func (a *Advice) takeHelp() {
	help := &a.help
	for i := range help.Others {
		if o := &help.Others[i]; !o.Missing() || len(o.After) > 0 { // Missing has the others
			a.Others = append(a.Others, o.Text(help.Home))
		}
	}
	if text := notGiven(help); text != "" {
		a.NotGiven = []string{text}
	}
	for _, c := range help.Conditions {
		a.Stated = append(a.Stated, c.String())
	}
	a.Options, a.kept = help.OptionTexts(), min(len(help.Elsewhere), 1)
	a.CutOff = cutOff(help)
	if a.Wait, a.Then = help.WaitFor(); a.Wait == "" {
		a.Leave = leaveOf(help)
	}
	if a.Repair = help.Repair; a.Repair.OfCatalog() { // Wait says it
		a.Repair = nil
	}
	if len(help.Fixes) == 0 || a.Repair != nil && a.Repair.ByItself() {
		return
	}
	first := &help.Fixes[0]
	if a.Wait == "" || first.Class < result.ClassGivesUp {
		a.Do = Recommend(first, 1, help.Home)
	}
	a.alternatives()
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
		switch c := &f.Cautions[i]; {
		case c.Kind == words.CautionServes:
			r.Serves = c.Clause()
		case c.Kind == words.CautionUnusedGroup && f.Changes[0].Object.Kind == words.ObjectOperatorGroup: // it speaks for the fix
			r.Then += "; " + c.Clause()
		default:
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
func (a *Advice) noChange() {
	help := &a.help
	if len(help.Fixes)+len(help.NotGiven) > 0 || a.Wait != "" || help.Search != result.SearchComplete && help.Search != result.SearchLimit {
		return
	}
	a.Nothing = "none of the changes to the cluster that were tried helps"
	if len(a.Missing)+len(help.Options) > 0 {
		return
	}
	if e, ok := errors.AsType[*result.NotSatisfiable](a.err); ok && len(e.Causes) > 0 {
		for _, end := range e.Causes[0].Explanation.Reason.Args().Conflict.Causes {
			for _, e := range []*result.Explanation{end.RequiredBy, end.Fact} {
				if e != nil && len(e.Bundles) > 0 && e.Bundles[0].Bundle.Package != "" {
					a.Nothing += ": ask the publisher of package " + e.Bundles[0].Bundle.Package
					return
				}
			}
		}
	}
}

// alternatives takes in the fixes behind the recommended one.
func (a *Advice) alternatives() {
	list := a.help.Fixes
	first := map[int]*result.Fix{} // of a group
	for i := range list {
		if first[list[i].Group] == nil {
			first[list[i].Group] = &list[i]
		}
	}
	var last *result.Fix // whose alternative is the last of a.Or
	for i := range list {
		f, than := &list[i], &list[0]
		if list[0].Group == 0 && f.Group != 0 {
			than = first[f.Group]
		}
		recommended := &list[0]
		if a.Do == nil {
			than, recommended = &result.Fix{}, &result.Fix{}
		}
		changes := missing(f.Changes, than.Changes)
		switch {
		case len(changes) == 0: // it is a part of what is recommended
		case last != nil && f.Class == last.Class && slices.Equal(f.GivesUp, last.GivesUp) && alike(changes, missing(last.Changes, than.Changes)):
			also := Alternative{Number: i + 1, Text: values(changes)}
			if !reflect.DeepEqual(f.Then, last.Then) {
				also.Text += ": " + f.Then.Text()
			}
			or := &a.Or[len(a.Or)-1]
			or.Also = append(or.Also, also)
		default:
			a.Or, last = append(a.Or, Alternative{Number: i + 1, Text: otherwise(f, than, recommended, changes, a.help.Home)}), f
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
func otherwise(f, than, recommended *result.Fix, first []result.Change, home string) string {
	dropped := missing(than.Changes, f.Changes)
	steps, caution := numbers(recommended, dropped, home), against(f, recommended)
	var parts []string
	if f.Class >= result.ClassRemoves && f.Class <= result.ClassOverrides {
		parts = append(parts, "at a risk"+caution)
	} else if gives := givenUp(f, home); gives != "" {
		parts = append(parts, "delete "+gives+caution)
	}
	text := ""
	if alike(first, dropped) {
		text = values(first) + " instead"
		if len(recommended.Changes) > len(dropped) {
			text = values(first) + " in step " + words.Listed(steps, len(steps)) + " instead"
		}
	} else {
		var changes []string
		for i := range first {
			if !drops(f, &first[i]) {
				changes = append(changes, first[i].Brief(home))
			} else if n := len(first[i].Steps); n > 1 && len(parts) > 0 {
				o := first[i].Steps[n-1].Object
				parts[0] += " and " + o.Kind + " " + o.Name + words.InOther(o.Namespace, home)
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
		parts = append(parts, "the result is the same")
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
