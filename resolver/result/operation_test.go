package result_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/result"
)

func TestOperationString(t *testing.T) {
	bundle := catalog.BundleKey{Catalog: catalog.Key{Name: "coast"}, Package: "ferry", Name: "ferry.v1"}
	assert.Equal(t, "install ferry.v1 from coast, channel stable", result.Operation{Action: "install", Bundle: bundle, Channel: "stable"}.String())
	assert.Equal(t, "install ferry.v1 from coast", result.Operation{Action: "install", Bundle: bundle}.String(), "a ClusterExtension needs no channel")
	assert.Equal(t, "keep ferry.v1", result.Operation{Action: "keep", Bundle: bundle}.String())
}
