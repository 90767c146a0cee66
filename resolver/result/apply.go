package result

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// Apply returns the cluster after the changes, as the function [Apply] does.
func (f *Fix) Apply(x *cluster.Index) (*cluster.Index, error) {
	return Apply(x, cluster.Scope{}, f.Steps())
}

// Apply returns the cluster after the steps, carried out one after another. The error names
// the first step that does not apply: its object does not exist (or exists and was to be
// created), From is not the value of the field, or To is not a value that it can hold. It
// takes time in proportion to the namespaces that the steps touch. The result serves to
// resolve scope only; with the zero Scope, it serves all. Nothing comes of a wait: what OLM does in
// the meantime is up to the caller.
func Apply(x *cluster.Index, scope cluster.Scope, steps []Step) (*cluster.Index, error) {
	for i := range steps {
		s := &steps[i]
		if s.Wait != nil {
			continue
		}
		known := kinds[s.Object.Kind]
		if known == nil {
			return nil, fmt.Errorf("%s: steps change no such objects", s.Object)
		}
		var err error
		if x, err = known.apply(x, scope, s); err != nil {
			return nil, fmt.Errorf("%s: %w", s.Object, err)
		}
	}
	return x, nil
}

// Merge adds the field of the step to a JSON merge patch of its object, as kubectl patch takes it
// with --type merge. A step without a field deletes or creates the object: there is no patch for that.
func (s *Step) Merge(patch map[string]any) {
	path := strings.Split(s.Field, ".")
	if name, annotation := strings.CutPrefix(s.Field, "metadata.annotations."); annotation {
		path = []string{"metadata", "annotations", name}
	}
	last := len(path) - 1
	for _, name := range path[:last] {
		next, ok := patch[name].(map[string]any)
		if !ok {
			next = map[string]any{}
			patch[name] = next
		}
		patch = next
	}
	patch[path[last]] = s.merged() // null removes it
}

// merged returns what a merge patch says of the field. The patch would keep the terms of a selector
// that it does not name.
func (s *Step) merged() any {
	from, replaced := s.From.(cluster.Selector)
	to, selects := s.To.(cluster.Selector)
	if !replaced || !selects {
		return s.To
	}
	labels := map[string]any{}
	for name := range from.MatchLabels {
		labels[name] = nil
	}
	for name, value := range to.MatchLabels {
		labels[name] = value
	}
	return map[string]any{"matchExpressions": to.MatchExpressions, "matchLabels": labels}
}

// applier applies steps to the objects of one applier.
type applier interface {
	apply(x *cluster.Index, scope cluster.Scope, s *Step) (*cluster.Index, error)
}

