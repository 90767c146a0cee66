package plan

import (
	"errors"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/encode"
	"github.com/resolvent/resolvent/resolver/internal/explain"
	"github.com/resolvent/resolvent/resolver/internal/fix"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/missing"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/updates"
	"github.com/resolvent/resolvent/solver"
)

// Rows are the requests of the inputs, as their objects state them.
func Rows(in encode.Inputs) []updates.Status {
	var rows []updates.Status
	if e := in.Cluster.Extension(in.Scopes[0].Name); in.Scopes[0].Kind == cluster.KindExtension {
		rows = []updates.Status{{Request: cluster.RequestKey{Kind: cluster.KindExtension, Name: in.Scopes[0].Name}}}
		if e != nil {
			rows[0].Package = e.Package
			if e.Installed != nil {
				rows[0].Installed = e.Installed.Name
			}
		}
		return rows
	}
	state := in.Cluster.In(in.Scopes[0].Name)
	there := map[string]bool{}
	for _, csv := range inventory.Counting(state) {
		there[csv.Name] = true
	}
	for _, s := range state.Subscriptions {
		row := updates.Status{Request: s.Key(), Package: s.Package}
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

// stepsPerRow is how many steps it takes to fill in a row that needs no explanation.
const stepsPerRow = 8

// FillRows notes in the rows what a solution means to their requests. Each change that may
// help is tried by a fixer of its own.
func FillRows(rows []updates.Status, s *explain.Solved, fixer func() *fix.Fixer) error {
	chosen := make(map[solver.Var]int, len(s.Solution.Selected))
	for k, sel := range s.Solution.Selected {
		chosen[sel.Var] = k
	}
	for i := range rows {
		s.Step(stepsPerRow)
		r := &s.Part.Requests[i]
		head := place(&rows[i], s.Part, r)
		for at, v := range r.Candidates {
			if k, ok := chosen[v]; ok {
				if err := fill(&rows[i], s, r, head, k, at); err != nil {
					return err
				}
				if rows[i].State == updates.AtDeadEnd {
					rows[i].Fix = fixer().ChangeChannel(s.Part, r, r.Channels(s.Part))
				}
				break
			}
		}
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
func fill(row *updates.Status, s *explain.Solved, r *encode.Request, head encode.Head, k, at int) (err error) {
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
		return nil
	}
	if !kept {
		row.Next = name
	}
	if name == row.Head {
		return nil
	}
	below := result.BelowHead{Head: row.Head, Channel: row.Channel, Package: row.Package}
	if p.ClusterWide {
		below.Request = row.Request
	}
	switch {
	case kept && p.Installed[r.Current].Held() != nil:
		row.State, below.Hold = updates.Held, p.Installed[r.Current].Held()
	case at > 0:
		// Better candidates are not possible.
		if kept {
			row.State = updates.Blocked
		}
		row.Why, err = s.Refusal(k, r.Candidates[0])
		return err
	case kept:
		row.State, below.DeadEnd, below.Hopeless = updates.AtDeadEnd, missing.DeadEnd(p, r), missing.Update(p, r)
	case r.Current >= 0:
		below.OneStep = true
	case p.Asked(r).StartingCSV != "":
		below.StartingCSV = true
	case head.Channel != nil:
		below.Hopeless = missing.HopelessHead(p, head.Catalog, head.Channel)
	}
	row.Why = encode.Fact(result.Reason{Kind: result.ReasonBelowHead, Subject: name, Bundle: name, Package: row.Package, Detail: below})
	return nil
}
