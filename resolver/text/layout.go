package text

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// Limits bound a layout. The zero value has none: everything is said, and each fix as a sentence of
// its own.
type Limits struct {
	// Lines, of 100 characters, are for one group of causes. Further groups get more.
	Lines int
	// Heading is the number of these lines that stand above.
	Heading int
	// Rest says what shows what is left out.
	Rest string
}

// Screen is the number of lines of an answer that one reads at once.
const Screen = 25

// What a line holds, and the lines of each further group of causes.
const (
	columns   = 100
	moreLines = 10
)

// Section is a titled part of the text.
type Section struct {
	Title string
	Lines []Line
	// Continues is true if it is about the same as the section before.
	Continues bool
}

// Line is one line of a Section. Label is a number or a word that ends in a colon, empty if
// there is none.
type Line struct {
	Label, Text string
	// Follows is true if the line belongs to the one before.
	Follows bool
	// Fix is the place in Help.Fixes, from 1, of the fix that it states in whole, 0 if none.
	Fix int
}

// String returns the line without an indent.
func (l Line) String() string {
	if l.Label == "" {
		return l.Text
	}
	return l.Label + " " + l.Text
}

// section is a section, or without a title the end of the one before. Its last entries can be left
// out, but for some.
type section struct {
	title   string
	entries [][]Line
	least   int
	floor   int    // entries that stay even if nothing else can be left out
	thing   string // what an entry is, to count those that are left out
	hidden  int
	helps   bool // it says what would help
}

// cut leaves out the last entry, and reports whether there was one that need not stay.
func (p *section) cut() bool {
	if len(p.entries) <= p.least {
		return false
	}
	p.hidden++
	p.entries = p.entries[:len(p.entries)-1]
	return true
}

// most leaves out all but so many entries.
func (p *section) most(n int) {
	for len(p.entries) > n && p.cut() {
	}
}

// add adds an entry.
func (p *section) add(label string, lines ...string) {
	most := maxSentence
	if p.thing == way || p.thing == step {
		most = maxWay
	}
	var entry []Line
	for i, line := range lines {
		if i > 0 {
			label = ""
		}
		entry = append(entry, Line{Label: label, Text: words.Clip(line, most), Follows: i > 0})
	}
	p.entries = append(p.entries, entry)
}

// Sections lays out the advice within limits. What is left out is counted.
func (a *Advice) Sections(l Limits) []Section {
	if l == (Limits{}) {
		return l.joined(a.whole())
	}
	why, derivation, further := &section{title: titleWhy, least: 1}, &section{}, &section{thing: "cause"}
	for i, c := range a.Why {
		switch {
		case i == 0:
			why.add("", c.Lines...)
		case c.Step > 0:
			further.add("Without step "+strconv.Itoa(c.Step)+":", c.Lines...)
		default:
			further.add("", c.Lines...)
		}
	}
	for _, line := range a.Derivation {
		derivation.add("", line)
	}
	further.hidden = a.MoreCauses
	first := &section{title: titleNotGiven, thing: "catalog"}
	if len(a.NotGiven) > 0 {
		first.add("", a.NotGiven...)
	}
	proceed := listed("", "", a.Proceed)
	missing := listed(titleMissing, "thing", a.Missing...)
	others := listed(titleOthers, "change", a.Others...)
	options := listed(titleOptions, "option", a.Options...)
	stated := listed(titleStated, condition, a.Stated...)
	steps, then := a.steps()
	or := &section{title: "Or", thing: way, least: 1}
	if len(steps.entries) == 0 {
		or.title = titleHelps
	}
	for _, other := range a.Or {
		text := other.Text
		for _, also := range other.Also {
			text += "; or " + strings.ToLower(fixLabel(also.Number)) + " " + also.Text
		}
		or.add(fixLabel(other.Number), text)
	}
	end := listed(titleHelps, "", a.Nothing, a.CutOff)
	derivation.most(maxDerivation)
	stated.most(maxStated)
	or.most(maxOr)
	for _, p := range []*section{first, missing, others, options} {
		p.most(maxListed)
	}
	missing.floor, others.floor = 1, 1
	first.least, missing.least, others.least, options.least = len(first.entries), 1, 1, a.kept
	order := []*section{first, why, derivation, further, proceed, missing, steps, then, or, others, end, options, stated}
	if a.Do == nil || a.Do.Class >= result.ClassGivesUp { // somebody else has the better way
		order = []*section{first, why, derivation, further, proceed, missing, others, steps, then, or, end, options, stated}
	}
	if a.Do != nil && a.Do.Class >= result.ClassGivesUp { // an option costs the cluster nothing
		order = []*section{first, why, derivation, further, proceed, missing, others, options, steps, then, or, end, stated}
	}
	limit := l.Lines + min(mostFurther, moreLines*(a.groups-1)) - l.Heading
	cuts := []*section{derivation, stated, options, or, steps, others, missing, further, or, others, missing, steps, then}
	if a.Do != nil && a.Do.Class < result.ClassGivesUp { // another way helps more than whom to ask
		others.floor = 0
		cuts = []*section{derivation, stated, options, or, steps, others, missing, further, others, or, missing, steps, then}
	}
	for i, p := range cuts { // the first helps least
		if slices.Contains(cuts[:i], p) && (p != steps || a.Do != nil) { // all of a repair stays
			p.least = min(p.least, p.floor)
		}
		for l.height(order) > limit && p.cut() {
		}
	}
	return l.joined(order)
}

