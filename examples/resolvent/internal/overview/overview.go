// Package overview says of the rows of status who must act and on what: root causes with the
// rows that they hold back and what to do about each, and the updates to take before the
// cluster is updated. It is plain data, which others print.
package overview

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/text"
)

// Overview is who must act on the rows of one cluster, and on what.
type Overview struct {
	// Rows are all rows, the stuck ones first, by namespace and name.
	Rows []*Row
	// NotJudged has the rows without an answer, as catalogs were not given, then those that
	// miss what catalogs of the cluster may have, whose content was not given, by these catalogs.
	NotJudged []*Cause
	// Causes are the root causes that Plan does not have, those that hold back most rows first.
	Causes []*Cause
	// Notes are what to know of rows that are not stuck, in the order of their first rows.
	Notes []*Note
	// Plan is what the target of the cluster takes, nil without a target.
	Plan *Plan
	// Fixes are those of all rows by their numbers, from 1: first those of what fails, with the numbers that
	// resolve gives them, then the recommended ones in the order in which Plan and Causes have them.
	Fixes []result.Fix
	// Together are those of several causes that only help together.
	Together []result.Fix
	// Numbers, by the objects of fixes, and by the first change of what was numbered.
	known    map[string][]int
	numbered map[*result.Change]int
	told     map[int]bool // has the numbers of fixes that are told; true: as a recommendation
	// repaired are the rows whose repair of several steps is told, by these.
	repaired map[string]string
	call     Call
}

// Row is how a request stands.
type Row struct {
	*result.Status
	Name string
	Who  Who
}

// Who is who must act next on a row.
type Who int

// The parties, in the order in which they are counted.
const (
	You       Who = iota // somebody must act on the row itself
	Caller               // the row is not judged: the caller has not given its catalog
	Others               // the row waits for others of its namespace
	Operator             // its operator refuses updates
	Goes                 // it waits for something, and OLM goes on by itself
	OLM                  // OLM is installing
	Refused              // OLM would refuse what it resolves to
	Installs             // OLM installs it next
	Updates              // OLM updates it next
	Nobody               // what requires it keeps it where it is
	AtTheHead            // nobody
)

// words count rows, one and several.
var words = map[Who][2]string{
	You: {"needs attention", "need attention"}, Caller: {"not judged", "not judged"}, Others: {"waits for others", "wait for others"}, Operator: {"held by its operator", "held by their operators"},
	Goes: {"goes on by itself", "go on by themselves"}, OLM: {"installing", "installing"}, Refused: {"OLM would refuse", "OLM would refuse"}, Installs: {"to install", "to install"}, Updates: {"to update", "to update"}, Nobody: {"kept", "kept"}, AtTheHead: {"current", "current"},
}

// Count returns a number of rows, as in "4 need attention".
func (w Who) Count(n int) string {
	return fmt.Sprintf("%d %s", n, words[w][min(n-1, 1)])
}

// Cause is what holds rows back, and what to do about it.
type Cause struct {
	// Rows fail by it themselves; none if what is installed in Scope contradicts itself.
	Rows  []*Row
	Scope cluster.Scope // of a failure
	// Waiting is how many others wait for it.
	Waiting int
	// Lines say why, a line each.
	Lines []string
	Way   Way
}

// Waits reports whether nobody has to act on the rows.
func (c *Cause) Waits() bool {
	return len(c.Rows) > 0 && !slices.ContainsFunc(c.Rows, func(r *Row) bool { return r.Who != Others && r.Who != Operator && r.Who != Goes })
}

// Note is something to know of rows.
type Note struct {
	Rows []*Row
	Text string
	// Stated is true of what OLM states.
	Stated bool
}

// Way is what to do. Again is true if an earlier one has the same fix.
type Way struct {
	text.Advice
	Again bool
}

// New looks at the rows of a cluster.
func New(list []result.Status, call Call) *Overview {
	o := &Overview{call: call, known: map[string][]int{}, numbered: map[*result.Change]int{}, told: map[int]bool{}, repaired: map[string]string{}}
	for i := range list {
		r := &list[i]
		o.Rows = append(o.Rows, &Row{Status: r, Name: NameOf(r), Who: whoOf(r)})
	}
	slices.SortStableFunc(o.Rows, func(a, b *Row) int {
		return cmp.Or(terminal.TrueFirst(a.Stuck(), b.Stuck()), strings.Compare(a.Request.Namespace, b.Request.Namespace),
			strings.Compare(a.Request.Name, b.Request.Name), strings.Compare(a.Name, b.Name))
	})
	o.failures()
	if c := o.notJudged(); c != nil {
		o.NotJudged = append(o.NotJudged, c)
	}
	o.NotJudged = append(o.NotJudged, o.notGiven()...)
	causes := o.approvals(o.causes())
	sortCauses(causes)
	o.Plan = o.plan(causes)
	for _, c := range causes {
		if !c.told {
			c.Way = o.wayOf(c)
			o.Causes = append(o.Causes, &c.Cause)
		}
	}
	o.Notes = o.notes()
	for _, r := range o.Rows {
		for i := range r.Fixes {
			o.Number(&r.Fixes[i])
		}
	}
	return o
}

