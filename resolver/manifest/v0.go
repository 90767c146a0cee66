package manifest

import (
	"fmt"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
)

// subscription holds the fields of a Subscription.
type subscription struct {
	Spec struct {
		Name                string `json:"name"`
		Channel             string `json:"channel"`
		Source              string `json:"source"`
		SourceNamespace     string `json:"sourceNamespace"`
		StartingCSV         string `json:"startingCSV"`
		InstallPlanApproval string `json:"installPlanApproval"`
	} `json:"spec"`
	Status struct {
		InstalledCSV string `json:"installedCSV"`
	} `json:"status"`
}

func (s subscription) object(meta metadata) (cluster.Subscription, error) {
	manual := false
	switch result.Approval(s.Spec.InstallPlanApproval) {
	case result.Manual:
		manual = true
	case result.Automatic, "":
	default:
		return cluster.Subscription{}, faultAt("spec.installPlanApproval",
			fmt.Errorf("%q: want Automatic or Manual", s.Spec.InstallPlanApproval))
	}
	_, generated := meta.Annotations[cluster.AnnotationGeneratedBy]
	return cluster.Subscription{
		Namespace:        meta.Namespace,
		Name:             meta.Name,
		Package:          s.Spec.Name,
		Channel:          s.Spec.Channel,
		Catalog:          s.Spec.Source,
		CatalogNamespace: s.Spec.SourceNamespace,
		StartingCSV:      s.Spec.StartingCSV,
		Manual:           manual,
		InstalledCSV:     s.Status.InstalledCSV,
		Generated:        generated,
	}, nil
}

// clusterServiceVersion holds the fields of a ClusterServiceVersion.
type clusterServiceVersion struct {
	Spec struct {
		Version  string `json:"version"`
		Replaces string `json:"replaces"`
		CRDs     struct {
			Owned    []customResource `json:"owned"`
			Required []customResource `json:"required"`
		} `json:"customresourcedefinitions"`
		APIServices struct {
			Owned    []apiService `json:"owned"`
			Required []apiService `json:"required"`
		} `json:"apiservicedefinitions"`
	} `json:"spec"`
	Status struct {
		Phase  string `json:"phase"`
		Reason string `json:"reason"`
	} `json:"status"`
}

// customResource describes a custom resource definition by "plural.group".
type customResource struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
}

