package result

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// WaitFor returns what to wait for, empty if waiting does not help, and what comes then.
func (h *Help) WaitFor() (text, then string) {
	if names := words.Mapped(h.Wait, func(o Object) string { return o.Text(h.Home) }); len(names) > 0 {
		text = "repair " + words.Listed(names, words.MaxNamed)
		if o := h.Wait[0]; len(names) == 1 && o.Kind == words.ObjectCatalogSource && words.IsPlain(o.Namespace) && words.IsPlain(o.Name) {
			text += " (its pod says why: kubectl describe pods --namespace " + o.Namespace + " --selector olm.catalogSource=" + o.Name + ")"
		}
		if text += ", or wait until " + words.Verb(len(names), "it is", "they are") + " healthy"; h.Repair.OfCatalog() {
			text = h.Repair.Steps()[0] // it has no pod
		}
		if h.Remains != "" {
			text += "; even then, " + h.Remains
		}
		return words.Unbroken(text), ""
	}
	if len(h.Awaited) > 0 {
		if a := h.Awaited[0]; a.Channel != "" {
			if a.Beside != "" {
				text = "do not approve InstallPlan " + a.Beside + ", which brings something else; "
			}
			text += "set spec.channel of " + a.Request.String() + " to " + a.Channel
			if len(a.Bundles) > 0 {
				text += "; OLM then updates it" + wayOf(&a)
			}
			if a.Approval {
				text += "; each update waits for approval again"
			}
			return words.Unbroken(text), h.Follows + " comes"
		}
		names := words.Mapped(h.Awaited, func(a Awaited) string { return a.Request.String() + wayOf(&a) })
		how := ", which it does by itself"
		if h.Awaited[0].Approval {
			how = ", each once its InstallPlan is approved: the next one waits again"
		}
		return words.Unbroken(words.UntilUpdated(names) + how), h.Follows + " comes"
	}
	at := slices.IndexFunc(h.Fixes, func(f Fix) bool { return f.Overrides() })
	if at < 0 {
		return h.repair()
	}
	names := words.Mapped(h.Fixes[at].Steps(), func(s Step) string { return s.Object.Name })
	return words.Unbroken(untilUpgradeable(&h.Fixes[at], "OperatorCondition"+words.Plural(len(names))+" "+words.Listed(names, words.MaxNamed)+
		words.Verb(len(names), " is", " are")+" Upgradeable again")), words.Unbroken(h.Fixes[at].Outcome(h.Home))
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
			return words.Unbroken("wait for " + r.Object.Text(h.Home) + ", which is in phase " + phase), words.Unbroken(then)
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
	text = "repair what keeps ClusterServiceVersion" + words.Plural(len(names)) + " " + words.Listed(names, words.MaxNamed) +
		" in phase " + phase + ": " + cmp.Or(words.Stated(said), "nothing is stated, so look at the events of its Deployments and the logs of its pods")
	return words.Unbroken(text), words.Unbroken(then)
}

// wayOf says where the updates lead.
func wayOf(a *Awaited) string {
	text := " to " + a.Bundles[0]
	switch n := len(a.Bundles); {
	case n == 2:
		text += " and then " + a.Bundles[1]
	case n > 2:
		text += fmt.Sprintf(" and on to %s, in %d steps", a.Bundles[n-1], n)
	}
	return text
}

// platform matches what names the platform in what an operator says.
var platform = regexp.MustCompile(`(?i)\b(ocp|openshift|kubernetes|cluster version)\b`)

// untilUpgradeable returns how what operators state ends, whose updates a fix overrides.
func untilUpgradeable(f *Fix, end string) string {
	for _, s := range f.Steps() {
		if set, ok := s.From.([]cluster.Condition); ok && slices.ContainsFunc(set, func(c cluster.Condition) bool { return c.Type == "Upgradeable" && c.Status == "False" }) {
			return "an administrator set that in spec.overrides of OperatorCondition " + s.Object.Name + ": once the reason is gone, remove the entry Upgradeable there"
		}
	}
	said := ""
	for _, c := range f.Cautions {
		if c.Kind == words.CautionHeld {
			said += c.Said
		}
	}
	switch {
	case platform.MatchString(said):
		return "update the cluster, or do what else the operator's message asks for, and wait until " + end
	case said != "":
		return "do what the operator's message asks for, and wait until " + end
	}
	return "wait until " + end
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
	names := words.Listed(words.Mapped(h.Elsewhere, catalog.Key.String), 1)
	return "catalog" + words.Plural(n) + " " + names + " " + words.Verb(n, "was", "were") + " not given, and may have other versions"
}
