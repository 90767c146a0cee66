package properties

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pkg is an olm.package property, without which every list is faulty.
var pkg = Property{TypePackage, []byte(`{"packageName":"etcd","version":"1.2.3"}`)}

func prop(propertyType, value string) Property { return Property{propertyType, []byte(value)} }

func TestDecodeTyped(t *testing.T) {
	set, faults := Decode([]Property{
		prop(TypeGVK, `{"group":"g","version":"v1","kind":"K"}`),
		prop(TypePackage, `{"packageName":"etcd","version":"1.2.3-rc.1+b","release":"4.alpha"}`),
		prop(TypeGVK, `{"kind":"L","version":"v1","group":"g","extra":1}`),
		prop(TypeGVK, `{"group":"g","version":"v1","kind":"K"}`),
		prop(TypeLabel, `{"label":"a"}`),
		prop(TypeBundleObject, `{"data":"AAAA"}`),
		prop(TypeMaxOpenShift, `"4.10"`),
		prop(TypeCSVMetadata, `{"annotations":{"b":"2","a":"1"},"description":"long","installModes":[{"type":"OwnNamespace","supported":true},{"type":"AllNamespaces","supported":false}],"minKubeVersion":"1.20.0"}`),
		prop(TypeGVKRequired, `{"group":"r","version":"v1","kind":"R"}`),
		prop("custom", `[1, 2.5]`),
	}, nil)
	require.Empty(t, faults)

	p, ok := set.Package()
	require.True(t, ok)
	assert.Equal(t, Package{"etcd", semver.MustParse("1.2.3-rc.1+b"), "4.alpha"}, p)
	assert.Equal(t, []GVK{{"g", "v1", "K"}, {"g", "v1", "L"}}, set.GVKs())
	assert.Equal(t, []string{"a"}, set.Labels())
	assert.True(t, set.HasLabel("a"))
	assert.True(t, set.Provides(GVK{"g", "v1", "L"}))
	assert.False(t, set.Deprecated())
	limit, ok := set.MaxOpenShift()
	assert.True(t, ok)
	assert.Equal(t, MajorMinor{4, 10}, limit)

	m := set.Metadata()
	require.NotNil(t, m)
	assert.True(t, m.StatesModes())
	assert.True(t, m.Supports(OwnNamespace))
	assert.False(t, m.Supports(AllNamespaces))
	assert.False(t, m.Supports(MultiNamespace))
	assert.Equal(t, "1.20.0", m.MinKubeVersion)
	assert.Equal(t, `{"annotations":{"a":"1","b":"2"},"installModes":[{"supported":true,"type":"OwnNamespace"},{"supported":false,"type":"AllNamespaces"}],"minKubeVersion":"1.20.0"}`, string(m.value(nil)))

	assert.Equal(t, map[int]Property{8: prop(TypeGVKRequired, `{"group":"r","version":"v1","kind":"R"}`)}, maps.Collect(set.Constraints()))
	assert.Len(t, set.CEL(), 9)
	for _, stated := range []string{"custom", TypeCSVMetadata, TypeGVK, TypeGVKRequired, TypeLabel, TypeMaxOpenShift, TypePackage} {
		assert.True(t, set.States(stated), stated)
	}
	assert.False(t, set.States(TypeBundleObject))
}

