package result

import (
	"slices"
	"strings"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// Conflict is the head of a derivation: the demands that cannot hold together, and the facts
// that it ends in.
type Conflict struct {
	// Scope is the scope that was resolved. It is zero if several namespaces take part.
	Scope cluster.Scope
	// Asked is a bundle that is demanded only to find why it cannot be selected.
	Asked *BundleRef
	// Requests, Installed bundles that must stay and bundles Chosen before are the demands
	// with which the derivation starts.
	Requests          []*Request
	Installed, Chosen []BundleRef
	// Alike are further requests that fail for the same reason as the last of Requests.
	Alike []*Request
	// Causes are the facts that the derivation ends in.
	Causes []ConflictCause
}

// ConflictCause is a fact that ends a derivation.
type ConflictCause struct {
	Fact *Explanation
	// RequiredBy is the node of the constraint that the fact leaves unsatisfied, if any.
	RequiredBy *Explanation
	// Excluder is set if the fact is that bundles are excluded: its bundles may not be
	// selected with what matches Absent.
	Excluder *Explanation
	Absent   constraints.Expr
	// Claims are set if the fact is that a group can have one member, or that an update takes the
	// place of what is installed: they lead to several. Operators that refuse updates come last.
	Claims []Claim
}

// Claim is a request, an installed bundle or a constraint, and the members of a group that
// could satisfy it.
type Claim struct {
	By      *Explanation
	Bundles []BundleRef
}

// ofPackage reports whether the claim is a requirement of a package.
func (c Claim) ofPackage() bool {
	_, ok := c.By.Reason.args.Constraint.(constraints.Package)
	return ok && c.By.Reason.Kind() == words.KindDependency
}

func (c Claim) text() string {
	members := words.Either(names(c.Bundles))
	if n := len(names(c.Bundles)); n > words.MaxNamed && len(byPackage(c.Bundles)) == 1 {
		members = words.Failures.With("one of", n, words.Values{"span": span(c.Bundles, n)})
	}
	reason, stays := &c.By.Reason, len(c.Bundles) == 1 && c.Bundles[0].Installed
	row, values := "before", words.Values{"bundles": members}
	switch kind := reason.Kind(); kind {
	case words.KindDependency:
		if c.ofPackage() {
			return c.By.Text() // a range says more than the versions in it
		}
		return c.By.requires() + members
	case words.KindHold:
		row, values["bundles"], values["hold"] = "refuses", reason.args.Request.Installed, reason.args.Request.Hold.text()
	case words.KindOfSubscription, words.KindOfExtension:
		if row, values["called"] = "asks", reason.args.Request.called(); stays {
			row = "keeps"
		}
	default:
		if stays && reason.code == words.Installed && reason.args.Other == "" {
			row = "unnamed"
		} else if stays {
			row = "stays"
		}
	}
	return words.Failures.With(row, 1, values)
}

// key tells what derivations end in apart, whatever constraints it leaves unsatisfied.
func (c ConflictCause) key() string {
	key := c.Fact.aboutBundles()
	if c.Excluder != nil {
		key += " excluded by " + c.Excluder.aboutBundles() + " " + constraints.Key(c.Absent)
	}
	for _, claim := range c.Claims {
		key += " claimed by " + claim.By.aboutBundles() + " " + bundlesKey(claim.Bundles)
	}
	return key
}

func (c ConflictCause) text() string {
	switch c.Fact.Reason.code {
	case words.OnePackage, words.OneName, words.OneAPI:
		return crowded(&c.Fact.Reason, c.Fact.Bundles, c.Claims)
	}
	if len(c.Claims) > 0 { // an update takes the place of what is installed
		return ruled(claimed(demands(c.Claims)), c.Fact.Reason.row("onePackage"))
	}
	if c.Excluder == nil {
		return c.Fact.Text()
	}
	by := c.Excluder.subject()
	return words.Failures.With("excludes", by.n, words.Values{"subject": by.text, "constraint": c.Absent.String(), "bundles": describeBundles(c.Fact.Bundles, false)})
}

// ruled returns the sentence that claims break a rule. There may be no claims.
func ruled(claims, rule string) string {
	return words.Failures.With("rule", 1, words.Values{"claims": claims, "rule": rule})
}

func (d *Conflict) text() string { return words.Unbroken(d.who()+d.alike()) + ":\n" + d.cause(";\n") }

// cause returns the part of the text after who.
func (d *Conflict) cause(between string) string {
	causes, _ := d.causes()
	if len(causes) == 0 {
		return words.Failures.With("contradict", 2, nil)
	}
	if more := len(causes) - headCauses; more > 0 {
		causes = append(causes[:headCauses], words.Failures.With("others", more, words.Values{"count": words.Count(more, "reason")}))
	}
	return strings.Join(causes, between)
}

// beside returns the cause, after the demands beside which it keeps out the bundle Asked.
func (d *Conflict) beside() string {
	installed := slices.DeleteFunc(slices.Clone(d.Installed), d.claims)
	if who := strings.TrimSpace(d.besides(words.Mapped(d.Requests, d.requestName), d.names(installed))); who != "" {
		return who + ", " + d.cause("; ")
	}
	return d.cause("; ")
}

// claims reports whether a cause states what an installed bundle requires.
func (d *Conflict) claims(b BundleRef) bool {
	return slices.ContainsFunc(d.Causes, func(c ConflictCause) bool {
		return slices.ContainsFunc(c.Claims, func(claim Claim) bool {
			return claim.ofPackage() && slices.ContainsFunc(claim.By.Bundles, func(by BundleRef) bool { return by.Installed && by.Bundle == b.Bundle && by.Namespace == b.Namespace })
		})
	})
}

// causes returns the texts of the causes, and the facts of those that the head states. What is
// required by several is said once, and so are facts of which the text is the same, such as that
// nothing satisfies "the rule": a reader would take the second for a repetition.
func (d *Conflict) causes() ([]string, map[*Explanation]bool) {
	var list []string
	owners, facts := map[string][]string{}, map[*Explanation]bool{}
	for _, c := range d.Causes {
		text := c.text()
		known, ok := owners[text]
		if !ok {
			list = append(list, text)
		}
		if i := slices.Index(list, text); i < headCauses {
			facts[c.Fact] = true
			for _, claim := range c.Claims {
				facts[claim.By] = facts[claim.By] || claim.ofPackage()
			}
		}
		if c.RequiredBy != nil {
			known = append(known, c.RequiredBy.subject().text)
		}
		owners[text] = known
	}
	for i, text := range list {
		if by := words.Distinct(owners[text]); len(by) > 0 {
			text += words.Failures.With("required", 1, words.Values{"bundles": words.Listed(by, 2)})
		}
		list[i] = words.Unbroken(text)
	}
	return list, facts
}

// who returns the part of the text that names the demands.
func (d *Conflict) who() string {
	requests, installed := words.Mapped(d.Requests, d.requestName), d.names(d.Installed)
	values := words.Values{
		"where": words.InNamespace(d.Scope.Namespace()), "requests": words.Listed(requests, words.MaxNamed), "installed": words.Listed(installed, words.MaxNamed),
		"alone": when(d.Scope.Alone(), d.Scope.String()),
	}
	if d.Asked != nil {
		values["asked"], values["beside"] = d.names([]BundleRef{*d.Asked})[0], d.besides(requests, installed)
	}
	n := len(requests)
	if n == 0 {
		n = len(installed)
	} else if n == 1 && len(installed) == 0 && slices.ContainsFunc(d.Causes, func(c ConflictCause) bool { return c.Fact.Reason.Kind() == words.KindMissingPackage }) {
		values["has"] = d.Requests[0].Installed // if no update can come, what runs matters most
	}
	return words.Failures.With("who", n, values)
}

// alike returns the part of the text that names further requests with the same reason.
func (d *Conflict) alike() string {
	if len(d.Alike) == 0 {
		return ""
	}
	return words.Failures.With("alike", len(d.Alike), words.Values{"requests": words.Listed(words.Mapped(d.Alike, d.requestName), words.MaxNamed)})
}

// besides returns the part of the text that names the demands beside which the bundle Asked
// cannot be selected.
func (d *Conflict) besides(requests, installed []string) string {
	var parts []string
	if n := len(d.Chosen); n > 0 {
		parts = append(parts, words.Failures.With("chosen", n, words.Values{"bundles": words.Listed(d.names(d.Chosen), words.MaxNamed)}))
	}
	if n := len(installed); n > 0 {
		parts = append(parts, words.Failures.With("installed", n, words.Values{"bundles": words.Listed(installed, words.MaxNamed)}))
	}
	if n := len(requests); n > 0 {
		parts = append(parts, words.Failures.With("requested", n, words.Values{"kind": string(d.Requests[0].Key.Kind), "requests": words.Listed(requests, words.MaxNamed)}))
	}
	if len(parts) == 0 {
		return ""
	}
	return " beside " + words.Listed(parts, len(parts))
}

// names returns the names of bundles, with their namespaces if these differ from the Scope.
func (d *Conflict) names(list []BundleRef) []string {
	return words.Mapped(list, func(b BundleRef) string { return b.Bundle.Name + d.home(b.Namespace) })
}

// home returns " in namespace NAME" unless the head names the namespace already.
func (d *Conflict) home(namespace string) string {
	return words.InOther(namespace, d.Scope.Namespace())
}

// requestName returns the name of a request, with its package unless the name contains it.
func (d *Conflict) requestName(r *Request) string {
	name := r.Key.Name
	if !r.Key.Scope().Alone() && r.Package != "" && !strings.Contains(name, r.Package) {
		name += " (package " + r.Package + ")"
	}
	return name + d.home(r.home())
}

// crowded returns the sentence that a group has more members than it can have.
func crowded(r *Reason, members []BundleRef, claims []Claim) string {
	switch r.code {
	case words.OnePackage:
		return ruled(claimed(demands(claims)), r.Message())
	case words.OneName:
		return r.Message()
	}
	var names []string
	for _, list := range byPackage(members) {
		name := list[0].Bundle.Package + words.InNamespace(list[0].Namespace)
		if len(list) == 1 || list[0].Bundle.Package == "" || list[0].Installed {
			name = describeBundles(list, false)
		}
		names = append(names, name)
	}
	names = words.Distinct(names)
	if len(names) < 2 {
		return r.Message()
	}
	return words.Failures.With("provide", len(names)-1, words.Values{"bundles": words.Listed(names, words.MaxNamed), "api": words.APIText(r.API()), "rule": r.row("oneOf")})
}

// demands returns the claims but those of the bundle that is asked about.
func demands(claims []Claim) []Claim {
	return slices.DeleteFunc(slices.Clone(claims), func(c Claim) bool { return c.By.Reason.Kind() == words.KindAsked })
}

// claimed returns the clause that states which claims lead to which bundles, empty without any.
func claimed(claims []Claim) string {
	if len(claims) == 0 {
		return ""
	}
	texts := words.Distinct(words.Mapped(claims, Claim.text))
	last := len(texts) - 1
	return words.Failures.With("claims", len(texts), words.Values{"first": words.Listed(texts[:last], words.MaxNamed), "last": texts[last]})
}
