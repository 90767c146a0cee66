package live

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
)

// TestService: a URL of catalogd leads to its service, and to nothing beside it.
func TestService(t *testing.T) {
	for base, want := range map[string]service{
		"https://catalogd-service.olmv1-system.svc/catalogs/coast":        {"olmv1-system", "https:catalogd-service:443", "/catalogs/coast"},
		"http://catalogd.olm.svc.cluster.local:8080/catalogs/coast/":      {"olm", "http:catalogd:8080", "/catalogs/coast"},
		"https://catalogd.olm.svc":                                        {"olm", "https:catalogd:443", "/"},
		"https://catalogd.olm.svc/../../../../namespaces/olm/secrets/key": {"olm", "https:catalogd:443", "/namespaces/olm/secrets/key"},
		"https://catalogd.olm.svc/%2e%2e/%2e%2e/secrets":                  {"olm", "https:catalogd:443", "/secrets"},
	} {
		got, err := parseService(base)
		require.NoError(t, err, base)
		assert.Equal(t, want, got, base)
	}
	for _, base := range []string{"catalogd.olm.svc", "https://elsewhere.example/catalogs", "ftp://catalogd.olm.svc/", "https://a%2fb.olm.svc/", "https://[::1]/", "%"} {
		_, err := parseService(base)
		assert.Error(t, err, base)
	}
}

// TestVersionIsForbidden: the version is one of the things that are named and done without.
func TestVersionIsForbidden(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "no", http.StatusForbidden)
	}))
	defer server.Close()
	var warnings bytes.Buffer
	r := reader{connection: &connection{config: &rest.Config{Host: server.URL}}, warnings: &warnings}
	version, err := r.kubernetesVersion()
	require.NoError(t, err)
	assert.Empty(t, version)
	assert.Contains(t, warnings.String(), "; --kube-version states the version")
}
