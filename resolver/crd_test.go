package resolver_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/manifest"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/scenario"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// crdField is what the custom resource definition of a kind says of a field.
type crdField struct {
	holds func(value any) bool // the JSON value is one that the API server takes
	// required fields cannot be removed.
	required bool
	// unset is what the API server fills in where the object states nothing.
	unset any
}

// dnsName is a DNS subdomain, as OLM v1 asks of packages and channels.
var dnsName = matches(253, `[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*`)

// crds are the fields that fixes set or remove, by kind: those of the definitions of OLM
// v0 and v1, and of the metadata of every object. Objects of other kinds are only deleted.
var crds = map[string]map[string]crdField{
	words.ObjectSubscription: {
		words.FieldPackage:         {holds: filled, required: true},
		words.FieldChannel:         {holds: filled},
		words.FieldStartingCSV:     {holds: filled},
		words.FieldSource:          {holds: filled, required: true},
		words.FieldSourceNamespace: {holds: filled, required: true},
	},
	words.ObjectCSV:       {},
	words.ObjectNamespace: {},
	words.ObjectOperatorGroup: {
		words.FieldTargets:         {holds: listOf(filled)},
		words.FieldTargetSelector:  {holds: selector},
		words.FieldExcludeGlobal:   {holds: filled},
		words.FieldUpgradeStrategy: {holds: oneOf("Default", "TechPreviewUnsafeFailForward"), unset: "Default"},
	},
	words.ObjectInstallPlan:   {words.FieldApproved: {holds: func(value any) bool { _, ok := value.(bool); return ok }, required: true}},
	words.ObjectCondition:     {words.FieldOverrides: {holds: listOf(override)}},
	words.ObjectCatalogSource: {},
	words.ObjectClusterCatalog: {
		words.FieldAvailability: {holds: oneOf("Available", "Unavailable"), unset: "Available"},
		words.FieldPriority:     {holds: number},
	},
	words.ObjectExtension: {
		words.FieldExtensionChannels: {holds: listOf(dnsName)},
		words.FieldExtensionVersion:  {holds: matches(64, `.+`)},
		words.FieldExtensionSelector: {holds: selector},
		words.FieldExtensionPolicy:   {holds: oneOf("CatalogProvided", "SelfCertified"), unset: "CatalogProvided"},
	},
}

func filled(value any) bool { s, ok := value.(string); return ok && s != "" }

func number(value any) bool {
	n, ok := value.(float64)
	return ok && n == math.Trunc(n) && math.Abs(n) <= math.MaxInt32
}

func matches(limit int, pattern string) func(any) bool {
	whole := regexp.MustCompile("^(?:" + pattern + ")$")
	return func(value any) bool { s, ok := value.(string); return ok && len(s) <= limit && whole.MatchString(s) }
}

func oneOf(values ...any) func(any) bool {
	return func(value any) bool { return slices.Contains(values, value) }
}

func listOf(item func(any) bool) func(any) bool {
	return func(value any) bool {
		list, ok := value.([]any)
		return ok && len(list) > 0 && !slices.ContainsFunc(list, func(v any) bool { return !item(v) })
	}
}

// members reports whether a value is an object that has some members, and no others.
func members(value any, has map[string]func(any) bool) bool {
	object, ok := value.(map[string]any)
	for name, v := range object {
		ok = ok && has[name] != nil && has[name](v)
	}
	return ok
}

func selector(value any) bool {
	label := func(v any) bool { _, ok := v.(string); return ok }
	labels := func(v any) bool {
		object, ok := v.(map[string]any)
		for _, v := range object {
			ok = ok && label(v)
		}
		return ok
	}
	term := func(v any) bool {
		return members(v, map[string]func(any) bool{"key": filled, "operator": oneOf("In", "NotIn", "Exists", "DoesNotExist"), "values": func(v any) bool { _, ok := v.([]any); return ok }})
	}
	return members(value, map[string]func(any) bool{"matchLabels": labels, "matchExpressions": listOf(term)})
}

