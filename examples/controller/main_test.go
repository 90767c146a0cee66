package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

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
	assert.ErrorContains(t, run(t.Context(), []string{"--approve"}), "name its file with --policy")
	assert.ErrorContains(t, run(t.Context(), []string{"--policy", "main.go"}), "main.go: ")
	assert.ErrorContains(t, run(t.Context(), []string{"--policy", "../../testdata/policies/patches-only.yaml", "--approve", "--kubeconfig", "missing"}), "missing")
}

// TestAuthorityChanges: the file of the authority is read again, without a restart.
func TestAuthorityChanges(t *testing.T) {
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	other, err := x509.CreateCertificate(rand.Reader, &template, &template, key.Public(), key)
	require.NoError(t, err)

	file := filepath.Join(t.TempDir(), "ca.crt")
	client := http.Client{Transport: &trusting{file: file}}
	for _, step := range []struct {
		authority []byte
		want      string
	}{{other, "certificate"}, {server.Certificate().Raw, ""}, {server.Certificate().Raw, ""}, {other, "certificate"}, {nil, "want PEM"}, {server.Certificate().Raw, ""}} {
		var text []byte
		if step.authority != nil {
			text = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: step.authority})
		}
		require.NoError(t, os.WriteFile(file, text, 0o600))
		answer, err := client.Get(server.URL)
		if step.want != "" {
			require.ErrorContains(t, err, step.want)
			continue
		}
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
	}
}
