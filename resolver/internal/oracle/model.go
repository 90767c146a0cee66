package oracle

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/blang/semver/v4"
)

// Problem is everything that resolution of one namespace depends on.
type Problem struct {
	// Namespace is the one that is resolved.
	Namespace string
	// Globals are the namespaces whose catalogs everyone sees.
	Globals       []string
	Catalogs      []Catalog
	Subscriptions []Subscription
	Installed     []Installed
	// BundleScope reads a compound constraint as a predicate on one bundle.
	BundleScope bool
	// NamedUpdates takes updates from the Subscription's catalog only.
	NamedUpdates bool
	// Held are installed bundles whose operators refuse updates.
	Held []string
	// Group is the OperatorGroup of the namespace, nil for none; Groups are those
	// of other namespaces, which nothing else is known of.
	Group  *Group
	Groups []Group
	// Extension is asked for instead of the Subscriptions, if there is one.
	Extension *Extension
	// TooNew is set if the cluster's OpenShift is newer than Limited bundles allow, Enforced if
	// these are then not selected anew.
	TooNew, Enforced bool
	// Denied are bundle names that a policy of the caller forbids.
	Denied []string
	// Plans are the InstallPlans of the namespace.
	Plans []Plan
}

// Catalog is one file-based catalog.
type Catalog struct {
	Namespace string
	Name      string
	Priority  int
	// Down: its source failed.
	Down     bool
	Packages []Package
	Bundles  []Bundle
}

// Package is an olm.package blob with its channels.
type Package struct {
	Name     string
	Default  string
	Channels []Channel
}

// Channel is an olm.channel blob.
type Channel struct {
	Name    string
	Entries []Entry
}

// Entry is one entry of a channel.
type Entry struct {
	Name      string
	Replaces  string
	Skips     []string
	SkipRange string
}

// Bundle is an olm.bundle blob.
type Bundle struct {
	Package    string
	Name       string
	Version    string   // its build metadata, of one digit, is the release
	Provides   []string // kinds; group and version are fixed
	Labels     []string
	Requires   []Constraint
	Deprecated bool
	// Outdated bundles are in the catalog's olm.deprecations.
	Outdated bool
	// Limited bundles do not run on a newer OpenShift, which the cluster does not have
	// yet.
	Limited bool
	// Modes are the supported install modes; none: it states no modes.
	Modes []string
}

// Installed is a ClusterServiceVersion of the resolved namespace.
type Installed struct {
	Name string
	// Version is spec.version.
	Version string
	// Annotated says whether the properties annotation is there. Without it
	// only Provides and required APIs are known.
	Annotated bool
	// Package is the annotation's olm.package, of PackageVersion.
	Package        string
	PackageVersion string
	Provides       []string
	Labels         []string
	Requires       []Constraint
	Limited        bool
	// LeftOut is "copied" or "deleting" for one that does not count, "replaced" for one that
	// another one, which did not fail, replaces, or "failed" if the other one did.
	LeftOut string
	// Phase is empty for Succeeded. No choice depends on it and on the reason.
	Phase, Reason, Replaces string
}

// Subscription is a request.
type Subscription struct {
	Name            string
	Package         string
	Channel         string
	Source          string
	SourceNamespace string
	StartingCSV     string
	InstalledCSV    string
	// CurrentCSV, State, Plan, which names an InstallPlan, and Conditions are what OLM states
	// of it. No choice depends on them.
	CurrentCSV string
	State      string
	Plan       string
	Conditions []Condition
}

// Condition is one of an object's status.
type Condition struct {
	Type   string `json:"type"`
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"`
}

// Plan is an InstallPlan.
type Plan struct {
	Name, Phase string
	Approved    bool
	CSVs        []string
}

// Constraint is what a bundle asks for; exactly one of the fields up to Not is
// set.
type Constraint struct {
	Kind    string `json:",omitempty"` // an API
	Package string `json:",omitempty"`
	Range   string `json:",omitempty"` // of Package
	Label   string `json:",omitempty"` // only as olm.label.required
	Rule    *Rule  `json:",omitempty"`

	All []Constraint `json:",omitempty"`
	Any []Constraint `json:",omitempty"`
	Not []Constraint `json:",omitempty"`

	// Old states it as olm.gvk.required or olm.package.required.
	Old bool `json:",omitempty"`
}

// Rule is a CEL rule whose meaning is known without CEL.
type Rule struct {
	// Label holds for bundles with that label.
	Label string `json:",omitempty"`
	// Package and AtLeast hold for bundles of the package from a version on.
	Package string `json:",omitempty"`
	AtLeast string `json:",omitempty"`
	// Fails is a rule that ends in an error on every bundle.
	Fails bool `json:",omitempty"`
}

func (c Constraint) compound() bool { return c.All != nil || c.Any != nil || c.Not != nil }

// Clone returns a deep copy.
func (p *Problem) Clone() *Problem {
	data, err := json.Marshal(p)
	if err != nil {
		panic(fmt.Sprintf("oracle: a problem is plain data: %v", err))
	}
	var c Problem
	if err := json.Unmarshal(data, &c); err != nil {
		panic(fmt.Sprintf("oracle: a problem is plain data: %v", err))
	}
	return &c
}

// Fork copies the requests and what is installed, and shares all else.
func (p *Problem) Fork() *Problem {
	q := *p
	q.Subscriptions, q.Installed, q.Held = slices.Clone(p.Subscriptions), slices.Clone(p.Installed), slices.Clone(p.Held)
	if p.Extension != nil {
		e := *p.Extension
		q.Extension = &e
	}
	return &q
}

// InRange evaluates a range as the catalogs mean it; one that does not parse
// covers nothing.
func InRange(text, version string) bool {
	r, err := semver.ParseRange(text)
	if err != nil {
		return false
	}
	v, err := semver.Parse(version)
	return err == nil && r(v)
}

func atLeast(version, limit string) bool {
	v, err := semver.Parse(version)
	return err == nil && v.GTE(semver.MustParse(limit))
}
