package migrate

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// movedCatalog is a catalog of OLM v0 and the ClusterCatalog that it becomes.
type movedCatalog struct {
	key catalog.Key
	// object is nil if the input has no CatalogSource.
	object *cluster.CatalogSource
	// name is the name of the ClusterCatalog. created is the object to apply, nil if one
	// exists.
	name    string
	created *cluster.ClusterCatalog
	// fault is why it cannot become a ClusterCatalog, empty if it can.
	fault string
	// assumed is true if the ClusterCatalog has no content in the input. The content of the
	// source then counts for both.
	assumed bool
}

// content returns the catalog whose content the ClusterCatalog has.
func (s *movedCatalog) content() catalog.Key {
	if s.assumed {
		return s.key
	}
	return catalog.Key{Name: s.name}
}

// convertCatalogs finds the ClusterCatalogs that the catalogs of OLM v0 become.
func (j *judge) convertCatalogs() {
	objects := j.problem.Cluster.ClusterScoped()
	j.sources = map[catalog.Key]*movedCatalog{}
	images := map[string]map[string]bool{} // by name of the catalog
	add := func(k catalog.Key, object *cluster.CatalogSource) {
		if k.Namespace == "" || j.sources[k] != nil {
			return
		}
		j.sources[k] = &movedCatalog{key: k, object: object}
		if images[k.Name] == nil {
			images[k.Name] = map[string]bool{}
		}
		image := k.Namespace // without an object the image is not known: it counts as another
		if object != nil {
			image = object.Image
		}
		images[k.Name][image] = true
	}
	for i := range objects.CatalogSources {
		add(objects.CatalogSources[i].Key, &objects.CatalogSources[i])
	}
	var all []cache.Catalog
	for c := range j.problem.Catalogs.Catalogs() {
		all = append(all, *c)
		add(c.Key, nil)
	}
	j.keys = slices.SortedFunc(maps.Keys(j.sources), catalog.Key.Compare)
	for _, k := range j.keys {
		s := j.sources[k]
		s.convert(objects, len(images[s.key.Name]) > 1)
		given, content := j.problem.Catalogs.Catalog(catalog.Key{Name: s.name}), j.problem.Catalogs.Catalog(s.key)
		if s.assumed = given == nil; s.assumed && content != nil {
			become := *content
			become.Key, become.Labels = catalog.Key{Name: s.name}, nil
			all = append(all, become)
		}
	}
	slices.SortStableFunc(all, func(a, b cache.Catalog) int { return a.Key.Compare(b.Key) })
	j.view = cache.NewView(all)
}

// convert finds name and object of the ClusterCatalog. shared is true if catalogs of this name
// have several images.
func (s *movedCatalog) convert(objects *cluster.Objects, shared bool) {
	s.name = s.key.Name
	taken := func(name string) bool {
		return slices.ContainsFunc(objects.ClusterCatalogs, func(c cluster.ClusterCatalog) bool { return c.Name == name })
	}
	grpc := s.object != nil && strings.EqualFold(s.object.Type, "grpc") // other types do not use spec.image
	if grpc && s.object.Image != "" {
		for _, c := range objects.ClusterCatalogs {
			if c.Image == s.object.Image {
				s.name = c.Name
				return
			}
		}
	}
	if shared || taken(s.name) && s.object != nil {
		s.name = words.Subdomain(s.name + "-" + s.key.Namespace)
	}
	if s.object == nil {
		return
	}
	for n := 2; taken(s.name); n++ {
		s.name = words.Subdomain(fmt.Sprintf("%s-%s-%d", s.key.Name, s.key.Namespace, n))
	}
	switch {
	case !grpc:
		s.fault = fmt.Sprintf("is of type %q, and only grpc can become a ClusterCatalog", s.object.Type)
	case s.object.Image == "":
		s.fault = "has no spec.image, from which a ClusterCatalog could take its content"
	case int(int32(s.object.Priority)) != s.object.Priority:
		s.fault = fmt.Sprintf("has priority %d, and that of a ClusterCatalog is at most %d", s.object.Priority, math.MaxInt32)
	default:
		s.created = &cluster.ClusterCatalog{Name: s.name, Priority: s.object.Priority, Image: s.object.Image}
		if interval, err := time.ParseDuration(s.object.PollInterval); err == nil && !strings.Contains(s.object.Image, "@sha256:") {
			s.created.PollMinutes = max(1, int(interval.Minutes()))
		}
	}
}

// nameExtensions finds names for the ClusterExtensions: the name of the Subscription if that
// is unique among all requests, else one with its namespace.
func (j *judge) nameExtensions() {
	count, taken := map[string]int{}, map[string]bool{}
	for _, e := range j.problem.Cluster.Extensions() {
		count[e.Name], taken[e.Name] = 1, true
	}
	var keys []cluster.RequestKey
	for _, namespace := range j.problem.Cluster.Namespaces() {
		for _, s := range j.problem.Cluster.In(namespace).Subscriptions {
			keys = append(keys, s.Key())
			count[s.Name]++
		}
	}
	j.names = map[cluster.RequestKey]string{}
	for _, k := range keys {
		if count[k.Name] == 1 {
			j.names[k], taken[k.Name] = k.Name, true
		}
	}
	for _, k := range keys {
		name := words.Subdomain(k.Name + "-" + k.Namespace)
		for n := 2; count[k.Name] > 1 && taken[name]; n++ {
			name = words.Subdomain(fmt.Sprintf("%s-%s-%d", k.Name, k.Namespace, n))
		}
		if count[k.Name] > 1 {
			j.names[k], taken[name] = name, true
		}
	}
}

