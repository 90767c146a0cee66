package manifest_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/manifest"
)

// decoding fills fields from JSON, as a client of a cluster does from what it
// holds.
func decoding(object string) func(any) error {
	return func(fields any) error { return json.Unmarshal([]byte(object), fields) }
}

func TestReadObjectsOfMemory(t *testing.T) {
	got, err := manifest.ReadObject("operators.coreos.com/v1alpha1", "ClusterServiceVersion", decoding(`{
		"metadata": {"name": "ferry.v1.0.0", "namespace": "harbor", "labels": {"a": "b"}, "uid": "c"},
		"spec": {"version": "1.0.0", "customresourcedefinitions": {"owned": [
			{"name": "ferries.sea.example.com", "version": "v1", "kind": "Ferry"}]}},
		"status": {"phase": "Succeeded"}}`))
	require.NoError(t, err)
	assert.Equal(t, cluster.Objects{CSVs: []cluster.ClusterServiceVersion{{
		Namespace: "harbor", Name: "ferry.v1.0.0", Labels: map[string]string{"a": "b"}, Version: "1.0.0",
		Provides: []properties.GVK{{Group: "sea.example.com", Version: "v1", Kind: "Ferry"}},
		Phase:    "Succeeded",
	}}}, got)

	got, err = manifest.ReadObject("v1", "Namespace", decoding(`{"metadata": {"name": "harbor", "namespace": "x"}}`))
	require.NoError(t, err)
	assert.Equal(t, cluster.Objects{Namespaces: []cluster.Namespace{{Name: "harbor"}}}, got)
}

func TestReadObjectOfNoInterest(t *testing.T) {
	for _, of := range [][2]string{{"v1", "Pod"}, {"apps.example.com/v1", "Subscription"}, {"", ""}} {
		got, err := manifest.ReadObject(of[0], of[1], func(any) error { return errors.New("not to be called") })
		require.NoError(t, err)
		assert.Equal(t, cluster.Objects{}, got)
	}
}

func TestReadObjectFaults(t *testing.T) {
	const group = "operators.coreos.com/v1alpha1"
	for _, test := range []struct{ kind, object, want string }{
		{"Subscription", `{"metadata": {"name": "ferry", "namespace": "harbor"}, "spec": {"installPlanApproval": "never"}}`,
			`Subscription harbor/ferry: spec.installPlanApproval: "never": want Automatic or Manual`},
		{"Subscription", `{"metadata": {"name": "ferry"}}`, `Subscription ferry: metadata.namespace: missing`},
		{"Subscription", `{"metadata": {"namespace": "harbor"}}`, `Subscription: metadata.name: missing`},
		{"ClusterServiceVersion", `{"metadata": {"name": "ferry", "namespace": "harbor"},
			"spec": {"customresourcedefinitions": {"required": [{"name": "ferries"}]}}}`,
			`ClusterServiceVersion harbor/ferry: spec.customresourcedefinitions.required[0].name: "ferries": want PLURAL.GROUP`},
	} {
		got, err := manifest.ReadObject(group, test.kind, decoding(test.object))
		var fault *manifest.Error
		require.ErrorAs(t, err, &fault)
		assert.EqualError(t, err, test.want)
		assert.Equal(t, test.kind, fault.Kind)
		assert.Equal(t, cluster.Objects{}, got)
	}
	broken := errors.New("broken")
	_, err := manifest.ReadObject(group, "Subscription", func(any) error { return broken })
	require.ErrorIs(t, err, broken)
	assert.EqualError(t, err, "Subscription: metadata: broken")
}

// Objects that are appended one by one come to what was read at once.
func TestAppend(t *testing.T) {
	for _, name := range []string{"update", "extension", "failing", "install"} {
		text, err := os.ReadFile("../../testdata/cluster/" + name + ".yaml")
		require.NoError(t, err)
		all := read(t, string(text))
		var appended cluster.Objects
		for _, o := range all.Subscriptions {
			appended.Append(cluster.Objects{Subscriptions: []cluster.Subscription{o}})
		}
		for _, o := range all.CSVs {
			appended.Append(cluster.Objects{CSVs: []cluster.ClusterServiceVersion{o}})
		}
		rest := all
		rest.Subscriptions, rest.CSVs = nil, nil
		rest.KubernetesVersion = "1.30.0"
		appended.Append(rest)
		assert.Equal(t, all, appended)
	}
}

// Of the requirements of a ClusterServiceVersion those are kept that are not met, and what is
// read is written again.
func TestRequirements(t *testing.T) {
	objects, err := manifest.Read(t.Context(), manifest.Input{Name: "a.yaml", Reader: strings.NewReader(`{apiVersion: operators.coreos.com/v1alpha1, kind: ClusterServiceVersion, metadata: {name: a, namespace: n}, spec: {minKubeVersion: "1.21"},
status: {phase: Pending, requirementStatus: [{group: g, version: v1, kind: K, name: met, status: Present, message: fine}, {group: g, version: v1, kind: K, name: unmet, status: NotPresent}]}}`)})
	require.NoError(t, err)
	require.Len(t, objects.CSVs, 1)
	assert.Equal(t, []cluster.Requirement{{Group: "g", Version: "v1", Kind: "K", Name: "unmet", Status: "NotPresent"}}, objects.CSVs[0].Unmet)
	assert.Equal(t, "K unmet: NotPresent", objects.CSVs[0].Unmet[0].String())
	require.ErrorContains(t, objects.CSVs[0].Metadata.KubeFault(), `"1.21"`)
	text, err := manifest.Write(t.Context(), objects)
	require.NoError(t, err)
	again, err := manifest.Read(t.Context(), manifest.Input{Name: "again.yaml", Reader: bytes.NewReader(text)})
	require.NoError(t, err)
	assert.Equal(t, objects.CSVs, again.CSVs)
}
