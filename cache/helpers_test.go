package cache

import (
	"context"
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/resolvent/resolvent/cache/catalog"
)

// files makes a tree of the files in a txtar text.
func files(text string) fs.FS {
	tree := fstest.MapFS{}
	for _, f := range txtar.Parse([]byte(text)).Files {
		tree[f.Name] = &fstest.MapFile{Data: f.Data, Mode: 0o644}
	}
	return tree
}

func load(t testing.TB, text string) *catalog.Snapshot {
	t.Helper()
	s, err := LoadFS(t.Context(), files(text), Options{})
	require.NoError(t, err)
	return s
}

// parse reads a catalog that must be without fault.
func parse(t testing.TB, text string) *catalog.Snapshot {
	t.Helper()
	s, err := Parse(t.Context(), []byte(text), Options{Strict: true})
	require.NoError(t, err)
	return s
}

func names(s *catalog.Snapshot, ids []catalog.ID) []string {
	list := []string{}
	for _, id := range ids {
		list = append(list, s.Bundle(id).Name)
	}
	return list
}

// bundleNames are the names of all bundles by ID.
func bundleNames(s *catalog.Snapshot) []string {
	list := []string{}
	for id := range catalog.ID(s.Len()) {
		list = append(list, s.Bundle(id).Name)
	}
	return list
}

func faultTexts(faults []catalog.Fault) []string {
	list := []string{}
	for _, f := range faults {
		text := string(f.Code) + " " + f.Error()
		if f.Quarantines {
			text = "! " + text
		}
		list = append(list, text)
	}
	return list
}

// etcd is a small catalog without faults.
const etcd = `
schema: olm.package
name: etcd
defaultChannel: alpha
---
schema: olm.channel
package: etcd
name: alpha
entries:
- {name: etcd.v3, replaces: etcd.v2, skips: [etcd.v1], skipRange: <3.0.0}
- {name: etcd.v2, replaces: etcd.v1}
- {name: etcd.v1}
---
schema: olm.channel
package: etcd
name: beta
entries:
- {name: etcd.v4, replaces: etcd.v3}
- {name: etcd.v3}
---
schema: olm.bundle
package: etcd
name: etcd.v1
image: registry.example/etcd:1
properties:
- {type: olm.package, value: {packageName: etcd, version: 1.0.0}}
---
schema: olm.bundle
package: etcd
name: etcd.v2
image: registry.example/etcd:2
properties:
- {type: olm.package, value: {packageName: etcd, version: 2.0.0}}
- {type: olm.gvk, value: {group: etcd.example, version: v1, kind: Cluster}}
---
schema: olm.bundle
package: etcd
name: etcd.v3
image: registry.example/etcd:3
properties:
- {type: olm.package, value: {packageName: etcd, version: 3.0.0}}
- {type: olm.gvk, value: {group: etcd.example, version: v1, kind: Cluster}}
- {type: olm.label, value: {label: storage}}
---
schema: olm.bundle
package: etcd
name: etcd.v4
image: registry.example/etcd:4
properties:
- {type: olm.package, value: {packageName: etcd, version: 4.0.0}}
- {type: olm.gvk.required, value: {group: dns.example, version: v1, kind: Zone}}
- {type: example.size, value: {cores: 4}}
`

func loadTree(t testing.TB, tree fs.FS) *catalog.Snapshot {
	t.Helper()
	s, err := LoadFS(t.Context(), tree, Options{})
	require.NoError(t, err)
	return s
}

// failedSource is a catalog that cannot be read.
type failedSource struct{ err error }

func failed(err error) Source { return failedSource{err} }

func (s failedSource) Load(context.Context) (*catalog.Snapshot, error) { return nil, s.err }
