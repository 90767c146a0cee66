package result

import (
	"fmt"
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
		members = "one of " + span(c.Bundles, n)
	}
	reason, stays := &c.By.Reason, len(c.Bundles) == 1 && c.Bundles[0].Installed
	switch reason.Kind() {
	case words.KindDependency:
		if c.ofPackage() {
			return c.By.Text() // a range says more than the versions in it
		}
		return c.By.requires() + members
	case words.KindHold:
		return "the installed " + reason.args.Request.Installed + " refuses updates" + reason.args.Request.Hold.text()
	case words.KindOfSubscription, words.KindOfExtension:
		if stays {
			return reason.args.Request.called() + " keeps the installed " + members
		}
		return reason.args.Request.called() + " asks for " + members
	}
	switch {
	case stays && reason.code == words.Installed && reason.args.Other == "":
		return "the installed " + members + ", which no Subscription names and none can adopt, must stay"
	case stays:
		return "the installed " + members + " must stay"
	}
	return members + " was chosen before"
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
		return claimed(demands(c.Claims)) + ", and " + c.Fact.Reason.row("onePackage")
	}
	if c.Excluder == nil {
		return c.Fact.Text()
	}
	by := c.Excluder.subject()
	return fmt.Sprintf("%s %s %s, which excludes %s", by.text, words.Verb(by.n, "forbids", "forbid"), c.Absent, describeBundles(c.Fact.Bundles, false))
}

// headCauses is the number of causes that the head states.
const headCauses = 2

func (d *Conflict) text() string { return words.Unbroken(d.who()+d.alike()) + ":\n" + d.cause(";\n") }

// cause returns the part of the text after who.
func (d *Conflict) cause(between string) string {
	causes, _ := d.causes()
	if len(causes) == 0 {
		return "what they ask for excludes each other"
	}
	if more := len(causes) - headCauses; more > 0 {
		causes = append(causes[:headCauses], "and "+words.Count(more, "reason")+" more")
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
			text += "; required by " + words.Listed(by, 2)
		}
		list[i] = words.Unbroken(text)
	}
	return list, facts
}

// who returns the part of the text that names the demands.
func (d *Conflict) who() string {
	where := words.InNamespace(d.Scope.Namespace())
	requests, installed := words.Mapped(d.Requests, d.requestName), d.names(d.Installed)
	beside := ""
	if len(installed) > 0 {
		beside = " beside the installed " + words.Listed(installed, words.MaxNamed)
	}
	switch n := len(requests); {
	case d.Asked != nil:
		return d.names([]BundleRef{*d.Asked})[0] + " cannot be selected" + where + d.besides(requests, installed)
	case d.Scope.Alone():
		return d.Scope.String() + " cannot be satisfied" + beside
	case n == 0 && len(installed) == 1:
		return "what is installed" + where + " cannot stay: " + installed[0]
	case n == 0:
		return "what is installed" + where + " cannot stay together: " + words.Listed(installed, words.MaxNamed)
	case n == 1:
		has := "" // if no update can come, what runs matters most
		if of := d.Requests[0].Installed; of != "" && len(installed) == 0 && slices.ContainsFunc(d.Causes, func(c ConflictCause) bool { return c.Fact.Reason.Kind() == words.KindMissingPackage }) {
			has = ", which has " + of + " installed,"
		}
		return "Subscription " + requests[0] + has + " cannot be satisfied" + where + beside
	default:
		return "Subscriptions " + words.Listed(requests, words.MaxNamed) + " cannot be satisfied together" + where + beside
	}
}

// alike returns the part of the text that names further requests with the same reason.
func (d *Conflict) alike() string {
	if len(d.Alike) == 0 {
		return ""
	}
	return ", likewise " + words.Listed(words.Mapped(d.Alike, d.requestName), words.MaxNamed)
}

// besides returns the part of the text that names the demands beside which the bundle Asked
// cannot be selected.
func (d *Conflict) besides(requests, installed []string) string {
	var parts []string
	if len(d.Chosen) > 0 {
		parts = append(parts, words.Listed(d.names(d.Chosen), words.MaxNamed)+", chosen before")
	}
	if len(installed) > 0 {
		parts = append(parts, "the installed "+words.Listed(installed, words.MaxNamed))
	}
	if n := len(requests); n > 0 {
		parts = append(parts, "what "+string(d.Requests[0].Key.Kind)+words.Plural(n)+" "+words.Listed(requests, words.MaxNamed)+" "+words.Verb(n, "asks", "ask")+" for")
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
		if claims = demands(claims); len(claims) == 0 {
			return "different bundles are needed, and " + r.Message()
		}
		return claimed(claims) + ", and " + r.Message()
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
	return fmt.Sprintf("%s %s provide %s, and %s", words.Listed(names, words.MaxNamed), words.Verb(len(names)-1, "both", "all"), words.APIText(r.API()), r.row("oneOf"))
}

// demands returns the claims but those of the bundle that is asked about.
func demands(claims []Claim) []Claim {
	return slices.DeleteFunc(slices.Clone(claims), func(c Claim) bool { return c.By.Reason.Kind() == words.KindAsked })
}

// claimed returns the clause that states which claims lead to which bundles.
func claimed(claims []Claim) string {
	texts := words.Distinct(words.Mapped(claims, Claim.text))
	last := len(texts) - 1
	if last == 0 {
		return texts[0]
	}
	return words.Listed(texts[:last], words.MaxNamed) + ", but " + texts[last]
}
