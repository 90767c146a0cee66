package result

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// WaitFor returns what to wait for, empty if waiting does not help, and what comes then.
func (h *Help) WaitFor() (text, then string) {
	if len(h.Wait) > 0 {
		return h.waitForCatalogs(), ""
	}
	if len(h.Awaited) > 0 {
		return h.waitForUpdates(), h.Follows + " comes"
	}
	at := slices.IndexFunc(h.Fixes, func(f Fix) bool { return f.Overrides() })
	if at < 0 {
		return h.repair()
	}
	return waitUntilUpgradeable(&h.Fixes[at]), words.Unbroken(h.Fixes[at].Outcome(h.Home))
}

func (h *Help) waitForCatalogs() string {
	names := words.Mapped(h.Wait, func(o Object) string { return o.Text(h.Home) })
	values := words.Values{"names": words.Listed(names, words.MaxNamed), "remains": h.Remains}
	if h.Repair.OfCatalog() {
		values["step"] = h.Repair.Steps()[0] // it has no pod
	}
	if o := h.Wait[0]; len(names) == 1 && o.Kind == words.ObjectCatalogSource && words.IsPlain(o.Namespace) && words.IsPlain(o.Name) {
		values["namespace"], values["name"] = o.Namespace, o.Name
	}
	return words.Unbroken(words.Failures.With("catalogs", len(names), values))
}

func (h *Help) waitForUpdates() string {
	a := &h.Awaited[0]
	row, values := "updates", words.Values{"approval": flag(a.Approval)}
	if a.Channel != "" {
		row = "channel"
		values["plan"], values["request"], values["channel"], values["way"] = a.Beside, a.Request.String(), a.Channel, wayOf(a)
	} else {
		values["names"] = words.Listed(words.Mapped(h.Awaited, func(a Awaited) string { return a.Request.String() + wayOf(&a) }), words.MaxNamed)
	}
	return words.Unbroken(words.Failures.With(row, 1, values))
}

// WaitText returns what to wait for, and what comes then, in one text; empty if waiting does not help.
func (h *Help) WaitText() string {
	wait, then := h.WaitFor()
	return wait + when(then != "", ": "+then)
}

// FixText returns the best of what is known to help the request, empty if nothing is.
func (s *Status) FixText() string {
	if (s.Why != nil || s.Repair.OfCatalog()) && s.Repair != nil && len(s.Repair.Steps()) > 0 { // else the reason is another than what OLM states
		return strings.Join(s.Repair.Steps(), ", then ") + ": " + s.Repair.Then()
	}
	help := s.Help
	if s.Why == nil {
		help.Repair = nil
	}
	if wait := help.WaitText(); wait != "" || len(s.Fixes) == 0 {
		return wait
	}
	return s.Fixes[0].Class.Warning() + s.Fixes[0].Text(s.Request.Namespace)
}

// repair returns what failed and keeps OLM from moving on, and what comes once it is repaired.
func (h *Help) repair() (text, then string) {
	names, said, phase := []string{}, "", "Failed"
	if r := h.Repair; r != nil {
		names, said, then = []string{r.Object.Name}, r.Stated, r.Then()
		if phase = cmp.Or(r.Is, phase); r.ByItself() {
			return words.Unbroken(words.Failures.With("phase", 1, words.Values{"object": r.Object.Text(h.Home), "phase": phase})), words.Unbroken(then)
		}
	}
	if at := slices.IndexFunc(h.Fixes, func(f Fix) bool { return f.FailsForward() }); at >= 0 {
		for _, c := range h.Fixes[at].Cautions {
			if c.Kind == words.CautionForward && len(names) == 0 {
				names, said = c.Names, c.Said
			}
		}
		then = strings.TrimPrefix(then+"; then "+h.Fixes[at].Outcome(h.Home), "; then ")
	}
	if len(names) == 0 {
		return "", ""
	}
	text = words.Failures.With("failed", len(names), words.Values{"names": words.Listed(names, words.MaxNamed), "phase": phase, "said": words.Stated(said)})
	return words.Unbroken(text), words.Unbroken(then)
}

// wayOf says where the updates lead, empty if there are none.
func wayOf(a *Awaited) string {
	n := len(a.Bundles)
	if n == 0 {
		return ""
	}
	return words.Failures.With("way", n, words.Values{
		"next": a.Bundles[0], "last": when(n > 1, a.Bundles[n-1]), "steps": when(n > 2, strconv.Itoa(n)),
	})
}

// platform matches what names the platform in what an operator says.
var platform = regexp.MustCompile(`(?i)\b(ocp|openshift|kubernetes|cluster version)\b`)

// waitUntilUpgradeable returns how what operators state ends, whose updates a fix overrides.
func waitUntilUpgradeable(f *Fix) string {
	for _, s := range f.Steps() {
		if set, ok := s.From.([]cluster.Condition); ok && slices.ContainsFunc(set, func(c cluster.Condition) bool { return c.Type == "Upgradeable" && c.Status == "False" }) {
			return words.Unbroken(words.Failures.With("overridden", 1, words.Values{"name": s.Object.Name}))
		}
	}
	said := ""
	for _, c := range f.Cautions {
		if c.Kind == words.CautionHeld {
			said += c.Said
		}
	}
	names := words.Mapped(f.Steps(), func(s Step) string { return s.Object.Name })
	return words.Unbroken(words.Failures.With("until", len(names), words.Values{
		"names": words.Listed(names, words.MaxNamed), "said": said, "platform": flag(platform.MatchString(said)),
	}))
}

// OptionTexts returns what else of the call could help: catalogs of the cluster that may have other
// versions, then Options.
func (h *Help) OptionTexts() []string {
	list := words.Mapped(h.Options, func(f Fix) string { return f.Text(h.Home) })
	if text := h.elsewhere(); text != "" {
		list = append([]string{text}, list...)
	}
	return list
}

// elsewhere returns which catalogs of the cluster may have other versions, empty if none.
func (h *Help) elsewhere() string {
	n := len(h.Elsewhere)
	if n == 0 {
		return ""
	}
	return words.Failures.With("notGiven", n, words.Values{"names": words.Listed(words.Mapped(h.Elsewhere, catalog.Key.String), 1)})
}