func TestAllAndCELGiveWhatWasStated(t *testing.T) {
	set, faults := Decode([]Property{
		pkg,
		prop(TypeGVK, `{"kind":"K","version":"v1","group":"g"}`),
		prop(TypeGVK, `{"kind":"L","version":"v1","group":"g","extra":[true]}`),
		prop(TypeBundleObject, `{}`),
		prop(TypeCSVMetadata, `{"description":"long","installModes":[{"type":"OwnNamespace","supported":true}],
			"apiServiceDefinitions":{"required":[],"owned":[{"name":"v1.g.io","group":"g.io","version":"v1","kind":"K","deploymentName":"d"}]}}`),
		prop(TypeLabel, `{"label":"a \"b\""}`),
		prop("custom", "{ \"n\" :\n1 }"),
	}, nil)
	require.Empty(t, faults)

	type stated struct {
		index       int
		name, value string
	}
	var all []stated
	for i, p := range set.All() {
		all = append(all, stated{i, p.Type, string(p.Value)})
	}
	assert.Equal(t, []stated{
		{0, TypePackage, `{"packageName":"etcd","version":"1.2.3"}`},
		{1, TypeGVK, `{"group":"g","kind":"K","version":"v1"}`},
		{2, TypeGVK, `{"kind":"L","version":"v1","group":"g","extra":[true]}`},
		{4, TypeCSVMetadata, `{"apiServiceDefinitions":{"owned":[{"group":"g.io","kind":"K","version":"v1"}]},"installModes":[{"supported":true,"type":"OwnNamespace"}]}`},
		{5, TypeLabel, `{"label":"a \"b\""}`},
		{6, "custom", `{"n":1}`},
	}, all)

	object := func(pairs ...any) map[string]any {
		m := map[string]any{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i].(string)] = pairs[i+1]
		}
		return m
	}
	assert.Equal(t, []any{
		object("type", TypePackage, "value", object("packageName", "etcd", "version", "1.2.3")),
		object("type", TypeGVK, "value", object("group", "g", "version", "v1", "kind", "K")),
		object("type", TypeGVK, "value", object("group", "g", "version", "v1", "kind", "L", "extra", []any{true})),
		object("type", TypeCSVMetadata, "value", object("installModes", []any{object("type", "OwnNamespace", "supported", true)},
			"apiServiceDefinitions", object("owned", []any{object("group", "g.io", "version", "v1", "kind", "K")}))),
		object("type", TypeLabel, "value", object("label", `a "b"`)),
		object("type", "custom", "value", object("n", 1.0)),
	}, set.CEL())
}

func TestDecodeFaults(t *testing.T) {
	for name, test := range map[string]struct {
		props []Property
		want  []string // "fatal: " or "ignored: ", then the text
		codes []string
	}{
		"no package": {
			props: nil,
			want:  []string{"fatal: there is no olm.package property: add one with packageName and version"},
			codes: []string{"packageProperty"},
		},
		"two packages": {
			props: []Property{pkg, pkg},
			want:  []string{"fatal: property 1 (olm.package): olm.package is stated more than once: keep one"},
			codes: []string{"packageProperty"},
		},
		"version with v": {
			props: []Property{prop(TypePackage, `{"packageName":"p","version":"v1.0.0"}`)},
			want:  []string{`fatal: property 0 (olm.package): version "v1.0.0" is not a semantic version such as 1.2.3: Invalid character(s) found in major number "v1"`},
			codes: []string{"version"},
		},
		"version is a number": {
			props: []Property{prop(TypePackage, `{"packageName":"p","version":1}`)},
			want:  []string{"fatal: property 0 (olm.package): version must be a string, not a number"},
			codes: []string{"property"},
		},
		"repeated member": {
			props: []Property{prop(TypePackage, `{"packageName":"p","packageName":"q","version":"1.0.0"}`)},
			want:  []string{"fatal: property 0 (olm.package): packageName is stated more than once: keep one"},
			codes: []string{"property"},
		},
		"bad release": {
			props: []Property{prop(TypePackage, `{"packageName":"p","version":"1.0.0","release":"a..b"}`)},
			want:  []string{`fatal: property 0 (olm.package): release "a..b": Prerelease is empty`},
			codes: []string{"property"},
		},
		"API without kind": {
			props: []Property{pkg, prop(TypeGVK, `{"group":"g","version":"v1"}`)},
			want:  []string{"fatal: property 1 (olm.gvk): kind is missing: give the kind of the API"},
			codes: []string{"property"},
		},
		"null constraint": {
			props: []Property{pkg, prop(TypeConstraint, `null`)},
			want:  []string{"fatal: property 1 (olm.constraint): the value is null: give a value or remove the property"},
			codes: []string{"nullValue"},
		},
		"null and empty": {
			props: []Property{pkg, prop("custom", ` null `), prop("custom", ``), prop("", `1`)},
			want: []string{
				"ignored: property 1 (custom): the value is null: give a value or remove the property",
				"ignored: property 2 (custom): the value is null: give a value or remove the property",
				"ignored: property 3: the property has no type: name one or remove the property",
			},
			codes: []string{"nullValue", "nullValue", "propertyType"},
		},
		"OpenShift version": {
			props: []Property{pkg, prop(TypeMaxOpenShift, `"next"`)},
			want:  []string{`ignored: property 1 (olm.maxOpenShiftVersion): "next" is not a version such as 4.8; the bundle counts as having no limit`},
			codes: []string{"property"},
		},
		"label": {
			props: []Property{pkg, prop(TypeLabel, `"a"`)},
			want:  []string{"ignored: property 1 (olm.label): must be an object, not a string"},
			codes: []string{"property"},
		},
		"metadata": {
			props: []Property{pkg, prop(TypeCSVMetadata, `{"installModes":[{"type":"OwnNamespace","supported":"yes"}]}`)},
			want:  []string{"ignored: property 1 (olm.csv.metadata): installModes[0]: supported must be true or false, not a string"},
			codes: []string{"property"},
		},
		"not JSON": {
			props: []Property{pkg, prop("custom", `{`)},
			want:  []string{"fatal: property 1 (custom): the value is not JSON"},
			codes: []string{"property"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			set, faults := Decode(test.props, nil)
			require.NotNil(t, set)
			var got []string
			var codes []string
			for _, f := range faults {
				prefix := "ignored: "
				if f.Fatal {
					prefix = "fatal: "
				}
				got, codes = append(got, prefix+f.Error()), append(codes, f.Code)
			}
			assert.Equal(t, test.want, got)
			assert.Equal(t, test.codes, codes)
		})
	}
}

