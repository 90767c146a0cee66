package bundledir

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/build"
	"github.com/resolvent/resolvent/cache/internal/document"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/properties/jsonfield"
)

// serviceVersion is what a bundle directory is asked of its
// ClusterServiceVersion.
type serviceVersion struct {
	Metadata struct {
		Name        string
		Annotations map[string]string
	}
	Spec struct {
		Version        string
		Replaces       string
		Skips          []string
		MinKubeVersion string        `yaml:"minKubeVersion"`
		InstallModes   []installMode `yaml:"installModes"`

		CustomResources apiList `yaml:"customresourcedefinitions"`
		APIServices     apiList `yaml:"apiservicedefinitions"`
	}
}

type installMode struct {
	Type      string `json:"type"`
	Supported bool   `json:"supported"`
}

type apiList struct{ Owned, Required []apiDescription }

// apiDescription is an API: CRDs are named plural.group, API services have a
// group.
type apiDescription struct{ Name, Group, Version, Kind string }

// gvk returns the API as a property states it.
func (a apiDescription) gvk() map[string]string {
	group := a.Group
	if group == "" {
		_, group, _ = strings.Cut(a.Name, ".")
	}
	return map[string]string{"group": group, "version": a.Version, "kind": a.Kind}
}

// customResource is a CustomResourceDefinition, of either version of its API.
type customResource struct {
	Metadata struct{ Name string }
	Spec     struct {
		Version  string
		Versions []struct{ Name string }
	}
}

// serves reports whether the definition has a version; one that is not stated is
// any.
func (c *customResource) serves(version string) bool {
	return version == "" || c.Spec.Version == version ||
		slices.ContainsFunc(c.Spec.Versions, func(v struct{ Name string }) bool { return v.Name == version })
}

// readManifest reads an object of the bundle, and reports whether it is a
// ClusterServiceVersion.
func (r *bundleDirReader) readManifest(n *yaml.Node, at document.Origin) bool {
	var object struct{ Kind string }
	if err := n.Decode(&object); err != nil {
		return false // of no kind that matters
	}
	switch object.Kind {
	case "ClusterServiceVersion":
		if r.csv == nil {
			r.csv, r.at = &serviceVersion{}, at
			r.decode(n, at, r.csv)
		}
		return true
	case "CustomResourceDefinition":
		var crd customResource
		r.decode(n, at, &crd)
		r.crds = append(r.crds, crd)
	}
	return false
}

// state turns what the ClusterServiceVersion says into properties.
func (r *bundleDirReader) state() {
	spec := &r.csv.Spec
	r.addJSON(properties.TypePackage, map[string]string{"packageName": r.pkg, "version": spec.Version})
	for _, list := range []apiList{spec.CustomResources, spec.APIServices} {
		for _, api := range list.Owned {
			r.addJSON(properties.TypeGVK, api.gvk())
		}
		for _, api := range list.Required {
			r.addJSON(properties.TypeGVKRequired, api.gvk())
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
	r.addJSON(properties.TypeCSVMetadata, metadata)
	r.readPropertiesAnnotation()
}

func (r *bundleDirReader) checkOwned(i int, api apiDescription) {
	path := fmt.Sprintf("spec.customresourcedefinitions.owned[%d]", i)
	at := slices.IndexFunc(r.crds, func(c customResource) bool { return c.Metadata.Name == api.Name })
	switch {
	case at < 0:
		r.fault(r.at, catalog.CodeOwnedCRD, path, fmt.Sprintf("the bundle owns the CRD %s, but its manifests do not contain it: add the CRD, or list it as required", api.Name), false)
	case !r.crds[at].serves(api.Version):
		r.fault(r.at, catalog.CodeOwnedCRD, path, fmt.Sprintf("the bundle owns version %s of the CRD %s, which has no such version: name one that it has", api.Version, api.Name), false)
	}
}

// readPropertiesAnnotation reads the properties that the ClusterServiceVersion
// states as JSON.
func (r *bundleDirReader) readPropertiesAnnotation() {
	text := r.csv.Metadata.Annotations[annotationProperties]
	if strings.TrimSpace(text) == "" {
		return
	}
	var list []struct {
		Type  string         `json:"type"`
		Value jsontext.Value `json:"value"`
	}
	if err := jsonfield.Decode([]byte(text), &list, ""); err != nil {
		r.fault(r.at, catalog.CodeProperty, "metadata.annotations["+annotationProperties+"]", "it must be a JSON list of objects with type and value: "+err.Error(), true)
		return
	}
	for _, p := range list {
		r.stated = append(r.stated, properties.Property{Type: p.Type, Value: build.Canonical(p.Value)})
	}
}
