package scenario

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/manifest"
)

// Identity identifies the inputs of an answer: it shows which input of two answers differs.
// Inputs with equal identities have the same answer, unless a system constraint or a time
// limit differs. It does not depend on how catalogs and manifests are spread over files, nor
// on their order. The lists are sorted.
type Identity struct {
	Catalogs []CatalogIdentity `json:"catalogs"`
	// Requests are the requests without what they have installed. Choices is the digest of
	// the options. Cluster has everything else that manifests state.
	Requests          []ObjectIdentity `json:"requests"`
	Choices           string           `json:"choices"`
	Cluster           []ObjectIdentity `json:"cluster"`
	KubernetesVersion string           `json:"kubernetesVersion"`
	OpenShiftVersion  string           `json:"openshiftVersion"`
}

// CatalogIdentity identifies the content and the rank of a catalog.
type CatalogIdentity struct {
	Catalog          string `json:"catalog"`
	CatalogNamespace string `json:"catalogNamespace"`
	// Content is the digest of all that resolution reads, empty without content.
	Content  string `json:"content"`
	Priority int    `json:"priority"`
	// Labels has the labels of a v1 catalog, each as KEY=VALUE.
	Labels []string `json:"labels"`
	Health string   `json:"health"`
}

// Key returns the catalog's key.
func (c CatalogIdentity) Key() catalog.Key {
	return catalog.Key{Namespace: c.CatalogNamespace, Name: c.Catalog}
}

// ObjectIdentity is an object with the digest of what resolution reads of it. In
// Identity.Cluster a Subscription or ClusterExtension stands for its installed bundle.
type ObjectIdentity struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	Digest    string `json:"digest"`
}

// The health of a catalog.
const (
	healthy     = "healthy"
	unreadable  = "unreadable"  // its content could not be read
	unhealthy   = "unhealthy"   // its CatalogSource states so
	unavailable = "unavailable" // its ClusterCatalog states so
	missing     = "missing"     // an object declares it, and no content was given
)

// Identify returns the identity of the question. The error is that of the context.
func (q *Question) Identify(ctx context.Context) (*Identity, error) {
	objects := relevant(q)
	id := &Identity{KubernetesVersion: objects.KubernetesVersion, OpenShiftVersion: objects.OpenShiftVersion}
	var err error
	if id.Catalogs, err = identifyCatalogs(ctx, q, &objects); err != nil {
		return nil, err
	}
	choices := recordOptions(q)
	choices.Namespaces, choices.Extensions, choices.KubernetesVersion, choices.OpenShiftVersion = nil, nil, "", ""
	choices.tidy()
	text, err := choices.format()
	if err != nil {
		return nil, err
	}
	id.Choices = digest(text)
	if err := id.addObjects(ctx, &objects); err != nil {
		return nil, err
	}
	return id, nil
}

func digest(text []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(text)) }

// identifyCatalogs identifies the catalogs with content, and the declared ones that the
// requests see.
func identifyCatalogs(ctx context.Context, q *Question, o *cluster.Objects) ([]CatalogIdentity, error) {
	given := map[catalog.Key]*cache.Catalog{}
	health := map[catalog.Key]string{}
	for c := range q.Problem.Catalogs.Catalogs() {
		given[c.Key], health[c.Key] = c, healthy
		if !c.Healthy() {
			health[c.Key] = unreadable
		}
	}
	declare := func(k catalog.Key, usable bool, otherwise string) {
		if !usable {
			health[k] = otherwise
		} else if given[k] == nil {
			health[k] = missing
		}
	}
	seen := slices.Concat(q.names(cluster.KindSubscription), q.Problem.Options.Globals())
	for _, s := range o.CatalogSources {
		if given[s.Key] != nil || slices.Contains(seen, s.Key.Namespace) {
			declare(s.Key, s.Healthy(), unhealthy)
		}
	}
	for _, c := range o.ClusterCatalogs {
		declare(catalog.Key{Name: c.Name}, !c.Unavailable, unavailable)
	}
	var list []CatalogIdentity
	for _, k := range slices.SortedFunc(maps.Keys(health), catalog.Key.Compare) {
		id := CatalogIdentity{Catalog: k.Name, CatalogNamespace: k.Namespace, Labels: []string{}, Health: health[k]}
		if c := given[k]; c != nil {
			id.Priority = c.Priority
			if k.Namespace == "" {
				id.Labels = labelsOf(c, o)
			}
			var err error
			if id.Content, err = q.content(ctx, c); err != nil {
				return nil, err
			}
		}
		list = append(list, id)
	}
	return list, nil
}

