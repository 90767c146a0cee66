package manifest

import (
	"maps"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// objectKind reads and writes objects of one objectKind.
type objectKind struct {
	name string
	// apiVersion is the version to write. Objects of its group are read in any version, and
	// so are those of formerGroup, if there is one.
	apiVersion, formerGroup string
	namespaced              bool
	// read returns the object, and a function that adds it to others.
	read func(decode decoder, meta metadata) (object any, add func(*cluster.Objects), err error)
	// write returns all objects of the kind, ready to be marshaled as JSON.
	write func(all *cluster.Objects) []any
}

// decoder fills a struct with the fields of one object, by their json tags.
type decoder func(fields any) error

// kinds has the kinds that are read, in the order in which they are written.
var kinds = []objectKind{
	of[subscription](objectKind{name: "Subscription", apiVersion: "operators.coreos.com/v1alpha1", namespaced: true},
		func(o *cluster.Objects) *[]cluster.Subscription { return &o.Subscriptions }),
	of[clusterServiceVersion](objectKind{name: "ClusterServiceVersion", apiVersion: "operators.coreos.com/v1alpha1", namespaced: true},
		func(o *cluster.Objects) *[]cluster.ClusterServiceVersion { return &o.CSVs }),
	of[operatorGroup](objectKind{name: "OperatorGroup", apiVersion: "operators.coreos.com/v1", namespaced: true},
		func(o *cluster.Objects) *[]cluster.OperatorGroup { return &o.OperatorGroups }),
	of[operatorCondition](objectKind{name: "OperatorCondition", apiVersion: "operators.coreos.com/v2", namespaced: true},
		func(o *cluster.Objects) *[]cluster.OperatorCondition { return &o.OperatorConditions }),
	of[installPlan](objectKind{name: "InstallPlan", apiVersion: "operators.coreos.com/v1alpha1", namespaced: true},
		func(o *cluster.Objects) *[]cluster.InstallPlan { return &o.InstallPlans }),
	of[namespace](objectKind{name: "Namespace", apiVersion: "v1"},
		func(o *cluster.Objects) *[]cluster.Namespace { return &o.Namespaces }),
	of[catalogSource](objectKind{name: "CatalogSource", apiVersion: "operators.coreos.com/v1alpha1", namespaced: true},
		func(o *cluster.Objects) *[]cluster.CatalogSource { return &o.CatalogSources }),
	of[clusterCatalog](objectKind{name: "ClusterCatalog", apiVersion: "olm.operatorframework.io/v1", formerGroup: "catalogd.operatorframework.io"},
		func(o *cluster.Objects) *[]cluster.ClusterCatalog { return &o.ClusterCatalogs }),
	of[clusterExtension](objectKind{name: "ClusterExtension", apiVersion: "olm.operatorframework.io/v1"},
		func(o *cluster.Objects) *[]cluster.ClusterExtension { return &o.ClusterExtensions }),
	of[operatorHub](objectKind{name: "OperatorHub", apiVersion: "config.openshift.io/v1"},
		func(o *cluster.Objects) *[]cluster.OperatorHub { return &o.OperatorHubs }),
	{name: "ClusterVersion", apiVersion: "config.openshift.io/v1", read: readClusterVersion, write: func(*cluster.Objects) []any { return nil }},
	ofDefinitions(),
	ofUnpacked(),
	of[serviceAccount](objectKind{name: "ServiceAccount", apiVersion: "v1", namespaced: true},
		func(o *cluster.Objects) *[]cluster.ServiceAccount { return &o.ServiceAccounts }),
	of[role](objectKind{name: "Role", apiVersion: groupRights + "/v1", namespaced: true},
		func(o *cluster.Objects) *[]cluster.Role { return &o.Roles }),
	of[role](objectKind{name: "ClusterRole", apiVersion: groupRights + "/v1"},
		func(o *cluster.Objects) *[]cluster.Role { return &o.ClusterRoles }),
	of[binding](objectKind{name: "RoleBinding", apiVersion: groupRights + "/v1", namespaced: true},
		func(o *cluster.Objects) *[]cluster.Binding { return &o.RoleBindings }),
	of[binding](objectKind{name: "ClusterRoleBinding", apiVersion: groupRights + "/v1"},
		func(o *cluster.Objects) *[]cluster.Binding { return &o.ClusterRoleBindings }),
}

// fields are the fields of one kind that resolution reads. They are sorted by name, and so
// is the written text.
type fields[F, Object any] interface {
	// object returns them as the type of package cluster. A fault is a *jsonfield.Error.
	object(meta metadata) (Object, error)
	// of is the inverse of object.
	of(Object) (F, metadata)
}

// of completes the kind with the fields F, whose objects are in the list that slot returns.
func of[F fields[F, Object], Object any](k objectKind, slot func(*cluster.Objects) *[]Object) objectKind {
	k.read = func(decode decoder, meta metadata) (any, func(*cluster.Objects), error) {
		var f F
		if err := decode(&f); err != nil {
			return nil, nil, err
		}
		object, err := f.object(meta)
		return object, func(all *cluster.Objects) {
			list := slot(all)
			*list = append(*list, object)
		}, err
	}
	k.write = func(all *cluster.Objects) []any {
		var list []any
		for _, object := range *slot(all) {
			var f F
			f, meta := f.of(object)
			list = append(list, manifest[F]{k.apiVersion, k.name, meta, f})
		}
		return list
	}
	return k
}

// manifest is the written form of an object.
type manifest[F any] struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Metadata   metadata `json:"metadata"`
	Fields     F        `json:",embed"`
}

// metadata is the metadata of an object, as far as resolution reads it.
type metadata struct {
	Annotations map[string]string `json:"annotations,omitempty"`
	Created     string            `json:"creationTimestamp,omitzero"`
	Generation  int64             `json:"generation,omitzero"`
	Labels      map[string]string `json:"labels,omitempty"`
	Name        string            `json:"name"`
	Namespace   string            `json:"namespace,omitzero"`
	Version     string            `json:"resourceVersion,omitzero"`
}

// annotationApplied has a whole object: kubectl apply writes it anew.
const annotationApplied = "kubectl.kubernetes.io/last-applied-configuration"

// others returns the annotations without the one that a field of an object stands for.
func (m *metadata) others(name string) map[string]string {
	left := maps.Clone(m.Annotations)
	maps.DeleteFunc(left, func(n, _ string) bool { return n == name || n == annotationApplied })
	if len(left) == 0 {
		return nil
	}
	return left
}

// and returns others with that annotation, unless its value is empty.
func and(others map[string]string, name, value string) map[string]string {
	if value == "" {
		return others
	}
	all := map[string]string{name: value}
	maps.Copy(all, others)
	return all
}

// Kinds returns the names of the kinds that are read, in no particular order.
func Kinds() []string {
	return words.Mapped(kinds, func(k objectKind) string { return k.name })
}

// kindNamed returns the kind of that name, and false if its objects are not read.
func kindNamed(name string) (objectKind, bool) {
	i := slices.IndexFunc(kinds, func(k objectKind) bool { return k.name == name })
	if i < 0 {
		return objectKind{}, false
	}
	return kinds[i], true
}

// has reports whether the apiVersion is one of the kind's groups.
func (k objectKind) has(apiVersion string) bool {
	g := group(apiVersion)
	return g == group(k.apiVersion) || g != "" && g == k.formerGroup
}

// group returns the API group of an apiVersion, empty for the core group.
func group(apiVersion string) string {
	g, _, found := strings.Cut(apiVersion, "/")
	if !found {
		return ""
	}
	return g
}
