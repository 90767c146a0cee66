package listing

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/properties"
)

// A group may begin like a version.
func TestGroupLikeVersion(t *testing.T) {
	gvk := properties.GVK{Group: "v1.tide.example.com", Version: "v1", Kind: "Buoy"}
	for text, found := range map[string]bool{
		"Buoy": true, "Buoy.v1": true, "Buoy.v1.v1.tide.example.com": true, "v1.tide.example.com": true,
		"Buoy.v1.tide.example.com": true, "buoys.v1.tide.example.com": true, "buoys.v1.v1.tide.example.com": true,
		"Buoy.v2": false, "Buoy.v2.tide.example.com": false, "buoys.v1": false, "Buoy.v2.v1.tide.example.com": false, "Buoy.tide.example.com": false,
	} {
		assert.Equal(t, found, parseAPI(text).matches(gvk, true), text)
	}
}
