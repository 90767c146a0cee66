// Package cluster holds, as plain data, the parts of Kubernetes objects that a resolution
// reads: Subscriptions, ClusterServiceVersions, OperatorGroups, ClusterExtensions and the
// declarations of catalogs. [Index] finds them by namespace and name. A controller fills
// them from its informers, package manifest from what kubectl prints. What
// follows from them is the work of package resolver; an Index only caches it.
package cluster

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
)

// Subscription is an OLM v0 request.
type Subscription struct {
	Namespace string
	Name      string
	// Package, Channel, Catalog and CatalogNamespace are spec.name,
	// spec.channel, spec.source and spec.sourceNamespace.
	Package          string
	Channel          string
	Catalog          string
	CatalogNamespace string
	// StartingCSV names the only bundle that a new installation may take.
	StartingCSV string
	// Manual is true if spec.installPlanApproval is Manual.
	Manual bool
	// InstalledCSV is status.installedCSV, the only statement of what this
	// Subscription has installed.
	InstalledCSV string
	// Generated is true for a Subscription that OLM made for a dependency
	// (annotation olm.generated-by): nobody requested its package.
	Generated bool
	// Observed is the rest of the status; no choice depends on it.
	Observed Observed
	// Rest is the rest of the spec, such as spec.config, as a JSON object; empty if there
	// is none. Resolution does not read it, nor Labels and the other Annotations; whoever
	// writes the object again needs them.
	Rest                string
	Labels, Annotations map[string]string
}

// Asked reports whether AnnotationAsked marks the Subscription.
func (s *Subscription) Asked() bool {
	_, asked := s.Annotations[AnnotationAsked]
	return asked
}

// Observed is what OLM states in the status of a Subscription.
type Observed struct {
	// State, CurrentCSV and InstallPlan are status.state, status.currentCSV and
	// status.installPlanRef.name.
	State       string
	CurrentCSV  string
	InstallPlan string
	Conditions  []Condition
}

// InstallPlan is what OLM v0 carries out for Subscriptions of its namespace, once it is
// approved.
type InstallPlan struct {
	Namespace string
	Name      string
	// ResourceVersion is metadata.resourceVersion. It changes with each change of the object.
	ResourceVersion string
	// CSVs is spec.clusterServiceVersionNames, Approved spec.approved, Generation
	// spec.generation. Automatic is true if spec.approval is.
	CSVs       []string
	Approved   bool
	Generation int
	Automatic  bool
	// Steps are those of status.plan; of a plan that is Complete, only those whose manifests state rights
	// or versions of resources.
	Steps []PlanStep
	// From holds, by name of the CSV, the catalog of its bundle, from
	// status.bundleLookups.
	From map[string]catalog.Key
	// Phase and Message are status.phase and status.message. Conditions are status.conditions,
	// then those of status.bundleLookups.
	Phase, Message string
	Conditions     []Condition
}

// PlanStep is an object that an InstallPlan makes.
type PlanStep struct {
	// CSV is the name of the bundle that brings it.
	CSV  string
	Kind string
	Name string
	// Rights are the rules of a Role or ClusterRole, Role is what a binding grants, Installation that of
	// a ClusterServiceVersion and Definition that of a CustomResourceDefinition. A step of such a kind
	// without any is not known.
	Rights       []Right
	Role         properties.RoleRef
	Installation *properties.Installation
	Definition   *properties.Definition
	// In is the ConfigMap that has the manifest, if the step itself has not. Then an [Index] states
	// what the ConfigMap does, if it is known.
	In ConfigMap
}

// ConfigMap is the name of one.
type ConfigMap struct{ Namespace, Name string }

// Unpacked is a ConfigMap in which OLM v0 keeps the objects of a bundle: what they state that matters
// at install.
type Unpacked struct {
	ConfigMap
	Steps []PlanStep
}

// Definition is a CustomResourceDefinition as the cluster has it.
type Definition struct {
	Name string
	// Definition is what its spec states, as far as that can be read.
	properties.Definition
	// Stored are the versions of status.storedVersions.
	Stored []string
	// Owner is the ClusterExtension that it belongs to, empty if it belongs to none.
	Owner string
}

// Right is a rule of a role; "*" stands for all.
type Right = properties.Right

// Role is a Role or, without a namespace, a ClusterRole.
type Role struct {
	Namespace, Name string
	Rules           []Right
}

// Binding is a RoleBinding or, without a namespace, a ClusterRoleBinding: it grants a role to subjects.
type Binding struct {
	Namespace, Name string
	Role            properties.RoleRef
	Subjects        []Subject
}

