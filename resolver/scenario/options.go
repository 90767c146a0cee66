package scenario

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/policy"
)

// Options are what options.yaml may say. The zero value stands for a missing
// file.
type Options struct {
	// Namespaces are resolved one after another; none means every one that has
	// a Subscription.
	Namespaces []string `yaml:"namespaces,omitempty"`
	// Extensions are the ClusterExtensions that are resolved after them; none
	// means all.
	Extensions []string `yaml:"extensions,omitempty"`
	// Jointly resolves the namespaces as one problem.
	Jointly bool `yaml:"jointly,omitempty"`
	// Paths are searched after everything else.
	Paths []Path `yaml:"paths,omitempty"`
	// Compound is "solution" (default) or "bundle".
	Compound string `yaml:"compound,omitempty"`
	// Updates is "visible" (default) or "named".
	Updates string `yaml:"updates,omitempty"`
	// GlobalNamespaces replaces the default ones; NoGlobalNamespaces says that
	// there are none.
	GlobalNamespaces   []string `yaml:"globalNamespaces,omitempty"`
	NoGlobalNamespaces bool     `yaml:"noGlobalNamespaces,omitempty"`
	// Priorities of catalogs, by NAMESPACE/NAME or NAME. They win over those of
	// the manifests.
	Priorities map[string]int `yaml:"priorities,omitempty"`
	// Unhealthy catalogs, and why each cannot be read.
	Unhealthy map[string]string `yaml:"unhealthy,omitempty"`
	// Exclude lists catalogs to leave out.
	Exclude []string `yaml:"exclude,omitempty"`

	LenientHealth        bool `yaml:"lenientHealth,omitempty"`
	Partial              bool `yaml:"partial,omitempty"`
	RequireOperatorGroup bool `yaml:"requireOperatorGroup,omitempty"`
	RejectDependencies   bool `yaml:"rejectDependencies,omitempty"`
	SingleOwner          bool `yaml:"singleOwner,omitempty"`
	SameVersions         bool `yaml:"sameVersions,omitempty"`
	PathBudget           int  `yaml:"pathBudget,omitempty"`

	// NoFixes leaves out the search for changes that would help. The others are
	// the limits of the resolver's options; 0 means the default.
	NoFixes       bool `yaml:"noFixes,omitempty"`
	MaxCandidates int  `yaml:"maxCandidates,omitempty"`
	MaxLiterals   int  `yaml:"maxLiterals,omitempty"`
	MaxRuleCost   int  `yaml:"maxRuleCost,omitempty"`

	// Pins hold packages at one bundle each.
	Pins []Pin `yaml:"pins,omitempty"`

	KubernetesVersion string            `yaml:"kubernetesVersion,omitempty"`
	OpenShiftVersion  string            `yaml:"openshiftVersion,omitempty"`
	Labels            map[string]string `yaml:"labels,omitempty"`

	// Forbid lists the verdicts of a system constraint: bundles that a policy
	// of the caller forbids.
	Forbid []Verdict `yaml:"forbid,omitempty"`

	// Recorded are the faults of catalogs that were written out from what had
	// been read: they replace those that are found in the copies.
	Recorded map[string]Recorded `yaml:"recorded,omitempty"`

	// Faults prints the faults of the catalogs as well, Texts whole messages
	// and explanations instead of only what they are about.
	Faults bool `yaml:"faults,omitempty"`
	Texts  bool `yaml:"texts,omitempty"`
}

// Path asks for the updates that lead a package to a bundle, by name or version;
// without To to the head of its channel.
type Path struct {
	Namespace string `yaml:"namespace"`
	Package   string `yaml:"package"`
	To        string `yaml:"to,omitempty"`
}

// Pin is a resolver.Pin.
type Pin struct {
	Namespace string `yaml:"namespace,omitempty"`
	Package   string `yaml:"package"`
	Bundle    string `yaml:"bundle,omitempty"`
	Version   string `yaml:"version,omitempty"`
}

// Verdict forbids a bundle. Empty fields match everything.
type Verdict struct {
	Catalog string `yaml:"catalog,omitempty"`
	Package string `yaml:"package,omitempty"`
	Bundle  string `yaml:"bundle,omitempty"`
	Reason  string `yaml:"reason,omitempty"`
}

