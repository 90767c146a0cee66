package outcomes

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/result"
)

// Without is what breaks, and what is installed instead, if the Subscriptions of a namespace
// to a package are deleted with what they have installed.
type Without struct {
	withoutJSON
	// failed is the first failure without the Subscriptions; before: it is no new one.
	failed error
	before bool
	left   []properties.GVK
}

// Leave takes in the kinds of custom resources that nothing manages then.
func (w *Without) Leave(kinds []properties.GVK) {
	w.left = kinds
	w.Unmanaged = terminal.Mapped(kinds, func(api properties.GVK) string { return api.Kind + " (" + api.Group + ")" })
}

// removal says how to remove what stays behind, too. What else there is of a kind is not known here: no
// command deletes it.
func (w *Without) removal() []string {
	if len(w.left) == 0 {
		return nil
	}
	var steps []string
	for i, api := range w.left {
		list := terminal.Command("kubectl", "get", "--all-namespaces", "--output", "yaml", "--", api.Kind+"."+api.Version+"."+api.Group)
		steps = append(steps, fmt.Sprintf("save: %s > saved-resources-%d.yaml", list, i+1))
	}
	steps = append(steps, "delete these custom resources, and wait until they are gone", "delete the Subscription and the ClusterServiceVersion",
		"delete a CustomResourceDefinition only if it has no custom resource left and nothing else uses it")
	for i := range steps {
		steps[i] = fmt.Sprintf("%d. %s", i+1, steps[i])
	}
	return steps
}

// Compare takes in the answers as they are and without the Subscriptions: for the
// namespace, then for ClusterExtensions, which use what is installed in any namespace.
func (w *Without) Compare(was, is []result.Outcome) {
	for i := range was {
		if !was[i].Scope.Alone() || was[i].Err == nil {
			w.compare(&was[i], &is[i])
		}
	}
	w.Verdict = w.verdict()
	w.Error = numbering{}.error(w.failed)
}

func (w *Without) compare(was, after *result.Outcome) {
	before := &result.Resolution{}
	if was.Err == nil {
		before = was.Resolution
	}
	for _, i := range before.Installs {
		w.require(i.For)
	}
	for _, k := range before.Kept {
		w.require(k.For)
	}
	if after.Err != nil {
		if w.failed == nil {
			w.failed, w.before = after.Err, was.Err != nil
		}
		return
	}
	for _, i := range after.Resolution.Installs {
		planned := slices.ContainsFunc(before.Installs, func(o result.Install) bool {
			return o.Bundle == i.Bundle && i.Bundle.Package != w.Package
		})
		if was.Err == nil && !planned {
			w.Instead = append(w.Instead, i)
		}
	}
	for _, name := range after.Resolution.Unneeded {
		if !slices.Contains(before.Unneeded, name) {
			w.Unneeded = append(w.Unneeded, installedNow(after.Resolution, name))
		}
	}
}

// installedNow names what a bundle of an answer updates, or itself.
func installedNow(r *result.Resolution, bundle string) string {
	for _, i := range r.Installs {
		if i.Bundle.Name == bundle && slices.Contains(r.Replaced, i.Replaces) {
			return i.Replaces
		}
	}
	return bundle
}

// require notes what requires a bundle that serves the Subscriptions.
func (w *Without) require(served []result.Obligation) {
	ours := func(s result.Obligation) bool {
		return !s.Request.Scope().Alone() && slices.Contains(w.Subscriptions, s.Request.Name)
	}
	if !slices.ContainsFunc(served, ours) {
		return
	}
	for _, s := range served {
		if s.Bundle != "" {
			w.RequiredBy = append(w.RequiredBy, s)
		}
	}
}

// Needed reports whether something breaks, or is installed, to satisfy what remains.
func (w *Without) Needed() bool { return w.failed != nil || len(w.Instead) > 0 }

// verdict sums up.
func (w *Without) verdict() string {
	back := func(i result.Install) bool { return i.Bundle.Package == w.Package }
	switch {
	case w.before:
		return "failsAsBefore"
	case w.failed != nil:
		return "breaks"
	case slices.ContainsFunc(w.Instead, back):
		return "comesBack"
	case len(w.Instead) > 0:
		return "replaced"
	}
	return "canGo"
}

var verdictWords = map[string]string{
	"failsAsBefore": "the namespace cannot be resolved, with or without it",
	"breaks":        "what remains cannot be resolved",
	"comesBack":     "it is required, so OLM would install it again",
	"replaced":      "OLM would install something else instead",
	"canGo":         "nothing that remains requires it",
}

type withoutListJSON struct {
	Without terminal.List[withoutJSON] `json:"without"`
}

// withoutJSON is a Without for programs.
type withoutJSON struct {
	Namespace string `json:"namespace"`
	Package   string `json:"package"`
	// Subscriptions and Installed are what goes, sorted.
	Subscriptions []string            `json:"subscriptions"`
	Installed     []string            `json:"installed"`
	Verdict       string              `json:"verdict"`
	RequiredBy    []result.Obligation `json:"requiredBy"`
	Instead       []result.Install    `json:"instead"`
	Unneeded      []string            `json:"unneeded"`
	// Unmanaged are kinds of custom resources, "KIND (GROUP)", that stay with their definitions while
	// nothing manages them.
	Unmanaged []string   `json:"unmanaged,omitempty"`
	Error     *errorWith `json:"error,omitempty"`
}

// WriteWithout prints the requests that would break if Subscriptions are deleted.
func WriteWithout(p *terminal.Page, list []Without, output string) error {
	if output == terminal.OutputJSON {
		return terminal.WriteJSON(p, withoutListJSON{terminal.ListOf(p, "namespace", list, func(w Without) withoutJSON { return w.withoutJSON })})
	}
	p.Each(len(list), "namespace", func(i int) bool {
		w, x := &p.Buffer, list[i]
		if i > 0 {
			w.WriteByte('\n')
		}
		title := "without Subscription " + strings.Join(slices.Concat(x.Subscriptions, x.Installed), ", ") + " in namespace " + x.Namespace
		mark := p.Good
		if x.Needed() {
			mark = p.Bad
		}
		terminal.Printf(w, "%s %s\n", p.Bold(title+":"), mark(verdictWords[x.Verdict]))
		terminal.Section(w, p.Bold("Required by"), terminal.Mapped(x.RequiredBy, func(r result.Obligation) string {
			return r.Bundle + ": " + terminal.Flat(r.Constraint)
		}))
		if x.failed != nil {
			terminal.Section(w, p.Bold("Why"), []terminal.Lines{terminal.Message(x.failed)})
		}
		terminal.Section(w, p.Bold("Then installed"), terminal.Mapped(x.Instead, func(i result.Install) string {
			return i.Bundle.Name + " of catalog " + i.Bundle.Catalog.String() + ", " + terminal.Dash(why(i.For))
		}))
		terminal.Section(w, p.Bold("No longer needed"), x.Unneeded)
		terminal.Section(w, p.Bold("What stays behind: definitions and custom resources that nothing manages then"), x.Unmanaged)
		terminal.Section(w, p.Bold("To remove them as well, do so while the operator still runs, as it may have to clean up"), x.removal())
		return true
	})
	return nil
}
