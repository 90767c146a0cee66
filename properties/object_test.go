package properties

import (
	"encoding/base64"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func object(text string) Property {
	return prop(TypeBundleObject, `{"data":"`+base64.StdEncoding.EncodeToString([]byte(text))+`"}`)
}

const csvObject = `{"apiVersion":"operators.coreos.com/v1alpha1","kind":"ClusterServiceVersion",
"metadata":{"name":"etcd.v1","annotations":{"b":"2\n","a":"1"},"labels":{"operatorframework.io/arch.s390x":"supported"}},
"spec":{"annotations":{"not":"this"},"labels":{"nor":"this"},"icon":[{"base64data":"AAAA"}],"displayName":"Etcd","installModes":[{"type":"OwnNamespace","supported":true}],
"apiservicedefinitions":{"owned":[{"group":"g","version":"v1","kind":"K","name":"k"}]},"minKubeVersion":"1.20.0"}}`

// Without olm.csv.metadata, the same fields are read from the first ClusterServiceVersion.
func TestDecodeObjects(t *testing.T) {
	crd := object(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{"long":"` + strings.Repeat("x", 2000) + `"}}`)
	late := object(`{"spec":{"minKubeVersion":"1.20.0","long":"` + strings.Repeat("x", 2000) + `"},"kind":"ClusterServiceVersion"}`)
	spaced := prop(TypeBundleObject, strings.Replace(strings.Replace(string(object(csvObject).Value), `"data":`, "\n \"data\" : ", 1), "==", `\u003d\u003d`, 1))
	for name, test := range map[string]struct {
		props []Property
		fault string
		want  string
	}{
		"csv":           {props: []Property{crd, object(csvObject), late}, want: `{"annotations":{"a":"1","b":"2\n"},"apiServiceDefinitions":{"owned":[{"group":"g","kind":"K","version":"v1"}]},"installModes":[{"supported":true,"type":"OwnNamespace"}],"labels":{"operatorframework.io/arch.s390x":"supported"},"minKubeVersion":"1.20.0"}`},
		"kind last":     {props: []Property{late}, want: `{"minKubeVersion":"1.20.0"}`},
		"spaces":        {props: []Property{spaced, late}, want: `{"annotations":{"a":"1","b":"2\n"},"apiServiceDefinitions":{"owned":[{"group":"g","kind":"K","version":"v1"}]},"installModes":[{"supported":true,"type":"OwnNamespace"}],"labels":{"operatorframework.io/arch.s390x":"supported"},"minKubeVersion":"1.20.0"}`},
		"more members":  {props: []Property{prop(TypeBundleObject, `{"ref":"x","data":"`+base64.StdEncoding.EncodeToString([]byte(`{"kind":"ClusterServiceVersion"}`))+`"}`)}, want: `{}`},
		"metadata":      {props: []Property{object(csvObject), prop(TypeCSVMetadata, `{"minKubeVersion":"1.21.0"}`)}, want: `{"minKubeVersion":"1.21.0"}`},
		"null metadata": {props: []Property{object(csvObject), prop(TypeCSVMetadata, `null`)}, fault: "the value is null"},
		"no csv":        {props: []Property{crd, prop(TypeBundleObject, `{"ref":"objects/csv.yaml"}`)}},
		"not base64":    {props: []Property{prop(TypeBundleObject, `{"data":"a!"}`), late}, fault: "data is not base64", want: `{"minKubeVersion":"1.20.0"}`},
		"not json":      {props: []Property{object("kind: ClusterServiceVersion\n")}, fault: "data is not a JSON object"},
		"half":          {props: []Property{object(csvObject[:60])}, fault: "data is not a whole JSON object"},
		"half, longer":  {props: []Property{object(csvObject[:len(csvObject)-1])}, fault: "the ClusterServiceVersion cannot be read"},
		"wrong field":   {props: []Property{object(`{"kind":"ClusterServiceVersion","spec":{"installModes":{}}}`)}, fault: "installModes must be a list"},
		"no object":     {props: []Property{prop(TypeBundleObject, `["data"]`)}, fault: "must be an object"},
	} {
		t.Run(name, func(t *testing.T) {
			set, faults := Decode(append([]Property{pkg}, test.props...), nil)
			if test.fault == "" {
				require.Empty(t, faults)
			} else {
				require.Len(t, faults, 1)
				assert.ErrorContains(t, faults[0].Err, test.fault)
				assert.False(t, faults[0].Fatal)
			}
			if test.want == "" {
				require.Nil(t, set.Metadata())
				return
			}
			require.NotNil(t, set.Metadata())
			assert.Equal(t, test.want, string(set.Metadata().value(nil)))

			// What the set keeps, written and read again, is the same.
			again, faults := Decode(listed(set), nil)
			require.Empty(t, faults)
			assert.Equal(t, test.want, string(again.Metadata().value(nil)))
			assert.Equal(t, listed(set), listed(again))
			rules := 1 // olm.package
			if set.States(TypeCSVMetadata) {
				rules++
			}
			assert.Len(t, set.CEL(), rules)
		})
	}
}

func listed(set *Set) (list []Property) {
	for _, p := range set.All() {
		list = append(list, p)
	}
	return list
}

func TestObjectLabelsAndTexts(t *testing.T) {
	set, faults := Decode([]Property{pkg, object(csvObject)}, &Interner{Texts: []string{"displayName"}})
	require.Empty(t, faults)
	assert.Equal(t, []string{"Etcd"}, set.Metadata().Texts)
	assert.Equal(t, map[string]string{"operatorframework.io/arch.s390x": "supported"}, maps.Collect(set.Metadata().Labels()))
	set, faults = Decode([]Property{pkg, prop(TypeCSVMetadata, `{"labels":{"a":"b"}}`)}, nil)
	require.Empty(t, faults)
	assert.Equal(t, map[string]string{"a": "b"}, maps.Collect(set.Metadata().Labels()))
	assert.Empty(t, maps.Collect((*Metadata)(nil).Labels()))
}

func FuzzObject(f *testing.F) {
	f.Add(csvObject)
	f.Add(`{"kind":"ClusterServiceVersion","spec":{"minKubeVersion":1}}`)
	f.Add(`{"kind":"CustomResourceDefinition","spec":{"group":"g","names":{"plural":"p"},"version":"v1"}}`)
	f.Add(`{"kind":`)
	f.Fuzz(func(t *testing.T, text string) {
		set, _ := Decode([]Property{pkg, object(text)}, nil)
		again, _ := Decode(listed(set), nil)
		require.Equal(t, set.Objects(), again.Objects())
		if set.Metadata() != nil {
			require.Equal(t, string(set.Metadata().value(nil)), string(again.Metadata().value(nil)))
		}
	})
}

// Definitions among the objects are read in both versions of their API, with and without
// olm.csv.metadata, and what is kept of them is read again. Others are not known.
func TestDecodeDefinitions(t *testing.T) {
	const names = `"group":"g.io","scope":"Namespaced","names":{"kind":"Thing","plural":"things"}`
	crd := func(spec string) Property {
		return object(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{` + spec + `}}`)
	}
	schema := `"schema":{"long":"` + strings.Repeat("x", 1<<20) + `"}`
	for name, test := range map[string]struct {
		spec string
		want []DefinedVersion
	}{
		"v1":            {names + `,"versions":[{"name":"v2","served":true,"storage":true,` + schema + `},{"name":"v1","served":false,"storage":false}]`, []DefinedVersion{{"v2", true, true}, {"v1", false, false}}},
		"v1beta1":       {names + `,"version":"v1"`, []DefinedVersion{{"v1", true, true}}},
		"no names":      {`"versions":[{"name":"v1"}]`, nil},
		"no versions":   {names, nil},
		"no list":       {names + `,"versions":{}`, nil},
		"a long name":   {names + `,"versions":[{"name":"` + strings.Repeat("v", 254) + `"}]`, nil},
		"many versions": {names + `,"versions":[` + strings.Repeat(`{"name":"v1"},`, maxVersions) + `{"name":"v2"}]`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			for _, more := range [][]Property{{object(csvObject)}, {prop(TypeCSVMetadata, `{}`)}, nil} {
				set, faults := Decode(append([]Property{pkg, crd(test.spec)}, more...), nil)
				require.Empty(t, faults)
				again, faults := Decode(listed(set), nil)
				require.Empty(t, faults)
				assert.Equal(t, listed(set), listed(again))
				assert.Equal(t, set.Objects(), again.Objects())
				if test.want == nil {
					assert.Nil(t, set.Objects())
					continue
				}
				want := Definition{Group: "g.io", Names: DefinitionNames{"Thing", "things"}, Scope: "Namespaced", Versions: test.want}
				assert.Equal(t, []Definition{want}, set.Objects().Definitions)
			}
		})
	}
}

// Whole texts are kept only for who asks for them, and rendered again.
func TestObjectTexts(t *testing.T) {
	crd := `{"kind":"CustomResourceDefinition","metadata":{"name":"ks.g"},"spec":{"group":"g","names":{"plural":"ks"},"versions":[{"name":"v1","schema":{}}]}}`
	for _, metadata := range []bool{false, true} {
		props := []Property{pkg, object(crd), object(csvObject), object(`{"kind":"ClusterServiceVersion"}`)}
		if metadata {
			props = append(props, prop(TypeCSVMetadata, `{}`))
		}
		set, faults := Decode(props, &Interner{Objects: true})
		require.Empty(t, faults)
		assert.Equal(t, crd, string(set.Objects().Definitions[0].Text))
		assert.Equal(t, csvObject, string(set.Objects().ServiceVersion))
		kept := maps.Collect(set.All())
		assert.JSONEq(t, string(props[1].Value), string(kept[1].Value))

		set, faults = Decode(props, nil)
		require.Empty(t, faults)
		assert.Nil(t, set.Objects().Definitions[0].Text)
		assert.Nil(t, set.Objects().ServiceVersion)
	}
}