// listed is a part of single lines.
func listed(title, thing string, lines ...string) *section {
	p := &section{title: title, thing: thing}
	for _, line := range lines {
		if line != "" {
			p.add("", line)
		}
	}
	return p
}

// fixLabel is the label of a fix. A bare number is that of a step.
func fixLabel(number int) string { return "Fix " + strconv.Itoa(number) + ":" }

// steps lays out what to do, and what it brings.
func (a *Advice) steps() (steps, then *section) {
	steps, then = &section{title: "Do this", thing: step}, &section{}
	if a.Wait != "" {
		text := a.Wait
		if a.Do != nil {
			text += "; or at once:"
		}
		steps.add("", text)
		if r := a.Repair; r != nil && a.Do == nil {
			for i, text := range r.Steps() {
				steps.add(strconv.Itoa(i+1)+".", text)
			}
		}
		if a.Then != "" {
			then.add("Then:", a.Then)
		}
		if a.Repair != nil {
			for _, text := range a.Repair.Careful() {
				then.add("Careful:", text)
			}
		}
	}
	if a.Leave != "" {
		steps.add("", a.Leave)
	}
	if a.Do == nil {
		steps.least, then.least = len(steps.entries), len(then.entries)
		return steps, then
	}
	how := ""
	switch class := a.Do.Class; {
	case a.Do.Serves != "":
		steps.add("", a.Do.Serves)
	case class == result.ClassGivesUp, class == result.ClassAbandons:
		how = ", if you can do without " + a.Do.GivesUp
	case class == result.ClassRemoves, class == result.ClassOverrides:
		how = ", at a risk"
	}
	if how += " (tried here, not on the cluster)"; a.Leave != "" {
		steps.add("", "or"+how+":")
	} else {
		steps.title += how
	}
	steps.floor = len(steps.entries) + 1
	steps.least = steps.floor + 4
	for i, text := range a.Do.Steps {
		steps.add(strconv.Itoa(i+1)+".", text)
	}
	then.add("Then:", a.Do.Then)
	for _, text := range a.Do.Careful {
		then.add("Careful:", text)
	}
	then.least = len(then.entries)
	if a.Do.Shell != "" {
		then.add("For the shell:", a.Do.Shell)
	}
	return steps, then
}

// counted returns the line that counts what a part leaves out.
func (l Limits) counted(p *section) Line {
	text := "and " + words.Count(p.hidden, "more "+p.thing)
	if l.Rest != "" {
		text += ": " + l.Rest
	}
	return Line{Text: text}
}

// joined returns the sections of parts.
func (l Limits) joined(parts []*section) (list []Section) {
	helped := false // by the section before
	for _, p := range parts {
		lines := slices.Concat(p.entries...)
		if p.hidden > 0 && p.thing != "" && (len(lines) > 0 || p.thing != condition) { // the failure says the same
			lines = append(lines, l.counted(p))
		}
		switch {
		case len(lines) == 0:
		case (p.title == "" || len(p.entries) == 0) && len(list) > 0:
			list[len(list)-1].Lines = append(list[len(list)-1].Lines, lines...)
		default:
			list = append(list, Section{p.title, lines, helped && p.helps})
			helped = p.helps
		}
	}
	return list
}

// height returns how many lines of columns parts take.
func (l Limits) height(parts []*section) int {
	n := 0
	for _, s := range l.joined(parts) {
		n += 2 // a blank line and the title
		for _, line := range s.Lines {
			n += (utf8.RuneCountInString(line.String()) + indent + columns - 1) / columns
		}
	}
	return n
}

const indent = 2

// condition is what an entry of what OLM states is, step one of what to do, and way one of what could be done else.
const (
	condition = "condition"
	step      = "step"
	way       = "way"
)

// Brief returns what to read first of an error, see [Screen].
func Brief(err error) string { return Of(err, nil).Text(Limits{Lines: Screen}) }

// All returns everything about an error.
func All(err error) string { return Of(err, nil).Text(Limits{}) }

// Text lays out the advice as a text of at most [result.MaxExplanation] bytes. The causes stand first,
// without a title.
func (a *Advice) Text(l Limits) string {
	var why, rest strings.Builder
	first, more := "\n  ", "\n  "
	if l == (Limits{}) {
		first, more = "\n  - ", "\n    "
	}
	gap := map[bool]string{false: "\n\n", true: "\n"}
	for i, s := range a.Sections(l) {
		out, first, more := &rest, first, more
		if s.Title == titleWhy && i == 0 {
			out, first, more = &why, "\n", "\n"
		} else {
			rest.WriteString(gap[s.Continues] + s.Title + ":")
		}
		for _, line := range s.Lines {
			switch {
			case line.Fix > 0: // its number is for those who can ask for it
				out.WriteString(first + line.Text)
			case line.Follows && line.Label != "":
				out.WriteString("; " + line.String())
			case line.Follows:
				out.WriteString(more + line.String())
			default:
				out.WriteString(first + line.String())
			}
		}
	}
	// If something must be cut, it is the end of a long derivation, not the fixes.
	text := words.Clip(why.String(), max(result.MaxExplanation-rest.Len(), result.MaxExplanation/2)) + rest.String()
	return words.Clip(strings.TrimLeft(text, "\n")+"\n", result.MaxExplanation)
}
