package inventory

import (
	"slices"
	"strings"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// Account is the ServiceAccount with whose rights OLM installs in a namespace.
type Account struct {
	Namespace, Name string
	// Known is true if the objects that grant it rights were given.
	Known bool
	// Gone is true if ServiceAccounts of its namespace were given, and it is not among them.
	Gone bool
	// in has its rules by namespace. Those of no namespace hold everywhere.
	in map[string][]cluster.Right
}

// AccountOf returns the account that the only OperatorGroup of a namespace names, nil if it names
// none: OLM then installs with its own rights.
func AccountOf(c *cluster.Index, namespace string) *Account {
	groups := c.In(namespace).Groups
	if len(groups) != 1 || groups[0].ServiceAccount == "" {
		return nil
	}
	a := &Account{Namespace: namespace, Name: groups[0].ServiceAccount, in: map[string][]cluster.Right{}}
	all := c.ClusterScoped()
	there := slices.ContainsFunc(all.ServiceAccounts, func(s cluster.ServiceAccount) bool { return s.Namespace == namespace })
	a.Gone = there && !slices.Contains(all.ServiceAccounts, cluster.ServiceAccount{Namespace: namespace, Name: a.Name})
	// Every cluster has some of each.
	if a.Known = len(all.RoleBindings) > 0 && len(all.ClusterRoleBindings) > 0; !a.Known {
		return a
	}
	for _, bindings := range [][]cluster.Binding{all.ClusterRoleBindings, all.RoleBindings} {
		for i := range bindings {
			b := &bindings[i]
			if !slices.ContainsFunc(b.Subjects, func(s cluster.Subject) bool { return a.is(s, b.Namespace) }) {
				continue
			}
			role, given := RoleOf(c, b)
			if a.Known = a.Known && given; role != nil {
				a.in[b.Namespace] = append(a.in[b.Namespace], role.Rules...)
			}
		}
	}
	return a
}

// is reports whether a subject of a binding in a namespace is the account, or a group that it is in.
func (a *Account) is(s cluster.Subject, namespace string) bool {
	switch s.Kind {
	case "ServiceAccount":
		if s.Namespace != "" {
			namespace = s.Namespace
		}
		return s.Name == a.Name && namespace == a.Namespace
	case "User":
		return s.Name == a.User()
	case "Group":
		return slices.Contains([]string{"system:authenticated", "system:serviceaccounts", "system:serviceaccounts:" + a.Namespace}, s.Name)
	}
	return false
}

// User is the name of the account among users.
func (a *Account) User() string { return "system:serviceaccount:" + a.Namespace + ":" + a.Name }

// May reports whether the account has a right in a namespace, in the whole cluster if that is empty.
func (a *Account) May(namespace string, right *cluster.Right) bool {
	singles, ok := Single(right)
	return ok && !slices.ContainsFunc(singles, func(one cluster.Right) bool {
		has := func(b cluster.Right) bool { return Covers(&b, &one) }
		return !slices.ContainsFunc(a.in[""], has) && !slices.ContainsFunc(a.in[namespace], has)
	})
}

// admin is a ClusterRole that every cluster has, and that permits everything.
var admin = cluster.Role{Name: "cluster-admin", Rules: []cluster.Right{
	{APIGroups: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"*"}},
	{NonResourceURLs: []string{"*"}, Verbs: []string{"*"}},
}}

// RoleOf returns the role that a binding grants, nil if there is none, and whether roles of its kind
// were given at all: ClusterRoles only if what every cluster has is among them.
func RoleOf(c *cluster.Index, b *cluster.Binding) (role *cluster.Role, given bool) {
	roles, namespace := c.ClusterScoped().ClusterRoles, ""
	if b.Role.Kind == words.ObjectRole {
		roles, namespace = c.ClusterScoped().Roles, b.Namespace
	}
	named := func(name string) int {
		return slices.IndexFunc(roles, func(r cluster.Role) bool { return r.Name == name && r.Namespace == namespace })
	}
	switch at := named(b.Role.Name); {
	case at >= 0:
		return &roles[at], true
	case b.Role.Kind == words.ObjectRole:
		return nil, len(roles) > 0
	case b.Role.Name == admin.Name:
		return &admin, true
	}
	return nil, named(admin.Name) >= 0
}

// Single takes a permission apart into what permits one verb on one thing. It is false for more
// things than anybody writes by hand.
func Single(r *cluster.Right) (list []cluster.Right, ok bool) {
	names := r.ResourceNames
	if len(names) == 0 {
		names = []string{""} // any
	}
	if len(r.Verbs)*(len(r.NonResourceURLs)+len(r.APIGroups)*len(r.Resources)*len(names)) > maxSingle {
		return nil, false
	}
	for _, verb := range r.Verbs {
		for _, url := range r.NonResourceURLs {
			list = append(list, cluster.Right{NonResourceURLs: []string{url}, Verbs: []string{verb}})
		}
		for _, group := range r.APIGroups {
			for _, resource := range r.Resources {
				for _, name := range names {
					one := cluster.Right{APIGroups: []string{group}, Resources: []string{resource}, Verbs: []string{verb}}
					if name != "" {
						one.ResourceNames = []string{name}
					}
					list = append(list, one)
				}
			}
		}
	}
	return list, true
}

// Covered reports whether permissions include each single thing that one permits, as an API server
// judges it.
func Covered(r *cluster.Right, by []cluster.Right) bool {
	singles, ok := Single(r)
	return ok && !slices.ContainsFunc(singles, func(one cluster.Right) bool {
		return !slices.ContainsFunc(by, func(b cluster.Right) bool { return Covers(&b, &one) })
	})
}

// Covers reports whether a permission includes a single thing, see [Single].
func Covers(b, one *cluster.Right) bool {
	if !among(b.Verbs, one.Verbs[0]) {
		return false
	}
	for _, url := range one.NonResourceURLs {
		return slices.ContainsFunc(b.NonResourceURLs, func(of string) bool {
			prefix, all := strings.CutSuffix(of, "*")
			return of == url || all && strings.HasPrefix(url, prefix)
		})
	}
	resource := one.Resources[0]
	if _, sub, found := strings.Cut(resource, "/"); found && slices.Contains(b.Resources, "*/"+sub) {
		resource = "*/" + sub
	}
	return among(b.APIGroups, one.APIGroups[0]) && among(b.Resources, resource) &&
		(len(b.ResourceNames) == 0 || len(one.ResourceNames) > 0 && slices.Contains(b.ResourceNames, one.ResourceNames[0]))
}

// among reports whether a list has a text, or "*", which stands for all.
func among(list []string, text string) bool {
	return slices.Contains(list, text) || slices.Contains(list, "*")
}
