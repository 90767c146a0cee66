package scenario

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"reflect"

	"go.yaml.in/yaml/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/policy"
)

// Options are the content of options.yaml. The zero value stands for a missing file. A field
// without a comment has the meaning of that name in policy.Options or cluster.Objects.
type Options struct {
	// Namespaces are the namespaces to resolve; none means each with a Subscription, unless there
	// are Extensions.
	Namespaces []string `yaml:"namespaces,omitempty"`
	// Extensions are the ClusterExtensions to resolve after them; none means all.
	Extensions []string `yaml:"extensions,omitempty"`
	// Jointly resolves the namespaces as one problem.
	Jointly bool `yaml:"jointly,omitempty"`
	// Paths are the paths to search after everything else.
	Paths []pathQuestion `yaml:"paths,omitempty"`
	// Compound is "solution" (default) or "bundle".
	Compound string `yaml:"compound,omitempty"`
	// Updates is "visible" (default) or "named".
	Updates string `yaml:"updates,omitempty"`
	// GlobalNamespaces replaces the default global namespaces; NoGlobalNamespaces means
	// that there are none.
	GlobalNamespaces   []string `yaml:"globalNamespaces,omitempty"`
	NoGlobalNamespaces bool     `yaml:"noGlobalNamespaces,omitempty"`
	// Priorities has priorities of catalogs, by NAMESPACE/NAME or NAME. They win over those
	// of the manifests.
	Priorities map[string]int `yaml:"priorities,omitempty"`
	// Unhealthy has, by catalog, why it cannot be read.
	Unhealthy map[string]string `yaml:"unhealthy,omitempty"`
	// Exclude has the catalogs to leave out.
	Exclude []string `yaml:"exclude,omitempty"`

	LenientHealth      bool `yaml:"lenientHealth,omitempty"`
	Partial            bool `yaml:"partial,omitempty"`
	RejectDependencies bool `yaml:"rejectDependencies,omitempty"`
	AsOLMv1            bool `yaml:"asOLMv1,omitempty"`
	// OLMv1 is the profile of OLM v1, "standard" (default) or "experimental".
	OLMv1        cluster.Profile `yaml:"olmv1,omitempty"`
	SingleOwner  bool            `yaml:"singleOwner,omitempty"`
	SameVersions bool            `yaml:"sameVersions,omitempty"`
	PathBudget   int             `yaml:"pathBudget,omitempty"`

	EnforceOpenShiftLimit bool `yaml:"enforceOpenShiftLimit,omitempty"`

	NoFixes       bool `yaml:"noFixes,omitempty"`
	MaxCandidates int  `yaml:"maxCandidates,omitempty"`
	MaxLiterals   int  `yaml:"maxLiterals,omitempty"`
	MaxConflicts  int  `yaml:"maxConflicts,omitempty"`
	MaxRuleCost   int  `yaml:"maxRuleCost,omitempty"`

	Pins []policy.Pin `yaml:"pins,omitempty"`
	// Rules are the texts of policies. CatalogLabels has labels of catalogs, by NAMESPACE/NAME
	// or NAME, which win over those of the manifests.
	Rules         []string                     `yaml:"policies,omitempty"`
	CatalogLabels map[string]map[string]string `yaml:"catalogLabels,omitempty"`
	Policies      []*policy.Policy             `yaml:"-"`

	KubernetesVersion string            `yaml:"kubernetesVersion,omitempty"`
	OpenShiftVersion  string            `yaml:"openshiftVersion,omitempty"`
	Date              string            `yaml:"date,omitempty"`
	Labels            map[string]string `yaml:"labels,omitempty"`

	// Forbid has the bundles that a system constraint forbids.
	Forbid []Verdict `yaml:"forbid,omitempty"`

	// Recorded has the faults of catalogs that [Question.Record] has written. They replace the faults
	// of the written catalogs.
	Recorded map[string]recorded `yaml:"recorded,omitempty"`

	// Faults prints the faults of the catalogs as well. Texts prints messages and
	// explanations in full instead of only their subjects.
	Faults bool `yaml:"faults,omitempty"`
	Texts  bool `yaml:"texts,omitempty"`
}

