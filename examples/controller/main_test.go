package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache/catalog"
)

func TestFlags(t *testing.T) {
	sources := catalogFlags{}
	require.NoError(t, sources.Set("olm/coast=../../testdata/catalogs/coast"))
	snapshot, err := sources[catalog.Key{Namespace: "olm", Name: "coast"}].Load(t.Context())
	require.NoError(t, err)
	assert.NotNil(t, snapshot.Package("ferry"))
	assert.EqualError(t, sources.Set("olm/coast=elsewhere"), "catalog olm/coast is given twice")
	for _, wrong := range []string{"", "coast", "olm/coast", "/coast=x", "olm/=x", "olm/coast=", "olm/island=docker://IMAGE"} {
		assert.Error(t, sources.Set(wrong), wrong)
	}
	assert.Error(t, run(t.Context(), []string{"--kubeconfig", "missing"}))
	assert.ErrorContains(t, run(t.Context(), []string{"--catalogd-ca-file", "main.go"}), "want PEM")
}
