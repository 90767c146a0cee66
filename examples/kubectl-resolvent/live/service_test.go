package live

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
