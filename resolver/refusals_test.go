package resolver_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/oracle/random"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/scenario"
)

// modesRefused reads the rule of install modes and watchNamespace again, mode set by mode
// set. Only the experimental profile has the field.
func modesRefused(profile cluster.Profile, m *properties.Metadata, e *cluster.ClusterExtension) bool {
	if m == nil || !m.StatesModes() {
		return false
	}
	own, single, all := m.Supports(properties.OwnNamespace), m.Supports(properties.SingleNamespace), m.Supports(properties.AllNamespaces)
	if e.WatchNamespace == nil || profile != cluster.ProfileExperimental {
		return !all // it must be set
	}
	same := *e.WatchNamespace == e.Namespace
	switch {
	case !dnsName(*e.WatchNamespace) || len(*e.WatchNamespace) > 63 || strings.Contains(*e.WatchNamespace, "."):
		return true // no namespace has the name
	case own && single:
		return false // any value
	case own:
		return !same
	case single:
		return same
	}
	return true // a field that is not known, or only several namespaces
}

// What OLM v1 does with each set of install modes in its experimental profile: for no watchNamespace, one that is the
// install namespace, and another one, + installs and - refuses.
func TestRefusedModes(t *testing.T) {
	for modes, want := range map[string]string{
		"unstated": "+++", "none": "---",
		"Own": "-+-", "Single": "--+", "Multi": "---", "All": "+--",
		"Own Single": "-++", "Own Multi": "-+-", "Own All": "++-", "Single Multi": "--+", "Single All": "+-+", "Multi All": "+--",
		"Own Single Multi": "-++", "Own Single All": "+++", "Own Multi All": "++-", "Single Multi All": "+-+", "Own Single Multi All": "+++",
	} {
		got, failed, standard := "", "", ""
		for _, config := range []string{"", "config: {inline: {watchNamespace: home}}, ", "config: {inline: {watchNamespace: other}}, "} {
			for _, asOLMv1 := range []bool{false, true} {
				r, err := resolveExtension(t, asOLMv1, cluster.ProfileExperimental, config, modeList(modes))
				if !asOLMv1 {
					require.NoError(t, err)
					got += map[int]string{0: "+", 1: "-"}[len(r.Refusals)]
					assert.Equal(t, r.Refusals, r.Warnings)
					for _, refusal := range r.Refusals {
						assert.EqualValues(t, words.KindWatchNamespace, refusal.Kind())
					}
					continue
				}
				_, inStandard := resolveExtension(t, true, "", config, modeList(modes))
				standard += map[result.Result]string{result.Resolved: "+", result.ResultUnsatisfied: "-"}[result.Of(inStandard)]
				failed += map[result.Result]string{result.Resolved: "+", result.ResultUnsatisfied: "-"}[result.Of(err)]
			}
		}
		assert.Equal(t, want, got, modes)
		assert.Equal(t, want, failed, modes)
		assert.Equal(t, strings.Repeat(want[:1], 3), standard, "%s: without the field, the standard profile asks for all namespaces", modes)
	}
}

// OLM v1 refuses a watchNamespace that no namespace can have as its name.
func TestWatchedNames(t *testing.T) {
	for name, taken := range map[string]bool{"sea-1": true, strings.Repeat("s", 63): true, strings.Repeat("s", 64): false, "": false, "Sea": false, "a.b": false, "-a": false} {
		r, err := resolveExtension(t, false, cluster.ProfileExperimental, fmt.Sprintf("config: {inline: {watchNamespace: %q}}, ", name), modeList("Own Single"))
		require.NoError(t, err)
		if taken {
			assert.Empty(t, r.Refusals, name)
			continue
		}
		require.Len(t, r.Refusals, 1, name)
		assert.Equal(t, fmt.Sprintf("a.v1 supports OwnNamespace, SingleNamespace only, and spec.config.inline.watchNamespace is %q: set it to home or set it to another namespace", name), r.Refusals[0].Message())
	}
}

func modeList(modes string) string {
	if modes == "unstated" {
		return ""
	}
	var list []string
	for _, name := range []string{"Own", "Single", "Multi", "All"} {
		mode := strings.Replace(name+"Namespace", "AllNamespace", "AllNamespaces", 1)
		list = append(list, fmt.Sprintf("{type: %s, supported: %t}", mode, slices.Contains(strings.Fields(modes), name)))
	}
	return "installModes: [" + strings.Join(list, ", ") + "]"
}