func TestDeprecatedWhateverTheValue(t *testing.T) {
	for _, value := range []string{`{}`, `"x"`, `null`, `false`} {
		set, _ := Decode([]Property{pkg, prop(TypeDeprecated, value)}, nil)
		assert.True(t, set.Deprecated(), value)
	}
}

func TestInternerSharesAcrossSets(t *testing.T) {
	in := &Interner{}
	text := []byte(`{"group":"g","version":"v1","kind":"K"}`)
	opaque := []byte(`{"a":1}`)
	a, _ := Decode([]Property{pkg, {TypeGVK, text}, {"custom", opaque}}, in)
	b, _ := Decode([]Property{pkg, {TypeGVK, text}, {"custom", opaque}}, in)
	assert.Same(t, &a.GVKs()[0], &b.GVKs()[0])

	clear(opaque)
	clear(text)
	assert.JSONEq(t, `{"a":1}`, string(a.raw[0].Value), "the caller's text must not be kept")
	assert.Equal(t, []GVK{{"g", "v1", "K"}}, a.GVKs())
}

func TestZeroSetStatesNothing(t *testing.T) {
	var set Set
	_, ok := set.Package()
	assert.False(t, ok)
	assert.Empty(t, set.CEL())
	assert.False(t, set.States(TypePackage))
	assert.Empty(t, maps.Collect(set.Constraints()))
	assert.False(t, set.Metadata().StatesModes())
	assert.False(t, set.Metadata().Supports(OwnNamespace))
}

