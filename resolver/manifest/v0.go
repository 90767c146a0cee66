package manifest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// subscription holds the fields of a Subscription.
type subscription struct {
	Spec struct {
		Channel             string         `json:"channel,omitzero"`
		InstallPlanApproval string         `json:"installPlanApproval,omitzero"`
		Name                string         `json:"name,omitzero"`
		Source              string         `json:"source,omitzero"`
		SourceNamespace     string         `json:"sourceNamespace,omitzero"`
		StartingCSV         string         `json:"startingCSV,omitzero"`
		Rest                jsontext.Value `json:",embed"`
	} `json:"spec"`
	Status struct {
		Conditions     []cluster.Condition `json:"conditions,omitempty"`
		CurrentCSV     string              `json:"currentCSV,omitzero"`
		InstallPlanRef struct {
			Name string `json:"name"`
		} `json:"installPlanRef,omitzero"`
		InstalledCSV string `json:"installedCSV"`
		State        string `json:"state,omitzero"`
	} `json:"status,omitzero"`
}

func (s subscription) object(meta metadata) (cluster.Subscription, error) {
	approval := s.Spec.InstallPlanApproval
	if approval != "" && approval != words.Manual && approval != words.Automatic {
		return cluster.Subscription{}, faultAt("spec.installPlanApproval", fmt.Errorf("%q: want Automatic or Manual", approval))
	}
	_, generated := meta.Annotations[words.AnnotationGeneratedBy]
	return cluster.Subscription{
		Namespace:        meta.Namespace,
		Name:             meta.Name,
		Package:          s.Spec.Name,
		Channel:          s.Spec.Channel,
		Catalog:          s.Spec.Source,
		CatalogNamespace: s.Spec.SourceNamespace,
		StartingCSV:      s.Spec.StartingCSV,
		Manual:           approval == words.Manual,
		InstalledCSV:     s.Status.InstalledCSV,
		Generated:        generated,
		Observed:         cluster.Observed{State: s.Status.State, CurrentCSV: s.Status.CurrentCSV, InstallPlan: s.Status.InstallPlanRef.Name, Conditions: s.Status.Conditions},
		Rest:             restOf(s.Spec.Rest),
		Labels:           meta.Labels,
		Annotations:      meta.others(words.AnnotationGeneratedBy),
	}, nil
}

func (subscription) of(s cluster.Subscription) (f subscription, meta metadata) {
	generator := ""
	if s.Generated {
		generator = "resolvent"
	}
	meta = metadata{Annotations: and(s.Annotations, words.AnnotationGeneratedBy, generator), Labels: s.Labels, Name: s.Name, Namespace: s.Namespace}
	f.Spec.Name, f.Spec.Channel, f.Spec.StartingCSV = s.Package, s.Channel, s.StartingCSV
	f.Spec.Source, f.Spec.SourceNamespace = s.Catalog, s.CatalogNamespace
	if s.Manual {
		f.Spec.InstallPlanApproval = words.Manual
	}
	f.Spec.Rest = jsontext.Value(s.Rest)
	f.Status.InstalledCSV, f.Status.CurrentCSV, f.Status.State = s.InstalledCSV, s.Observed.CurrentCSV, s.Observed.State
	f.Status.InstallPlanRef.Name, f.Status.Conditions = s.Observed.InstallPlan, s.Observed.Conditions
	return f, meta
}

// installPlan holds the fields of an InstallPlan.
type installPlan struct {
	Spec struct {
		Approval   string   `json:"approval,omitzero"`
		Approved   bool     `json:"approved"`
		CSVs       []string `json:"clusterServiceVersionNames"`
		Generation int      `json:"generation,omitzero"`
	} `json:"spec"`
	Status struct {
		Lookups    []bundleLookup      `json:"bundleLookups,omitempty"`
		Conditions []cluster.Condition `json:"conditions,omitempty"`
		Message    string              `json:"message,omitzero"`
		Phase      string              `json:"phase,omitzero"`
		Plan       []planStep          `json:"plan,omitempty"`
	} `json:"status,omitzero"`
}

// bundleLookup states from where an InstallPlan fetches a bundle.
type bundleLookup struct {
	Identifier string `json:"identifier"`
	Source     struct {
		Name      string `json:"name"`
		Namespace string `json:"namespace"`
	} `json:"catalogSourceRef"`
	Conditions []cluster.Condition `json:"conditions,omitempty"`
}