// kinds has the kinds of objects that steps change.
var kinds = map[string]applier{
	words.ObjectSubscription: &table[cluster.Subscription]{
		of:   func(o *cluster.Objects) *[]cluster.Subscription { return &o.Subscriptions },
		in:   func(n *cluster.NamespaceObjects) *[]cluster.Subscription { return &n.Subscriptions },
		key:  func(s *cluster.Subscription) (string, string) { return s.Namespace, s.Name },
		seen: func(s *cluster.Subscription) bool { return s.InstalledCSV != "" },
		rows: map[string]row[cluster.Subscription]{
			words.FieldPackage:         required(value(func(s *cluster.Subscription) *string { return &s.Package })),
			words.FieldChannel:         value(func(s *cluster.Subscription) *string { return &s.Channel }),
			words.FieldStartingCSV:     value(func(s *cluster.Subscription) *string { return &s.StartingCSV }),
			words.FieldSource:          required(value(func(s *cluster.Subscription) *string { return &s.Catalog })),
			words.FieldSourceNamespace: required(value(func(s *cluster.Subscription) *string { return &s.CatalogNamespace })),
		},
	},
	words.ObjectCSV: &table[cluster.ClusterServiceVersion]{
		of:  func(o *cluster.Objects) *[]cluster.ClusterServiceVersion { return &o.CSVs },
		in:  func(n *cluster.NamespaceObjects) *[]cluster.ClusterServiceVersion { return &n.CSVs },
		key: func(v *cluster.ClusterServiceVersion) (string, string) { return v.Namespace, v.Name },
	},
	words.ObjectOperatorGroup: &table[cluster.OperatorGroup]{
		of:  func(o *cluster.Objects) *[]cluster.OperatorGroup { return &o.OperatorGroups },
		in:  func(n *cluster.NamespaceObjects) *[]cluster.OperatorGroup { return &n.Groups },
		key: func(g *cluster.OperatorGroup) (string, string) { return g.Namespace, g.Name },
		rows: map[string]row[cluster.OperatorGroup]{
			words.FieldTargets: list(func(g *cluster.OperatorGroup) *[]string {
				g.StatusNamespaces, g.HasStatus = nil, false // OLM states them anew
				return &g.TargetNamespaces
			}),
			words.FieldTargetSelector: selector(func(g *cluster.OperatorGroup) **cluster.Selector {
				g.StatusNamespaces, g.HasStatus = nil, false
				return &g.Selector
			}),
			words.FieldUpgradeStrategy: either("Default", words.StrategyFailForward, func(g *cluster.OperatorGroup) *bool { return &g.FailForward }),
			words.FieldExcludeGlobal: {
				get: func(g *cluster.OperatorGroup) any { return orNil(g.Annotations[words.AnnotationExcludeGlobal]) },
				set: func(g *cluster.OperatorGroup, to any) bool {
					annotations := map[string]string{}
					maps.Copy(annotations, g.Annotations)
					delete(annotations, words.AnnotationExcludeGlobal)
					text, ok := to.(string)
					if ok {
						annotations[words.AnnotationExcludeGlobal] = text
					}
					g.Annotations = annotations
					return ok || to == nil
				},
			},
		},
	},
	words.ObjectCondition: &table[cluster.OperatorCondition]{
		of:  func(o *cluster.Objects) *[]cluster.OperatorCondition { return &o.OperatorConditions },
		in:  func(n *cluster.NamespaceObjects) *[]cluster.OperatorCondition { return &n.Conditions },
		key: func(c *cluster.OperatorCondition) (string, string) { return c.Namespace, c.Name },
		rows: map[string]row[cluster.OperatorCondition]{words.FieldOverrides: {
			get: func(c *cluster.OperatorCondition) any { return orNone(c.Overrides) },
			set: func(c *cluster.OperatorCondition, to any) bool {
				overrides, ok := to.([]cluster.Condition)
				c.Overrides = overrides
				for i := range overrides {
					if overrides[i].Type == words.ConditionUpgradeable {
						c.Upgradeable = &overrides[i]
					}
				}
				return ok
			},
		}},
	},
	words.ObjectInstallPlan: &table[cluster.InstallPlan]{
		of:  func(o *cluster.Objects) *[]cluster.InstallPlan { return &o.InstallPlans },
		in:  func(n *cluster.NamespaceObjects) *[]cluster.InstallPlan { return &n.InstallPlans },
		key: func(p *cluster.InstallPlan) (string, string) { return p.Namespace, p.Name },
		rows: map[string]row[cluster.InstallPlan]{words.FieldApproved: {
			required: true,
			get:      func(p *cluster.InstallPlan) any { return p.Approved },
			set: func(p *cluster.InstallPlan, to any) (ok bool) {
				p.Approved, ok = to.(bool)
				return ok
			},
		}},
	},
	words.ObjectDefinition: &table[cluster.Definition]{
		of:   func(o *cluster.Objects) *[]cluster.Definition { return &o.Definitions },
		key:  func(d *cluster.Definition) (string, string) { return "", d.Name },
		rows: map[string]row[cluster.Definition]{words.FieldStored: required(list(func(d *cluster.Definition) *[]string { return &d.Stored }))},
	},
	words.ObjectNamespace: &table[cluster.Namespace]{
		of:  func(o *cluster.Objects) *[]cluster.Namespace { return &o.Namespaces },
		key: func(n *cluster.Namespace) (string, string) { return "", n.Name },
	},
	words.ObjectCatalogSource: &table[cluster.CatalogSource]{
		of:   func(o *cluster.Objects) *[]cluster.CatalogSource { return &o.CatalogSources },
		key:  func(c *cluster.CatalogSource) (string, string) { return c.Key.Namespace, c.Key.Name },
		rows: map[string]row[cluster.CatalogSource]{words.FieldPriority: value(func(c *cluster.CatalogSource) *int { return &c.Priority })},
	},
	words.ObjectClusterCatalog: &table[cluster.ClusterCatalog]{
		of:  func(o *cluster.Objects) *[]cluster.ClusterCatalog { return &o.ClusterCatalogs },
		key: func(c *cluster.ClusterCatalog) (string, string) { return "", c.Name },
		rows: map[string]row[cluster.ClusterCatalog]{
			words.FieldPriority:     value(func(c *cluster.ClusterCatalog) *int { return &c.Priority }),
			words.FieldAvailability: either("Available", "Unavailable", func(c *cluster.ClusterCatalog) *bool { return &c.Unavailable }),
		},
	},
	words.ObjectAccount: &table[cluster.ServiceAccount]{
		of:  func(o *cluster.Objects) *[]cluster.ServiceAccount { return &o.ServiceAccounts },
		key: func(a *cluster.ServiceAccount) (string, string) { return a.Namespace, a.Name },
	},
	words.ObjectRole:           roles(func(o *cluster.Objects) *[]cluster.Role { return &o.Roles }),
	words.ObjectClusterRole:    roles(func(o *cluster.Objects) *[]cluster.Role { return &o.ClusterRoles }),
	words.ObjectRoleBinding:    bindings(func(o *cluster.Objects) *[]cluster.Binding { return &o.RoleBindings }),
	words.ObjectClusterBinding: bindings(func(o *cluster.Objects) *[]cluster.Binding { return &o.ClusterRoleBindings }),
	words.ObjectExtension: &table[cluster.ClusterExtension]{
		of:  func(o *cluster.Objects) *[]cluster.ClusterExtension { return &o.ClusterExtensions },
		key: func(e *cluster.ClusterExtension) (string, string) { return "", e.Name },
		rows: map[string]row[cluster.ClusterExtension]{
			words.FieldExtensionChannels: list(func(e *cluster.ClusterExtension) *[]string { return &e.Channels }),
			words.FieldExtensionVersion:  value(func(e *cluster.ClusterExtension) *string { return &e.Version }),
			words.FieldExtensionSelector: selector(func(e *cluster.ClusterExtension) **cluster.Selector { return &e.Selector }),
			words.FieldExtensionPolicy:   either("CatalogProvided", "SelfCertified", func(e *cluster.ClusterExtension) *bool { return &e.SelfCertified }),
		},
	},
}