// parseOptions reads options.yaml. Unknown keys are errors: a scenario with a
// misspelt option would show something else than it says.
func parseOptions(data []byte) (Options, error) {
	var o Options
	if len(bytes.TrimSpace(data)) == 0 {
		return o, nil
	}
	var root yaml.Node
	if err := yaml.Load(data, &root); err != nil {
		return Options{}, err
	}
	if err := checkKeys(&root); err != nil {
		return Options{}, err
	}
	if err := root.Load(&o, yaml.WithKnownFields()); err != nil {
		return Options{}, err
	}
	o.tidy()
	return o, o.check()
}

// maxKeys is how many keys a mapping may have: the YAML library compares each with
// all others.
const maxKeys = 2000

// checkKeys refuses what takes far more time to read than it has bytes.
func checkKeys(n *yaml.Node) error {
	if n.Kind == yaml.AliasNode {
		return fmt.Errorf("line %d: aliases are not supported", n.Line)
	}
	if n.Kind == yaml.MappingNode && len(n.Content) > 2*maxKeys {
		return fmt.Errorf("line %d: a mapping has more than the %d keys allowed", n.Line, maxKeys)
	}
	for _, part := range n.Content {
		if err := checkKeys(part); err != nil {
			return err
		}
	}
	return nil
}

// tidy makes options that mean the same equal: an empty list of global
// namespaces says that there are none, other empty lists say nothing.
func (o *Options) tidy() {
	if o.GlobalNamespaces != nil && len(o.GlobalNamespaces) == 0 {
		o.NoGlobalNamespaces = true
	}
	for _, list := range []*[]string{&o.Namespaces, &o.Extensions, &o.GlobalNamespaces, &o.Exclude} {
		if len(*list) == 0 {
			*list = nil
		}
	}
	if len(o.Forbid) == 0 {
		o.Forbid = nil
	}
	if len(o.Priorities) == 0 {
		o.Priorities = nil
	}
	for _, texts := range []*map[string]string{&o.Unhealthy, &o.Labels} {
		if len(*texts) == 0 {
			*texts = nil
		}
	}
}

func (o *Options) check() error {
	if !slices.Contains([]string{"", "solution", "bundle"}, o.Compound) {
		return fmt.Errorf("compound: %q: want solution or bundle", o.Compound)
	}
	if !slices.Contains([]string{"", "visible", "named"}, o.Updates) {
		return fmt.Errorf("updates: %q: want visible or named", o.Updates)
	}
	return nil
}

func (o *Options) format() ([]byte, error) {
	data, err := yaml.Dump(o)
	if err != nil || string(data) == "{}\n" {
		return nil, err
	}
	return data, nil
}

// resolver returns the options of the resolver that the scenario asks for.
func (o *Options) resolver() policy.Options {
	r := policy.Options{
		GlobalNamespaces:     o.GlobalNamespaces,
		LenientHealth:        o.LenientHealth,
		Partial:              o.Partial,
		RequireOperatorGroup: o.RequireOperatorGroup,
		RejectDependencies:   o.RejectDependencies,
		SingleOwner:          o.SingleOwner,
		SameVersions:         o.SameVersions,
		PathBudget:           o.PathBudget,
		NoFixes:              o.NoFixes,
		MaxCandidates:        o.MaxCandidates,
		MaxLiterals:          o.MaxLiterals,
		MaxRuleCost:          o.MaxRuleCost,
	}
	for _, p := range o.Pins {
		r.Pins = append(r.Pins, policy.Pin(p))
	}
	if o.NoGlobalNamespaces {
		r.GlobalNamespaces = []string{}
	}
	if o.Compound == "bundle" {
		r.CompoundScope = policy.ScopeBundle
	}
	if o.Updates == "named" {
		r.Updates = policy.UpdatesNamed
	}
	for _, name := range o.Exclude {
		r.ExcludeCatalogs = append(r.ExcludeCatalogs, parseKey(name))
	}
	if len(o.Forbid) > 0 {
		r.SystemConstraint = o.judge
	}
	return r
}

// judge is a resolver.SystemConstraint that repeats the recorded verdicts.
func (o *Options) judge(_ context.Context, c policy.Candidate) (allowed bool, reason string) {
	for _, v := range o.Forbid {
		if (v.Catalog == "" || v.Catalog == c.Catalog.String()) &&
			(v.Package == "" || v.Package == c.Package) &&
			(v.Bundle == "" || v.Bundle == c.Bundle) {
			return false, v.Reason
		}
	}
	return true, ""
}

// parseKey reads NAMESPACE/NAME or NAME.
func parseKey(text string) catalog.Key {
	namespace, name, ok := strings.Cut(text, "/")
	if !ok {
		return catalog.Key{Name: text}
	}
	return catalog.Key{Namespace: namespace, Name: name}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
