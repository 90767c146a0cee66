package manifest

import (
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
)

// role holds the fields of a Role or ClusterRole. What a ClusterRole aggregates stands in its rules.
type role struct {
	Rules []cluster.Right `json:"rules"`
}

func (r role) object(meta metadata) (cluster.Role, error) {
	return cluster.Role{Namespace: meta.Namespace, Name: meta.Name, Rules: r.Rules}, nil
}

func (role) of(o cluster.Role) (role, metadata) {
	return role{o.Rules}, metadata{Namespace: o.Namespace, Name: o.Name}
}

// binding holds the fields of a RoleBinding or ClusterRoleBinding.
type binding struct {
	Role struct {
		APIGroup string `json:"apiGroup"`
		properties.RoleRef
	} `json:"roleRef"`
	Subjects []cluster.Subject `json:"subjects,omitempty"`
}

func (b binding) object(meta metadata) (cluster.Binding, error) {
	return cluster.Binding{Namespace: meta.Namespace, Name: meta.Name, Role: b.Role.RoleRef, Subjects: b.Subjects}, nil
}

func (binding) of(o cluster.Binding) (b binding, meta metadata) {
	b.Role.APIGroup, b.Role.RoleRef, b.Subjects = groupRights, o.Role, o.Subjects
	return b, metadata{Namespace: o.Namespace, Name: o.Name}
}

const groupRights = "rbac.authorization.k8s.io"

// serviceAccount has no fields that are read beside its metadata.
type serviceAccount struct{}

func (serviceAccount) object(meta metadata) (cluster.ServiceAccount, error) {
	return cluster.ServiceAccount{Namespace: meta.Namespace, Name: meta.Name}, nil
}

func (serviceAccount) of(o cluster.ServiceAccount) (serviceAccount, metadata) {
	return serviceAccount{}, metadata{Namespace: o.Namespace, Name: o.Name}
}