// labelsOf returns the labels of a catalog's object and of its content.
func labelsOf(c *cache.Catalog, o *cluster.Objects) []string {
	_, declared := o.Declared(c.Key)
	labels := map[string]string{}
	maps.Copy(labels, declared)
	maps.Copy(labels, c.Labels)
	list := []string{}
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		list = append(list, key+"="+labels[key])
	}
	return list
}

// content returns the digest of a catalog's content. If a scenario holds a part of a catalog,
// it is the digest of the whole.
func (q *Question) content(ctx context.Context, c *cache.Catalog) (string, error) {
	if !c.Healthy() {
		return "", nil
	}
	if whole, ok := q.contents[c.Key]; ok {
		return whole, nil
	}
	return c.Snapshot.Content(ctx)
}

// addObjects identifies the objects. The installed bundle of a request belongs to the
// cluster.
func (id *Identity) addObjects(ctx context.Context, o *cluster.Objects) error {
	id.Requests, id.Cluster = []ObjectIdentity{}, []ObjectIdentity{}
	var err error
	add := func(target *[]ObjectIdentity, kind, namespace, name string, object cluster.Objects) {
		var text []byte
		if err == nil {
			text, err = manifest.Write(ctx, object)
		}
		*target = append(*target, ObjectIdentity{kind, namespace, name, digest(text)})
	}
	for _, s := range o.Subscriptions {
		installed := cluster.Subscription{InstalledCSV: s.InstalledCSV}
		s.InstalledCSV = ""
		add(&id.Requests, "Subscription", s.Namespace, s.Name, cluster.Objects{Subscriptions: []cluster.Subscription{s}})
		if installed.InstalledCSV != "" {
			add(&id.Cluster, "Subscription", s.Namespace, s.Name, cluster.Objects{Subscriptions: []cluster.Subscription{installed}})
		}
	}
	for _, e := range o.ClusterExtensions {
		installed := cluster.ClusterExtension{Installed: e.Installed}
		e.Installed = nil
		add(&id.Requests, "ClusterExtension", "", e.Name, cluster.Objects{ClusterExtensions: []cluster.ClusterExtension{e}})
		if installed.Installed != nil {
			add(&id.Cluster, "ClusterExtension", "", e.Name, cluster.Objects{ClusterExtensions: []cluster.ClusterExtension{installed}})
		}
	}
	for _, v := range o.CSVs {
		v.Annotations, v.Labels = read(v.Annotations), read(v.Labels)
		add(&id.Cluster, "ClusterServiceVersion", v.Namespace, v.Name, cluster.Objects{CSVs: []cluster.ClusterServiceVersion{v}})
	}
	for _, g := range o.OperatorGroups {
		g.Annotations = read(g.Annotations)
		add(&id.Cluster, "OperatorGroup", g.Namespace, g.Name, cluster.Objects{OperatorGroups: []cluster.OperatorGroup{g}})
	}
	for _, c := range o.OperatorConditions {
		add(&id.Cluster, "OperatorCondition", c.Namespace, c.Name, cluster.Objects{OperatorConditions: []cluster.OperatorCondition{c}})
	}
	for _, n := range o.Namespaces {
		add(&id.Cluster, "Namespace", "", n.Name, cluster.Objects{Namespaces: []cluster.Namespace{n}})
	}
	for _, list := range [][]ObjectIdentity{id.Requests, id.Cluster} {
		slices.SortFunc(list, func(a, b ObjectIdentity) int {
			return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
		})
	}
	return err
}

// read returns the labels or annotations that resolution reads.
func read(all map[string]string) map[string]string {
	known := []string{
		cluster.AnnotationProperties, words.AnnotationOperatorNamespace, words.AnnotationProvidedAPIs,
		words.AnnotationExcludeGlobal, cluster.LabelCopiedFrom,
	}
	kept := maps.Clone(all)
	maps.DeleteFunc(kept, func(key, _ string) bool { return !slices.Contains(known, key) })
	return kept
}
