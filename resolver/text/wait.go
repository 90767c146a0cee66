package text

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// repairOf returns what failed and keeps OLM from moving on, and what comes once it is repaired.
func repairOf(h *result.Help) (text, then string) {
	names, said, phase := []string{}, "", "Failed"
	if r := h.Repair; r != nil {
		names, said, then = []string{r.Object.Name}, r.Stated, r.Then()
		if phase = cmp.Or(r.Is, phase); r.ByItself() {
			return words.Unbroken("wait for " + r.Object.Text(h.Home) + ", which is in phase " + phase), words.Unbroken(then)
		}
	}
	if at := slices.IndexFunc(h.Fixes, func(f result.Fix) bool { return f.FailsForward() }); at >= 0 {
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

// notGiven returns which catalogs of the cluster are not known, empty if none.
func notGiven(h *result.Help) string {
	n := len(h.NotGiven)
	if n == 0 {
		return ""
	}
	names := words.Listed(words.Mapped(h.NotGiven, catalog.Key.String), words.MaxNamed)
	return "catalog" + words.Plural(n) + " " + names + " of the cluster " + words.Verb(n, "was", "were") + " not given, and may have what is missing"
}

// elsewhere returns which catalogs of the cluster may have other versions, empty if none.
func elsewhere(h *result.Help) string {
	n := len(h.Elsewhere)
	if n == 0 {
		return ""
	}
	names := words.Listed(words.Mapped(h.Elsewhere, catalog.Key.String), 1)
	return "catalog" + words.Plural(n) + " " + names + " " + words.Verb(n, "was", "were") + " not given, and may have other versions"
}

// leaveOf returns that nothing has to be done at once, empty if that is not so.
func leaveOf(h *result.Help) string {
	if len(h.Runs) == 0 {
		return ""
	}
	n := len(h.Runs)
	return words.Unbroken("nothing has to be done at once: " + words.Listed(h.Runs, words.MaxNamed) + words.Verb(n, " keeps running, and only gets", " keep running, and only get") + " no updates")
}

// waitFor returns what to wait for, empty if waiting does not help, and what comes then.
func waitFor(h *result.Help) (text, then string) {
	if names := words.Mapped(h.Wait, func(o result.Object) string { return o.Text(h.Home) }); len(names) > 0 {
		text = "repair " + words.Listed(names, words.MaxNamed)
		if o := h.Wait[0]; len(names) == 1 && o.Kind == words.ObjectCatalogSource && words.IsPlain(o.Namespace) && words.IsPlain(o.Name) {
			text += " (its pod says why: kubectl describe pods --namespace " + o.Namespace + " --selector olm.catalogSource=" + o.Name + ")"
		}
		text += ", or wait until " + words.Verb(len(names), "it is", "they are") + " healthy"
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
		names := words.Mapped(h.Awaited, func(a result.Awaited) string { return a.Request.String() + wayOf(&a) })
		how := ", which it does by itself"
		if h.Awaited[0].Approval {
			how = ", each once its InstallPlan is approved: the next one waits again"
		}
		return words.Unbroken(words.UntilUpdated(names) + how), h.Follows + " comes"
	}
	at := slices.IndexFunc(h.Fixes, func(f result.Fix) bool { return f.Overrides() })
	if at < 0 {
		return repairOf(h)
	}
	names := words.Mapped(h.Fixes[at].Steps(), func(s result.Step) string { return s.Object.Name })
	return words.Unbroken(untilUpgradeable(&h.Fixes[at], "OperatorCondition"+words.Plural(len(names))+" "+words.Listed(names, words.MaxNamed)+
		words.Verb(len(names), " is", " are")+" Upgradeable again")), words.Unbroken(h.Fixes[at].Outcome(h.Home))
}

// wayOf says where the updates lead.
func wayOf(a *result.Awaited) string {
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
func untilUpgradeable(f *result.Fix, end string) string {
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

// cutOff returns a sentence that the search was cut off, empty if it was not.
func cutOff(h *result.Help) string {
	switch h.Search {
	case words.SearchLimit:
		return "The search for what would help ended at its limit: there may be more"
	case words.SearchCanceled:
		return "The search for what would help was cut off: there may be changes that help"
	}
	return ""
}