// FurtherFixes say, by its number, what each fix does of which nothing else tells.
func (o *Overview) FurtherFixes() (list []string) {
	for i := range o.Fixes {
		if _, told := o.told[i+1]; !told {
			changes := terminal.Mapped(o.Fixes[i].Changes, func(c result.Change) string { return c.Brief("") })
			list = append(list, fmt.Sprintf("Fix %d: %s%s", i+1, o.Fixes[i].Class.Warning(), strings.Join(changes, ", and ")))
		}
	}
	return list
}

// failures numbers the fixes of what fails as resolve does.
func (o *Overview) failures() {
	failures := map[cluster.Scope]*result.Help{}
	for _, r := range o.Rows {
		if r.Err != nil {
			failures[r.Request.Scope()] = result.HelpOf(r.Err)
		}
	}
	for _, scope := range slices.SortedFunc(maps.Keys(failures), cluster.Scope.Compare) {
		help := failures[scope]
		if help.Together != nil {
			o.Together = append(o.Together, *help.Together)
		}
		for i := range help.Fixes {
			o.Number(&help.Fixes[i])
		}
	}
}

// notes returns what OLM states of rows, what it does not take into account of their requests, and
// what else to know of rows that are not stuck.
func (o *Overview) notes() []*Note {
	told := notesOf(o.Rows, func(r *Row, add func(key, text string)) {
		for i := range r.Remarks {
			if m := &r.Remarks[i]; m.Kind() == stated {
				add(m.Key(), m.Message())
			}
		}
	})
	for _, n := range told {
		n.Stated = true
	}
	return append(told, notesOf(o.Rows, func(r *Row, add func(key, text string)) {
		if stands(r) || r.Who == Caller {
			for i := range r.Remarks {
				if m := &r.Remarks[i]; slices.Contains([]result.ReasonKind{startingCSV, elsewhere, chosenAnyway}, m.Kind()) {
					add(m.Key(), m.Message())
				}
			}
			return
		}
		then := ""
		if r.State == result.StateInstalling && r.Repair != nil {
			then = "; " + r.Repair.Then()
		}
		known := map[string]bool{}
		for i := range r.Remarks {
			known[r.Remarks[i].Key()] = r.Remarks[i].Kind() == stated
		}
		instead := ""
		if r.aboveHead() {
			instead = fmt.Sprintf("%s comes in place of the head %s: ", r.Next, r.Head)
		}
		for key, text := range r.Notes() {
			if !known[key] {
				add(key, instead+text+then)
			}
			then, instead = "", ""
		}
	})...)
}

// aboveHead reports whether what comes next is above the head: it is of another channel, as what is better cannot be had.
func (r *Row) aboveHead() bool {
	next, err := semver.Parse(r.Versions[r.Next])
	head, none := semver.Parse(r.Versions[r.Head])
	return err == nil && none == nil && next.GT(head)
}

// The kinds of what OLM states, and of what OLM does not take into account.
const (
	stated       = "stated"
	startingCSV  = "startingCSV"
	elsewhere    = "elsewhere"
	chosenAnyway = "chosenAnyway"
)

// notesOf returns what to know of rows. Rows of which the same is to be known share it.
func notesOf(rows []*Row, of func(r *Row, add func(key, text string))) (list []*Note) {
	known := map[string]*Note{}
	for _, r := range rows {
		of(r, func(key, text string) {
			if known[key] == nil {
				known[key] = &Note{Text: text}
				list = append(list, known[key])
			}
			known[key].Rows = append(known[key].Rows, r)
		})
	}
	return list
}

// NameOf names the request of a row.
func NameOf(r *result.Status) string {
	if !r.Request.Scope().Alone() {
		return r.Request.Namespace + "/" + cmp.Or(r.Request.Name, r.Installed)
	}
	return r.Request.String()
}

func whoOf(r *result.Status) Who {
	switch {
	case r.State == result.StateNotJudged:
		return Caller
	case r.State == result.StateWaiting:
		return Others
	case r.State == result.StateHeld:
		return Operator
	case r.State == result.StateInstalling:
		return OLM
	case (r.State == result.StatePending || r.State == result.StateUnhealthy) && r.Repair != nil && r.Repair.ByItself():
		return Goes
	case r.Stuck():
		return You
	case slices.ContainsFunc(r.Remarks, func(m result.Reason) bool { return m.Refuses() }):
		return Refused
	case r.State == result.StateNotInstalled:
		return Installs
	case r.State == result.StateUpdateAvailable:
		return Updates
	case r.State == result.StateKept:
		return Nobody
	}
	return AtTheHead
}