func roles(of func(*cluster.Objects) *[]cluster.Role) applier {
	return &table[cluster.Role]{of: of, key: func(r *cluster.Role) (string, string) { return r.Namespace, r.Name }}
}

func bindings(of func(*cluster.Objects) *[]cluster.Binding) applier {
	return &table[cluster.Binding]{of: of, key: func(b *cluster.Binding) (string, string) { return b.Namespace, b.Name }}
}

// table finds and changes the objects of one kind.
type table[T any] struct {
	of  func(*cluster.Objects) *[]T
	in  func(*cluster.NamespaceObjects) *[]T // nil for objects without a namespace
	key func(*T) (namespace, name string)
	// seen reports whether other namespaces read the object; nil means always.
	seen func(*T) bool
	rows map[string]row[T]
}

// row is a field of a kind. The value nil means that the field is not set.
type row[T any] struct {
	required bool // by the custom resource definition
	get      func(*T) any
	set      func(o *T, to any) bool // reports whether the value is of its type
}

func (t *table[T]) apply(x *cluster.Index, scope cluster.Scope, s *Step) (*cluster.Index, error) {
	list := t.of(x.ClusterScoped())
	if t.in != nil {
		list = t.in(x.In(s.Object.Namespace))
	}
	changed, object, err := t.changed(*list, s)
	switch {
	case err != nil:
		return nil, err
	case t.in == nil:
		return x.WithObjects(func(o *cluster.Objects) { *t.of(o) = changed }), nil
	}
	alone := scope == cluster.InNamespace(s.Object.Namespace) || t.seen != nil && !t.seen(object)
	return x.WithNamespace(s.Object.Namespace, alone, func(n *cluster.NamespaceObjects) { *t.in(n) = changed }), nil
}

