package result

import (
	"fmt"
	"slices"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// Resolution is the answer for one namespace or ClusterExtension.
type Resolution struct {
	// Scope is the scope that was resolved.
	Scope cluster.Scope `json:"-"`
	// Installs are the bundles to install, in the order in which they were selected: first
	// for requests, then for their dependencies.
	Installs []Install `json:"installs"`
	// Kept are the installed bundles that stay, by name.
	Kept []Kept `json:"kept"`
	// Replaced names the installed bundles that an install replaces, sorted.
	Replaced []string `json:"replaced"`
	// Warnings are sorted by kind, subject and message.
	Warnings []Reason `json:"warnings"`
	// Refusals are the warnings that refuse: OLM would not install what was chosen.
	Refusals []Reason `json:"refusals,omitempty"`
	// Grants are the smallest roles, and their bindings, that give the ServiceAccount with which OLM
	// installs what it needs for Installs and has not; nil if nothing is missing that is known.
	Grants *cluster.Objects `json:"-"`
	// Approval is "Manual" if any Subscription of the namespace has manual approval, else
	// "Automatic".
	Approval string `json:"approval"`
	// ManualFor are the Subscriptions for which Approval is "Manual", if others of the namespace
	// are not.
	ManualFor []cluster.RequestKey `json:"manualFor,omitempty"`
	// Unneeded names the bundles that came as dependencies and that nothing requires any
	// more, sorted.
	Unneeded []string `json:"unneeded"`
	// LeftOut are the requests that could not proceed (policy.Options.Partial).
	LeftOut []LeftOut `json:"leftOut"`
}

// Manual reports whether somebody must approve the installation.
func (r *Resolution) Manual() bool { return r.Approval == words.Manual }

// Install is a bundle to install.
type Install struct {
	Bundle  catalog.BundleKey `json:"-"`
	Version semver.Version    `json:"version"`
	Release string            `json:"release,omitempty"`
	// Channel is the channel through which the bundle was selected, empty if there is none.
	Channel string `json:"channel"`
	Image   string `json:"image"`
	// Replaces is the installed bundle that this one replaces or, for a new installation,
	// the one that its channel entry names.
	Replaces string `json:"replaces"`
	// For are the obligations that the bundle satisfies: requests first, then constraints of
	// other selected bundles.
	For []Obligation `json:"for"`
	// Place is the place of the bundle among the candidates of the obligation that selected
	// it; 0 is the best.
	Place int `json:"place"`
	// Properties are those that the bundle states.
	Properties *properties.Set `json:"-"`
}

// String returns the bundle, its catalog and its channel.
func (i Install) String() string { return Operation{Bundle: i.Bundle, Channel: i.Channel}.what() }

// Obligation is a request, or a Constraint of a selected Bundle.
type Obligation struct {
	// Request is zero for a constraint.
	Request cluster.RequestKey
	// Namespace is the namespace of Bundle if it is another one than the answer's.
	Namespace  string
	Bundle     string
	Constraint string
}

// String returns the request, or what requires what.
func (o Obligation) String() string {
	if o.Request != (cluster.RequestKey{}) {
		return o.Request.String() + words.InNamespace(o.Request.Namespace)
	}
	return o.Bundle + words.InNamespace(o.Namespace) + " requires " + o.Constraint
}

// Kept is an installed bundle that stays.
type Kept struct {
	// Bundle has the catalog that its request names, if there is one.
	Bundle  catalog.BundleKey `json:"-"`
	Version semver.Version    `json:"version"`
	For     []Obligation      `json:"for"`
	// Properties are those that the bundle states.
	Properties *properties.Set `json:"-"`
}

// String returns the bundle.
func (k Kept) String() string { return k.Bundle.String() }

// LeftOut is a request that a partial resolution leaves out.
type LeftOut struct {
	Request cluster.RequestKey
	// Err is why it cannot be satisfied together with the requests before it.
	Err error
}

// String returns the request, and why it is left out.
func (l LeftOut) String() string { return fmt.Sprintf("%s: %v", l.Request, l.Err) }

// Fails reports whether OLM would fail what was chosen whatever its options are: no cluster, or not
// this one as it is, takes it.
func (r *Resolution) Fails() bool {
	return slices.ContainsFunc(r.Refusals, func(w Reason) bool {
		return slices.Contains([]ReasonKind{words.KindCRD, words.KindKubernetes, words.KindRights}, w.Kind())
	})
}

// LacksRights reports whether there are Grants.
func (r *Resolution) LacksRights() bool {
	return r.Grants != nil
}

// Refused returns the bundles of Installs that Refusals are about.
func (r *Resolution) Refused() (names []string) {
	for _, i := range r.Installs {
		if slices.ContainsFunc(r.Refusals, func(w Reason) bool { return w.Args().Subject == i.Bundle.Name }) {
			names = append(names, i.Bundle.Name)
		}
	}
	return names
}