// Subject is to whom a Binding grants. A ServiceAccount without a namespace is that of its Binding.
type Subject struct {
	Kind      string `json:"kind"`
	Name      string `json:"name"`
	Namespace string `json:"namespace,omitzero"`
}

// ServiceAccount is an account of programs.
type ServiceAccount struct{ Namespace, Name string }

// Waits reports whether the InstallPlan waits for approval.
func (p *InstallPlan) Waits() bool { return p.Phase == "RequiresApproval" && !p.Approved }

// ClusterServiceVersion is an installed bundle.
type ClusterServiceVersion struct {
	Namespace   string
	Name        string
	Labels      map[string]string
	Annotations map[string]string
	// Stated, if set, holds the bundle's properties; it replaces AnnotationProperties.
	Stated *properties.Set
	// Version is spec.version, empty if unset.
	Version string
	// Created is metadata.creationTimestamp.
	Created string
	// Replaces is spec.replaces.
	Replaces string
	// Provides and Requires are the owned and required APIs: custom resource
	// definitions as listed, then API services. They count only without
	// AnnotationProperties.
	Provides []properties.GVK
	Requires []properties.GVK
	// NativeAPIs are spec.nativeAPIs: OLM fails the operator without them, but resolves nothing for them.
	NativeAPIs []properties.GVK
	// Metadata holds its install modes, minKubeVersion and owned API services; Provides has
	// the services as well.
	Metadata *properties.Metadata
	// Installation is how OLM installs it, nil if the object has no spec.install, or is a copy.
	Installation *properties.Installation
	// Phase, Reason and Message are status.phase, status.reason and status.message.
	Phase   string
	Reason  string
	Message string
	// Unmet are the members of status.requirementStatus that are not met.
	Unmet []Requirement
}