// changed returns a copy of the list after the step, and the object; if it is deleted, as it
// was.
func (t *table[T]) changed(list []T, s *Step) ([]T, *T, error) {
	named := func(o *T) bool {
		namespace, name := t.key(o)
		return name == s.Object.Name && namespace == s.Object.Namespace
	}
	at := 0 // slices.IndexFunc would copy each object
	for at < len(list) && !named(&list[at]) {
		at++
	}
	switch {
	case s.Create != nil:
		made := *t.of(s.Create)
		if at < len(list) {
			if s, ok := any(&list[at]).(*cluster.Subscription); !ok || !s.Asked() { // no cluster has that yet
				return nil, nil, errors.New("it exists already")
			}
			list = slices.Delete(slices.Clone(list), at, at+1)
		}
		if len(made) != 1 || !named(&made[0]) {
			return nil, nil, errors.New("the manifest is that of another object")
		}
		for at > 0 { // the list stays sorted by name
			if _, name := t.key(&list[at-1]); name < s.Object.Name {
				break
			}
			at--
		}
		list = slices.Insert(slices.Clone(list), at, made[0])
		return list, &list[at], nil
	case at == len(list):
		return nil, nil, errors.New("there is no such object")
	case s.Field == "":
		gone := list[at]
		return slices.Delete(slices.Clone(list), at, at+1), &gone, nil
	}
	list = slices.Clone(list)
	return list, &list[at], t.set(&list[at], s)
}

func (t *table[T]) set(o *T, s *Step) error {
	r, known := t.rows[s.Field]
	if !known {
		return fmt.Errorf("steps do not change %s", s.Field)
	}
	if was := r.get(o); !reflect.DeepEqual(was, s.From) {
		return fmt.Errorf("%s holds %v, not %v", s.Field, was, s.From)
	}
	if r.required && s.To == nil || !r.set(o, s.To) {
		return fmt.Errorf("%s cannot hold %v", s.Field, s.To)
	}
	return nil
}

func required[T any](r row[T]) row[T] {
	r.required = true
	return r
}

// orNil returns the value of a field, nil for the zero value.
func orNil[V comparable](value V) any {
	if value == *new(V) {
		return nil
	}
	return value
}

// orNone returns the value of a list field, nil if the list is empty.
func orNone[V any](values []V) any {
	if len(values) == 0 {
		return nil
	}
	return values
}

func value[T any, V comparable](field func(*T) *V) row[T] {
	return row[T]{
		get: func(o *T) any { copied := *o; return orNil(*field(&copied)) },
		set: func(o *T, to any) bool {
			v, ok := to.(V)
			*field(o) = v
			return ok || to == nil
		},
	}
}

func list[T any](field func(*T) *[]string) row[T] {
	return row[T]{
		get: func(o *T) any { copied := *o; return orNone(*field(&copied)) },
		set: func(o *T, to any) bool {
			values, ok := to.([]string)
			*field(o) = slices.Clone(values)
			return ok || to == nil
		},
	}
}

func selector[T any](field func(*T) **cluster.Selector) row[T] {
	return row[T]{
		get: func(o *T) any {
			copied := *o
			if s := *field(&copied); s != nil {
				return *s
			}
			return nil
		},
		set: func(o *T, to any) bool {
			s, ok := to.(cluster.Selector)
			*field(o) = nil
			if ok {
				*field(o) = &s
			}
			return ok || to == nil
		},
	}
}

// either is a field of two values; if it is not set, it has the first.
func either[T any](no, yes string, field func(*T) *bool) row[T] {
	return row[T]{
		get: func(o *T) any {
			if *field(o) {
				return yes
			}
			return no
		},
		set: func(o *T, to any) bool {
			*field(o) = to == yes
			return to == yes || to == no || to == nil
		},
	}
}