// pathQuestion asks for the updates that lead a package to a bundle, by name or version. Without To
// they lead to the head of its channel.
type pathQuestion struct {
	Namespace string `yaml:"namespace"`
	Package   string `yaml:"package"`
	To        string `yaml:"to,omitempty"`
}

// Verdict forbids a bundle. Empty fields match everything.
type Verdict struct {
	Catalog string `yaml:"catalog,omitempty"`
	Package string `yaml:"package,omitempty"`
	Bundle  string `yaml:"bundle,omitempty"`
	Reason  string `yaml:"reason,omitempty"`
}

// parseOptions reads options.yaml. An unknown key is an error: a scenario with a misspelt
// option would not show what it states.
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
	return o, cmp.Or(o.check(), o.readPolicies())
}

func (o *Options) readPolicies() error {
	for i, text := range o.Rules {
		p, err := policy.Parse([]byte(text))
		if err != nil {
			return fmt.Errorf("policies[%d]: %w", i, err)
		}
		o.Policies = append(o.Policies, p)
	}
	return nil
}

// maxKeys bounds the keys of a mapping: the YAML library compares each with all others.
const maxKeys = 2000

// checkKeys refuses texts that take far more time than their size suggests.
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

// tidy makes options that mean the same equal. An empty list of global namespaces means that
// there are none; any other empty list means nothing.
func (o *Options) tidy() {
	if o.GlobalNamespaces != nil && len(o.GlobalNamespaces) == 0 {
		o.NoGlobalNamespaces = true
	}
	for _, f := range reflect.ValueOf(o).Elem().Fields() {
		if (f.Kind() == reflect.Slice || f.Kind() == reflect.Map) && f.Len() == 0 {
			f.SetZero()
		}
	}
}

func (o *Options) check() error {
	if o.OLMv1 != "" && o.OLMv1 != cluster.ProfileStandard && o.OLMv1 != cluster.ProfileExperimental {
		return fmt.Errorf("olmv1: %q: want standard or experimental", o.OLMv1)
	}
	if o.Compound != "" && o.Compound != "solution" && o.Compound != "bundle" {
		return fmt.Errorf("compound: %q: want solution or bundle", o.Compound)
	}
	if o.Updates != "" && o.Updates != "visible" && o.Updates != "named" {
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

// copySame copies the fields that two structs share by name and type.
func copySame(to, from any) {
	target := reflect.ValueOf(to).Elem()
	for field, value := range reflect.ValueOf(from).Elem().Fields() {
		if same := target.FieldByName(field.Name); same.IsValid() && same.Type() == field.Type {
			same.Set(value)
		}
	}
}

func (o *Options) resolver() policy.Options {
	var r policy.Options
	copySame(&r, o)
	if o.NoGlobalNamespaces {
		r.GlobalNamespaces = []string{}
	}
	r.BundleScope, r.NamedUpdates = o.Compound == "bundle", o.Updates == "named"
	for _, name := range o.Exclude {
		r.ExcludeCatalogs = append(r.ExcludeCatalogs, catalog.ParseKey(name))
	}
	if len(o.Forbid) > 0 {
		r.SystemConstraint = o.judge
	}
	return r
}

// judge is a system constraint that repeats the verdicts of Forbid.
func (o *Options) judge(_ context.Context, c policy.Candidate) (allowed bool, reason string) {
	for _, v := range o.Forbid {
		if (v.Catalog == "" || v.Catalog == c.Bundle.Catalog.String()) &&
			(v.Package == "" || v.Package == c.Bundle.Package) &&
			(v.Bundle == "" || v.Bundle == c.Bundle.Name) {
			return false, v.Reason
		}
	}
	return true, ""
}
