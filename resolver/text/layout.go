package text

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// The limits of a text: lines of so many columns for one group of causes and for each further
// one, and in all.
const (
	columns    = 100
	leastLines = 25
	moreLines  = 10
	mostLines  = 45
)

// What a text shows at most if there is room: bytes of a sentence, lines of a derivation,
// alternatives, conditions, and entries of another list.
const (
	maxSentence   = 280
	maxWay        = 500 // an alternative: what it brings stands last
	maxDerivation = 8
	maxOr         = 3
	maxStated     = 2
	maxListed     = 3
)

// Section is a titled part of the text.
type Section struct {
	Title string
	Lines []Line
}

// Line is one line of a Section. Label is a number or a word that ends in a colon, empty if
// there is none.
type Line struct{ Label, Text string }

// String returns the line without an indent.
func (l Line) String() string {
	if l.Label == "" {
		return l.Text
	}
	return l.Label + " " + l.Text
}

// part is a section, or without a title the end of the one before. Its last entries can be left
// out, but for some.
type part struct {
	title   string
	entries [][]Line
	least   int
	thing   string // what an entry is, to count those that are left out
	hidden  int
}

// cut leaves out the last entry, and reports whether there was one that need not stay.
func (p *part) cut() bool {
	if len(p.entries) <= p.least {
		return false
	}
	p.hidden++
	p.entries = p.entries[:len(p.entries)-1]
	return true
}

// most leaves out all but so many entries.
func (p *part) most(n int) {
	for len(p.entries) > n && p.cut() {
	}
}

// add adds an entry.
func (p *part) add(label string, lines ...string) {
	most := maxSentence
	if p.thing == way {
		most = maxWay
	}
	var entry []Line
	for i, line := range lines {
		if i > 0 {
			label = ""
		}
		entry = append(entry, Line{label, words.Clip(line, most)})
	}
	p.entries = append(p.entries, entry)
}

// sections lays out the advice within the limits. What is left out is counted.
func (a *advice) sections() []Section {
	why, derivation, further := &part{title: "Why", least: 1}, &part{}, &part{thing: "cause"}
	for i, c := range a.why {
		switch {
		case i == 0:
			why.add("", c.lines...)
		case c.step > 0:
			further.add("Without step "+strconv.Itoa(c.step)+":", c.lines...)
		default:
			further.add("", c.lines...)
		}
	}
	for _, line := range a.derivation {
		derivation.add("", line)
	}
	further.hidden = a.moreCauses
	first := &part{title: a.notGivenTitle, thing: "catalog"}
	if len(a.notGiven) > 0 {
		first.add("", a.notGiven...)
	}
	proceed := listed("", "", a.proceed)
	missing := listed("What is missing (no catalog given has it: another one of the cluster may, else one has to be added to it)", "thing", a.missing...)
	others := listed("Only others can change", "change", a.others...)
	options := listed("Options of the tool (nothing in the cluster)", "option", a.options...)
	stated := listed("What OLM states of it", condition, a.stated...)
	steps, then := a.steps()
	or := &part{title: "Or", thing: way, least: 1}
	if len(steps.entries) == 0 {
		or.title = "What would help"
	}
	for _, other := range a.or {
		or.add(strconv.Itoa(other.number)+".", other.text)
	}
	end := listed("What would help", "", a.nothing, a.cutOff)
	derivation.most(maxDerivation)
	stated.most(maxStated)
	or.most(maxOr)
	for _, p := range []*part{first, missing, others, options} {
		p.most(maxListed)
	}
	first.least, missing.least, others.least = len(first.entries), 1, 1
	order := []*part{first, why, derivation, further, proceed, missing, steps, then, or, others, end, options, stated}
	if a.do == nil || a.do.Class >= result.ClassGivesUp { // somebody else has the better way
		order = []*part{first, why, derivation, further, proceed, missing, others, steps, then, or, end, options, stated}
	}
	if a.do != nil && a.do.Class >= result.ClassGivesUp { // an option costs the cluster nothing
		order = []*part{first, why, derivation, further, proceed, missing, others, options, steps, then, or, end, stated}
	}
	limit := min(mostLines, leastLines+moreLines*(a.groups-1)) - a.tool.Heading
	cuts := []*part{derivation, stated, options, or, steps, others, missing, further, or, others, missing, steps, then}
	for i, p := range cuts { // the first helps least
		if slices.Contains(cuts[:i], p) && (p != steps || a.do != nil) { // all of a repair stays
			p.least = min(p.least, 1) // now all but the first
		}
		for a.height(order) > limit && p.cut() {
		}
	}
	return a.joined(order)
}