func (p installPlan) object(meta metadata) (cluster.InstallPlan, error) {
	o := cluster.InstallPlan{
		Namespace: meta.Namespace, Name: meta.Name, CSVs: p.Spec.CSVs, Approved: p.Spec.Approved,
		Phase: p.Status.Phase, Message: p.Status.Message, Conditions: p.Status.Conditions, ResourceVersion: meta.Version,
		Generation: p.Spec.Generation, Automatic: p.Spec.Approval == words.Automatic, Steps: stepsOf(p.Status.Plan, p.Status.Phase != "Complete"),
	}
	for _, l := range p.Status.Lookups {
		o.Conditions = append(o.Conditions, l.Conditions...)
		if l.Source.Name != "" {
			if o.From == nil {
				o.From = map[string]catalog.Key{}
			}
			o.From[l.Identifier] = catalog.Key{Namespace: l.Source.Namespace, Name: l.Source.Name}
		}
	}
	return o, nil
}

func (installPlan) of(p cluster.InstallPlan) (f installPlan, meta metadata) {
	f.Spec.Approved, f.Spec.CSVs, f.Spec.Generation = p.Approved, p.CSVs, p.Generation
	if p.Automatic {
		f.Spec.Approval = words.Automatic
	}
	f.Status.Plan = writtenSteps(p.Steps)
	f.Status.Phase, f.Status.Message, f.Status.Conditions = p.Phase, p.Message, p.Conditions
	for _, name := range slices.Sorted(maps.Keys(p.From)) {
		l := bundleLookup{Identifier: name}
		l.Source.Name, l.Source.Namespace = p.From[name].Name, p.From[name].Namespace
		f.Status.Lookups = append(f.Status.Lookups, l)
	}
	return f, metadata{Namespace: p.Namespace, Name: p.Name, Version: p.ResourceVersion}
}

// restOf returns the members of a spec that are not read, as canonical JSON.
func restOf(members jsontext.Value) string {
	if err := members.Canonicalize(); err != nil {
		return "" // no members
	}
	return string(members)
}

// clusterServiceVersion holds the fields of a ClusterServiceVersion.
type clusterServiceVersion struct {
	Spec struct {
		properties.Installation
		CRDs struct {
			Owned    []customResource `json:"owned"`
			Required []customResource `json:"required"`
		} `json:"customresourcedefinitions,omitzero"`
		InstallModes   []installMode    `json:"installModes,omitempty"`
		MinKubeVersion string           `json:"minKubeVersion,omitzero"`
		NativeAPIs     []properties.GVK `json:"nativeAPIs,omitempty"`
		Replaces       string           `json:"replaces,omitzero"`
		Version        string           `json:"version,omitzero"`
	} `json:"spec"`
	Status struct {
		Message      string                `json:"message,omitzero"`
		Phase        string                `json:"phase,omitzero"`
		Reason       string                `json:"reason,omitzero"`
		Requirements []cluster.Requirement `json:"requirementStatus,omitempty"`
	} `json:"status"`
}

type installMode struct {
	Supported bool                   `json:"supported"`
	Type      properties.InstallMode `json:"type"`
}

// customResource describes a custom resource definition, named PLURAL.GROUP.
type customResource struct {
	Name    string `json:"name"`
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
	object := cluster.ClusterServiceVersion{
		Namespace:   meta.Namespace,
		Name:        meta.Name,
		Labels:      meta.Labels,
		Annotations: meta.Annotations,
		Version:     c.Spec.Version,
		Created:     meta.Created,
		Replaces:    c.Spec.Replaces,
		Provides:    provides,
		Requires:    requires,
		NativeAPIs:  c.Spec.NativeAPIs,
		Phase:       c.Status.Phase,
		Reason:      c.Status.Reason,
		Message:     c.Status.Message,
		Unmet:       slices.DeleteFunc(c.Status.Requirements, func(r cluster.Requirement) bool { return r.Status == "Present" }),
		Metadata:    metadataOf(c.Spec.InstallModes, c.Spec.APIServices.Owned, c.Spec.MinKubeVersion),
	}
	if _, copied := meta.Labels[cluster.LabelCopiedFrom]; c.Spec.Install != nil && !copied {
		object.Installation = &c.Spec.Installation
		object.Installation.APIServices.Required = nil
	}
	return object, nil
}

