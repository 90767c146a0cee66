package inventory

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/properties/jsonfield"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
)

// DecodedProperties is what an installed bundle states.
type DecodedProperties struct {
	Properties  *properties.Set
	Constraints []constraints.Constraint
}

// DecodeInstalled reads properties that cannot be quarantined. Only catalogs
// must name a package.
func DecodeInstalled(list []properties.Property, parser *constraints.Parser) (DecodedProperties, error) {
	set, faults := properties.Decode(list, nil)
	for _, f := range faults {
		if f.Fatal && f.Kind != properties.MissingPackage {
			return DecodedProperties{}, f
		}
	}
	parsed, failed := parser.ParseSet(set)
	if len(failed) > 0 {
		return DecodedProperties{}, failed[0]
	}
	return DecodedProperties{set, parsed}, nil
}

// Counting returns the ClusterServiceVersions of a namespace that count for
// resolution: no copies, nothing that is being deleted, and nothing whose
// replacement is under way, unless that ended in failure.
func (n *Namespace) Counting() []*cluster.ClusterServiceVersion {
	failForward := len(n.Groups) == 1 && n.Groups[0].FailForward
	var counted []*cluster.ClusterServiceVersion
	var r replacements // made when it is needed
	for i := range n.CSVs {
		csv := &n.CSVs[i]
		switch {
		case copied(csv), csv.Phase == cluster.PhaseDeleting:
			continue
		case csv.Phase == cluster.PhaseReplacing:
			if r.by == nil {
				r = n.replacements()
			}
			if r.by[csv.Name] != nil && (!r.endInFailure(csv) || failForward) {
				continue
			}
		}
		counted = append(counted, csv)
	}
	return counted
}

// copied reports whether the object only mirrors one of another namespace.
func copied(v *cluster.ClusterServiceVersion) bool {
	if v.Reason == "Copied" {
		return true
	}
	if _, ok := v.Labels[cluster.LabelCopiedFrom]; ok {
		return true
	}
	home, ok := v.Annotations[cluster.AnnotationOperatorNamespace]
	return ok && home != v.Namespace
}

// EndsInFailure reports whether the chain of spec.replaces that starts at a
// ClusterServiceVersion ends in one in phase Failed. A cycle does not, nor does
// a name that is not there.
func (c *Cluster) EndsInFailure(namespace, name string) bool {
	n := c.In(namespace)
	for i := range n.CSVs {
		if n.CSVs[i].Name == name {
			return n.replacements().endInFailure(&n.CSVs[i])
		}
	}
	return false
}

// InstalledProperties returns the properties of a ClusterServiceVersion as
// resolution sees them: those of its annotation, else what its APIs and the
// Subscriptions that installed it say. The error is an *InvalidInput.
func (c *Cluster) InstalledProperties(namespace, name string) ([]properties.Property, error) {
	n := c.In(namespace)
	for i := range n.CSVs {
		if n.CSVs[i].Name == name {
			return n.PropertiesOf(&n.CSVs[i], "")
		}
	}
	return nil, &result.InvalidInput{Subject: CSVSubject(namespace, name), Err: fmt.Errorf("not found")}
}

func CSVSubject(namespace, name string) string {
	return fmt.Sprintf("ClusterServiceVersion %s/%s", namespace, name)
}

// PropertiesOf implements installedProperties. unset is the version of an
// inferred package where the object states none.
func (n *Namespace) PropertiesOf(csv *cluster.ClusterServiceVersion, unset string) ([]properties.Property, error) {
	text, ok := csv.Annotations[cluster.AnnotationProperties]
	if !ok {
		return n.inferProperties(csv, cmp.Or(csv.Version, unset)), nil
	}
	var annotation struct {
		Properties []struct {
			Type  string         `json:"type"`
			Value jsontext.Value `json:"value"`
		} `json:"properties"`
	}
	if err := jsonfield.Decode([]byte(text), &annotation, ""); err != nil {
		return nil, &result.InvalidInput{
			Subject: CSVSubject(csv.Namespace, csv.Name),
			Err:     fmt.Errorf("annotation %s cannot be read: %w; correct or remove it", cluster.AnnotationProperties, err),
		}
	}
	list := make([]properties.Property, len(annotation.Properties))
	for i, p := range annotation.Properties {
		list[i] = properties.Property{Type: p.Type, Value: p.Value}
	}
	return list, nil
}

// inferProperties builds properties from the APIs of a bundle without the
// annotation and, if exactly one package subscribes to it, that package.
func (n *Namespace) inferProperties(csv *cluster.ClusterServiceVersion, version string) []properties.Property {
	var list []properties.Property
	add := func(propertyType string, value any) {
		// Marshalling plain strings cannot fail.
		raw, _ := json.Marshal(value)
		list = append(list, properties.Property{Type: propertyType, Value: raw})
	}
	type gvk struct {
		Group   string `json:"group"`
		Kind    string `json:"kind"`
		Version string `json:"version"`
	}
	for _, api := range csv.Provides {
		add(properties.TypeGVK, gvk{Group: api.Group, Kind: api.Kind, Version: api.Version})
	}
	for _, api := range csv.Requires {
		add(properties.TypeGVKRequired, gvk{Group: api.Group, Kind: api.Kind, Version: api.Version})
	}
	if packages := n.SubscribedPackages(csv.Name); len(packages) == 1 {
		add(properties.TypePackage, struct {
			PackageName string `json:"packageName"`
			Version     string `json:"version"`
		}{PackageName: packages[0], Version: version})
	}
	return list
}

// SubscribedPackages returns the packages of the Subscriptions that installed
// the named bundle, sorted and without repeats.
func (n *Namespace) SubscribedPackages(name string) []string {
	var packages []string
	for _, i := range n.Installers[name] {
		if pkg := n.Subscriptions[i].Package; pkg != "" {
			packages = append(packages, pkg)
		}
	}
	slices.Sort(packages)
	return slices.Compact(packages)
}
