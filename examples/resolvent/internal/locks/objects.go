package locks

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/blang/semver/v4"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v4"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/resolvent/internal/outcomes"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/lock"
	"github.com/resolvent/resolvent/resolver/mirror"
)

// The values of -o that no other command has.
const (
	OutputDiff          = "diff"
	OutputSubscriptions = "subscriptions"
	OutputExtensions    = "clusterextensions"
	OutputPolicy        = "operatorpolicy"
)

// WriteObjects prints what a cluster applies to get what is locked. Known has the fields that a
// lock does not have.
func WriteObjects(p *terminal.Page, l *lock.Lock, of string, known *cluster.Index, form string) error {
	var scopes []*lock.Scope
	for i := range l.Scopes {
		if s := &l.Scopes[i]; s.Cluster == of && (s.Extension != "") == (form == OutputExtensions) {
			scopes = append(scopes, s)
		}
	}
	printed := map[string]bool{} // ClusterExtensions: they may share a dependency
	return p.YAML(len(scopes), "scope", func(i int) ([]*yaml.Node, error) {
		if form == OutputPolicy {
			return operatorPolicies(scopes[i])
		}
		o := scopes[i].Objects(known)
		for i := range o.Subscriptions {
			o.Subscriptions[i].InstalledCSV, o.Subscriptions[i].Observed = "", cluster.Observed{}
		}
		for i := range o.ClusterExtensions {
			o.ClusterExtensions[i].Installed = nil
		}
		o.ClusterExtensions = slices.DeleteFunc(o.ClusterExtensions, func(e cluster.ClusterExtension) bool {
			before := printed[e.Name]
			printed[e.Name] = true
			return before
		})
		return outcomes.Manifests(o)
	})
}

// operatorPolicy is an OperatorPolicy of Open Cluster Management.
type operatorPolicy struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Spec struct {
		RemediationAction string             `json:"remediationAction"`
		Severity          string             `json:"severity"`
		ComplianceType    string             `json:"complianceType"`
		Subscription      policySubscription `json:"subscription"`
		UpgradeApproval   string             `json:"upgradeApproval"`
		Versions          []string           `json:"versions"`
	} `json:"spec"`
}

type policySubscription struct {
	Name            string `json:"name"`
	Namespace       string `json:"namespace"`
	Channel         string `json:"channel,omitempty"`
	Source          string `json:"source,omitempty"`
	SourceNamespace string `json:"sourceNamespace,omitempty"`
	StartingCSV     string `json:"startingCSV"`
}

// operatorPolicies returns a policy for each bundle, which approves it and every bundle on the way.
func operatorPolicies(s *lock.Scope) ([]*yaml.Node, error) {
	var text []byte
	for _, b := range s.Bundles {
		var o operatorPolicy
		o.APIVersion, o.Kind, o.Metadata.Name = "policy.open-cluster-management.io/v1beta1", "OperatorPolicy", s.Namespace+"-"+b.Package
		o.Spec.RemediationAction, o.Spec.Severity, o.Spec.ComplianceType, o.Spec.UpgradeApproval = "enforce", "medium", "musthave", "Automatic"
		namespace, name, _ := strings.Cut(b.Catalog, "/")
		o.Spec.Subscription = policySubscription{b.Package, s.Namespace, b.Channel, name, namespace, b.Name}
		o.Spec.Versions = append(slices.Clone(b.Way), b.Name)
		one, err := json.Marshal(o, jsontext.AllowInvalidUTF8(true))
		if err != nil {
			return nil, err
		}
		text = append(append(text, one...), '\n')
	}
	return terminal.YAMLOf(text)
}

// ImageSet returns an image set for oc-mirror with what all clusters of a lock get, and what lies
// on the way there. Images has the image of each catalog.
func ImageSet(l *lock.Lock, catalogs *cache.View, images func(catalog.Key) string) ([]byte, error) {
	needed := map[catalog.Key]map[string]map[string][]semver.Version{} // by catalog, package and channel
	for _, s := range l.Scopes {
		for _, b := range s.Bundles {
			if b.Catalog == "" {
				continue
			}
			key := catalog.Key{Name: b.Catalog}
			if namespace, name, ok := strings.Cut(b.Catalog, "/"); ok {
				key = catalog.Key{Namespace: namespace, Name: name}
			}
			c := catalogs.Catalog(key)
			if c == nil || images(key) == "" {
				return nil, fmt.Errorf("catalog %s needs an image; pass it with --catalog %s=FROM,image=REF", key, terminal.Word(key.String()))
			}
			if needed[key] == nil {
				needed[key] = map[string]map[string][]semver.Version{}
			}
			if needed[key][b.Package] == nil {
				needed[key][b.Package] = map[string][]semver.Version{}
			}
			for _, name := range append(b.Way, b.Name) {
				found := c.Snapshot.Find(b.Package, name)
				if found == nil {
					return nil, fmt.Errorf("%s is locked, but gone from catalog %s; run lock --check", name, key)
				}
				needed[key][b.Package][b.Channel] = append(needed[key][b.Package][b.Channel], found.Version)
			}
		}
	}
	m := mirror.Mirror{}
	names := map[catalog.Key]string{}
	for _, key := range slices.SortedFunc(maps.Keys(needed), catalog.Key.Compare) {
		names[key] = images(key)
		c := mirror.Catalog{Key: key}
		for _, name := range slices.Sorted(maps.Keys(needed[key])) {
			p := mirror.Package{Name: name, DefaultChannel: catalogs.Catalog(key).Snapshot.Package(name).DefaultChannel}
			channels := needed[key][name]
			for _, channel := range slices.Sorted(maps.Keys(channels)) {
				lowest := slices.MinFunc(channels[channel], semver.Version.Compare)
				highest := slices.MaxFunc(channels[channel], semver.Version.Compare)
				p.Channels = append(p.Channels, mirror.Channel{Name: channel, MinVersion: lowest.String(), MaxVersion: highest.String()})
			}
			if channels[p.DefaultChannel] == nil {
				p.DefaultChannel, p.Restated = p.Channels[0].Name, true
			}
			c.Packages = append(c.Packages, p)
		}
		m.Catalogs = append(m.Catalogs, c)
	}
	return m.ImageSet(names)
}
