package properties

import (
	"slices"
	"strings"
)

// Installation is what is kept of the spec of a ClusterServiceVersion about how OLM installs it, under
// the names that its fields have there.
type Installation struct {
	APIServices APIServices `json:"apiservicedefinitions,omitzero"`
	// Install is nil if the object has no spec.install.
	Install  *InstallStrategy `json:"install,omitzero"`
	Webhooks []Webhook        `json:"webhookdefinitions,omitempty"`
}

// InstallStrategy is spec.install of a ClusterServiceVersion.
type InstallStrategy struct {
	Spec struct {
		ClusterPermissions []Permission `json:"clusterPermissions,omitempty"`
		Deployments        []Deployment `json:"deployments,omitempty"`
		Permissions        []Permission `json:"permissions,omitempty"`
	} `json:"spec"`
}

// Permission is what a ServiceAccount of the bundle may do.
type Permission struct {
	Rules          []Right `json:"rules"`
	ServiceAccount string  `json:"serviceAccountName,omitzero"`
}

// Deployment is a Deployment of the bundle.
type Deployment struct {
	Name string `json:"name"`
}

// APIServices are the APIs of aggregated API servers.
type APIServices struct {
	Owned    []APIService `json:"owned"`
	Required []APIService `json:"required"`
}

// APIService is an API of an aggregated API server. Deployment is the one that serves it.
type APIService struct {
	Deployment string `json:"deploymentName,omitzero"`
	Group      string `json:"group"`
	Kind       string `json:"kind"`
	Version    string `json:"version"`
}

// Webhook is a webhook of the bundle. Deployment is the one that answers, Definitions are those that a
// ConversionWebhook converts.
type Webhook struct {
	Definitions []string `json:"conversionCRDs,omitempty"`
	Deployment  string   `json:"deploymentName,omitzero"`
	Type        string   `json:"type,omitzero"`
}

// ClusterRights are the permissions in the whole cluster.
func (i *Installation) ClusterRights() (list []Right) {
	if i == nil || i.Install == nil {
		return nil
	}
	for _, p := range i.Install.Spec.ClusterPermissions {
		list = append(list, p.Rules...)
	}
	return list
}

// RightsOn are the permissions, in any namespace, on resources of a group.
func (i *Installation) RightsOn(groups ...string) (list []Right) {
	if i == nil || i.Install == nil {
		return nil
	}
	for _, p := range slices.Concat(i.Install.Spec.ClusterPermissions, i.Install.Spec.Permissions) {
		for _, r := range p.Rules {
			if slices.ContainsFunc(r.APIGroups, func(g string) bool { return g == "*" || slices.Contains(groups, g) }) {
				list = append(list, r)
			}
		}
	}
	return list
}

// Right is a rule of a role; "*" stands for all.
type Right struct {
	APIGroups       []string `json:"apiGroups,omitempty"`
	NonResourceURLs []string `json:"nonResourceURLs,omitempty"`
	ResourceNames   []string `json:"resourceNames,omitempty"`
	Resources       []string `json:"resources,omitempty"`
	Verbs           []string `json:"verbs,omitempty"`
}

// String says what the rule permits.
func (r Right) String() string {
	what := strings.Join(r.NonResourceURLs, ",")
	if len(r.Resources) > 0 {
		what = strings.Join(r.Resources, ",")
		if groups := strings.Join(r.APIGroups, ","); groups != "" {
			what += " of " + groups
		}
	}
	if len(r.ResourceNames) > 0 {
		what += " named " + strings.Join(r.ResourceNames, ",")
	}
	return strings.Join(r.Verbs, ",") + " " + what
}

// Permits reports whether the rule covers a resource of a group.
func (r *Right) Permits(group, resource string) bool {
	has := func(list []string, name string) bool {
		return slices.Contains(list, name) || slices.Contains(list, "*")
	}
	return has(r.APIGroups, group) && has(r.Resources, resource)
}

// RoleRef names the Role or ClusterRole that a binding grants.
type RoleRef struct {
	Kind string `json:"kind,omitzero"`
	Name string `json:"name,omitzero"`
}