// override is a condition of an OperatorCondition, all of whose members are required.
func override(value any) bool {
	object, _ := value.(map[string]any)
	return len(object) == 4 && members(object, map[string]func(any) bool{
		"type": filled, "status": oneOf("True", "False", "Unknown"), "reason": matches(1024, `[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?`),
		"message": func(v any) bool { _, ok := v.(string); return ok },
	})
}

// kubeObjects are the objects of a cluster as JSON values.
type kubeObjects []map[string]any

func kubeObjectsOf(ctx context.Context, o cluster.Objects) (kubeObjects, error) {
	text, err := manifest.Write(ctx, o)
	if err != nil {
		return nil, err
	}
	var docs kubeObjects
	for line := range bytes.Lines(text) {
		var doc map[string]any
		if err := json.Unmarshal(line, &doc); err != nil {
			return nil, err
		}
		docs = append(docs, doc)
	}
	return docs, nil
}

// objects reads the documents again.
func (d kubeObjects) objects(ctx context.Context) (cluster.Objects, error) {
	var all bytes.Buffer
	for _, doc := range d {
		if err := json.MarshalWrite(&all, doc); err != nil {
			return cluster.Objects{}, err
		}
		all.WriteByte('\n')
	}
	return manifest.Read(ctx, manifest.Input{Name: "applied", Reader: &all})
}

// pathOf are the members that lead to a field. The name of an annotation has dots.
func pathOf(f string) []string {
	const annotations = "metadata.annotations."
	if name, ok := strings.CutPrefix(string(f), annotations); ok {
		return []string{"metadata", "annotations", name}
	}
	return strings.Split(string(f), ".")
}

// apply does what a step says to the object that it names, and to nothing else.
func (d *kubeObjects) apply(s result.Step) error {
	fields, known := crds[s.Object.Kind]
	field, has := fields[s.Field]
	at := slices.IndexFunc(*d, func(doc map[string]any) bool {
		meta := doc["metadata"].(map[string]any)
		namespace, _ := meta["namespace"].(string)
		return doc["kind"] == s.Object.Kind && meta["name"] == s.Object.Name && namespace == s.Object.Namespace
	})
	switch {
	case !known:
		return fmt.Errorf("there is no kind %s", s.Object.Kind)
	case s.Create != nil:
		if at >= 0 {
			return fmt.Errorf("%v is there", s.Object)
		}
		made, err := kubeObjectsOf(context.Background(), *s.Create)
		*d = append(*d, made...)
		return err
	case at < 0:
		return fmt.Errorf("there is no %v", s.Object)
	case s.Field == "":
		*d = slices.Delete(*d, at, at+1)
		return nil
	case !has:
		return fmt.Errorf("a %s has no field %s", s.Object.Kind, s.Field)
	}
	from, to := asJSON(s.From), asJSON(s.To)
	if to == nil && field.required || to != nil && !field.holds(to) {
		return fmt.Errorf("%s of %v cannot be %v", s.Field, s.Object, to)
	}
	path := pathOf(s.Field)
	parent := (*d)[at]
	for _, name := range path[:len(path)-1] {
		child, ok := parent[name].(map[string]any)
		if !ok {
			child = map[string]any{}
			parent[name] = child
		}
		parent = child
	}
	last := path[len(path)-1]
	stated := parent[last]
	if stated == nil {
		stated = field.unset
	}
	if !reflect.DeepEqual(from, stated) {
		return fmt.Errorf("%s of %v is %v, not %v", s.Field, s.Object, stated, from)
	}
	delete(parent, last)
	if to != nil {
		parent[last] = to
	}
	if s.Object.Kind == words.ObjectOperatorGroup {
		delete((*d)[at], "status") // OLM states it anew
	}
	return nil
}

// asJSON is a value as JSON reads it again.
func asJSON(value any) any {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	var read any
	if err := json.Unmarshal(text, &read); err != nil {
		return err
	}
	return read
}

