package random

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/resolvent/resolvent/resolver/internal/oracle"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// The group and version of every API of a Problem.
const (
	group   = "example.com"
	version = "v1"
)

type object map[string]any

// Blobs writes a catalog as file-based catalog blobs, one JSON object each.
func Blobs(c oracle.Catalog) []string {
	var blobs []string
	for _, p := range c.Packages {
		blobs = append(blobs, line(object{"schema": "olm.package", "name": p.Name, "defaultChannel": p.Default}))
		for _, ch := range p.Channels {
			entries := []object{}
			for _, e := range ch.Entries {
				entry := object{"name": e.Name}
				if e.Replaces != "" {
					entry["replaces"] = e.Replaces
				}
				if len(e.Skips) > 0 {
					entry["skips"] = e.Skips
				}
				if e.SkipRange != "" {
					entry["skipRange"] = e.SkipRange
				}
				entries = append(entries, entry)
			}
			blobs = append(blobs, line(object{"schema": "olm.channel", "package": p.Name, "name": ch.Name, "entries": entries}))
		}
	}
	for _, b := range c.Bundles {
		props := []object{property("olm.package", object{"packageName": b.Package, "version": b.Version})}
		if b.Deprecated {
			props = append(props, property("olm.deprecated", object{}))
		}
		if b.Limited {
			props = append(props, limit)
		}
		if len(b.Modes) > 0 {
			modes := []object{}
			for _, mode := range b.Modes {
				modes = append(modes, object{"type": mode, "supported": true})
			}
			props = append(props, property("olm.csv.metadata", object{"installModes": modes}))
		}
		props = append(props, stated(b.Provides, b.Labels, b.Requires)...)
		blobs = append(blobs, line(object{
			"schema": "olm.bundle", "package": b.Package, "name": b.Name,
			"image": "registry.example/" + b.Name, "properties": props,
		}))
	}
	return append(blobs, deprecations(c)...)
}

// deprecations writes one blob a package that has any.
func deprecations(c oracle.Catalog) []string {
	var blobs []string
	for _, pkg := range packageNames {
		var entries []object
		for _, b := range c.Bundles {
			if b.Outdated && b.Package == pkg {
				entries = append(entries, object{"reference": object{"schema": "olm.bundle", "name": b.Name}, "message": "outdated"})
			}
		}
		if len(entries) > 0 {
			blobs = append(blobs, line(object{"schema": "olm.deprecations", "package": pkg, "entries": entries}))
		}
	}
	return blobs
}

// Manifests writes all but the catalogs of problems as Kubernetes objects, one
// JSON object each.
func Manifests(problems ...*oracle.Problem) []string {
	var all []string
	for _, p := range problems {
		all = append(all, manifests(p)...)
	}
	return all
}