// apiService describes an API of an aggregated server.
type apiService struct {
	Group   string `json:"group"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
}

func (c clusterServiceVersion) object(meta metadata) (cluster.ClusterServiceVersion, error) {
	provides, err := apis("owned", c.Spec.CRDs.Owned, c.Spec.APIServices.Owned)
	if err != nil {
		return cluster.ClusterServiceVersion{}, err
	}
	requires, err := apis("required", c.Spec.CRDs.Required, c.Spec.APIServices.Required)
	if err != nil {
		return cluster.ClusterServiceVersion{}, err
	}
	return cluster.ClusterServiceVersion{
		Namespace:   meta.Namespace,
		Name:        meta.Name,
		Labels:      meta.Labels,
		Annotations: meta.Annotations,
		Version:     c.Spec.Version,
		Replaces:    c.Spec.Replaces,
		Provides:    provides,
		Requires:    requires,
		Phase:       c.Status.Phase,
		Reason:      c.Status.Reason,
	}, nil
}

// apis lists custom resource definitions as they stand, then API services.
func apis(role string, crds []customResource, services []apiService) ([]properties.GVK, error) {
	var list []properties.GVK
	for i, d := range crds {
		_, group, found := strings.Cut(d.Name, ".")
		if !found || group == "" {
			return nil, faultAt(fmt.Sprintf("spec.customresourcedefinitions.%s[%d].name", role, i),
				fmt.Errorf("%q: want PLURAL.GROUP", d.Name))
		}
		list = append(list, properties.GVK{Group: group, Version: d.Version, Kind: d.Kind})
	}
	for _, s := range services {
		list = append(list, properties.GVK(s))
	}
	return list, nil
}

// catalogSource holds the fields of a CatalogSource.
type catalogSource struct {
	Spec struct {
		Priority int `json:"priority"`
	} `json:"spec"`
	Status *struct {
		ConnectionState struct {
			LastObservedState string `json:"lastObservedState"`
		} `json:"connectionState"`
	} `json:"status"`
}

func (c catalogSource) object(meta metadata) (cluster.CatalogSource, error) {
	o := cluster.CatalogSource{
		Key:       catalog.Key{Namespace: meta.Namespace, Name: meta.Name},
		Priority:  c.Spec.Priority,
		HasStatus: c.Status != nil,
	}
	if c.Status != nil {
		o.State = c.Status.ConnectionState.LastObservedState
	}
	return o, nil
}

// operatorGroup holds the fields of an OperatorGroup.
type operatorGroup struct {
	Spec struct {
		TargetNamespaces   []string  `json:"targetNamespaces"`
		Selector           *selector `json:"selector"`
		StaticProvidedAPIs bool      `json:"staticProvidedAPIs"`
		UpgradeStrategy    string    `json:"upgradeStrategy"`
	} `json:"spec"`
	Status struct {
		Namespaces []string `json:"namespaces"`
	} `json:"status"`
}

func (g operatorGroup) object(meta metadata) (cluster.OperatorGroup, error) {
	return cluster.OperatorGroup{
		Namespace:          meta.Namespace,
		Name:               meta.Name,
		Annotations:        meta.Annotations,
		TargetNamespaces:   g.Spec.TargetNamespaces,
		Selector:           g.Spec.Selector.object(),
		StatusNamespaces:   g.Status.Namespaces,
		HasStatus:          g.Status.Namespaces != nil,
		StaticProvidedAPIs: g.Spec.StaticProvidedAPIs,
		FailForward:        g.Spec.UpgradeStrategy == "TechPreviewUnsafeFailForward",
	}, nil
}

// operatorCondition holds the fields of an OperatorCondition, of which v1 keeps
// what the operator says in the status and v2 in the spec.
type operatorCondition struct {
	Spec struct {
		Overrides  []condition `json:"overrides"`
		Conditions []condition `json:"conditions"`
	} `json:"spec"`
	Status struct {
		Conditions []condition `json:"conditions"`
	} `json:"status"`
}

type condition struct {
	Type    string `json:"type"`
	Status  string `json:"status"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

func (o operatorCondition) object(meta metadata) (cluster.OperatorCondition, error) {
	object := cluster.OperatorCondition{Namespace: meta.Namespace, Name: meta.Name}
	for _, stated := range [][]condition{o.Spec.Overrides, o.Spec.Conditions, o.Status.Conditions} {
		for _, c := range stated {
			if c.Type == "Upgradeable" {
				object.Upgradeable = &cluster.Condition{Status: c.Status, Reason: c.Reason, Message: c.Message}
				return object, nil
			}
		}
	}
	return object, nil
}

// namespace has nothing that matters but its metadata.
type namespace struct{}

func (namespace) object(meta metadata) (cluster.Namespace, error) {
	return cluster.Namespace{Name: meta.Name, Labels: meta.Labels}, nil
}

// selector is a label selector as Kubernetes writes it.
type selector struct {
	MatchLabels      map[string]string `json:"matchLabels"`
	MatchExpressions []struct {
		Key      string   `json:"key"`
		Operator string   `json:"operator"`
		Values   []string `json:"values"`
	} `json:"matchExpressions"`
}

func (s *selector) object() *cluster.Selector {
	if s == nil {
		return nil
	}
	object := &cluster.Selector{MatchLabels: s.MatchLabels}
	for _, t := range s.MatchExpressions {
		object.MatchExpressions = append(object.MatchExpressions, cluster.SelectorTerm(t))
	}
	return object
}