func TestParseMajorMinor(t *testing.T) {
	for text, want := range map[string]MajorMinor{
		`4.8`: {4, 8}, `"4.8"`: {4, 8}, `"v4.8"`: {4, 8}, `4.10`: {4, 1}, `"4.10"`: {4, 10}, `4.16`: {4, 16}, `"4.8.0"`: {4, 8}, `5`: {5, 0}, ` 4.8 `: {4, 8},
	} {
		got, unfit, err := parseMajorMinor(text)
		require.NoError(t, err, text)
		require.NoError(t, unfit, text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{``, `""`, `"x"`, `{}`, `true`, `-4.8`, `"4.8`, `"4.17.x"`} {
		_, _, err := parseMajorMinor(text)
		assert.Error(t, err, text)
	}
	for _, text := range []string{`"4.8.2"`, `"4.8.0-rc.1"`} {
		got, unfit, err := parseMajorMinor(text)
		require.NoError(t, err, text)
		require.ErrorContains(t, unfit, "MAJOR.MINOR only", text)
		assert.Equal(t, MajorMinor{4, 8}, got, text)
	}
	assert.Equal(t, "4.10", MajorMinor{4, 10}.String())
}

// Versions of OpenShift are in the order of their releases, of which 4.23 and 5.0 are one.
func TestReleasesOfOpenShift(t *testing.T) {
	assert.Equal(t, -1, MajorMinor{4, 9}.Compare(MajorMinor{4, 10}))
	assert.Equal(t, -1, MajorMinor{4, 22}.Compare(MajorMinor{5, 0}))
	assert.Equal(t, 0, MajorMinor{4, 23}.Compare(MajorMinor{5, 0}))
	assert.Equal(t, 0, MajorMinor{5, 1}.Compare(MajorMinor{4, 24}))
	assert.Equal(t, 1, MajorMinor{5, 1}.Compare(MajorMinor{4, 23}))
	assert.Equal(t, 1, MajorMinor{6, 0}.Compare(MajorMinor{4, 99}))
	for openShift, want := range map[MajorMinor]string{{4, 2}: "", {4, 3}: "1.16", {4, 20}: "1.33", {4, 23}: "1.36", {5, 0}: "1.36", {3, 11}: ""} {
		assert.Equal(t, want, openShift.Kubernetes(), openShift)
	}
	for _, hops := range []struct {
		from, to MajorMinor
		want     string
	}{
		{MajorMinor{4, 18}, MajorMinor{4, 20}, "[4.19 4.20]"},
		{MajorMinor{4, 21}, MajorMinor{5, 1}, "[4.22 5.0 5.1]"},
		{MajorMinor{4, 22}, MajorMinor{4, 24}, "[4.23 4.24]"},
		{MajorMinor{4, 23}, MajorMinor{5, 1}, "[5.1]"},
		{MajorMinor{5, 0}, MajorMinor{4, 23}, "[]"},
		{MajorMinor{4, 23}, MajorMinor{6, 0}, "[]"},
		{MajorMinor{4, 20}, MajorMinor{4, 18}, "[]"},
	} {
		assert.Equal(t, hops.want, fmt.Sprint(hops.from.To(hops.to)), "%v", hops)
	}
}

// What OLM does not accept of a limit is kept beside it.
func TestOpenShiftFault(t *testing.T) {
	for values, want := range map[string]string{
		`"4.8"`: "", `"4.8.2"`: "MAJOR.MINOR only", `"4.x"`: "not a version", `""`: "empty", `"4.8" "4.9"`: "more than once", `"4.8" "4.8"`: "more than once",
	} {
		list := []Property{prop(TypePackage, `{"packageName":"p","version":"1.0.0"}`)}
		for _, value := range strings.Fields(values) {
			list = append(list, prop(TypeMaxOpenShift, value))
		}
		set, faults := Decode(list, nil)
		if want == "" {
			require.NoError(t, set.OpenShiftFault())
			assert.Empty(t, faults)
			continue
		}
		require.ErrorContains(t, set.OpenShiftFault(), want, values)
		require.Len(t, faults, 1, values)
		assert.False(t, faults[0].Fatal)
	}
}

func TestCompareReleases(t *testing.T) {
	ascending := []Release{"", "1", "2", "10", "10.0", "10.a", "a", "a.1", "b"}
	for i, a := range ascending {
		for j, b := range ascending {
			assert.Equal(t, min(1, max(-1, i-j)), a.Compare(b), "%q %q", a, b)
		}
	}
	_, err := ParseRelease("a.!")
	assert.Error(t, err)
}

func TestGVKTexts(t *testing.T) {
	g := GVK{"etcd.database.coreos.com", "v1beta2", "EtcdCluster"}
	assert.Equal(t, "EtcdCluster.v1beta2.etcd.database.coreos.com", g.String())
	assert.Equal(t, "EtcdCluster (etcd.database.coreos.com/v1beta2)", g.Describe())
	assert.Equal(t, "Pod (v1)", GVK{"", "v1", "Pod"}.Describe())
	assert.Equal(t, -1, g.Compare(GVK{"etcd.database.coreos.com", "v1", "EtcdZ"}))
}

func FuzzDecode(f *testing.F) {
	f.Add(TypePackage, []byte(`{"packageName":"p","version":"1.0.0","release":"1"}`))
	f.Add(TypeGVK, []byte(`{"group":"g","version":"v1","kind":"K","x":{}}`))
	f.Add(TypeLabel, []byte(`{"label":"l"}`))
	f.Add(TypeCSVMetadata, []byte(`{"installModes":[{"type":"A","supported":true}],"annotations":{"a":"b"}}`))
	f.Add(TypeMaxOpenShift, []byte(`"4.8"`))
	f.Add("custom", []byte(`[{"a":[1e3,null,true]}]`))
	f.Fuzz(func(t *testing.T, propertyType string, value []byte) {
		set, _ := Decode([]Property{pkg, {propertyType, value}}, nil)
		_ = set.CEL()
		var again []Property
		for _, p := range set.All() {
			again = append(again, p)
		}
		// What a set renders it reads back as the same.
		second, _ := Decode(again, nil)
		assert.Equal(t, set.CEL(), second.CEL())
		assert.Equal(t, set.GVKs(), second.GVKs())
		assert.Equal(t, set.Labels(), second.Labels())
		assert.Equal(t, set.Metadata().StatesModes(), second.Metadata().StatesModes())
	})
}
