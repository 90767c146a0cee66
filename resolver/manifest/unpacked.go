package manifest

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"

	"github.com/resolvent/resolvent/resolver/cluster"
)

// unpacked holds the fields of a ConfigMap in which OLM keeps the manifests of a bundle.
type unpacked struct {
	Data map[string]string `json:"data,omitempty"`
	// Binary has each manifest compressed, that as base64, and that as base64 again.
	Binary map[string]string `json:"binaryData,omitempty"`
}

// labelManaged marks what OLM made for itself, with the value "true".
const labelManaged = "olm.managed"

// maxUnpacked bounds the manifests of a ConfigMap that are read, in bytes. A ConfigMap has at most a
// megabyte, compressed.
const maxUnpacked = 32 << 20

// ofUnpacked is the kind of these ConfigMaps. Nothing is kept of others.
func ofUnpacked() objectKind {
	k := of[unpacked](objectKind{name: kindConfigMap, apiVersion: "v1", namespaced: true},
		func(o *cluster.Objects) *[]cluster.Unpacked { return &o.Unpacked })
	read := k.read
	k.read = func(decode decoder, meta metadata) (any, func(*cluster.Objects), error) {
		if meta.Labels[labelManaged] != "true" {
			return nil, func(*cluster.Objects) {}, nil
		}
		return read(decode, meta)
	}
	return k
}

func (u unpacked) object(meta metadata) (cluster.Unpacked, error) {
	o, left := cluster.Unpacked{ConfigMap: cluster.ConfigMap{Namespace: meta.Namespace, Name: meta.Name}}, maxUnpacked
	var list []planStep
	add := func(text []byte) {
		var named struct {
			Kind     string `json:"kind"`
			Metadata struct {
				Name string `json:"name"`
			} `json:"metadata"`
		}
		if text = jsonOf(text); text != nil && json.Unmarshal(text, &named) == nil {
			var s planStep
			s.Resource.Kind, s.Resource.Name, s.Resource.Manifest = named.Kind, named.Metadata.Name, string(text)
			list = append(list, s)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(u.Data)) {
		if left -= len(u.Data[name]); left >= 0 {
			add([]byte(u.Data[name]))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(u.Binary)) {
		once := base64.NewDecoder(base64.StdEncoding, base64.NewDecoder(base64.StdEncoding, strings.NewReader(u.Binary[name])))
		if expanded, err := gzip.NewReader(once); err == nil {
			text, err := io.ReadAll(io.LimitReader(expanded, int64(max(left, 0))+1))
			if left -= len(text); err == nil && left >= 0 {
				add(text)
			}
		}
	}
	o.Steps = stepsOf(list, false)
	return o, nil
}

func (unpacked) of(o cluster.Unpacked) (u unpacked, meta metadata) {
	for _, s := range writtenSteps(o.Steps) {
		text, _ := json.Marshal(struct {
			Kind     string         `json:"kind"`
			Metadata metadata       `json:"metadata"`
			Rest     map[string]any `json:",embed"`
		}{s.Resource.Kind, metadata{Name: s.Resource.Name}, fieldsOf(s.Resource.Manifest)}, json.Deterministic(true))
		if u.Data == nil {
			u.Data = map[string]string{}
		}
		u.Data[strings.ToLower(s.Resource.Kind)+"."+s.Resource.Name] = string(text)
	}
	return u, metadata{Labels: map[string]string{labelManaged: "true"}, Namespace: o.Namespace, Name: o.Name}
}

func fieldsOf(text string) (fields map[string]any) {
	_ = json.Unmarshal([]byte(text), &fields)
	return fields
}

// jsonOf returns a manifest in YAML or JSON as JSON, nil if it is neither or too large: OLM would not
// make an object of it either.
func jsonOf(text []byte) []byte {
	if len(text) > maxManifest {
		return nil
	}
	loader, err := yaml.NewLoader(bytes.NewReader(text), yaml.WithPlugin(loaderlimits.New(loaderlimits.DepthValue(defaults.depth))))
	if err != nil {
		return nil
	}
	var document yaml.Node
	var buffer bytes.Buffer
	if loader.Load(&document) != nil || writeJSON(context.Background(), defaults, &buffer, &document, 0) != nil {
		return nil
	}
	return bytes.TrimSpace(buffer.Bytes())
}