// applied does to a copy of the input what the steps of a fix say, literally: to the
// manifests of the objects, which are read again.
func applied(ctx context.Context, in *scenario.Question, steps []result.Step) (*scenario.Question, error) {
	changed, before := *in, in.Problem.Cluster.Objects()
	docs, err := kubeObjectsOf(ctx, before)
	if err != nil {
		return nil, err
	}
	var set []result.Step // what result.Apply does
	for _, s := range steps {
		if s.Object.Kind != words.ObjectOptions {
			set = append(set, s)
		}
		switch {
		case s.Field == words.FieldExcludedCatalogs:
			key := catalog.Key{Namespace: s.Object.Namespace, Name: s.Object.Name}
			changed.Problem.Options.ExcludeCatalogs = slices.DeleteFunc(slices.Clone(changed.Problem.Options.ExcludeCatalogs), func(k catalog.Key) bool { return k == key })
			if s.To != nil {
				changed.Problem.Options.ExcludeCatalogs = append(changed.Problem.Options.ExcludeCatalogs, key)
			}
		case s.Field == words.FieldLenientHealth:
			changed.Problem.Options.LenientHealth = true
		case s.Field == words.FieldPins:
			changed.Problem.Options.Pins = slices.DeleteFunc(slices.Clone(changed.Problem.Options.Pins), func(p policy.Pin) bool {
				return p.Package == s.Object.Name && (p.Namespace == "" || p.Namespace == s.Object.Namespace)
			})
		case s.Field == words.FieldSystemConstraint:
			changed.Problem.Options.SystemConstraint = allowOnly(changed.Problem.Options.SystemConstraint, s.Object.Namespace, s.Object.Name)
		default:
			err = docs.apply(s)
		}
		if err != nil {
			return nil, err
		}
		if s.Create != nil && s.Object.Kind == words.ObjectSubscription {
			if to := cluster.InNamespace(s.Object.Namespace); !slices.Contains(changed.Scopes, to) {
				changed.Scopes = append(slices.Clone(changed.Scopes), to)
			}
		}
	}
	o, err := docs.objects(ctx)
	if err != nil {
		return nil, err
	}
	o.KubernetesVersion, o.OpenShiftVersion, o.Labels = before.KubernetesVersion, before.OpenShiftVersion, before.Labels
	same, err := result.Apply(cluster.NewIndex(before), cluster.Scope{}, set)
	if err != nil {
		return nil, err
	}
	if err := sameObjects(ctx, o, same.Objects()); err != nil {
		return nil, err
	}
	changed.Problem.Cluster = cluster.NewIndex(o)
	changed.Problem.Catalogs = catalogsOf(in.Problem.Catalogs, before, o)
	// A namespace whose last Subscription is gone is not resolved, and neither is what is gone.
	changed.Scopes = slices.DeleteFunc(slices.Clone(changed.Scopes), func(s cluster.Scope) bool {
		return s.Kind == cluster.KindSubscription && len(changed.Problem.Cluster.In(s.Name).Subscriptions) == 0 ||
			s.Alone() && changed.Problem.Cluster.Extension(s.Name) == nil
	})
	return &changed, nil
}

// catalogsOf are the catalogs as they are once their objects have changed: those whose
// CatalogSource is gone go along, and the priority that an object states counts if it did.
func catalogsOf(view *cache.View, before, after cluster.Objects) *cache.View {
	var list []cache.Catalog
	declares := func(o *cluster.Objects, k catalog.Key) bool {
		return slices.ContainsFunc(o.CatalogSources, func(c cluster.CatalogSource) bool { return c.Key == k })
	}
	for c := range view.Catalogs() {
		made := *c
		was, _ := before.Declared(c.Key)
		if is, _ := after.Declared(c.Key); was == c.Priority {
			made.Priority = is
		}
		if !declares(&before, c.Key) || declares(&after, c.Key) {
			list = append(list, made)
		}
	}
	return cache.NewView(list)
}

// waiting are steps that leave out what waits in other groups than that of a fix.
func waiting(fix result.Fix) []result.Step {
	var steps []result.Step
	for _, k := range fix.Waiting {
		if k.Kind == cluster.KindSubscription {
			steps = append(steps, result.Step{Object: result.Object{Kind: words.ObjectSubscription, Namespace: k.Namespace, Name: k.Name}})
		}
	}
	return steps
}

