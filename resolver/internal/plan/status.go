package plan

import (
	"errors"
	"slices"

	"github.com/resolvent/resolvent/resolver/internal/encode"
	"github.com/resolvent/resolvent/resolver/internal/explain"
	"github.com/resolvent/resolvent/resolver/internal/missing"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/updates"
	"github.com/resolvent/resolvent/solver"
)

// Rows are the requests of the inputs, as their objects state them.
func Rows(in encode.Inputs) []updates.Status {
	if in.Extension != "" {
		row := updates.Status{Extension: in.Extension}
		if e := in.Cluster.Extension(in.Extension); e != nil {
			row.Package = e.Package
			if e.Installed != nil {
				row.Installed = e.Installed.Name
			}
		}
		return []updates.Status{row}
	}
	var rows []updates.Status
	state := in.Cluster.In(in.Namespaces[0])
	there := map[string]bool{}
	for _, csv := range state.Counting() {
		there[csv.Name] = true
	}
	for _, s := range state.Subscriptions {
		row := updates.Status{Namespace: s.Namespace, Subscription: s.Name, Package: s.Package}
		if there[s.InstalledCSV] {
			row.Installed = s.InstalledCSV
		}
		rows = append(rows, row)
	}
	return rows
}

// FailRows notes the failure of the inputs in all rows. The Model is nil, or that of the
// inputs.
func FailRows(rows []updates.Status, m *encode.Model, err error) {
	for i := range rows {
		row := &rows[i]
		row.State, row.Err = updates.Failed, err
		if m != nil && len(m.Parts) > 0 {
			p := m.Parts[0]
			place(row, p, &p.Requests[i])
		}
		if unsatisfied, ok := errors.AsType[*result.NotSatisfiable](err); ok && len(unsatisfied.Fixes) > 0 {
			row.Fix = &unsatisfied.Fixes[0]
		}
	}
}

// FillRows notes in the rows what a solution means to their requests.
func FillRows(rows []updates.Status, s *explain.Solved) error {
	chosen := make(map[solver.Var]int, len(s.Solution.Selected))
	for k, sel := range s.Solution.Selected {
		chosen[sel.Var] = k
	}
	var ends []deadEnd
	for i := range rows {
		r := &s.Part.Requests[i]
		head := place(&rows[i], s.Part, r)
		for at, v := range r.Candidates {
			if k, ok := chosen[v]; ok {
				end, err := fill(&rows[i], s, r, head, k, at)
				if err != nil {
					return err
				}
				if end != nil && len(end.Others) > 0 {
					ends = append(ends, deadEnd{&rows[i], i, k, end})
				}
				break
			}
		}
	}
	if err := leave(s, ends); err != nil {
		return err
	}
	return s.Model.Ended()
}

// place notes where the head of the request is.
func place(row *updates.Status, p *encode.Part, r *encode.Request) encode.Head {
	head, asked := r.Head(p, r), p.Asked(r)
	row.Head, row.Catalog = head.Name, asked.Catalog
	if head.Name != "" {
		row.Catalog = p.Catalogs[head.Catalog].Key.String()
	}
	switch {
	case head.Channel != nil:
		row.Channel = head.Channel.Name
	case len(asked.Channels) > 0:
		row.Channel = asked.Channels[0]
	}
	return head
}

// fill notes what follows from the k-th selection, which is the candidate of the request
// with the index at.
func fill(row *updates.Status, s *explain.Solved, r *encode.Request, head encode.Head, k, at int) (end *result.DeadEnd, err error) {
	p, name := s.Part, s.Part.NameOf(r.Candidates[at])
	kept := r.Current >= 0 && r.Candidates[at] == p.InstalledVar(r.Current)
	row.State = updates.UpdateAvailable
	switch {
	case r.Current < 0:
		row.Installed, row.State = "", updates.NotInstalled
	case kept:
		row.State = updates.Current
	}
	if r.Current < 0 && p.AsInstalled(r.Candidates[at]) != nil {
		satisfied := result.Preferred{Obligation: encode.BareRequest(p, r)}
		row.Why = encode.Fact(result.Reason{Kind: result.ReasonPreferred, Subject: name, Bundle: name, Package: row.Package, Detail: satisfied})
		return nil, nil
	}
	if !kept {
		row.Next = name
	}
	if name == row.Head {
		return nil, nil
	}
	below := result.BelowHead{Head: row.Head, Channel: row.Channel, Package: row.Package, Extension: row.Extension}
	switch {
	case kept && p.Installed[r.Current].Held() != nil:
		row.State, below.Hold = updates.Held, p.Installed[r.Current].Held()
	case at > 0:
		// Better candidates are not possible.
		if kept {
			row.State = updates.Blocked
		}
		row.Why, err = s.Refusal(k, r.Candidates[0])
		return nil, err
	case kept:
		end = missing.DeadEnd(p, r)
		row.State, below.DeadEnd, below.Hopeless = updates.AtDeadEnd, end, missing.Update(p, r)
	case r.Current >= 0:
		below.OneStep = true
	case p.Asked(r).StartingCSV != "":
		below.StartingCSV = true
	case head.Channel != nil:
		below.Hopeless = missing.HopelessHead(p, head.Catalog, head.Channel)
	}
	row.Why = encode.Fact(result.Reason{Kind: result.ReasonBelowHead, Subject: name, Bundle: name, Package: row.Package, Detail: below})
	return end, nil
}

// deadEnd is a row whose request, with the index root, is satisfied by the k-th selection
// only because other channels lead on.
type deadEnd struct {
	row     *updates.Status
	root, k int
	end     *result.DeadEnd
}

// leave finds the channels to which requests at dead ends may be changed: those with an
// update that can be selected beside what was selected before. Then a resolution takes
// it, or a better one.
func leave(s *explain.Solved, ends []deadEnd) error {
	if len(ends) == 0 {
		return nil
	}
	updates := make([][][]solver.Var, len(ends))
	var all []solver.Var
	for i, d := range ends {
		r := &s.Part.Requests[d.root]
		current := &s.Part.Installed[r.Current]
		for _, channel := range d.end.Others {
			list := r.InChannel(channel).UpdatesOf(s.Part, current.Name(), current.Version)
			updates[i], all = append(updates[i], list), append(all, list...)
		}
	}
	session, err := solver.NewSession(s.Ctx, s.Model, encode.SolverOptions(s.Model.Options), all...)
	if err != nil {
		return err
	}
	for i, d := range ends {
		r := &s.Part.Requests[d.root]
		var before []solver.Var
		for _, sel := range s.Solution.Selected[:d.k] {
			before = append(before, sel.Var)
		}
		for c, list := range updates[i] {
			for _, v := range list {
				possible, err := session.Satisfiable(s.Ctx, solver.Assume{
					WithoutRoots: []int{d.root},
					Select:       append(slices.Clip(before), v),
					Avoid:        []solver.Var{s.Part.InstalledVar(r.Current)}, // whose place it takes
				})
				if err != nil {
					return err
				}
				if possible && d.row.Fix == nil {
					d.row.Fix = &result.Fix{Kind: result.FixChannel, Request: d.end.Request.Kind, Subject: d.end.Request.Name, Value: d.end.Others[c]}
				}
			}
		}
	}
	return nil
}
