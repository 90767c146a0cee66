package outcomes

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

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

// mostSteps is the number of steps of which each is told: they are a screen. Of more, those stand in the text that
// do not only update the package.
const mostSteps = 8

// WritePath prints the steps for people.
func WritePath(page *terminal.Page, catalogs *cache.View, scope cluster.Scope, pkg string, p *result.Path, err error, view View) {
	w, s := &page.Buffer, page.Style
	head := s.Bold(fmt.Sprintf("package %s in %s:", pkg, Title(scope)))
	if err != nil {
		terminal.Printf(w, "%s %s\n", head, s.Bad("no path"))
		view.writeFailure(w, err, 1, s)
		return
	}
	plain, lacks, refused := []string{}, false, 0
	var told bytes.Buffer
	for i, step := range p.Steps {
		lines := lines(catalogs, &step)
		if r := step.Resolution; r != nil {
			lacks = lacks || r.LacksRights()
			if len(r.Refusals) > 0 {
				refused++
			}
			for _, refusal := range r.Refusals {
				lines = append(lines, s.Bad("refused:")+" "+terminal.Plain(refusal.Message()))
			}
		}
		if len(p.Steps) > mostSteps && len(lines) == 1 && !strings.Contains(lines[0], newMajor) {
			plain = append(plain, step.Bundle)
			continue
		}
		terminal.Printf(&told, "\n%d. %s\n", i+1, s.Bold(step.String()))
		for _, line := range lines {
			told.WriteString("  " + line + "\n")
		}
	}
	count, but := s.Good(terminal.Count(len(p.Steps), "step")), ""
	if refused > 0 {
		count, but = s.Notice(terminal.Count(len(p.Steps), "step")), fmt.Sprintf(", but OLM would refuse %d of them", refused)
	}
	terminal.Printf(w, "%s %s from %s to %s%s%s\n", head, terminal.Lines(count), p.From, p.To, approvals(p, catalogs), but)
	told.WriteTo(w)
	if n := len(plain); n > 0 {
		terminal.Printf(w, "\n%s only %s the package, the first to %s; all steps are listed by -o names\n", terminal.Count(n, "step"), terminal.Verb(n, "updates", "update"), plain[0])
	}
	if lacks {
		terminal.Printf(w, "\nOf rights, a step names those that it needs beside those of the steps before it\n%s\n", roles)
	}
}

// WritePathNames prints a line for each step.
func WritePathNames(page *terminal.Page, p *result.Path) {
	for _, step := range p.Steps {
		terminal.Printf(page, "%s\n", step.String())
	}
}

// newMajor ends the line of an update to a new major version.
const newMajor = ", a new major version"

// lines say what a step installs.
func lines(catalogs *cache.View, step *result.PathStep) (list []string) {
	if step.Resolution == nil {
		return nil
	}
	for _, in := range step.Resolution.Installs {
		text := "install " + in.Bundle.Name
		replaces := slices.Contains(step.Resolution.Replaced, in.Replaces)
		if replaces {
			text += ", replaces " + in.Replaces
		}
		was, passed := passedOver(catalogs, &in)
		if len(passed) > 0 {
			text += ", skips " + terminal.Few(passed)
		}
		if replaces && was != nil && was.Version.Major < in.Version.Major {
			text += newMajor
		}
		list = append(list, terminal.Plain(text))
	}
	return list
}

// passedOver are what an update replaces, if the catalog has that, and the bundles of its channel whose versions
// lie between that and its own, by version.
func passedOver(catalogs *cache.View, in *result.Install) (was *catalog.Bundle, names []string) {
	from := catalogs.Catalog(in.Bundle.Catalog)
	if from == nil || from.Snapshot == nil {
		return nil, nil
	}
	was, channel := from.Snapshot.Find(in.Bundle.Package, in.Replaces), from.Snapshot.Package(in.Bundle.Package).Channel(in.Channel)
	if was == nil || channel == nil {
		return was, nil
	}
	var passed []*catalog.Bundle
	for _, e := range channel.Entries {
		if e.Bundle == catalog.NoBundle {
			continue
		}
		if b := from.Snapshot.Bundle(e.Bundle); b.Version.GT(was.Version) && b.Version.LT(in.Version) {
			passed = append(passed, b)
		}
	}
	slices.SortStableFunc(passed, func(a, b *catalog.Bundle) int { return a.Version.Compare(b.Version) })
	return was, terminal.Mapped(passed, func(b *catalog.Bundle) string { return b.Name })
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
		end = "; do not approve the InstallPlan after the last step, which leads beyond the target"
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
		catalog := catalogs.Catalog(in.Bundle.Catalog)
		if in.Bundle.Name != p.To || catalog == nil || catalog.Snapshot == nil {
			return false
		}
		channel := catalog.Snapshot.Package(in.Bundle.Package).Channel(in.Channel)
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
				_, j.PassedOver = passedOver(catalogs, in)
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
