package cache

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/properties"
)

// A ClusterServiceVersion among the objects of a bundle is read in JSON and in YAML, and an index
// keeps it. Catalogs that differ in it have different digests.
func TestBundleObjects(t *testing.T) {
	csv := func(mode string) string {
		return base64.StdEncoding.EncodeToString([]byte(`{"kind":"ClusterServiceVersion","metadata":{"annotations":{"a":"b"}},"spec":{"installModes":[{"type":"` + mode + `","supported":true}],"minKubeVersion":"1.20.0"}}`))
	}
	const blobs = `{"schema":"olm.package","name":"p","defaultChannel":"c"}
{"schema":"olm.channel","package":"p","name":"c","entries":[{"name":"p.v1"}]}
{"schema":"olm.bundle","package":"p","name":"p.v1","image":"i","properties":[{"type":"olm.bundle.object","value":{"data":"e30="}},{"type":"olm.bundle.object","value":{"data":%q}},{"type":"olm.package","value":{"packageName":"p","version":"1.0.0"}}]}
`
	asJSON := fmt.Sprintf(blobs, csv("OwnNamespace"))
	asYAML := `schema: olm.package
name: p
defaultChannel: c
---
schema: olm.channel
package: p
name: c
entries: [{name: p.v1}]
---
schema: olm.bundle
package: p
name: p.v1
image: i
properties:
- type: olm.bundle.object
  value: {data: e30=}
- type: olm.bundle.object
  value:
    data: |-
      ` + strings.Replace(csv("OwnNamespace"), "S", "S\n      ", 1) + `
- type: olm.package
  value: {packageName: p, version: 1.0.0}
`
	digests := map[string]bool{}
	for _, text := range []string{asJSON, asYAML, fmt.Sprintf(blobs, csv("AllNamespaces"))} {
		s := parse(t, text)
		m := s.Bundle(0).Properties.Metadata()
		require.NotNil(t, m)
		assert.Equal(t, "1.20.0", m.MinKubeVersion)
		assert.Equal(t, strings.Contains(text, csv("AllNamespaces")), m.Supports(properties.AllNamespaces))
		content, err := s.Content(t.Context())
		require.NoError(t, err)
		digests[content] = true
		checkIndex(t, s, Options{})
	}
	assert.Len(t, digests, 2)
}