func manifests(p *oracle.Problem) []string {
	var all []string
	if p.Extension != nil {
		all = append(all, line(extension(p.Extension)))
	}
	for _, s := range p.Subscriptions {
		spec := object{"name": s.Package}
		for key, value := range map[string]string{
			"channel": s.Channel, "source": s.Source, "sourceNamespace": s.SourceNamespace, "startingCSV": s.StartingCSV,
		} {
			if value != "" {
				spec[key] = value
			}
		}
		o := object{
			"apiVersion": "operators.coreos.com/v1alpha1", "kind": "Subscription",
			"metadata": object{"name": s.Name, "namespace": p.Namespace}, "spec": spec,
		}
		status := object{}
		for key, value := range map[string]string{"installedCSV": s.InstalledCSV, "currentCSV": s.CurrentCSV, "state": s.State} {
			if value != "" {
				status[key] = value
			}
		}
		if s.Plan != "" {
			status["installPlanRef"] = object{"name": s.Plan}
		}
		if len(s.Conditions) > 0 {
			status["conditions"] = s.Conditions
		}
		if len(status) > 0 {
			o["status"] = status
		}
		all = append(all, line(o))
	}
	for _, plan := range p.Plans {
		all = append(all, line(object{
			"apiVersion": "operators.coreos.com/v1alpha1", "kind": "InstallPlan", "metadata": object{"name": plan.Name, "namespace": p.Namespace},
			"spec":   object{"approved": plan.Approved, "clusterServiceVersionNames": plan.CSVs},
			"status": object{"phase": plan.Phase},
		}))
	}
	// CatalogSources were read: what is not among them is not there.
	all = append(all, line(object{
		"apiVersion": "operators.coreos.com/v1alpha1", "kind": "CatalogSource", "metadata": object{"name": "read", "namespace": "elsewhere"},
	}))
	for _, c := range p.Catalogs {
		if c.Down {
			all = append(all, line(object{
				"apiVersion": "operators.coreos.com/v1alpha1", "kind": "CatalogSource", "metadata": object{"name": c.Name, "namespace": c.Namespace},
				"status": object{"connectionState": object{"lastObservedState": "TRANSIENT_FAILURE"}},
			}))
		}
	}
	for _, i := range p.Installed {
		all = append(all, line(installed(i, p.Namespace)))
	}
	for _, name := range p.Held {
		all = append(all, line(object{
			"apiVersion": "operators.coreos.com/v2", "kind": "OperatorCondition",
			"metadata": object{"name": name, "namespace": p.Namespace},
			"spec":     object{"conditions": []object{{"type": "Upgradeable", "status": "False"}}},
		}))
	}
	if p.Group != nil {
		all = append(all, line(operatorGroup(p.Group)))
	}
	for i := range p.Groups {
		all = append(all, line(operatorGroup(&p.Groups[i])))
	}
	return all
}

// ExtensionName is the name of a Problem's ClusterExtension.
const ExtensionName = "extension"

func extension(e *oracle.Extension) object {
	policy := "CatalogProvided"
	if e.SelfCertified {
		policy = "SelfCertified"
	}
	filter := object{"packageName": e.Package, "upgradeConstraintPolicy": policy}
	if len(e.Channels) > 0 {
		filter["channels"] = e.Channels
	}
	if e.Range != "" {
		filter["version"] = e.Range
	}
	if e.Catalog != "" {
		filter["selector"] = object{"matchLabels": object{"olm.operatorframework.io/metadata.name": e.Catalog}}
	}
	o := object{
		"apiVersion": "olm.operatorframework.io/v1", "kind": "ClusterExtension", "metadata": object{"name": ExtensionName},
		"spec": object{"namespace": "default", "source": object{"sourceType": "Catalog", "catalog": filter}},
	}
	if e.Installed != "" {
		o["status"] = object{"install": object{"bundle": object{"name": e.Installed, "version": e.InstalledVersion}}}
	}
	return o
}

func operatorGroup(g *oracle.Group) object {
	annotations := object{}
	meta := object{"name": "group", "namespace": g.Namespace, "annotations": annotations}
	if g.OwnCatalogs {
		annotations[words.AnnotationExcludeGlobal] = "true"
	}
	if len(g.Provides) > 0 {
		var apis []string
		for _, kind := range g.Provides {
			apis = append(apis, kind+"."+version+"."+group)
		}
		annotations["olm.providedAPIs"] = strings.Join(apis, ",")
	}
	return object{
		"apiVersion": "operators.coreos.com/v1", "kind": "OperatorGroup", "metadata": meta,
		"spec": object{"targetNamespaces": g.Targets, "staticProvidedAPIs": g.Static, "upgradeStrategy": map[bool]string{true: words.StrategyFailForward}[g.FailForward]},
	}
}

