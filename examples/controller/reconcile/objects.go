package reconcile

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unique"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/manifest"
)

// object is what is kept of an object of the cluster.
type object struct {
	meta
	kind unique.Handle[schema.GroupVersionKind]
	// read is the object as resolution reads it, and nothing else; fault says why
	// it cannot.
	read  parts
	fault error
	// status is where conditions of a request are.
	status status
	// base is where catalogd serves a ClusterCatalog, address where a registry pod
	// serves a CatalogSource.
	base, address string
}

// meta is what is kept of the metadata of an object: all of it takes thrice as much memory.
type meta struct {
	Namespace, Name string
	UID             types.UID
	ResourceVersion string
	Generation      int64
}

func (m *meta) GetNamespace() string { return m.Namespace }
func (m *meta) GetName() string      { return m.Name }

// parts are the fields of a [cluster.Objects] that one object fills, mostly one of many.
type parts []part

type part struct {
	field int
	value any
}

func partsOf(o cluster.Objects) (list parts) {
	of := reflect.ValueOf(&o).Elem() // else a part would keep all of it
	for i := range of.NumField() {
		if field := of.Field(i); !field.IsZero() {
			list = append(list, part{i, field.Interface()})
		}
	}
	return list
}

func (list parts) objects() (o cluster.Objects) {
	for _, p := range list {
		reflect.ValueOf(&o).Elem().Field(p.field).Set(reflect.ValueOf(p.value))
	}
	return o
}

// kept are the objects of one resource, by namespace and name. A reflector keeps them up
// to date; it implements [toolscache.ReflectorStore].
type kept struct {
	c    *Controller
	read chan struct{} // closed once all were read
	once sync.Once
	// served: the cluster has the resource, and a reflector runs.
	served bool
	// counts: all were read, and those of other resources that were found at the same
	// time. On half of a cluster the answer would be another one.
	counts bool
	// byNamespace and counts are guarded by the Controller's mu.
	byNamespace map[string]map[string]*object
}

// Transformer implements [toolscache.TransformingStore]: what is not kept is not even
// collected.
func (k *kept) Transformer() toolscache.TransformFunc { return k.c.convert }

// Add implements [toolscache.ReflectorStore].
func (k *kept) Add(in any) error { return k.Update(in) }

// Update implements [toolscache.ReflectorStore].
func (k *kept) Update(in any) error {
	o, err := k.c.convert(in)
	if err == nil {
		k.c.mu.Lock()
		defer k.c.mu.Unlock()
		k.set(o.(*object))
	}
	return err
}

// Delete implements [toolscache.ReflectorStore].
func (k *kept) Delete(in any) error {
	o := in.(metav1.Object)
	k.c.mu.Lock()
	defer k.c.mu.Unlock()
	k.remove(o.GetNamespace(), o.GetName())
	return nil
}

// Replace implements [toolscache.ReflectorStore].
func (k *kept) Replace(list []any, _ string) error {
	there := make(map[[2]string]bool, len(list))
	for _, in := range list {
		o, err := k.c.convert(in)
		if err != nil {
			return err
		}
		there[[2]string{o.(*object).Namespace, o.(*object).Name}] = true
		k.c.mu.Lock()
		k.set(o.(*object))
		k.c.mu.Unlock()
	}
	k.c.mu.Lock()
	defer k.c.mu.Unlock()
	for namespace, objects := range k.byNamespace {
		for name := range objects {
			if !there[[2]string{namespace, name}] {
				k.remove(namespace, name)
			}
		}
	}
	k.once.Do(func() { close(k.read) })
	return nil
}

// Resync implements [toolscache.ReflectorStore].
func (*kept) Resync() error { return nil }

// set puts an object in the place of the one before. The caller holds mu.
func (k *kept) set(o *object) {
	if k.byNamespace[o.Namespace] == nil {
		k.byNamespace[o.Namespace] = map[string]*object{}
	}
	old := k.byNamespace[o.Namespace][o.Name]
	k.byNamespace[o.Namespace][o.Name] = o
	if k.counts {
		k.c.changed(old, o)
	}
}

// remove forgets an object. The caller holds mu.
func (k *kept) remove(namespace, name string) {
	if old := k.byNamespace[namespace][name]; old != nil {
		delete(k.byNamespace[namespace], name)
		if len(k.byNamespace[namespace]) == 0 {
			delete(k.byNamespace, namespace)
		}
		if k.counts {
			k.c.changed(old, nil)
		}
	}
}

