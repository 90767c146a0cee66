package outcomes

import (
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
)

// NoPath reports whether there is no path, or one that OLM would not carry out.
func NoPath(p *result.Path, err error) bool {
	return err != nil || slices.ContainsFunc(p.Steps, func(s result.PathStep) bool { return s.Resolution != nil && s.Resolution.Fails() })
}

// WritePath prints the steps for people.
func WritePath(page *terminal.Page, catalogs *cache.View, scope cluster.Scope, pkg string, p *result.Path, err error, view View) {
	w, s := &page.Buffer, page.Style
	head := s.Bold(fmt.Sprintf("package %s in %s:", pkg, Title(scope)))
	if err != nil {
		terminal.Printf(w, "%s %s\n", head, s.Bad("no path"))
		view.writeFailure(w, err, s)
		return
	}
	terminal.Printf(w, "%s %s from %s to %s%s\n", head, s.Good(terminal.Count(len(p.Steps), "step")), p.From, p.To, approvals(p, catalogs))
	lacks := false
	for i, step := range p.Steps {
		terminal.Printf(w, "\n%d. %s\n", i+1, s.Bold(step.String()))
		if step.Channel != "" {
			continue
		}
		for _, in := range step.Resolution.Installs {
			text := "install " + in.Bundle.Name
			if slices.Contains(step.Resolution.Replaced, in.Replaces) {
				text += ", replaces " + in.Replaces
			}
			if passed := passedOver(catalogs, &in); len(passed) > 0 {
				text += ", skips " + terminal.Few(passed)
			}
			terminal.Printf(w, "  %s\n", text)
		}
		lacks = lacks || step.Resolution.LacksRights()
		for _, refusal := range step.Resolution.Refusals {
			terminal.Printf(w, "  %s %s\n", s.Bad("refused:"), terminal.Plain(refusal.Message()))
		}
	}
	if lacks {
		terminal.Printf(w, "\nOf rights, a step names those that it needs beside those of the steps before it\n%s\n", roles)
	}
}

// passedOver are the bundles of the channel of an update whose versions lie between the one that it
// replaces, if the catalog has that, and its own, by version.
func passedOver(catalogs *cache.View, in *result.Install) (names []string) {
	of := catalogs.Catalog(in.Bundle.Catalog)
	if of == nil || of.Snapshot == nil || of.Snapshot.Find(in.Bundle.Package, in.Replaces) == nil {
		return nil
	}
	was, channel := of.Snapshot.Find(in.Bundle.Package, in.Replaces).Version, of.Snapshot.Package(in.Bundle.Package).Channel(in.Channel)
	if channel == nil {
		return nil
	}
	var passed []*catalog.Bundle
	for _, e := range channel.Entries {
		if e.Bundle == catalog.NoBundle {
			continue
		}
		if b := of.Snapshot.Bundle(e.Bundle); b.Version.GT(was) && b.Version.LT(in.Version) {
			passed = append(passed, b)
		}
	}
	slices.SortStableFunc(passed, func(a, b *catalog.Bundle) int { return a.Version.Compare(b.Version) })
	return terminal.Mapped(passed, func(b *catalog.Bundle) string { return b.Name })
}

// approvals says how often approval is waited for on a path, if it is, and which InstallPlan waits now.
func approvals(p *result.Path, catalogs *cache.View) string {
	n := 0
	for _, step := range p.Steps {
		if step.Resolution != nil && step.Resolution.Manual() {
			n++
		}
	}
	text, first, end := "", "its InstallPlan", ""
	if p.InstallPlan != "" {
		first = "InstallPlan " + terminal.Plain(p.InstallPlan) + ", which is waiting now,"
	}
	switch {
	case n == 1:
		text = ", once " + first + " is approved"
	case n > 1 && p.InstallPlan != "":
		text = fmt.Sprintf(", with %d approvals: first of %s then of the one that OLM creates for each further step", n, first)
	case n > 1:
		text = fmt.Sprintf(", with %d approvals: after each step, OLM creates the InstallPlan of the next one", n)
	}
	if n > 0 && !endsAtHead(p, catalogs) {
		end = "; the InstallPlan after that leads beyond the target"
	}
	if p.Instead != nil {
		end += "; InstallPlan " + terminal.Plain(p.Instead.InstallPlan) + ", which is waiting now, brings " + terminal.Plain(terminal.Few(p.Instead.Bundles)) + " instead"
	}
	return text + end
}

// endsAtHead reports whether the last update of a path leads to the head of its channel.
func endsAtHead(p *result.Path, catalogs *cache.View) bool {
	last := p.Steps[len(p.Steps)-1].Resolution
	return last != nil && slices.ContainsFunc(last.Installs, func(in result.Install) bool {
		of := catalogs.Catalog(in.Bundle.Catalog)
		if in.Bundle.Name != p.To || of == nil || of.Snapshot == nil {
			return false
		}
		channel := of.Snapshot.Package(in.Bundle.Package).Channel(in.Channel)
		return channel != nil && channel.Head() != nil && channel.Head().Name == p.To
	})
}

type pathWith = terminal.With[*result.Path, pathJSON]

type pathJSON struct {
	Steps []pathStepJSON `json:"steps"`
}

type pathStepJSON struct {
	// PassedOver are bundles of the channel with versions between what Bundle replaces and its own.
	PassedOver []string `json:"passedOver,omitempty"`
}

// pathErrorJSON says why there was no search for a path, or why it did not end.
type pathErrorJSON struct {
	Namespace string        `json:"namespace"`
	Extension string        `json:"extension,omitempty"`
	Package   string        `json:"package"`
	Result    result.Result `json:"result"`
	Steps     []string      `json:"steps"`
	Error     string        `json:"error"`
}

// WritePathJSON prints the steps for programs.
func WritePathJSON(page *terminal.Page, catalogs *cache.View, scope cluster.Scope, pkg string, p *result.Path, err error) error {
	if none, ok := errors.AsType[*result.NoPath](err); ok {
		return writePath(page, terminal.With[*result.NoPath, helpJSON]{Of: none, More: numbering{}.json(&none.Help, none)})
	}
	if err != nil {
		return terminal.WriteJSON(page, pathErrorJSON{Namespace: scope.Namespace(), Extension: scope.Extension(), Package: pkg, Result: result.Of(err), Error: err.Error()})
	}
	return writePath(page, pathWith{Of: p, More: pathJSON{terminal.Mapped(p.Steps, func(s result.PathStep) (j pathStepJSON) {
		if s.Resolution == nil {
			return j
		}
		for i := range s.Resolution.Installs {
			if in := &s.Resolution.Installs[i]; in.Bundle.Name == s.Bundle {
				j.PassedOver = passedOver(catalogs, in)
			}
		}
		return j
	})}})
}

func writePath(page *terminal.Page, path any) error {
	text, err := json.Marshal(path)
	if err != nil {
		return err
	}
	return terminal.WriteJSON(page, struct {
		Members jsontext.Value `json:",embed"`
	}{text})
}
