package overview

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/result"
)

// Plan is what the update of the cluster takes, and what blocks it.
type Plan struct {
	// Hops are the versions on the way.
	Hops []Hop
	// After are the rows that get no updates after the last hop, and why.
	After []Line
	// Blocking are the rows that block a hop, Moving those that move without that, and Failing
	// those that get no updates after the last one. NotJudged are those that may do any of it.
	Blocking, Moving, Failing, NotJudged int
	// Rows is the number of all rows.
	Rows int
}

// Hop is the update of the cluster to a version.
type Hop struct {
	To string
	// Steps are what is to be done before, in an order in which it can be done.
	Steps   []Line
	Blocked []Blocked
	// Notes are what to know of rows once the cluster is there.
	Notes []*Note
	// Below are rows that block, too. The causes of what needs somebody tell what to do.
	Below []*Row
}

// Line is a text about a row.
type Line struct {
	Row  *Row
	Text string
	// ByItself is true of steps that OLM takes by itself and in any order.
	ByItself bool
}

// Blocked is what keeps rows from a hop, and what to do about it.
type Blocked struct {
	// Reason says all of the first row. Common is what rows may have in common, and Rows what of
	// each is its own then.
	Reason, Common string
	Rows           []Line
	Way            Way
}

// plan lays out what the targets of the rows say.
func (o *Overview) plan(causes []*cause) *Plan {
	if len(o.Rows) == 0 || o.Rows[0].Target == nil {
		return nil
	}
	p, causeOf := &Plan{Rows: len(o.Rows)}, map[*Row]*cause{}
	for _, c := range causes {
		for _, r := range c.Rows {
			causeOf[r] = c
		}
	}
	hops := o.Rows[0].Target.Hops
	for _, r := range o.Rows {
		switch {
		case r.Target.NotJudged:
			p.NotJudged++
		case r.Target.Blocks != "":
			p.Blocking++
		case len(r.Target.Updates) > 0:
			p.Moving++
		}
		if r.Target.Blocks == "" && r.Target.There != nil {
			p.Failing++
			p.After = append(p.After, Line{Row: r, Text: r.Target.There.Reason()})
		}
	}
	for _, version := range hops {
		h := Hop{To: version, Steps: o.steps(version)}
		same := map[string]int{} // in h.Blocked
		for _, r := range o.Rows {
			if !Blocks(r.Status, version) {
				continue
			}
			b, below := o.blocked(r, causeOf[r])
			at, known := same[b.Common]
			switch {
			case below:
				h.Below = append(h.Below, r)
			case b.Common != "" && known:
				h.Blocked[at].Rows = append(h.Blocked[at].Rows, b.Rows...)
				h.Blocked[at].Way.Risky = h.Blocked[at].Way.Risky || b.Way.Risky
			default:
				same[b.Common], h.Blocked = len(h.Blocked), append(h.Blocked, b)
			}
		}
		h.Notes = notesOf(o.Rows, func(r *Row, add func(key, text string)) {
			for _, remark := range r.Target.Remarks[version] {
				add(remark.Key(), remark.Message())
			}
		})
		p.Hops = append(p.Hops, h)
	}
	return p
}

// blocked returns what blocks by a row, whose cause now may be nil, or reports that it stands
// below, with its cause. The cause of a single row is printed once.
func (o *Overview) blocked(r *Row, c *cause) (b Blocked, below bool) {
	b = Blocked{Reason: r.Target.Reason(), Rows: []Line{{Row: r}}}
	leads := c != nil && leadsOn(r)
	if !leads {
		b.atAnEnd(r)
	}
	switch {
	case b.Common != "": // whatever its cause, no update helps
	case r.Target.Until != "":
		b.Way.Wait = "wait until " + r.Target.Until
		if r.State == result.StatePendingApproval {
			if r.Next != "" && len(r.Fixes) > 0 {
				b.Way.Wait += ", which brings " + r.Next
			}
			b.Way.Wait += ": see What needs your attention, below"
		}
	case r.Who == Others, leads && len(c.Rows)+c.Waiting > 1:
		return b, true
	case leads:
		b.Way, c.told = o.wayOf(c), true
	case c != nil:
		c.Lines = append(c.Lines, "blocks "+cmp.Or(r.Target.Blocks, "the update of the cluster")+": "+r.Target.Reason())
		return b, true
	default:
		help := result.HelpOf(r.Target.Err)
		b.Way = o.way(help, help.Fixes, r.Target.Err)
	}
	if leads && b.Way.Do == nil && b.Way.Wait+b.Way.Else == "" {
		b.atAnEnd(r)
	}
	return b, false
}

