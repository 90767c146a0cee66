package manifest

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/resolvent/resolvent/resolver/cluster"
)

// clusterExtension holds the fields of a ClusterExtension of v1, and of an older form that
// states the package in the spec itself.
type clusterExtension struct {
	Spec struct {
		Channel   string           `json:"channel,omitzero"`
		Config    *extensionConfig `json:"config,omitzero"`
		Namespace string           `json:"namespace,omitzero"`
		Package   string           `json:"packageName,omitzero"`
		Source    struct {
			Catalog *catalogFilter `json:"catalog"`
			// Type is not read.
			Type any `json:"sourceType"`
		} `json:"source,omitzero"`
		Policy  string         `json:"upgradeConstraintPolicy,omitzero"`
		Version string         `json:"version,omitzero"`
		Rest    jsontext.Value `json:",embed"`
	} `json:"spec"`
	Status struct {
		Install    *extensionInstall   `json:"install"`
		Conditions []cluster.Condition `json:"conditions,omitempty"`
		Revisions  []struct {
			Name       string              `json:"name"`
			Conditions []cluster.Condition `json:"conditions"`
		} `json:"activeRevisions,omitempty"`
	} `json:"status,omitzero"`
}

// extensionConfig is the configuration of the bundle.
type extensionConfig struct {
	Inline struct {
		WatchNamespace *string        `json:"watchNamespace,omitzero"`
		Rest           jsontext.Value `json:",embed"`
	} `json:"inline,omitzero"`
	Rest jsontext.Value `json:",embed"`
}

// extensionRest is the form of cluster.ClusterExtension.Rest.
type extensionRest struct {
	Config *extensionConfig `json:"config,omitzero"`
	Rest   jsontext.Value   `json:",embed"`
}

type catalogFilter struct {
	Channels []string          `json:"channels,omitempty"`
	Package  string            `json:"packageName,omitzero"`
	Selector *cluster.Selector `json:"selector,omitzero"`
	Policy   string            `json:"upgradeConstraintPolicy,omitzero"`
	Version  string            `json:"version,omitzero"`
}

type extensionInstall struct {
	Bundle *extensionBundle `json:"bundle"`
}

type extensionBundle struct {
	Name    string  `json:"name"`
	Release *string `json:"release,omitzero"`
	Version string  `json:"version"`
}

// annotationMigratedFrom is the annotation that names the Subscription before the migration.
const annotationMigratedFrom = "olm.operatorframework.io/migrated-from-subscription"

const (
	selfCertified   = "SelfCertified"
	catalogProvided = "CatalogProvided"
)

func (e clusterExtension) object(meta metadata) (cluster.ClusterExtension, error) {
	filter, path := e.Spec.Source.Catalog, "spec.source.catalog"
	if filter == nil {
		path = "spec"
		filter = &catalogFilter{Package: e.Spec.Package, Version: e.Spec.Version, Policy: e.Spec.Policy}
		if e.Spec.Channel != "" {
			filter.Channels = []string{e.Spec.Channel}
		}
	}
	object := cluster.ClusterExtension{
		Name:          meta.Name,
		Namespace:     e.Spec.Namespace,
		Package:       filter.Package,
		Channels:      filter.Channels,
		Version:       filter.Version,
		Selector:      filter.Selector,
		SelfCertified: filter.Policy == selfCertified,
		Conditions:    e.Status.Conditions,
		MigratedFrom:  meta.Annotations[annotationMigratedFrom],
		Labels:        meta.Labels,
		Annotations:   meta.others(annotationMigratedFrom),
	}
	for _, r := range e.Status.Revisions {
		for _, c := range r.Conditions {
			c.Message = "revision " + r.Name + ": " + c.Message
			object.Conditions = append(object.Conditions, c)
		}
	}
	if e.Spec.Config != nil {
		object.WatchNamespace = e.Spec.Config.Inline.WatchNamespace
	}
	rest, err := json.Marshal(extensionRest{e.Spec.Config, e.Spec.Rest})
	if object.Rest = restOf(rest); err != nil || object.Rest == "{}" {
		object.Rest = ""
	}
	if filter.Policy != "" && filter.Policy != selfCertified && filter.Policy != catalogProvided {
		return object, faultAt(path+".upgradeConstraintPolicy", fmt.Errorf("%q: want CatalogProvided or SelfCertified", filter.Policy))
	}
	if i := e.Status.Install; i != nil && i.Bundle != nil {
		object.Installed = &cluster.InstalledExtension{Name: i.Bundle.Name, Version: i.Bundle.Version}
		if i.Bundle.Release != nil {
			object.Installed.Release, object.Installed.HasRelease = *i.Bundle.Release, true
		}
	}
	return object, nil
}