// metadataOf returns the metadata that olm.csv.metadata would state for a
// ClusterServiceVersion, nil if it states none.
func metadataOf(modes []installMode, owned []properties.APIService, minKube string) *properties.Metadata {
	if len(modes)+len(owned) == 0 && minKube == "" {
		return nil
	}
	stated := map[string]any{"installModes": modes, "apiServiceDefinitions": map[string]any{"owned": owned}}
	if minKube != "" {
		stated["minKubeVersion"] = minKube
	}
	value, _ := json.Marshal(stated)
	set, _ := properties.Decode([]properties.Property{{Type: properties.TypeCSVMetadata, Value: value}}, nil)
	return set.Metadata()
}

// of writes required APIs as API services, and owned custom resources with a made-up plural:
// both are read as the same APIs again.
func (clusterServiceVersion) of(v cluster.ClusterServiceVersion) (f clusterServiceVersion, meta metadata) {
	owned := v.Metadata.APIServices()
	crds := v.Provides[:max(0, len(v.Provides)-len(owned))] // API services come last
	f.Spec.APIServices.Owned, f.Spec.APIServices.Required = services(owned), services(v.Requires)
	if !slices.Equal(v.Provides[len(crds):], owned) || slices.ContainsFunc(crds, func(api properties.GVK) bool { return api.Group == "" }) {
		f.Spec.APIServices.Owned, crds = services(v.Provides), nil
	}
	for _, api := range crds {
		f.Spec.CRDs.Owned = append(f.Spec.CRDs.Owned, customResource{strings.ToLower(api.Kind) + "s." + api.Group, api.Version, api.Kind})
	}
	if v.Metadata.StatesModes() {
		for _, mode := range []properties.InstallMode{properties.OwnNamespace, properties.SingleNamespace, properties.MultiNamespace, properties.AllNamespaces} {
			f.Spec.InstallModes = append(f.Spec.InstallModes, installMode{v.Metadata.Supports(mode), mode})
		}
	}
	if i := v.Installation; i != nil {
		f.Spec.Install, f.Spec.Webhooks = i.Install, i.Webhooks
		if len(i.APIServices.Owned) == len(f.Spec.APIServices.Owned) { // with their Deployments
			f.Spec.APIServices.Owned = i.APIServices.Owned
		}
	}
	f.Spec.Replaces, f.Spec.Version, f.Spec.NativeAPIs = v.Replaces, v.Version, v.NativeAPIs
	f.Status.Phase, f.Status.Reason, f.Status.Message, f.Status.Requirements = v.Phase, v.Reason, v.Message, v.Unmet
	if v.Metadata != nil {
		f.Spec.MinKubeVersion = v.Metadata.MinKubeVersion
	}
	annotations := v.Annotations
	if v.Stated != nil {
		annotations = map[string]string{}
		maps.Copy(annotations, v.Annotations)
		annotations[cluster.AnnotationProperties] = propertiesText(v.Stated)
	}
	return f, metadata{Namespace: v.Namespace, Name: v.Name, Created: v.Created, Labels: v.Labels, Annotations: annotations}
}

// propertiesText returns the annotation that states a set of properties.
func propertiesText(set *properties.Set) string {
	list := []properties.Property{}
	for _, p := range set.All() {
		list = append(list, p)
	}
	text, _ := json.Marshal(map[string]any{"properties": list}) // values from JSON cannot fail
	return string(text)
}

func services(apis []properties.GVK) []properties.APIService {
	var list []properties.APIService
	for _, api := range apis {
		list = append(list, properties.APIService{Group: api.Group, Kind: api.Kind, Version: api.Version})
	}
	return list
}

// apis returns the APIs of custom resource definitions in their order, then of API services.
func apis(role string, crds []customResource, services []properties.APIService) ([]properties.GVK, error) {
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
		list = append(list, properties.GVK{Group: s.Group, Version: s.Version, Kind: s.Kind})
	}
	return list, nil
}