// Requirement is an object that OLM looks for before it installs a bundle, and how it stands.
type Requirement struct {
	Group   string `json:"group"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	// Status is Present if the requirement is met.
	Status  string `json:"status"`
	Message string `json:"message,omitzero"`
}

// String returns the object, and why it does not do.
func (r Requirement) String() string {
	return strings.TrimSuffix(r.Kind+" "+r.Name+": "+cmp.Or(r.Message, r.Status), ": ")
}

// Labels and annotations by which a program reads and makes objects.
const (
	AnnotationProperties = "operatorframework.io/properties"
	LabelCopiedFrom      = "olm.copiedFrom"
	// LabelMetadataName is the label by which every ClusterCatalog states its own name.
	LabelMetadataName = "olm.operatorframework.io/metadata.name"
	// AnnotationImageTemplate is that of a CatalogSource whose image depends on the cluster.
	AnnotationImageTemplate = "olm.catalogImageTemplate"
	// AnnotationAsked marks a Subscription that is in no cluster, but only asked about: no fix
	// gives it up.
	AnnotationAsked = "resolvent/asked"
)

// OperatorGroup says which namespaces the operators of its namespace watch.
type OperatorGroup struct {
	Namespace   string
	Name        string
	Annotations map[string]string
	// TargetNamespaces is spec.targetNamespaces; Selector is spec.selector. Dropped are the
	// members of spec.selector that no selector has: an API server drops them.
	TargetNamespaces []string
	Selector         *Selector
	Dropped          []string
	// StatusNamespaces is status.namespaces. HasStatus is true if the object has that
	// list, even an empty one.
	StatusNamespaces []string
	HasStatus        bool
	// ServiceAccount is spec.serviceAccountName.
	ServiceAccount string
	// StaticProvidedAPIs is spec.staticProvidedAPIs.
	StaticProvidedAPIs bool
	// FailForward is true if spec.upgradeStrategy is TechPreviewUnsafeFailForward: OLM then moves
	// on from operators that failed.
	FailForward bool
	// Conditions are status.conditions; no choice depends on them.
	Conditions []Condition
}

// OperatorCondition says whether the operator of the same name may be updated.
type OperatorCondition struct {
	Namespace string
	Name      string
	// Upgradeable is the condition of that type after overrides: spec.overrides,
	// else spec.conditions, else status.conditions. Nil if none states it.
	Upgradeable *Condition
	// Overrides are spec.overrides, of all types.
	Overrides []Condition
	// Status are status.conditions.
	Status []Condition
}

// Condition is one Kubernetes condition.
type Condition struct {
	Message string `json:"message"`
	Reason  string `json:"reason"`
	// Status is True, False or Unknown.
	Status string `json:"status"`
	Type   string `json:"type"`
}

// Namespace is a Kubernetes namespace.
type Namespace struct {
	Name   string
	Labels map[string]string
	// Terminating is true if status.phase says so: nothing can be created in it any more.
	// Conditions are those of its status, which say what its deletion waits for.
	Terminating bool
	Conditions  []Condition
}

// ClusterExtension is an OLM v1 request.
type ClusterExtension struct {
	Name string
	// Namespace is spec.namespace, where the operator's objects live.
	Namespace string
	Package   string
	Channels  []string
	// Version is a range in the language of Masterminds/semver.
	Version string
	// Selector chooses catalogs by label; nil means all.
	Selector *Selector
	// SelfCertified is true if upgradeConstraintPolicy is SelfCertified.
	SelfCertified bool
	// WatchNamespace is spec.config.inline.watchNamespace, nil if it is not set.
	WatchNamespace *string
	// Installed is status.install.bundle, nil if nothing is installed.
	Installed *InstalledExtension
	// Conditions are status.conditions, then those of status.activeRevisions, whose messages
	// name their revision.
	Conditions []Condition
	// MigratedFrom is the Subscription, as NAMESPACE/NAME, that an annotation names.
	MigratedFrom string
	// Rest is the rest of the spec, such as spec.config, as for a Subscription, and so are
	// Labels and Annotations.
	Rest                string
	Labels, Annotations map[string]string
}

// InstalledExtension is the bundle that a ClusterExtension has installed.
type InstalledExtension struct {
	Name    string
	Version string
	// Release is the release of the bundle. HasRelease is true if the object states one,
	// even an empty one. Without it the version's build metadata counts as release.
	Release    string
	HasRelease bool
}

// Profile is how OLM v1 is installed: which of its feature gates are on.
type Profile string

// The profiles of OLM v1. Its experimental manifests turn on the gates that its standard ones
// leave off, and define spec.config of a ClusterExtension.
const (
	ProfileStandard     Profile = "standard"
	ProfileExperimental Profile = "experimental"
)

// Objects is what the caller knows of the cluster, in any order.
type Objects struct {
	Subscriptions      []Subscription
	CSVs               []ClusterServiceVersion
	OperatorGroups     []OperatorGroup
	OperatorConditions []OperatorCondition
	Namespaces         []Namespace
	ClusterExtensions  []ClusterExtension
	// CatalogSources declare the v0 catalogs of the cluster, ClusterCatalogs the v1 ones.
	// Their content comes from a cache.View.
	CatalogSources  []CatalogSource
	ClusterCatalogs []ClusterCatalog
	// OperatorHubs holds the one of OpenShift, if there is one.
	OperatorHubs []OperatorHub
	InstallPlans []InstallPlan
	// Definitions need not be all of the cluster: another one is unknown, not absent.
	Definitions []Definition
	// Roles, ClusterRoles, RoleBindings, ClusterRoleBindings and ServiceAccounts matter where an
	// OperatorGroup names a ServiceAccount.
	Roles, ClusterRoles               []Role
	RoleBindings, ClusterRoleBindings []Binding
	ServiceAccounts                   []ServiceAccount
	// Unpacked matter where InstallPlans refer to them.
	Unpacked []Unpacked
	// KubernetesVersion and OpenShiftVersion are empty if unknown.
	KubernetesVersion string
	OpenShiftVersion  string
	// OLMv1 is how OLM v1 is installed. It is empty if unknown, which counts as standard.
	OLMv1 Profile
	// Date is the day, as YYYY-MM-DD, for which the support of versions is judged. If it is
	// empty, support is not judged.
	Date string
	// Labels describe the cluster to CEL rules.
	Labels map[string]string
	// Unread holds, by scope, why an object that its answer depends on could not be read.
	// Each error is an *InvalidInput.
	Unread map[Scope]error
}

// Append appends the objects of more to the lists, and takes its version of OpenShift and its
// profile of OLM v1 if none is known yet. Kubernetes version, date and labels stay.
func (o *Objects) Append(more Objects) {
	o.Subscriptions = append(o.Subscriptions, more.Subscriptions...)
	o.CSVs = append(o.CSVs, more.CSVs...)
	o.OperatorGroups = append(o.OperatorGroups, more.OperatorGroups...)
	o.OperatorConditions = append(o.OperatorConditions, more.OperatorConditions...)
	o.Namespaces = append(o.Namespaces, more.Namespaces...)
	o.ClusterExtensions = append(o.ClusterExtensions, more.ClusterExtensions...)
	o.CatalogSources = append(o.CatalogSources, more.CatalogSources...)
	o.ClusterCatalogs = append(o.ClusterCatalogs, more.ClusterCatalogs...)
	o.OperatorHubs = append(o.OperatorHubs, more.OperatorHubs...)
	o.InstallPlans = append(o.InstallPlans, more.InstallPlans...)
	o.Definitions = append(o.Definitions, more.Definitions...)
	o.Roles, o.ClusterRoles = append(o.Roles, more.Roles...), append(o.ClusterRoles, more.ClusterRoles...)
	o.RoleBindings, o.ClusterRoleBindings = append(o.RoleBindings, more.RoleBindings...), append(o.ClusterRoleBindings, more.ClusterRoleBindings...)
	o.ServiceAccounts = append(o.ServiceAccounts, more.ServiceAccounts...)
	o.Unpacked = append(o.Unpacked, more.Unpacked...)
	o.OpenShiftVersion = cmp.Or(o.OpenShiftVersion, more.OpenShiftVersion)
	o.OLMv1 = cmp.Or(o.OLMv1, more.OLMv1)
	if o.Unread == nil {
		o.Unread = more.Unread
	} else {
		maps.Copy(o.Unread, more.Unread)
	}
}

// CatalogSource declares a v0 catalog.
type CatalogSource struct {
	Key      catalog.Key
	Priority int
	Labels   map[string]string
	// Type, Image and PollInterval are spec.sourceType, spec.image and
	// spec.updateStrategy.registryPoll.interval.
	Type, Image, PollInterval string
	// ImageTemplate is AnnotationImageTemplate: from it OLM makes Image anew once Kubernetes has
	// another version.
	ImageTemplate string
	// SecurityContext is spec.grpcPodConfig.securityContextConfig.
	SecurityContext string
	// State is status.connectionState.lastObservedState. HasStatus is false for an object
	// without status, which counts as healthy.
	State     string
	HasStatus bool
	// Reason, Message and Conditions are status.reason, status.message and status.conditions: why
	// the catalog is not healthy, or what is wrong although it is.
	Reason, Message string
	Conditions      []Condition
}

// Healthy reports whether the object says that its catalog can be used.
func (c CatalogSource) Healthy() bool { return !c.HasStatus || c.State == "READY" }

// ClusterCatalog declares a v1 catalog.
type ClusterCatalog struct {
	Name     string
	Priority int
	Labels   map[string]string
	// Unavailable is true if spec.availabilityMode is Unavailable.
	Unavailable bool
	// NotServing is true if status.conditions has Serving with another status than True, though the
	// catalog is not Unavailable.
	NotServing bool
	// Conditions are status.conditions.
	Conditions []Condition
	// Image and PollMinutes are spec.source.image.ref and
	// spec.source.image.pollIntervalMinutes.
	Image       string
	PollMinutes int
}

// OperatorHub says which of its default CatalogSources OpenShift leaves out.
type OperatorHub struct {
	Name string
	// DisableAll is spec.disableAllDefaultSources. Disabled is spec.sources by name; an
	// entry there wins over DisableAll.
	DisableAll bool
	Disabled   map[string]bool
}

// Disables reports whether OpenShift leaves out the default CatalogSource k.
func (h *OperatorHub) Disables(k catalog.Key) bool {
	if k.Namespace != "openshift-marketplace" || !slices.Contains([]string{"redhat-operators", "certified-operators", "community-operators", "redhat-marketplace"}, k.Name) {
		return false
	}
	disabled, stated := h.Disabled[k.Name]
	return disabled || h.DisableAll && !stated
}

// Declared returns the priority and labels that the object of a catalog states, zero values
// if there is none.
func (o *Objects) Declared(k catalog.Key) (priority int, labels map[string]string) {
	for _, c := range o.CatalogSources {
		if c.Key == k {
			priority, labels = c.Priority, c.Labels
		}
	}
	for _, c := range o.ClusterCatalogs {
		if k == (catalog.Key{Name: c.Name}) {
			priority, labels = c.Priority, c.Labels
		}
	}
	return priority, labels
}

// Names reports whether the Subscription names this catalog.
func (s *Subscription) Names(k catalog.Key) bool {
	return s.Catalog == k.Name && (s.CatalogNamespace == "" || s.CatalogNamespace == k.Namespace)
}
