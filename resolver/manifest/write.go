package manifest

import (
	"bytes"
	"maps"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
)

// object is one Kubernetes object.
type object map[string]any

// Write writes objects as manifests that Read returns again, one JSON document
// a line. Versions and labels of the cluster have no manifest and are left out.
func Write(o cluster.Objects) ([]byte, error) {
	var all []object
	for _, s := range o.Subscriptions {
		all = append(all, writeSubscription(s))
	}
	for _, v := range o.CSVs {
		all = append(all, writeCSV(v))
	}
	for _, g := range o.OperatorGroups {
		all = append(all, writeGroup(g))
	}
	for _, c := range o.OperatorConditions {
		out := header("operators.coreos.com/v2", "OperatorCondition", c.Namespace, c.Name, nil, nil)
		if u := c.Upgradeable; u != nil {
			out["spec"] = object{"overrides": []object{{"type": "Upgradeable", "status": u.Status, "reason": u.Reason, "message": u.Message}}}
		}
		all = append(all, out)
	}
	for _, n := range o.Namespaces {
		all = append(all, header("v1", "Namespace", "", n.Name, n.Labels, nil))
	}
	for _, c := range o.CatalogSources {
		out := header("operators.coreos.com/v1alpha1", "CatalogSource", c.Key.Namespace, c.Key.Name, nil, nil)
		out["spec"] = object{"priority": c.Priority}
		if c.HasStatus {
			out["status"] = object{"connectionState": object{"lastObservedState": c.State}}
		}
		all = append(all, out)
	}
	for _, c := range o.ClusterCatalogs {
		out := header("olm.operatorframework.io/v1", "ClusterCatalog", "", c.Name, c.Labels, nil)
		spec := object{"priority": c.Priority}
		if c.Unavailable {
			spec["availabilityMode"] = "Unavailable"
		}
		out["spec"] = spec
		all = append(all, out)
	}
	for _, e := range o.ClusterExtensions {
		all = append(all, writeExtension(e))
	}
	var b bytes.Buffer
	for _, out := range all {
		data, err := json.Marshal(out, json.Deterministic(true))
		if err != nil {
			return nil, err
		}
		b.Write(data)
		b.WriteByte('\n')
	}
	return b.Bytes(), nil
}

func header(version, kind, namespace, name string, labels, annotations map[string]string) object {
	meta := object{"name": name}
	if namespace != "" {
		meta["namespace"] = namespace
	}
	if len(labels) > 0 {
		meta["labels"] = labels
	}
	if len(annotations) > 0 {
		meta["annotations"] = annotations
	}
	return object{"apiVersion": version, "kind": kind, "metadata": meta}
}

// set adds a field unless it is empty.
func (o object) set(name, value string) {
	if value != "" {
		o[name] = value
	}
}

func writeSubscription(s cluster.Subscription) object {
	var annotations map[string]string
	if s.Generated {
		annotations = map[string]string{cluster.AnnotationGeneratedBy: "olm"}
	}
	out := header("operators.coreos.com/v1alpha1", "Subscription", s.Namespace, s.Name, nil, annotations)
	spec := object{}
	spec.set("name", s.Package)
	spec.set("channel", s.Channel)
	spec.set("source", s.Catalog)
	spec.set("sourceNamespace", s.CatalogNamespace)
	spec.set("startingCSV", s.StartingCSV)
	if s.Manual {
		spec["installPlanApproval"] = string(result.Manual)
	}
	out["spec"] = spec
	if s.InstalledCSV != "" {
		out["status"] = object{"installedCSV": s.InstalledCSV}
	}
	return out
}

func writeCSV(v cluster.ClusterServiceVersion) object {
	annotations := v.Annotations
	if v.Stated != nil {
		annotations = map[string]string{}
		maps.Copy(annotations, v.Annotations)
		annotations[cluster.AnnotationProperties] = writeProperties(v.Stated)
	}
	out := header("operators.coreos.com/v1alpha1", "ClusterServiceVersion", v.Namespace, v.Name, v.Labels, annotations)
	spec := object{}
	spec.set("version", v.Version)
	spec.set("replaces", v.Replaces)
	// All APIs are written as API services, which state their group: their
	// order is what counts, and theirs is kept.
	if len(v.Provides)+len(v.Requires) > 0 {
		spec["apiservicedefinitions"] = object{"owned": writeAPIs(v.Provides), "required": writeAPIs(v.Requires)}
	}
	status := object{}
	status.set("phase", v.Phase)
	status.set("reason", v.Reason)
	out["spec"], out["status"] = spec, status
	return out
}

func writeProperties(set *properties.Set) string {
	list := []object{}
	for _, p := range set.All() {
		list = append(list, object{"type": p.Type, "value": jsontext.Value(p.Value)})
	}
	text, _ := json.Marshal(object{"properties": list}, json.Deterministic(true)) // the values were read from JSON
	return string(text)
}

func writeAPIs(list []properties.GVK) []object {
	out := make([]object, len(list))
	for i, api := range list {
		out[i] = object{"group": api.Group, "version": api.Version, "kind": api.Kind}
	}
	return out
}

func writeGroup(g cluster.OperatorGroup) object {
	out := header("operators.coreos.com/v1", "OperatorGroup", g.Namespace, g.Name, nil, g.Annotations)
	spec := object{}
	if len(g.TargetNamespaces) > 0 {
		spec["targetNamespaces"] = g.TargetNamespaces
	}
	if g.Selector != nil {
		spec["selector"] = writeSelector(g.Selector)
	}
	if g.StaticProvidedAPIs {
		spec["staticProvidedAPIs"] = true
	}
	if g.FailForward {
		spec["upgradeStrategy"] = "TechPreviewUnsafeFailForward"
	}
	out["spec"] = spec
	if g.HasStatus {
		out["status"] = object{"namespaces": append([]string{}, g.StatusNamespaces...)}
	}
	return out
}

func writeSelector(s *cluster.Selector) object {
	terms := make([]object, len(s.MatchExpressions))
	for i, t := range s.MatchExpressions {
		terms[i] = object{"key": t.Key, "operator": t.Operator, "values": append([]string{}, t.Values...)}
	}
	out := object{}
	if len(s.MatchLabels) > 0 {
		out["matchLabels"] = s.MatchLabels
	}
	if len(terms) > 0 {
		out["matchExpressions"] = terms
	}
	return out
}

func writeExtension(e cluster.ClusterExtension) object {
	out := header("olm.operatorframework.io/v1", "ClusterExtension", "", e.Name, nil, nil)
	filter := object{}
	filter.set("packageName", e.Package)
	filter.set("version", e.Version)
	if len(e.Channels) > 0 {
		filter["channels"] = e.Channels
	}
	if e.Selector != nil {
		filter["selector"] = writeSelector(e.Selector)
	}
	if e.SelfCertified {
		filter["upgradeConstraintPolicy"] = "SelfCertified"
	}
	spec := object{"source": object{"sourceType": "Catalog", "catalog": filter}}
	spec.set("namespace", e.Namespace)
	out["spec"] = spec
	if i := e.Installed; i != nil {
		bundle := object{"name": i.Name, "version": i.Version}
		if i.HasRelease {
			bundle["release"] = i.Release
		}
		out["status"] = object{"install": object{"bundle": bundle}}
	}
	return out
}
