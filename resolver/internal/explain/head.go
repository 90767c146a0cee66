package explain

import (
	"fmt"
	"strings"

	"github.com/resolvent/resolvent/resolver/internal/encode"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// head states in two lines who cannot have what they ask for, and why.
func (d *derivation) head() string {
	who := result.Unbroken(d.subjects()) + ":"
	causes := result.Distinct(d.causes)
	for i, cause := range causes {
		if owners := result.Distinct(d.wants[cause]); len(owners) > 0 {
			causes[i] += "; required by " + result.Listed(owners, 2)
		}
		causes[i] = result.Unbroken(causes[i])
	}
	switch n := len(causes); {
	case n == 0:
		return who + "\nwhat they ask for excludes each other"
	case n == 1:
		return who + "\n" + causes[0]
	case n == 2:
		return who + "\n" + causes[0] + "; " + causes[1]
	default:
		return who + "\n" + causes[0] + "; " + causes[1] + fmt.Sprintf("; and %s more", result.Count(n-2, "reason"))
	}
}

// subjects names the demands of the core that start it.
func (d *derivation) subjects() string {
	var requests, stay, chosen []string
	p, one := d.demander()
	here := func(p *encode.Part) string {
		if one {
			return ""
		}
		return p.Here() // each name says its own
	}
	bundle := func(v solver.Var) string {
		p := d.m.Of(v)
		return p.NameOf(v) + here(p)
	}
	for _, r := range d.core {
		switch r.Kind {
		case solver.KindRoot:
			p, asked := d.m.Root(r.Rule)
			requests = append(requests, requestName(p, asked)+here(p))
		case solver.KindGiven:
			stay = append(stay, bundle(r.Var))
		case solver.KindSelect:
			if r.Var != d.asked {
				chosen = append(chosen, bundle(r.Var))
			}
		}
	}
	where := ""
	if p.Extension == nil && one {
		where = result.InNamespace(p.Namespace)
	}
	beside := ""
	if len(stay) > 0 {
		beside = " beside the installed " + result.Listed(stay, result.MaxNamed)
	}
	switch {
	case d.asked != solver.None:
		return bundle(d.asked) + " cannot be selected" + where + d.besideText(requests, stay, chosen)
	case p.Extension != nil:
		return "ClusterExtension " + p.Extension.Name + " cannot be met" + beside
	case len(requests) == 0 && len(stay) == 1:
		return "what is installed" + where + " cannot stay: " + stay[0]
	case len(requests) == 0:
		return "what is installed" + where + " cannot stay together: " + result.Listed(stay, result.MaxNamed)
	case len(requests) == 1:
		return "Subscription " + requests[0] + " cannot be met" + where + beside
	}
	return "Subscriptions " + result.Listed(requests, result.MaxNamed) + " cannot be met together" + where + beside
}

// demander returns a problem whose demands start the core, and whether there is
// only one.
func (d *derivation) demander() (first *encode.Part, one bool) {
	one = true
	for _, r := range d.core {
		var p *encode.Part
		switch r.Kind {
		case solver.KindRoot:
			p, _ = d.m.Root(r.Rule)
		case solver.KindGiven, solver.KindSelect:
			p = d.m.Of(r.Var)
		default:
			continue
		}
		if first == nil {
			first = p
		}
		one = one && p == first
	}
	if first == nil {
		first = d.m.Parts[0]
	}
	return first, one
}

// FullName names a bundle, and its namespace where there are several.
func FullName(m *encode.Model, v solver.Var) string {
	p := m.Of(v)
	return p.NameOf(v) + p.Here()
}

// requestName names a request, and its package where that is not its name.
func requestName(p *encode.Part, r *encode.Request) string {
	if r.Extension != nil {
		return r.Extension.Name
	}
	if pkg := r.Subscription.Package; pkg != "" && !strings.Contains(r.Subscription.Name, pkg) {
		return r.Subscription.Name + " (package " + pkg + ")"
	}
	return r.Subscription.Name
}

// besideText names what a bundle that was asked about cannot be selected beside.
func (d *derivation) besideText(requests, stay, chosen []string) string {
	var parts []string
	if len(chosen) > 0 {
		parts = append(parts, result.Listed(chosen, result.MaxNamed)+", chosen before")
	}
	if len(stay) > 0 {
		parts = append(parts, "the installed "+result.Listed(stay, result.MaxNamed))
	}
	if len(requests) > 0 {
		parts = append(parts, "what Subscription"+result.Plural(len(requests))+" "+result.Listed(requests, result.MaxNamed)+result.Verb(len(requests), " asks", " ask")+" for")
	}
	if len(parts) == 0 {
		return ""
	}
	return " beside " + result.Listed(parts, len(parts))
}