// operator is a Subscription with all that the checks need.
type operator struct {
	*judge
	sub *cluster.Subscription
	in  *cluster.NamespaceObjects
	// csv is the installed bundle, nil if there is none or the input does not have it; states
	// is what it states.
	csv    *cluster.ClusterServiceVersion
	states inventory.BundleFacts
	// bundle is the installed bundle in the ClusterCatalog, nil if it does not have it.
	bundle *catalog.Bundle
	// group is nil if the namespace has none.
	group     *cluster.OperatorGroup
	source    *movedCatalog
	extension cluster.ClusterExtension
	next      Next
	// chooses is true if OLM v1 chooses a bundle, or keeps the installed one; refusals are why
	// it would not install it.
	chooses  bool
	refusals []result.Reason
}

// stated reads what an installed bundle states. Once the context has ended, so has the call.
func (j *judge) stated(in *cluster.NamespaceObjects, csv *cluster.ClusterServiceVersion) inventory.BundleFacts {
	stated, err := j.read.Read(j.ctx, in, csv)
	stated.Err = cmp.Or(err, stated.Err)
	return stated
}

func (j *judge) operator(in *cluster.NamespaceObjects, s *cluster.Subscription) *operator {
	o := &operator{judge: j, sub: s, in: in, source: &movedCatalog{key: catalog.Key{Namespace: s.CatalogNamespace, Name: s.Catalog}, name: s.Catalog}}
	if o.csv = inventory.CSV(in, s.InstalledCSV); o.csv != nil {
		o.states = j.stated(in, o.csv)
	}
	if len(in.Groups) > 0 {
		o.group = &in.Groups[0]
	}
	o.findSource()
	channels := []string{s.Channel}
	if pkg := o.pkg(); pkg != nil && s.Channel == "" {
		channels[0] = pkg.DefaultChannel
	}
	o.bundle = o.offered(s.InstalledCSV)
	o.extension = cluster.ClusterExtension{
		Name: j.names[s.Key()], Namespace: s.Namespace, Package: s.Package,
		Channels:     slices.DeleteFunc(channels, func(name string) bool { return name == "" }),
		MigratedFrom: s.Namespace + "/" + s.Name,
	}
	if request.GateDeploymentConfig.On(o.profile()) {
		o.extension.Rest = deploymentConfig(s.Rest)
	}
	if o.source.name != "" {
		o.extension.Selector = &cluster.Selector{MatchLabels: map[string]string{cluster.LabelMetadataName: o.source.name}}
	}
	if o.csv != nil {
		version := o.version()
		o.extension.Installed = &cluster.InstalledExtension{Name: o.csv.Name, Version: version}
		if s.Manual {
			o.extension.Version = version
		}
	}
	return o
}

// version returns the version of the installed bundle.
func (o *operator) version() string {
	if o.states.Properties != nil && o.csv.Version == "" {
		if pkg, ok := o.states.Properties.Package(); ok {
			return pkg.Version.String()
		}
	}
	return cmp.Or(o.csv.Version, "0.0.0")
}

// findSource finds the catalog that the Subscription names, or, if it names none, the first
// one that has its package.
func (o *operator) findSource() {
	for _, k := range o.keys {
		content := o.problem.Catalogs.Catalog(k)
		has := content != nil && content.Snapshot != nil && content.Snapshot.Package(o.sub.Package) != nil
		if o.sub.Catalog != "" && o.sub.Names(k) || o.sub.Catalog == "" && has {
			o.source = o.sources[k]
			return
		}
	}
}

// deploymentConfig returns the rest of the ClusterExtension's spec from that of a
// Subscription: spec.config without the selector.
func deploymentConfig(rest string) string {
	var spec struct {
		Config map[string]jsontext.Value `json:"config"`
	}
	if rest == "" || json.Unmarshal([]byte(rest), &spec) != nil {
		return ""
	}
	if delete(spec.Config, "selector"); len(spec.Config) == 0 {
		return ""
	}
	text, _ := json.Marshal(map[string]any{
		"config": map[string]any{"configType": "Inline", "inline": map[string]any{"deploymentConfig": spec.Config}},
	}, json.Deterministic(true)) // values from JSON cannot fail
	return string(text)
}

// metadata returns the install modes and API services of the installed bundle: from the
// object, else from the ClusterCatalog; nil if neither states them.
func (o *operator) metadata() *properties.Metadata {
	if o.csv != nil && o.csv.Metadata != nil {
		return o.csv.Metadata
	}
	if o.bundle != nil {
		return o.bundle.Properties.Metadata()
	}
	return nil
}
