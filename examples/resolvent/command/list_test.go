package command

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A group may begin like a version.
func TestGroupLikeVersion(t *testing.T) {
	catalog := filepath.Join(writeFiles(t, map[string]string{"c.json": `{"schema":"olm.package","name":"buoy","defaultChannel":"s"}
{"schema":"olm.channel","package":"buoy","name":"s","entries":[{"name":"buoy.v1"}]}
{"schema":"olm.bundle","package":"buoy","name":"buoy.v1","image":"i/b","properties":[{"type":"olm.package","value":{"packageName":"buoy","version":"1.0.0"}},
  {"type":"olm.gvk","value":{"group":"v1.tide.example.com","version":"v1","kind":"Buoy"}}]}
`}), "c.json")
	for text, found := range map[string]bool{
		"Buoy": true, "Buoy.v1": true, "Buoy.v1.v1.tide.example.com": true, "v1.tide.example.com": true,
		"Buoy.v1.tide.example.com": true, "buoys.v1.tide.example.com": true, "buoys.v1.v1.tide.example.com": true,
		"Buoy.v2": false, "Buoy.v2.tide.example.com": false, "buoys.v1": false, "Buoy.v2.v1.tide.example.com": false, "Buoy.tide.example.com": false,
	} {
		o := run(t, "list", "--provides", text, "--catalog", "olm/c="+catalog)
		assert.Equal(t, found, o.status == exitResolved, "%s\n%s", text, o)
	}
}
