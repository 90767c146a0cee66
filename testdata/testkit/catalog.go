package testkit

import (
	"context"
	"io/fs"
	"testing/fstest"

	"golang.org/x/tools/txtar"
)

// Tree returns the files of a txtar text.
func Tree(text string) fs.FS {
	tree := fstest.MapFS{}
	for _, f := range txtar.Parse([]byte(text)).Files {
		tree[f.Name] = &fstest.MapFile{Data: f.Data, Mode: 0o644}
	}
	return tree
}

// Etcd is a small catalog without faults.
const Etcd = `
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

// Static returns a cache.Source of a snapshot.
func Static[S any](snapshot S) Source[S] { return Source[S]{snapshot} }

// Source is the result of [Static].
type Source[S any] struct{ snapshot S }

// Load implements cache.Source.
func (s Source[S]) Load(context.Context) (S, error) { return s.snapshot, nil }