// Totals counts the rows by who must act.
func (o *Overview) Totals() map[Who]int {
	totals := map[Who]int{}
	for _, r := range o.Rows {
		totals[r.Who]++
	}
	return totals
}

// TotalsText says totals, as in "4 need attention, 2 to update".
func TotalsText(totals map[Who]int) string {
	var parts []string
	for who := You; who <= AtTheHead; who++ {
		if n := totals[who]; n > 0 {
			parts = append(parts, who.Count(n))
		}
	}
	return strings.Join(parts, ", ")
}

// Number returns the number of a fix. Fixes of the same changes have the same.
func (o *Overview) Number(f *result.Fix) (number int) {
	if len(f.Changes) > 0 && o.numbered[&f.Changes[0]] > 0 {
		return o.numbered[&f.Changes[0]]
	}
	key := objectsOf([]result.Fix{*f})
	at := slices.IndexFunc(o.known[key], func(n int) bool { return reflect.DeepEqual(o.Fixes[n-1].Changes, f.Changes) })
	if at >= 0 {
		number = o.known[key][at]
	} else {
		o.Fixes = append(o.Fixes, *f)
		number = len(o.Fixes)
		o.known[key] = append(o.known[key], number)
	}
	if len(f.Changes) > 0 {
		o.numbered[&f.Changes[0]] = number
	}
	return number
}

// objectsOf are the objects and fields that the first fix of a list changes.
func objectsOf(list []result.Fix) string {
	var b strings.Builder
	for i := range list[:min(1, len(list))] {
		for _, s := range list[i].Steps() {
			fmt.Fprintf(&b, " %q %q %q %q", s.Object.Kind, s.Object.Namespace, s.Object.Name, s.Field)
		}
	}
	return b.String()
}

// wayOf returns what to do about a cause, and how to repair it first.
func (o *Overview) wayOf(c *cause) Way {
	w := o.way(c.help, c.list, c.err)
	if r := c.help.Repair; r != nil && (w.Do == nil || w.Do.Serves == "") { // else nothing has to be repaired
		w.Repair, w.Wait, w.Then, w.Risky = r, "", r.Then(), false
		switch {
		case w.Do == nil:
		case c.list[0].Grants(): // it is the first step of the repair
			w.Do.Then = ""
		default: // the repair leads there, too
			w.Then += "; then " + w.Do.Then
		}
		if steps := r.Steps(); len(steps) > 1 && len(c.Rows) > 0 {
			if key := strings.Join(steps, "\n"); o.repaired[key] == "" {
				o.repaired[key] = NameOf(c.Rows[0].Status)
			} else {
				w.Repair, w.Wait = nil, "Do this: what is said of "+o.repaired[key]+" above, once for all"
			}
		}
	}
	return w
}

// ambiguous reports whether fixes name a request of which another namespace has one as well.
func (o *Overview) ambiguous(list []result.Fix) bool {
	return slices.ContainsFunc(list, func(f result.Fix) bool {
		return slices.ContainsFunc(f.Steps(), func(s result.Step) bool {
			namesakes := 0
			for _, r := range o.Rows {
				if string(r.Request.Kind) == s.Object.Kind && r.Request.Name == s.Object.Name {
					namesakes++
				}
			}
			return namesakes > 1
		})
	})
}

// way returns what to do, given what helps, the fixes that count, and an error. Its fixes have the
// numbers of the overview.
func (o *Overview) way(help *result.Help, list []result.Fix, err error) Way {
	if o.ambiguous(list) {
		all := *help
		all.Home, help = "", &all
	}
	w := Way{Advice: *text.OfRow(help, list, err, o.call.OptionTexts(help, err))}
	if w.Do != nil {
		do := *w.Do
		w.Do = &do
		do.Number = o.Number(&list[0])
		if w.Again = o.told[do.Number]; w.Again {
			w.Or, w.Else = nil, ""
		}
		o.told[do.Number] = true
	}
	for i := range w.Or {
		or := &w.Or[i]
		fix := &list[or.Number-1]
		or.Number = o.Number(fix)
		if _, known := o.told[or.Number]; !known {
			o.told[or.Number] = false // it is named, but not as what to do
		}
		if w.Do == nil {
			label := "Or fix"
			if fix.Class > result.ClassGivesUp {
				label = "Risky fix"
			}
			w.Or, w.Else = nil, fmt.Sprintf("%s %d: %s", label, or.Number, or.Text)
			if len(or.Careful) > 0 {
				w.Else += " (" + strings.Join(or.Careful, "; ") + ")"
			}
		}
	}
	return w
}