// atAnEnd says what rows to which no updates lead have in common, if that is the matter.
func (b *Blocked) atAnEnd(r *Row) {
	none, ok := r.Target.Err.(*result.NoPath)
	if !ok || len(none.Blocked) > 0 || len(none.Reached) > 1 && len(none.Fitting) > 0 || len(none.Fixes) > 0 || r.Target.There != nil {
		return
	}
	b.Common = "no update leads to a version that may run there. Do not update the cluster, or check the catalogs of that version, ask the publisher, reinstall a version that may run there, or remove the operator first"
	b.Rows[0].Text = fmt.Sprintf("%s (%s)", cmp.Or(r.Versions[r.Installed], r.Installed), limitOf(r.Target.Refusal))
	if len(none.Fitting) > 0 {
		b.Rows[0].Text += ": " + strings.Join(terminal.First(none.Fitting, 1, "%d more"), " and ") + " may run there"
	}
}

// limitOf says why a bundle may not run at a version.
func limitOf(refusal *result.Reason) string {
	if limit := refusal.MaxOpenShift(); limit != "" {
		return "up to OpenShift " + limit
	}
	return refusal.Phrase()
}

// Blocks reports whether a request keeps the cluster from being updated to a version.
func Blocks(r *result.Status, hop string) bool {
	return r.Target.Blocks != "" && (r.Target.Blocks == hop || hop == "")
}

// StepsBefore are those that are taken before the cluster is updated to a version.
func StepsBefore(r *result.Status, hop string) []result.PathStep {
	return slices.DeleteFunc(slices.Clone(r.Target.Updates), func(s result.PathStep) bool { return s.Hop != hop })
}

// leadsOn reports whether what helps a request that blocks leads to what may run.
func leadsOn(r *Row) bool {
	none, ok := r.Target.Err.(*result.NoPath)
	if !ok || len(r.Fixes) == 0 {
		return len(r.Fixes) > 0
	}
	then := slices.Clone(r.Fixes[0].Further)
	for _, i := range r.Fixes[0].Then.Installs {
		then = append(then, i.Bundle.Name)
	}
	for _, u := range r.Fixes[0].Then.Updates {
		then = append(then, u.To.Bundle.Name)
	}
	return slices.ContainsFunc(then, func(name string) bool { return slices.Contains(none.Fitting, name) })
}

// stretch is a run of steps of one row, none of which but the first comes after others.
type stretch struct {
	row     *Row
	from    string // what is installed before
	place   int    // among those of the row
	steps   []result.PathStep
	reaches map[string]bool // bundles that it leads to
}

// steps returns what is to be done before a hop: what comes after others stands behind them.
func (o *Overview) steps(hop string) (lines []Line) {
	var left []*stretch
	for _, r := range o.Rows {
		place, from := 0, r.Installed
		for _, step := range r.Target.Updates {
			if step.Hop != hop {
				from = step.Bundle
				continue
			}
			if place == 0 || len(step.After) > 0 {
				left = append(left, &stretch{row: r, from: from, place: place, reaches: map[string]bool{}})
				place++
			}
			s := left[len(left)-1]
			s.steps = append(s.steps, step)
			s.reaches[step.Bundle] = true
		}
	}
	for len(left) > 0 {
		at := slices.IndexFunc(left, func(s *stretch) bool { return !slices.ContainsFunc(left, s.follows) })
		next := left[max(0, at)] // if all wait for each other, as they are
		byItself := !slices.ContainsFunc(next.steps, func(s result.PathStep) bool {
			return !s.ByItself || len(s.After)+len(s.Awaits) > 0 || s.Resolution == nil || s.Resolution.Manual()
		})
		lines = append(lines, Line{next.row, o.text(next), byItself})
		left = slices.DeleteFunc(left, func(s *stretch) bool { return s == next })
	}
	return lines
}

// follows reports whether a stretch comes after another one.
func (s *stretch) follows(other *stretch) bool {
	if s.row == other.row {
		return other.place < s.place
	}
	return slices.ContainsFunc(s.steps[0].After, func(m result.Move) bool { return m.Request == other.row.Request && other.reaches[m.Bundle] })
}

