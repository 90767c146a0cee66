package bundledir

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/build"
	"github.com/resolvent/resolvent/cache/internal/code"
	"github.com/resolvent/resolvent/cache/internal/document"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/properties/jsonfield"
)

// serviceVersion is the part of a ClusterServiceVersion that is read.
type serviceVersion struct {
	Metadata struct {
		Name        string            `json:"name"`
		Annotations map[string]string `json:"annotations"`
		Labels      map[string]string `json:"labels"`
	} `json:"metadata"`
	Spec struct {
		Version        string        `json:"version"`
		Release        any           `json:"release"`
		Replaces       string        `json:"replaces"`
		Skips          []string      `json:"skips"`
		MinKubeVersion string        `json:"minKubeVersion"`
		InstallModes   []installMode `json:"installModes"`

		CustomResources apiList `json:"customresourcedefinitions"`
		APIServices     apiList `json:"apiservicedefinitions"`
	} `json:"spec"`
}

type installMode struct {
	Type      string `json:"type"`
	Supported bool   `json:"supported"`
}

type apiList struct {
	Owned    []apiDescription `json:"owned"`
	Required []apiDescription `json:"required"`
}

// apiDescription is an API. The name of a CRD is plural.group. An API service has a
// group.
type apiDescription struct {
	Name    string `json:"name"`
	Group   string `json:"group"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
}

// gvk returns the value of the property of the API.
func (a apiDescription) gvk() map[string]string {
	group := a.Group
	if group == "" {
		_, group, _ = strings.Cut(a.Name, ".")
	}
	return map[string]string{"group": group, "version": a.Version, "kind": a.Kind}
}

// customResource is the part of a CustomResourceDefinition that is read, of either version
// of its API.
type customResource struct {
	Metadata struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Spec struct {
		Version  string `json:"version"`
		Versions []struct {
			Name   string `json:"name"`
			Served *bool  `json:"served"`
		} `json:"versions"`
		PreserveUnknownFields bool `json:"preserveUnknownFields"`
	} `json:"spec"`
}

// readManifest reads an object of the bundle.
func (r *reader) readManifest(t *document.Tree) {
	var object struct {
		Kind     string `json:"kind"`
		Metadata struct {
			Name string `json:"name"`
		} `json:"metadata"`
	}
	if err := t.Decode(&object); err != nil {
		return // it is of no kind that is read
	}
	if object.Kind != "CustomResourceDefinition" && (object.Kind != "ClusterServiceVersion" || !r.collector.Objects()) {
		r.readOther(t, object.Kind, object.Metadata.Name)
	}
	switch object.Kind {
	case "ClusterServiceVersion":
		if r.found++; r.found == 1 {
			r.csv, r.at = &serviceVersion{}, t.Origin
			if r.broken = !r.decode(t, r.csv); r.broken {
				var named struct {
					Metadata struct {
						Name string `json:"name"`
					} `json:"metadata"`
				}
				_ = t.Decode(&named) // on an error there is no name
				r.csv.Metadata.Name = named.Metadata.Name
			}
			r.readRelatedImages(t)
			r.readInstallation(t)
			if r.collector.Texts() {
				r.readTexts(t)
			}
			if r.collector.Objects() {
				r.stateObject(t)
			}
		}
	case "CustomResourceDefinition":
		var crd customResource
		r.decode(t, &crd)
		if r.served == nil {
			r.served = map[string]map[string]bool{}
		}
		if r.served[crd.Metadata.Name] == nil {
			versions := map[string]bool{crd.Spec.Version: true}
			for _, v := range crd.Spec.Versions {
				versions[v.Name] = v.Served == nil || *v.Served
			}
			r.served[crd.Metadata.Name] = versions
			if crd.Spec.PreserveUnknownFields {
				if r.unpruned == nil {
					r.unpruned = map[string]bool{}
				}
				r.unpruned[crd.Metadata.Name] = true
			}
			var defined struct {
				Spec properties.Definition `json:"spec"`
			}
			if t.Decode(&defined) != nil || !defined.Spec.Settle() {
				return // it is not judged
			}
			if r.collector.Objects() {
				r.stateObject(t)
			} else {
				r.state(t.Origin, properties.DefinitionProperty(&defined.Spec))
			}
		}
	}
}

// stateObject states a whole object.
func (r *reader) stateObject(t *document.Tree) {
	if text, err := t.JSON(t.Root); err == nil { // else reading the object found the error, too
		r.state(t.Origin, properties.ObjectProperty(text))
	}
}

// readOther states what is judged of another object. What cannot be read is not judged.
func (r *reader) readOther(t *document.Tree, kind, name string) {
	var rights struct {
		Rules []properties.Right `json:"rules"`
		Role  properties.RoleRef `json:"roleRef"`
	}
	o := properties.Other{Kind: kind, Name: name}
	if kind == "ClusterServiceVersion" {
		var csv struct {
			Spec properties.Installation `json:"spec"`
		}
		if t.Decode(&csv) != nil || csv.Spec.Install == nil {
			return
		}
		csv.Spec.APIServices.Required = nil
		o.Installation = &csv.Spec
	} else if t.Decode(&rights) == nil {
		o.Rules, o.Role = rights.Rules, rights.Role
	}
	r.state(t.Origin, properties.OtherProperty(&o))
}

// readRelatedImages reads the related images. Only a reading for whole blobs needs all of them.
func (r *reader) readRelatedImages(t *document.Tree) {
	var csv struct {
		Spec struct {
			RelatedImages []relatedImage `json:"relatedImages"`
		} `json:"spec"`
	}
	if r.collector.Whole != nil {
		r.decode(t, &csv)
		r.whole = wholeOf(t)
	} else if t.Decode(&csv) != nil {
		return
	}
	for i, related := range csv.Spec.RelatedImages {
		if related.Image == "" {
			r.noImage = fmt.Sprintf("spec.relatedImages[%d]", i)
			return
		}
	}
}

// readTexts reads the texts for people. It ignores errors, which harm nobody.
func (r *reader) readTexts(t *document.Tree) {
	var csv struct {
		Spec map[string]any `json:"spec"`
	}
	if t.Decode(&csv) == nil {
		r.texts = csv.Spec
	}
}

// stateSpec states the properties that follow from the ClusterServiceVersion.
func (r *reader) stateSpec() {
	spec := &r.csv.Spec
	pkg := map[string]any{"packageName": r.pkg, "version": spec.Version}
	if spec.Release != nil {
		pkg["release"] = spec.Release
	}
	r.passOverPackages()
	r.addJSON(r.at, properties.TypePackage, pkg)
	for _, list := range []apiList{spec.CustomResources, spec.APIServices} {
		for _, api := range list.Owned {
			r.addJSON(r.at, properties.TypeGVK, api.gvk())
		}
		for _, api := range list.Required {
			r.addJSON(r.at, properties.TypeGVKRequired, api.gvk())
		}
	}
	for i, api := range spec.CustomResources.Owned {
		r.checkOwned(i, api)
	}
	metadata := map[string]any{}
	if len(spec.InstallModes) > 0 {
		metadata["installModes"] = spec.InstallModes
	}
	if spec.MinKubeVersion != "" {
		metadata["minKubeVersion"] = spec.MinKubeVersion
	}
	if len(r.csv.Metadata.Annotations) > 0 {
		metadata["annotations"] = r.csv.Metadata.Annotations
	}
	if len(r.csv.Metadata.Labels) > 0 {
		metadata["labels"] = r.csv.Metadata.Labels
	}
	if owned := spec.APIServices.Owned; len(owned) > 0 {
		metadata["apiServiceDefinitions"] = map[string]any{"owned": owned}
	}
	for _, name := range document.TextFields {
		if text := r.texts[name]; text != nil {
			metadata[name] = text
		}
	}
	r.addJSON(r.at, properties.TypeCSVMetadata, metadata)
	r.readPropertiesAnnotation()
}

// passOverPackages leaves out what metadata/properties.yaml states as olm.package: opm takes the
// package from the annotations and the version from the ClusterServiceVersion.
func (r *reader) passOverPackages() {
	r.stated = slices.DeleteFunc(r.stated, func(s stated) bool {
		var pkg struct{ PackageName, Version string }
		if s.Type != properties.TypePackage || json.Unmarshal(s.Value, &pkg) != nil {
			return false
		}
		if pkg.PackageName != r.pkg || pkg.Version != r.csv.Spec.Version {
			r.faults = append(r.faults, s.at.FaultIn(catalog.Fault{Severity: catalog.Warning}, code.Trap,
				fmt.Sprintf("olm.package in metadata/properties.yaml has no effect, and differs from the bundle, which is package %q of version %q by its annotations and its ClusterServiceVersion: remove it",
					r.pkg, r.csv.Spec.Version)))
		}
		return true
	})
}

func (r *reader) checkOwned(i int, api apiDescription) {
	path := fmt.Sprintf("spec.customresourcedefinitions.owned[%d]", i)
	versions, known := r.served[api.Name]
	served, stated := versions[api.Version]
	switch {
	case !known:
		r.fault(r.at, code.OwnedCRD, path, fmt.Sprintf("the bundle owns the CRD %s, but its manifests do not contain it: add the CRD, or list it as required", api.Name), false)
	case api.Version != "" && !stated:
		r.fault(r.at, code.OwnedCRD, path, fmt.Sprintf("the bundle owns version %s of the CRD %s, which has no such version: name one that it has", api.Version, api.Name), false)
	case api.Version != "" && !served:
		r.fault(r.at, code.OwnedCRD, path, fmt.Sprintf("OLM cannot install the bundle on any cluster: it owns version %s of the CRD %s, which does not serve it: name one that it serves", api.Version, api.Name), false)
	}
}

// readPropertiesAnnotation reads the properties in the annotation of the
// ClusterServiceVersion.
func (r *reader) readPropertiesAnnotation() {
	text := r.csv.Metadata.Annotations[annotationProperties]
	if strings.TrimSpace(text) == "" {
		return
	}
	var list []properties.Property
	if err := jsonfield.Decode([]byte(text), &list, ""); err != nil {
		r.fault(r.at, code.Property, "metadata.annotations["+annotationProperties+"]", "it must be a JSON list of objects with type and value: "+err.Error(), true)
		return
	}
	for _, p := range list {
		p.Value = build.Canonical(p.Value)
		r.state(r.at, p)
	}
}

// installation is what OLM judges when it installs a bundle.
type installation struct {
	Spec struct {
		Install struct {
			Strategy string `json:"strategy"`
			Spec     struct {
				Deployments []struct {
					Name string `json:"name"`
				} `json:"deployments"`
			} `json:"spec"`
		} `json:"install"`
		APIServices struct {
			Owned []struct {
				Name           string `json:"name"`
				DeploymentName string `json:"deploymentName"`
			} `json:"owned"`
		} `json:"apiservicedefinitions"`
		Webhooks []struct {
			Type           string   `json:"type"`
			GenerateName   string   `json:"generateName"`
			ConversionCRDs []string `json:"conversionCRDs"`
			Rules          []struct {
				APIGroups []string `json:"apiGroups"`
				Resources []string `json:"resources"`
			} `json:"rules"`
		} `json:"webhookdefinitions"`
	} `json:"spec"`
}

// readInstallation reads what OLM judges at install. The API server refuses what cannot be read.
func (r *reader) readInstallation(t *document.Tree) {
	if r.installed = (installation{}); t.Decode(&r.installed) != nil {
		r.installed = installation{}
	}
}

// checkInstallation finds that with which OLM installs the bundle on no cluster.
func (r *reader) checkInstallation() {
	refuse := func(c catalog.Code, path, format string, args ...any) {
		r.fault(r.at, c, path, "OLM cannot install the bundle on any cluster: "+fmt.Sprintf(format, args...), false)
	}
	spec := &r.installed.Spec
	if s := spec.Install.Strategy; s != "" && s != "deployment" {
		refuse(code.Strategy, "spec.install.strategy", "it does not know install strategy %.100q: write deployment", s)
	}
	for i, api := range spec.APIServices.Owned {
		found := false
		for _, d := range spec.Install.Spec.Deployments {
			found = found || d.Name == api.DeploymentName
		}
		if !found && len(spec.Install.Spec.Deployments) > 0 {
			refuse(code.Strategy, fmt.Sprintf("spec.apiservicedefinitions.owned[%d].deploymentName", i),
				"the install strategy has no deployment %.200q, which serves the APIService %.200q: name one that it has", api.DeploymentName, api.Name)
		}
	}
	names := map[string]bool{}
	for i, w := range spec.Webhooks {
		path := fmt.Sprintf("spec.webhookdefinitions[%d]", i)
		if names[w.GenerateName] {
			refuse(code.Webhook, path+".generateName", "two webhooks have the name %.200q: give each its own", w.GenerateName)
		}
		names[w.GenerateName] = true
		for n, rule := range w.Rules {
			at := fmt.Sprintf("%s.rules[%d]", path, n)
			admission := slices.Contains(rule.APIGroups, "admissionregistration.k8s.io") && slices.ContainsFunc(rule.Resources, func(name string) bool {
				return name == "*" || name == "MutatingWebhookConfiguration" || name == "ValidatingWebhookConfiguration"
			})
			switch {
			case slices.Contains(rule.APIGroups, "*"):
				refuse(code.Webhook, at, "a webhook must not cover all API groups: list those that it needs")
			case slices.Contains(rule.APIGroups, "operators.coreos.com"):
				refuse(code.Webhook, at, "a webhook must not cover operators.coreos.com, the API group of OLM: leave it out")
			case admission:
				refuse(code.Webhook, at, "a webhook must not cover the configurations of webhooks: leave them out")
			}
		}
		if w.Type == "ConversionWebhook" {
			r.checkConversion(path, w.ConversionCRDs, refuse)
		}
	}
}

func (r *reader) checkConversion(path string, crds []string, refuse func(c catalog.Code, path, format string, args ...any)) {
	spec := &r.csv.Spec
	for _, mode := range spec.InstallModes {
		if mode.Supported != (mode.Type == "AllNamespaces") {
			refuse(code.Webhook, path, "it has a conversion webhook, so it must support AllNamespaces only: correct %s in spec.installModes", mode.Type)
			break
		}
	}
	if len(crds) == 0 {
		refuse(code.Webhook, path, "the conversion webhook names no CRD: list them in conversionCRDs")
	}
	for _, name := range crds {
		if !slices.ContainsFunc(spec.CustomResources.Owned, func(crd apiDescription) bool { return crd.Name == name }) {
			refuse(code.Webhook, path, "the conversion webhook is for the CRD %.300s, which the bundle does not own", name)
		} else if r.unpruned[name] {
			refuse(code.Webhook, path, "the conversion webhook is for the CRD %.300s, which has preserveUnknownFields: set that to false", name)
		}
	}
}