// catalogSource holds the fields of a CatalogSource.
type catalogSource struct {
	Spec struct {
		Image         string `json:"image,omitzero"`
		Priority      int    `json:"priority"`
		GRPCPodConfig struct {
			SecurityContext string `json:"securityContextConfig,omitzero"`
		} `json:"grpcPodConfig,omitzero"`
		SourceType     string `json:"sourceType,omitzero"`
		UpdateStrategy struct {
			RegistryPoll struct {
				Interval string `json:"interval,omitzero"`
			} `json:"registryPoll,omitzero"`
		} `json:"updateStrategy,omitzero"`
	} `json:"spec"`
	Status *catalogStatus `json:"status,omitzero"`
}

type catalogStatus struct {
	ConnectionState struct {
		LastObservedState string `json:"lastObservedState"`
	} `json:"connectionState"`
	Reason     string              `json:"reason,omitzero"`
	Message    string              `json:"message,omitzero"`
	Conditions []cluster.Condition `json:"conditions,omitempty"`
}

func (c catalogSource) object(meta metadata) (cluster.CatalogSource, error) {
	o := cluster.CatalogSource{
		Key:             catalog.Key{Namespace: meta.Namespace, Name: meta.Name},
		Priority:        c.Spec.Priority,
		Labels:          meta.Labels,
		Type:            c.Spec.SourceType,
		Image:           c.Spec.Image,
		ImageTemplate:   meta.Annotations[cluster.AnnotationImageTemplate],
		PollInterval:    c.Spec.UpdateStrategy.RegistryPoll.Interval,
		HasStatus:       c.Status != nil,
		SecurityContext: c.Spec.GRPCPodConfig.SecurityContext,
	}
	if c.Status != nil {
		o.State = c.Status.ConnectionState.LastObservedState
		o.Reason, o.Message, o.Conditions = c.Status.Reason, c.Status.Message, c.Status.Conditions
	}
	return o, nil
}

func (catalogSource) of(c cluster.CatalogSource) (f catalogSource, meta metadata) {
	f.Spec.Priority, f.Spec.SourceType, f.Spec.Image = c.Priority, c.Type, c.Image
	f.Spec.UpdateStrategy.RegistryPoll.Interval, f.Spec.GRPCPodConfig.SecurityContext = c.PollInterval, c.SecurityContext
	if c.HasStatus {
		f.Status = &catalogStatus{Reason: c.Reason, Message: c.Message, Conditions: c.Conditions}
		f.Status.ConnectionState.LastObservedState = c.State
	}
	meta = metadata{Namespace: c.Key.Namespace, Name: c.Key.Name, Labels: c.Labels}
	if c.ImageTemplate != "" {
		meta.Annotations = map[string]string{cluster.AnnotationImageTemplate: c.ImageTemplate}
	}
	return f, meta
}

// operatorGroup holds the fields of an OperatorGroup.
type operatorGroup struct {
	Spec struct {
		Selector           *groupSelector `json:"selector,omitzero"`
		ServiceAccount     string         `json:"serviceAccountName,omitzero"`
		StaticProvidedAPIs bool           `json:"staticProvidedAPIs,omitzero"`
		TargetNamespaces   []string       `json:"targetNamespaces,omitempty"`
		UpgradeStrategy    string         `json:"upgradeStrategy,omitzero"`
	} `json:"spec"`
	Status struct {
		Conditions []cluster.Condition `json:"conditions,omitempty"`
		Namespaces []string            `json:"namespaces"`
	} `json:"status,omitzero"`
}

// groupSelector is a selector with the members that an API server drops.
type groupSelector struct {
	MatchExpressions []cluster.SelectorTerm    `json:"matchExpressions,omitempty"`
	MatchLabels      map[string]string         `json:"matchLabels,omitempty"`
	Rest             map[string]jsontext.Value `json:",embed"`
}

func (g operatorGroup) object(meta metadata) (cluster.OperatorGroup, error) {
	var selector *cluster.Selector
	var dropped []string
	if s := g.Spec.Selector; s != nil {
		selector, dropped = &cluster.Selector{MatchExpressions: s.MatchExpressions, MatchLabels: s.MatchLabels}, slices.Sorted(maps.Keys(s.Rest))
	}
	return cluster.OperatorGroup{
		Dropped:            dropped,
		Namespace:          meta.Namespace,
		Name:               meta.Name,
		Annotations:        meta.Annotations,
		TargetNamespaces:   g.Spec.TargetNamespaces,
		Selector:           selector,
		StatusNamespaces:   g.Status.Namespaces,
		HasStatus:          g.Status.Namespaces != nil,
		ServiceAccount:     g.Spec.ServiceAccount,
		StaticProvidedAPIs: g.Spec.StaticProvidedAPIs,
		FailForward:        g.Spec.UpgradeStrategy == words.StrategyFailForward,
		Conditions:         g.Status.Conditions,
	}, nil
}