// sameObjects compares manifests, in any order.
func sameObjects(ctx context.Context, a, b cluster.Objects) error {
	var texts [2]string
	for i, o := range []cluster.Objects{a, b} {
		text, err := manifest.Write(ctx, o)
		if err != nil {
			return err
		}
		lines := strings.Split(string(text), "\n")
		slices.Sort(lines)
		texts[i] = strings.Join(lines, "\n")
	}
	if texts[0] != texts[1] {
		return fmt.Errorf("applied to the manifests:\n%s\nby the fix:\n%s", texts[0], texts[1])
	}
	return nil
}

type systemConstraint = func(ctx context.Context, c policy.Candidate) (allowed bool, reason string)

func allowOnly(judge systemConstraint, namespace, bundle string) systemConstraint {
	return func(ctx context.Context, c policy.Candidate) (bool, string) {
		if c.Namespace == namespace && c.Bundle.Name == bundle {
			return true, ""
		}
		return judge(ctx, c)
	}
}

// Every object, field and value that a fix of a scenario names is one that the cluster
// has, or takes, and with them the failure is gone.
func TestFixesFitTheirObjects(t *testing.T) {
	seen, required := map[string]bool{}, map[string]bool{}
	see := func(one *scenario.Question, step result.Step) {
		seen[step.Field] = true
		step.To = nil
		if _, err := result.Apply(one.Problem.Cluster, cluster.Scope{}, []result.Step{step}); err != nil {
			required[step.Field] = required[step.Field] || strings.Contains(err.Error(), "cannot hold <nil>")
		}
	}
	for _, pattern := range []string{"testdata/scenarios/*.txtar", "testdata/explanations/*.txtar"} {
		for path, data := range testkit.Files(t, pattern) {
			s, err := scenario.Parse(data)
			require.NoError(t, err)
			in, err := s.Question(t.Context())
			if err != nil {
				continue // the scenario is about that
			}
			for _, one := range oneByOne(in) {
				if len(in.Problem.Cluster.Objects().InstallPlans) > 0 {
					rows, err := resolver.New().Status(t.Context(), one.Problem, one.Scopes, nil)
					require.NoError(t, err)
					for _, fix := range rows[0].Fixes {
						steps := fix.Steps()
						see(one, steps[0])
						changed, err := applied(t.Context(), one, steps)
						require.NoError(t, err, path)
						rows, err = resolver.New().Status(t.Context(), changed.Problem, changed.Scopes, nil)
						require.NoError(t, err, path)
						assert.False(t, rows[0].Stuck(), path)
					}
				}
				_, failure := answersOf(t.Context(), one)
				help := result.HelpOf(failure)
				for _, fix := range slices.Concat(help.Fixes, help.Options) {
					if fix.Later() {
						continue // TestFixesLeadOn carries it out
					}
					steps := fix.Steps()
					for _, step := range steps {
						see(one, step)
					}
					changed, err := applied(t.Context(), one, append(waiting(fix), steps...))
					if assert.NoError(t, err, "%s: %s", filepath.Base(path), fix.Text("")) {
						if len(changed.Scopes) > 0 {
							_, err = answersOf(t.Context(), changed)
						}
						assert.NoError(t, err, "%s: after %s", filepath.Base(path), fix.Text(""))
					}
				}
			}
		}
	}
	for kind, fields := range crds {
		for field, of := range fields {
			// Overrides are never removed, as others may stand beside the one of a fix.
			assert.Equal(t, of.required || field == words.FieldOverrides, required[field], "%s of a %s: required", field, kind)
			assert.True(t, seen[field], "no scenario has a fix that changes %s of a %s", field, kind)
		}
	}
}

// oneByOne are the questions of a scenario, each by itself unless it asks them jointly.
func oneByOne(in *scenario.Question) []*scenario.Question {
	if in.Problem.Options.Jointly {
		return []*scenario.Question{in}
	}
	var list []*scenario.Question
	for i := range in.Scopes {
		one := *in
		one.Scopes = in.Scopes[i : i+1]
		list = append(list, &one)
	}
	return list
}