// text says what to do in a stretch, and from where and why if it is the first of its row.
func (o *Overview) text(s *stretch) string {
	texts := terminal.Mapped(s.steps, stepText)
	for i, update := range s.steps[1:] {
		if o.idle(s.steps[i], update) {
			texts[i] += ", which alone changes nothing"
		}
	}
	if more := len(texts) - 3; more > 1 { // JSON has all
		hidden := fmt.Sprintf("%d more", more)
		if slices.ContainsFunc(s.steps[2:2+more], result.PathStep.Forced) {
			hidden += ", some of which need you"
		}
		texts = []string{texts[0], texts[1], hidden, texts[len(texts)-1]}
	}
	text := strings.Join(texts, ", then ")
	if slices.ContainsFunc(s.steps, func(s result.PathStep) bool { return s.Resolution != nil && s.Resolution.Manual() }) {
		text += ", each to be approved"
	}
	if s.place > 0 {
		return text
	}
	from, said, target := s.from, "", " to "
	if why := s.steps[0].Refusal; why != nil && !Blocks(s.row.Status, s.steps[0].Hop) {
		args := why.Args()
		if said = limitOf(why); args.Package == s.row.Package {
			from = args.Bundle // it is about to come, if it is not what is installed
		} else {
			said = args.Bundle + ": " + said
		}
		said = " (" + said + ")"
	}
	if from == "" {
		return text + said
	}
	if first := s.steps[0]; first.Channel != "" || len(first.Awaits) > 0 {
		target = ": "
	}
	return "from " + from + said + target + text
}

// idle reports whether a change of channel brings nothing until a request that is updated at once
// with this one changes its channel, too.
func (o *Overview) idle(change, update result.PathStep) bool {
	return change.Channel != "" && slices.ContainsFunc(o.Rows, func(r *Row) bool {
		return slices.ContainsFunc(update.With, func(m result.Move) bool { return m.Request == r.Request }) &&
			slices.ContainsFunc(StepsBefore(r.Status, change.Hop), func(s result.PathStep) bool { return s.Channel != "" && s.Turn > change.Turn })
	})
}

// stepText is a step, what is updated along with it, and what must be before.
func stepText(s result.PathStep) string {
	text := s.String()
	if len(s.With) > 0 {
		text += " with " + terminal.Few(terminal.Mapped(s.With, func(m result.Move) string { return m.Bundle }))
	}
	after := terminal.Mapped(s.After, func(m result.Move) string { return m.Request.String() + " is at " + m.Bundle })
	if len(after) > 0 {
		text += " once " + strings.Join(after, " and ")
	}
	if s.Forced() {
		text += ", which needs you: OLM does not choose it by itself"
	}
	return text
}

// Verdict says whether anything blocks the update of the cluster.
func (p *Plan) Verdict() string {
	text := "According to their stated limits, no operator blocks the update of the cluster"
	if p.NotJudged > 0 {
		text = "Nothing that could be judged blocks the update of the cluster"
	}
	text += fmt.Sprintf(" (%d of %d judged)", p.Rows-p.NotJudged, p.Rows)
	if p.Blocking > 0 {
		text = terminal.Count(p.Blocking, "request") + terminal.Verb(p.Blocking, " blocks", " block") + " the update of the cluster" + p.blocked()
	}
	if p.Moving > 0 {
		text += fmt.Sprintf(", %d must update before it", p.Moving)
	}
	if p.NotJudged > 0 && p.Blocking > 0 {
		text += fmt.Sprintf(", %d %s not judged", p.NotJudged, terminal.Verb(p.NotJudged, "is", "are"))
	}
	if p.Failing > 0 {
		text += fmt.Sprintf(", %d will get no updates after it", p.Failing)
	}
	if p.Blocking > 0 && len(p.Hops) > 1 {
		text += "; after that, run this again for later versions"
	}
	return text
}

// blocked says which hops are blocked.
func (p *Plan) blocked() string {
	var versions []string
	for _, h := range p.Hops {
		if len(h.Blocked)+len(h.Below) > 0 && h.To != "" {
			versions = append(versions, h.To)
		}
	}
	if len(versions) == 0 {
		return ""
	}
	return " to " + strings.Join(versions, " or ")
}
