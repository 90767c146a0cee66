package generate

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"

	"go.yaml.in/yaml/v4"
)

// writer collects the documents of a file.
type writer struct {
	text []byte
	yaml bool
}

// blob adds a document, given as JSON.
func (w *writer) blob(object string) {
	if !w.yaml {
		w.text = append(append(w.text, object...), '\n')
		return
	}
	var value any
	// Tests would show errors of generated text.
	_ = yaml.Unmarshal([]byte(object), &value)
	text, _ := yaml.Marshal(value)
	w.text = append(append(w.text, "---\n"...), text...)
}

// channel adds a channel with the bundles from one number to before another.
func (w *writer) channel(r *rand.Rand, pkg int, name string, from, to int) {
	entries := make([]string, 0, to-from)
	below, skipped := "", ""
	for version := from; version < to; version++ {
		entry := fmt.Sprintf(`{"name":%q`, bundleName(pkg, version))
		if below != "" {
			entry += fmt.Sprintf(`,"replaces":%q`, below)
		}
		if skipped != "" {
			entry += fmt.Sprintf(`,"skips":[%q]`, skipped)
			skipped = ""
		}
		if r.IntN(9) == 0 {
			entry += fmt.Sprintf(`,"skipRange":">=0.0.1 <%s"`, versionText(version))
		}
		entries = append(entries, entry+"}")
		// The next entry skips some bundles, as maintainers do with bad ones.
		if version > from && version+1 < to && r.IntN(40) == 0 {
			skipped = bundleName(pkg, version)
		} else {
			below = bundleName(pkg, version)
		}
	}
	w.blob(fmt.Sprintf(`{"schema":"olm.channel","package":%q,"name":%q,"entries":[%s]}`,
		packageName(pkg), name, strings.Join(entries, ",")))
}

// bundle is what one bundle states.
type bundle struct {
	pkg, version int
	apis         []api
	required     []string // properties
	// limited: it does not support the newest OpenShift.
	limited bool
	// ballast is the number of bytes that no reader needs.
	ballast int
	// objects is the number of bytes of the manifests that stand among the properties.
	objects int
}

// write adds the bundle.
func (b bundle) write(w *writer) {
	const modes = `"installModes":[{"type":"OwnNamespace","supported":true},{"type":"SingleNamespace","supported":true},{"type":"MultiNamespace","supported":false},{"type":"AllNamespaces","supported":true}]`
	metadata := "{" + modes + "}"
	if b.ballast > 0 {
		line := "What the operator does, and how to use it: " + bundleName(b.pkg, b.version) + `\n`
		metadata = fmt.Sprintf(`{%s,"description":"%s"}`, modes, strings.Repeat(line, b.ballast/len(line)+1))
	}
	list := make([]string, 0, len(b.apis)+len(b.required)+3)
	if b.objects == 0 {
		list = append(list, property("olm.csv.metadata", metadata))
	}
	for _, manifest := range b.manifests(modes) {
		list = append(list, property("olm.bundle.object", `{"data":"`+base64.StdEncoding.EncodeToString([]byte(manifest))+`"}`))
	}
	for _, a := range b.apis {
		list = append(list, property("olm.gvk", a.json()))
	}
	list = append(list, property("olm.package", fmt.Sprintf(`{"packageName":%q,"version":%q}`, packageName(b.pkg), versionText(b.version))))
	list = append(list, b.required...)
	if b.limited {
		list = append(list, property("olm.maxOpenShiftVersion", `"4.8"`))
	}
	w.blob(fmt.Sprintf(`{"schema":"olm.bundle","package":%q,"name":%q,"image":"registry.example.com/%s@sha256:%064x","properties":[%s]}`,
		packageName(b.pkg), bundleName(b.pkg, b.version), packageName(b.pkg), b.pkg<<16|b.version, strings.Join(list, ",")))
}

// manifests returns the CustomResourceDefinitions and the ClusterServiceVersion of a bundle. Half of
// their bytes are in the ClusterServiceVersion, and half of these are its icon and the examples in
// its annotations.
func (b bundle) manifests(modes string) (list []string) {
	if b.objects == 0 {
		return nil
	}
	fill := func(n int, item func(i int) string) string {
		var items []string
		for size := 0; size < n; size += len(items[len(items)-1]) + 1 {
			items = append(items, item(len(items)))
		}
		return strings.Join(items, ",")
	}
	for _, a := range b.apis {
		list = append(list, fmt.Sprintf(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"resource%d.%s.example.com"},"spec":{"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{%s}}}}]}}`,
			a.number, packageName(a.pkg), fill(b.objects/2/len(b.apis), func(i int) string {
				return fmt.Sprintf(`"field%d":{"description":"What the field is for, and which values it may have.","type":"object","properties":{"name":{"type":"string"},"size":{"type":"integer","minimum":1}}}`, i)
			})))
	}
	examples := "[" + fill(b.objects/8, func(i int) string {
		return fmt.Sprintf(`{"apiVersion":"%s.example.com/v1","kind":"Resource%d","metadata":{"name":"example"},"spec":{"size":%d}}`, packageName(b.pkg), i, b.version)
	}) + "]"
	return append(list, fmt.Sprintf(`{"apiVersion":"operators.coreos.com/v1alpha1","kind":"ClusterServiceVersion","metadata":{"annotations":{"alm-examples":%q,"capabilities":"Basic Install"},"labels":{"operatorframework.io/arch.amd64":"supported"},"name":%q},"spec":{"description":"What the operator does.","icon":[{"base64data":%q,"mediatype":"image/png"}],"install":{"spec":{"clusterPermissions":[{"rules":[%s]}]},"strategy":"deployment"},%s,"minKubeVersion":"1.20.0","version":%q}}`,
		examples, bundleName(b.pkg, b.version), strings.Repeat("QUJDRA==", b.objects/64), fill(b.objects/4, func(i int) string {
			return fmt.Sprintf(`{"apiGroups":["group%d.example.com"],"resources":["resources","resources/status"],"verbs":["create","get","list","patch","update","watch"]}`, i)
		}), modes, versionText(b.version)))
}