// convert makes an object of what the API server sent, before it is kept. So each is
// decoded once, and the memory of all else is free again.
func (c *Controller) convert(in any) (any, error) {
	u, ok := in.(*unstructured.Unstructured)
	if !ok {
		return in, nil // converted before
	}
	o := &object{
		meta: meta{u.GetNamespace(), u.GetName(), u.GetUID(), u.GetResourceVersion(), u.GetGeneration()},
		kind: unique.Make(u.GroupVersionKind()),
	}
	switch o.kind.Value().Kind {
	case "Subscription", "ClusterExtension":
		o.status = c.statusOf(u)
	case "ClusterCatalog":
		o.base, _, _ = unstructured.NestedString(u.Object, "status", "urls", "base")
	case "CatalogSource":
		o.address, _, _ = unstructured.NestedString(u.Object, "spec", "address")
		if o.address == "" {
			o.address, _, _ = unstructured.NestedString(u.Object, "status", "connectionState", "address")
		}
	}
	read, err := manifest.ReadObject(u.GetAPIVersion(), u.GetKind(), func(fields any) error {
		return runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, fields)
	})
	for i := range read.Subscriptions {
		s := &read.Subscriptions[i] // no choice depends on these, and each condition written would be a change
		s.Observed, s.Labels, s.Annotations = cluster.Observed{}, nil, nil
	}
	for i := range read.ClusterExtensions {
		e := &read.ClusterExtensions[i] // nor on these; an answer would quote itself
		e.Conditions, e.Labels, e.Annotations = nil, nil, nil
	}
	for i := range read.CSVs {
		v := &read.CSVs[i]
		v.Message, v.Labels, v.Annotations = "", c.ofResolution(v.Labels), c.ofResolution(v.Annotations)
	}
	for i := range read.OperatorGroups {
		g := &read.OperatorGroups[i]
		g.Annotations, g.Conditions = c.ofResolution(g.Annotations), nil
	}
	for i := range read.CatalogSources {
		if s := &read.CatalogSources[i]; s.Healthy() {
			s.Reason, s.Message, s.Conditions = "", "", nil
		}
	}
	for i := range read.ClusterCatalogs {
		read.ClusterCatalogs[i].Conditions = nil
	}
	// Of the others, which stay for long, nobody asks.
	read.InstallPlans = slices.DeleteFunc(read.InstallPlans, func(p cluster.InstallPlan) bool { return !p.Waits() || p.Automatic })
	o.read = partsOf(read)
	if err != nil {
		o.fault = fmt.Errorf("%s %s: %w", u.GetKind(), klog.KObj(u), err)
		klog.InfoS("An object cannot be read", "fault", o.fault)
	}
	return o, nil
}

// scope is what an object is resolved with, if it is a request or in a namespace.
func (o *object) scope() cluster.Scope {
	if o.kind.Value().Kind == "ClusterExtension" {
		return cluster.OfExtension(o.Name)
	}
	return cluster.InNamespace(o.Namespace)
}

// isRequest reports whether the object has the conditions.
func (o *object) isRequest() bool {
	return o.kind.Value().Kind == "Subscription" || o.kind.Value().Kind == "ClusterExtension"
}

// requests returns the requests of a scope, by name.
func (c *Controller) requests(s cluster.Scope) []*object {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.index == nil {
		return nil
	}
	if s.Alone() {
		if o := c.objects[extensionResource.Resource].byNamespace[""][s.Name]; o != nil {
			return []*object{o}
		}
		return nil
	}
	objects := c.objects[subscriptionResource.Resource].byNamespace[s.Name]
	list := make([]*object, 0, len(objects))
	for _, name := range slices.Sorted(maps.Keys(objects)) {
		list = append(list, objects[name])
	}
	return list
}

// ofResolution are the labels or annotations that resolution reads. What a bundle states is
// kept once: it is installed in many namespaces.
func (c *Controller) ofResolution(all map[string]string) (read map[string]string) {
	for key, text := range all {
		if key != cluster.AnnotationProperties && !strings.HasPrefix(key, "olm.") {
			continue
		}
		if read == nil {
			read = map[string]string{}
		}
		read[key] = text
		if key == cluster.AnnotationProperties {
			c.mu.Lock()
			if known, ok := c.stated[text]; ok {
				read[key] = known
			} else {
				if c.statedBytes += len(text); c.statedBytes > mostStated {
					clear(c.stated)
					c.statedBytes = len(text)
				}
				c.stated[text] = text
			}
			c.mu.Unlock()
		}
	}
	return read
}

// mostStated bounds the bytes of texts that are remembered and may be gone.
const mostStated = 32 << 20

// same reports whether no resolution sees a difference, such as a heartbeat.
func same(old, new *object) bool {
	return old != nil && new != nil && old.UID == new.UID && (new.kind.Value().Kind != "ClusterExtension" || old.Generation == new.Generation) && old.base == new.base && old.address == new.address &&
		reflect.DeepEqual(old.read, new.read) && reflect.DeepEqual(old.fault, new.fault)
}