func (clusterExtension) of(e cluster.ClusterExtension) (f clusterExtension, meta metadata) {
	filter := &catalogFilter{Channels: e.Channels, Package: e.Package, Selector: e.Selector, Version: e.Version}
	if e.SelfCertified {
		filter.Policy = selfCertified
	}
	f.Spec.Namespace, f.Spec.Source.Catalog, f.Spec.Source.Type = e.Namespace, filter, "Catalog"
	var rest extensionRest
	if e.Rest != "" {
		_ = json.Unmarshal([]byte(e.Rest), &rest) // an invalid Rest is left out
	}
	if f.Spec.Config, f.Spec.Rest = rest.Config, rest.Rest; e.WatchNamespace != nil {
		if f.Spec.Config == nil {
			f.Spec.Config = &extensionConfig{Rest: jsontext.Value(`{"configType":"Inline"}`)}
		}
		f.Spec.Config.Inline.WatchNamespace = e.WatchNamespace
	}
	if i := e.Installed; i != nil {
		bundle := &extensionBundle{Name: i.Name, Version: i.Version}
		if i.HasRelease {
			bundle.Release = &i.Release
		}
		f.Status.Install = &extensionInstall{bundle}
	}
	f.Status.Conditions = e.Conditions
	return f, metadata{Annotations: and(e.Annotations, annotationMigratedFrom, e.MigratedFrom), Labels: e.Labels, Name: e.Name}
}

// clusterCatalog holds the fields of a ClusterCatalog.
type clusterCatalog struct {
	Spec struct {
		AvailabilityMode string       `json:"availabilityMode,omitzero"`
		Priority         int          `json:"priority"`
		Source           *imageSource `json:"source,omitzero"`
	} `json:"spec"`
	Status struct {
		Conditions []cluster.Condition `json:"conditions,omitempty"`
	} `json:"status,omitzero"`
}

// imageSource is the source of a ClusterCatalog's content.
type imageSource struct {
	Image struct {
		PollMinutes int    `json:"pollIntervalMinutes,omitzero"`
		Ref         string `json:"ref"`
	} `json:"image,omitzero"`
	Type string `json:"type"`
}

const (
	unavailable = "Unavailable"
	serving     = "Serving"
)

func (c clusterCatalog) object(meta metadata) (cluster.ClusterCatalog, error) {
	object := cluster.ClusterCatalog{
		Name:        meta.Name,
		Priority:    c.Spec.Priority,
		Labels:      meta.Labels,
		Unavailable: c.Spec.AvailabilityMode == unavailable,
		Conditions:  c.Status.Conditions,
	}
	object.NotServing = !object.Unavailable && slices.ContainsFunc(c.Status.Conditions, func(s cluster.Condition) bool {
		return s.Type == serving && s.Status != "True"
	})
	if s := c.Spec.Source; s != nil {
		object.Image, object.PollMinutes = s.Image.Ref, s.Image.PollMinutes
	}
	return object, nil
}

func (clusterCatalog) of(c cluster.ClusterCatalog) (f clusterCatalog, meta metadata) {
	f.Spec.Priority = c.Priority
	if c.Unavailable {
		f.Spec.AvailabilityMode = unavailable
	}
	if f.Status.Conditions = c.Conditions; c.NotServing && len(c.Conditions) == 0 {
		f.Status.Conditions = []cluster.Condition{{Type: serving, Status: "False"}}
	}
	if c.Image != "" {
		f.Spec.Source = &imageSource{Type: "Image"}
		f.Spec.Source.Image.Ref, f.Spec.Source.Image.PollMinutes = c.Image, c.PollMinutes
	}
	return f, metadata{Name: c.Name, Labels: c.Labels}
}