// listed is a part of single lines.
func listed(title, thing string, lines ...string) *part {
	p := &part{title: title, thing: thing}
	for _, line := range lines {
		if line != "" {
			p.add("", line)
		}
	}
	return p
}

// steps lays out what to do, and what it brings.
func (a *advice) steps() (steps, then *part) {
	steps, then = &part{title: "Do this", thing: "step"}, &part{}
	if a.wait != "" {
		text := a.wait
		if a.do != nil {
			text += "; or at once:"
		}
		steps.add("", text)
		if r := a.repair; r != nil && a.do == nil {
			for i, step := range r.Steps() {
				steps.add(strconv.Itoa(i+1)+".", step)
			}
		}
		if a.afterWait != "" {
			then.add("Then:", a.afterWait)
		}
		if a.repair != nil {
			for _, text := range a.repair.Careful() {
				then.add("Careful:", text)
			}
		}
	}
	if a.leave != "" {
		steps.add("", a.leave)
	}
	if a.do == nil {
		steps.least, then.least = len(steps.entries), len(then.entries)
		return steps, then
	}
	how := ""
	switch a.do.Class {
	case result.ClassGivesUp, result.ClassAbandons:
		how = ", if you can do without " + a.do.GivesUp
	case result.ClassRemoves, result.ClassOverrides:
		how = ", at a risk"
	}
	if how += " (tried here, not on the cluster)"; a.leave != "" {
		steps.add("", "or"+how+":")
	} else {
		steps.title += how
	}
	for i, step := range a.do.Steps {
		steps.add(strconv.Itoa(i+1)+".", step)
	}
	steps.least = 5
	then.add("Then:", a.do.Then)
	for _, text := range a.do.Careful {
		then.add("Careful:", text)
	}
	then.least = len(then.entries)
	if a.tool.Print != nil {
		if text := a.tool.Print(a.do.Number); text != "" {
			then.add("For the shell:", text)
		}
	}
	return steps, then
}

// counted returns the line that counts what a part leaves out.
func (a *advice) counted(p *part) Line {
	text := "and " + words.Count(p.hidden, "more "+p.thing)
	if a.tool.All != "" {
		text += ": " + a.tool.All
	}
	return Line{Text: text}
}

// joined returns the sections of parts.
func (a *advice) joined(parts []*part) (list []Section) {
	for _, p := range parts {
		lines := slices.Concat(p.entries...)
		if p.hidden > 0 && p.thing != "" && (len(lines) > 0 || p.thing != condition) { // the failure says the same
			lines = append(lines, a.counted(p))
		}
		switch {
		case len(lines) == 0:
		case p.title == "" && len(list) > 0:
			list[len(list)-1].Lines = append(list[len(list)-1].Lines, lines...)
		default:
			list = append(list, Section{p.title, lines})
		}
	}
	return list
}

// height returns how many lines of columns parts take.
func (a *advice) height(parts []*part) int {
	n := 0
	for _, s := range a.joined(parts) {
		n += 2 // a blank line and the title
		for _, line := range s.Lines {
			n += (utf8.RuneCountInString(line.String()) + indent + columns - 1) / columns
		}
	}
	return n
}

const indent = 2

// condition is what an entry of what OLM states is, and way one of what could be done else.
const (
	condition = "condition"
	way       = "way"
)

// Brief returns the advice for an error as a text of at most [result.MaxExplanation] bytes.
func Brief(err error) string {
	var b strings.Builder
	for i, s := range Of(err, Tool{}) {
		if i > 0 {
			fmt.Fprintf(&b, "\n%s:\n", s.Title)
		}
		for _, line := range s.Lines {
			if i > 0 {
				b.WriteString("  ")
			}
			b.WriteString(line.String() + "\n")
		}
	}
	return words.Clip(b.String(), result.MaxExplanation)
}