func (operatorGroup) of(g cluster.OperatorGroup) (f operatorGroup, meta metadata) {
	if s := g.Selector; s != nil {
		f.Spec.Selector = &groupSelector{MatchExpressions: s.MatchExpressions, MatchLabels: s.MatchLabels}
		for _, name := range g.Dropped {
			if f.Spec.Selector.Rest == nil {
				f.Spec.Selector.Rest = map[string]jsontext.Value{}
			}
			f.Spec.Selector.Rest[name] = jsontext.Value(`""`) // its value does not matter
		}
	}
	f.Spec.StaticProvidedAPIs, f.Spec.TargetNamespaces = g.StaticProvidedAPIs, g.TargetNamespaces
	f.Spec.ServiceAccount = g.ServiceAccount
	if g.FailForward {
		f.Spec.UpgradeStrategy = words.StrategyFailForward
	}
	if g.HasStatus {
		f.Status.Namespaces = append([]string{}, g.StatusNamespaces...)
	}
	f.Status.Conditions = g.Conditions
	return f, metadata{Namespace: g.Namespace, Name: g.Name, Annotations: g.Annotations}
}

// operatorCondition holds the fields of an OperatorCondition. The operator states its
// conditions in the status in v1, in the spec in v2.
type operatorCondition struct {
	Spec struct {
		Conditions []cluster.Condition `json:"conditions,omitempty"`
		Overrides  []cluster.Condition `json:"overrides,omitempty"`
	} `json:"spec,omitzero"`
	Status struct {
		Conditions []observedCondition `json:"conditions"`
	} `json:"status,omitzero"`
}

// observedCondition is a condition with the generation of the object that it is about.
type observedCondition struct {
	cluster.Condition
	Observed int64 `json:"observedGeneration,omitzero"`
}

func (o operatorCondition) object(meta metadata) (cluster.OperatorCondition, error) {
	object := cluster.OperatorCondition{Namespace: meta.Namespace, Name: meta.Name, Overrides: o.Spec.Overrides}
	var counts []cluster.Condition
	for _, c := range o.Status.Conditions {
		object.Status = append(object.Status, c.Condition)
		if c.Status == "True" && meta.Generation > 0 && c.Observed > 0 && c.Observed != meta.Generation {
			c.Status, c.Reason, c.Message = "False", "", words.OutdatedCondition(c.Observed, meta.Generation) // for OLM
		}
		counts = append(counts, c.Condition)
	}
	for _, c := range slices.Concat(o.Spec.Overrides, o.Spec.Conditions, counts) {
		if c.Type == words.ConditionUpgradeable {
			object.Upgradeable = &c
			break
		}
	}
	return object, nil
}

func (operatorCondition) of(c cluster.OperatorCondition) (f operatorCondition, meta metadata) {
	f.Spec.Overrides = c.Overrides
	for _, stated := range c.Status {
		f.Status.Conditions = append(f.Status.Conditions, observedCondition{Condition: stated})
	}
	if c.Upgradeable != nil {
		stated := *c.Upgradeable
		stated.Type = words.ConditionUpgradeable
		f.Spec.Conditions = []cluster.Condition{stated} // an override still comes first
	}
	return f, metadata{Namespace: c.Namespace, Name: c.Name}
}

// namespace holds the fields of a Namespace.
type namespace struct {
	Status struct {
		Conditions []cluster.Condition `json:"conditions,omitempty"`
		Phase      string              `json:"phase,omitzero"`
	} `json:"status,omitzero"`
}

const phaseTerminating = "Terminating"

func (n namespace) object(meta metadata) (cluster.Namespace, error) {
	return cluster.Namespace{Name: meta.Name, Labels: meta.Labels, Terminating: n.Status.Phase == phaseTerminating, Conditions: n.Status.Conditions}, nil
}

func (namespace) of(n cluster.Namespace) (f namespace, meta metadata) {
	if f.Status.Conditions = n.Conditions; n.Terminating {
		f.Status.Phase = phaseTerminating
	}
	return f, metadata{Name: n.Name, Labels: n.Labels}
}
