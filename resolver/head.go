package resolver

import (
	"fmt"
	"strings"

	"github.com/resolvent/resolvent/solver"
)

// head states in two lines who cannot have what they ask for, and why.
func (d *derivation) head() string {
	who := unbroken(d.subjects()) + ":"
	causes := distinct(d.causes)
	for i, cause := range causes {
		if owners := distinct(d.wants[cause]); len(owners) > 0 {
			causes[i] += "; required by " + listed(owners, 2)
		}
		causes[i] = unbroken(causes[i])
	}
	switch n := len(causes); {
	case n == 0:
		return who + "\nwhat they ask for excludes each other"
	case n == 1:
		return who + "\n" + causes[0]
	case n == 2:
		return who + "\n" + causes[0] + "; " + causes[1]
	default:
		return who + "\n" + causes[0] + "; " + causes[1] + fmt.Sprintf("; and %s more", count(n-2, "reason"))
	}
}

// subjects names the demands of the core that start it.
func (d *derivation) subjects() string {
	var requests, stay, chosen []string
	p, one := d.demander()
	here := func(p *problem) string {
		if one {
			return ""
		}
		return p.here() // each name says its own
	}
	bundle := func(v solver.Var) string {
		p := d.m.of(v)
		return p.nameOf(v) + here(p)
	}
	for _, r := range d.core {
		switch r.Kind {
		case solver.KindRoot:
			p, asked := d.m.root(r.Rule)
			requests = append(requests, p.requestName(asked)+here(p))
		case solver.KindGiven:
			stay = append(stay, bundle(r.Var))
		case solver.KindSelect:
			if r.Var != d.asked {
				chosen = append(chosen, bundle(r.Var))
			}
		}
	}
	where := ""
	if p.extension == nil && one {
		where = inNamespace(p.namespace)
	}
	beside := ""
	if len(stay) > 0 {
		beside = " beside the installed " + listed(stay, maxNamed)
	}
	switch {
	case d.asked != solver.None:
		return bundle(d.asked) + " cannot be selected" + where + d.besideText(requests, stay, chosen)
	case p.extension != nil:
		return "ClusterExtension " + p.extension.Name + " cannot be met" + beside
	case len(requests) == 0 && len(stay) == 1:
		return "what is installed" + where + " cannot stay: " + stay[0]
	case len(requests) == 0:
		return "what is installed" + where + " cannot stay together: " + listed(stay, maxNamed)
	case len(requests) == 1:
		return "Subscription " + requests[0] + " cannot be met" + where + beside
	}
	return "Subscriptions " + listed(requests, maxNamed) + " cannot be met together" + where + beside
}

// demander returns a problem whose demands start the core, and whether there is
// only one.
func (d *derivation) demander() (first *problem, one bool) {
	one = true
	for _, r := range d.core {
		var p *problem
		switch r.Kind {
		case solver.KindRoot:
			p, _ = d.m.root(r.Rule)
		case solver.KindGiven, solver.KindSelect:
			p = d.m.of(r.Var)
		default:
			continue
		}
		if first == nil {
			first = p
		}
		one = one && p == first
	}
	if first == nil {
		first = d.m.parts[0]
	}
	return first, one
}

// nameOf names a bundle, and its namespace where there are several.
func nameOf(m *model, v solver.Var) string {
	p := m.of(v)
	return p.nameOf(v) + p.here()
}

// requestName names a request, and its package where that is not its name.
func (p *problem) requestName(r *request) string {
	if r.extension != nil {
		return r.extension.Name
	}
	if pkg := r.subscription.Package; pkg != "" && !strings.Contains(r.subscription.Name, pkg) {
		return r.subscription.Name + " (package " + pkg + ")"
	}
	return r.subscription.Name
}

// besideText names what a bundle that was asked about cannot be selected beside.
func (d *derivation) besideText(requests, stay, chosen []string) string {
	var parts []string
	if len(chosen) > 0 {
		parts = append(parts, listed(chosen, maxNamed)+", chosen before")
	}
	if len(stay) > 0 {
		parts = append(parts, "the installed "+listed(stay, maxNamed))
	}
	if len(requests) > 0 {
		parts = append(parts, "what Subscription"+plural(len(requests))+" "+listed(requests, maxNamed)+verb(len(requests), " asks", " ask")+" for")
	}
	if len(parts) == 0 {
		return ""
	}
	return " beside " + listed(parts, len(parts))
}