// resolveExtension resolves a ClusterExtension that can only have one bundle.
func resolveExtension(t *testing.T, asOLMv1 bool, profile cluster.Profile, config, metadata string, more ...string) (*result.Resolution, error) {
	s := scenario.Scenario{
		Cluster: []byte("{apiVersion: olm.operatorframework.io/v1, kind: ClusterExtension, metadata: {name: x}, spec: {namespace: home, " + config + "source: {sourceType: Catalog, catalog: {packageName: a}}}}"),
		Options: scenario.Options{AsOLMv1: asOLMv1, OLMv1: profile},
		Files: []txtar.File{{Name: "clustercatalogs/main/catalog.yaml", Data: []byte(`
{schema: olm.package, name: a, defaultChannel: stable}
---
{schema: olm.channel, package: a, name: stable, entries: [{name: a.v1}]}
---
{schema: olm.bundle, package: a, name: a.v1, image: i, properties: [` + strings.Join(append(more, `
  {type: olm.package, value: {packageName: a, version: 1.0.0}}, {type: olm.csv.metadata, value: {`+metadata+`}}`), ", ") + `]}
---
{schema: olm.package, name: b, defaultChannel: stable}
---
{schema: olm.channel, package: b, name: stable, entries: [{name: b.v1}]}
---
{schema: olm.bundle, package: b, name: b.v1, image: i, properties: [{type: olm.package, value: {packageName: b, version: 1.0.0}}, {type: olm.label, value: {label: l}}]}
`)}},
	}
	in, err := s.Question(t.Context())
	require.NoError(t, err)
	return resolver.New().Resolve(t.Context(), in.Problem, in.Scopes[0])
}

func TestRefusals(t *testing.T) {
	required := `{type: olm.package.required, value: {packageName: b, versionRange: '>=1.0.0'}}`
	r, err := resolveExtension(t, false, cluster.ProfileExperimental, "", "installModes: [{type: OwnNamespace, supported: true}], apiServiceDefinitions: {owned: [{group: g.io, version: v1, kind: K, name: v1.g.io}]}",
		required, required, `{type: olm.constraint, value: {all: {constraints: [{package: {packageName: b, versionRange: <2.0.0}}]}}}`, `{type: olm.label.required, value: {label: l}}`)
	require.NoError(t, err)
	var got []string
	for _, refusal := range r.Refusals {
		got = append(got, string(refusal.Kind())+": "+refusal.Message())
	}
	assert.Equal(t, []string{
		"apiService: a.v1 owns the API service K (g.io/v1), and OLM v1 creates none",
		"dependency: a.v1 requires package b in range >=1.0.0 and package b in range <2.0.0, and OLM v1 resolves no dependencies",
		"watchNamespace: a.v1 supports OwnNamespace only, and spec.config.inline.watchNamespace is not set: set it to home",
	}, got)
	assert.Len(t, r.Installs, 2, "it is resolved as before")
}

// Failing as OLM v1 does chooses as before: what has no refusals is the same, and what has
// some is a failure that names them.
func TestAsOLMv1(t *testing.T) {
	var refused, installed atomic.Int64
	eachSeed(t, *problems/3, func(seed uint64) error {
		s := asScenario(nil, random.Extension(seed))
		season(s, seed)
		s.Options.RejectDependencies, s.Options.AsOLMv1 = false, false
		plain, as, err := bothWays(t, s)
		if err != nil {
			return err
		}
		switch of := result.Of(as.Err); {
		case plain.Err != nil:
			if as.Err == nil || of != plain.Result() {
				return fmt.Errorf("%v, but %v", plain.Err, as.Err)
			}
		case len(plain.Resolution.Refusals) > 0:
			refused.Add(1)
			if of != result.ResultUnsatisfied {
				return fmt.Errorf("refused, but %s: %v", of, as.Err)
			}
		case as.Err != nil:
			// A bundle that is taken in the place of a refused one would not be.
			if !slices.ContainsFunc(plain.Resolution.Warnings, func(w result.Reason) bool { return w.Kind() == "forcedChoice" }) {
				return fmt.Errorf("nothing is refused, but %v", as.Err)
			}
		default:
			installed.Add(1)
			was, _ := json.Marshal(plain.Resolution.Installs)
			is, _ := json.Marshal(as.Resolution.Installs)
			if string(was) != string(is) {
				return fmt.Errorf("%s, but %s", was, is)
			}
		}
		return nil
	})
	assert.Positive(t, refused.Load())
	assert.Positive(t, installed.Load())
}

func bothWays(t *testing.T, s *scenario.Scenario) (plain, as result.Outcome, err error) {
	in, err := s.Question(t.Context())
	if err != nil {
		return plain, as, err
	}
	in.Problem.Options.NoFixes = true
	scope := cluster.OfExtension(random.ExtensionName)
	plain.Resolution, plain.Err = resolver.New().Resolve(t.Context(), in.Problem, scope)
	in.Problem.Options.AsOLMv1 = true
	as.Resolution, as.Err = resolver.New().Resolve(t.Context(), in.Problem, scope)
	return plain, as, nil
}
