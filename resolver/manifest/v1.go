package manifest

import (
	"fmt"

	"github.com/resolvent/resolvent/resolver/cluster"
)

// clusterExtension holds the fields of a ClusterExtension: those of v1, and
// beside them the older form, which stated the package in the spec itself.
type clusterExtension struct {
	Spec struct {
		Namespace string `json:"namespace"`
		Source    struct {
			Catalog *catalogFilter `json:"catalog"`
		} `json:"source"`
		PackageName             string `json:"packageName"`
		Channel                 string `json:"channel"`
		Version                 string `json:"version"`
		UpgradeConstraintPolicy string `json:"upgradeConstraintPolicy"`
	} `json:"spec"`
	Status struct {
		Install *struct {
			Bundle *struct {
				Name    string  `json:"name"`
				Version string  `json:"version"`
				Release *string `json:"release"`
			} `json:"bundle"`
		} `json:"install"`
	} `json:"status"`
}

type catalogFilter struct {
	PackageName             string    `json:"packageName"`
	Channels                []string  `json:"channels"`
	Version                 string    `json:"version"`
	Selector                *selector `json:"selector"`
	UpgradeConstraintPolicy string    `json:"upgradeConstraintPolicy"`
}

func (e clusterExtension) object(meta metadata) (cluster.ClusterExtension, error) {
	filter, path := e.Spec.Source.Catalog, "spec.source.catalog"
	if filter == nil {
		path = "spec"
		filter = &catalogFilter{
			PackageName:             e.Spec.PackageName,
			Version:                 e.Spec.Version,
			UpgradeConstraintPolicy: e.Spec.UpgradeConstraintPolicy,
		}
		if e.Spec.Channel != "" {
			filter.Channels = []string{e.Spec.Channel}
		}
	}
	object := cluster.ClusterExtension{
		Name:      meta.Name,
		Namespace: e.Spec.Namespace,
		Package:   filter.PackageName,
		Channels:  filter.Channels,
		Version:   filter.Version,
		Selector:  filter.Selector.object(),
	}
	switch filter.UpgradeConstraintPolicy {
	case "SelfCertified":
		object.SelfCertified = true
	case "CatalogProvided", "":
	default:
		return object, faultAt(path+".upgradeConstraintPolicy",
			fmt.Errorf("%q: want CatalogProvided or SelfCertified", filter.UpgradeConstraintPolicy))
	}
	if i := e.Status.Install; i != nil && i.Bundle != nil {
		object.Installed = &cluster.InstalledExtension{Name: i.Bundle.Name, Version: i.Bundle.Version}
		if i.Bundle.Release != nil {
			object.Installed.Release, object.Installed.HasRelease = *i.Bundle.Release, true
		}
	}
	return object, nil
}

// clusterCatalog holds the fields of a ClusterCatalog.
type clusterCatalog struct {
	Spec struct {
		Priority         int    `json:"priority"`
		AvailabilityMode string `json:"availabilityMode"`
	} `json:"spec"`
}

func (c clusterCatalog) object(meta metadata) (cluster.ClusterCatalog, error) {
	return cluster.ClusterCatalog{
		Name:        meta.Name,
		Priority:    c.Spec.Priority,
		Labels:      meta.Labels,
		Unavailable: c.Spec.AvailabilityMode == "Unavailable",
	}, nil
}