func installed(i oracle.Installed, namespace string) object {
	meta := object{"name": i.Name, "namespace": namespace}
	spec := object{}
	if i.Version != "" {
		spec["version"] = i.Version
	}
	if i.Annotated {
		props := []object{}
		if i.Package != "" {
			props = append(props, property("olm.package", object{"packageName": i.Package, "version": i.PackageVersion}))
		}
		if i.Limited {
			props = append(props, limit)
		}
		props = append(props, stated(i.Provides, i.Labels, i.Requires)...)
		meta["annotations"] = object{"operatorframework.io/properties": line(object{"properties": props})}
	} else {
		var required []string
		for _, c := range i.Requires {
			required = append(required, c.Kind)
		}
		spec["customresourcedefinitions"] = object{"owned": definitions(i.Provides), "required": definitions(required)}
	}
	o := object{"apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion", "metadata": meta, "spec": spec}
	switch {
	case i.LeftOut == "copied":
		o["status"] = object{"phase": cmp.Or(i.Phase, "Succeeded"), "reason": "Copied"}
	case i.LeftOut == "deleting":
		o["status"] = object{"phase": "Deleting"}
	case i.LeftOut == "replaced" || i.LeftOut == "failed":
		o["status"] = object{"phase": "Replacing", "reason": "BeingReplaced"}
	case i.Phase != "":
		o["status"] = object{"phase": i.Phase, "reason": i.Reason}
	}
	if i.Replaces != "" {
		spec["replaces"] = i.Replaces
	}
	return o
}

func definitions(kinds []string) []object {
	all := []object{}
	for _, k := range kinds {
		all = append(all, object{"name": strings.ToLower(k) + "s." + group, "version": version, "kind": k})
	}
	return all
}

func property(kind string, value any) object { return object{"type": kind, "value": value} }

// limit is that of bundles which do not run on OpenShift 4.2.
var limit = property("olm.maxOpenShiftVersion", "4.1")

func api(kind string) object { return object{"group": group, "version": version, "kind": kind} }

func stated(provides, labels []string, requires []oracle.Constraint) []object {
	var all []object
	for _, k := range provides {
		all = append(all, property("olm.gvk", api(k)))
	}
	for _, l := range labels {
		all = append(all, property("olm.label", object{"label": l}))
	}
	for _, c := range requires {
		switch {
		case c.Label != "":
			all = append(all, property("olm.label.required", object{"label": c.Label}))
		case c.Old && c.Kind != "":
			all = append(all, property("olm.gvk.required", api(c.Kind)))
		case c.Old && c.Package != "":
			all = append(all, property("olm.package.required", object{"packageName": c.Package, "versionRange": c.Range}))
		default:
			all = append(all, property("olm.constraint", value(c)))
		}
	}
	return all
}

func value(c oracle.Constraint) object {
	values := func(list []oracle.Constraint) object {
		all := []object{}
		for _, c := range list {
			all = append(all, value(c))
		}
		return object{"constraints": all}
	}
	switch {
	case c.All != nil:
		return object{"all": values(c.All)}
	case c.Any != nil:
		return object{"any": values(c.Any)}
	case c.Not != nil:
		return object{"not": values(c.Not)}
	case c.Kind != "":
		return object{"gvk": api(c.Kind)}
	case c.Package != "":
		return object{"package": object{"packageName": c.Package, "versionRange": c.Range}}
	}
	return object{"cel": object{"rule": rule(c.Rule)}}
}

func rule(r *oracle.Rule) string {
	switch {
	case r.Label != "":
		return fmt.Sprintf(`properties.exists(p, p.type == "olm.label" && p.value.label == %q)`, r.Label)
	case r.Package != "":
		return fmt.Sprintf(`properties.exists(p, p.type == "olm.package" && p.value.packageName == %q && semver_compare(p.value.version, %q) >= 0)`, r.Package, r.AtLeast)
	}
	return `properties[99].value.missing == 1`
}

// line writes JSON on one line, without escaping < and > for HTML.
func line(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("random: a problem is plain data: %v", err))
	}
	return strings.TrimSuffix(b.String(), "\n")
}
