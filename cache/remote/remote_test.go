package remote_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/remote"
)

// silent is a server that never answers; it counts requests.
type silent struct{ requests int }

func (s *silent) RoundTrip(r *http.Request) (*http.Response, error) {
	s.requests++
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// Without options, a server gets five times 30 seconds to answer, with pauses of 250
// milliseconds, twice as much and so on, and up to half of that in addition.
func TestDefaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &silent{}
		origin, err := cache.Open("http://server.example/c", cache.OriginOptions{Remote: remote.Options{Transport: server}.Open})
		require.NoError(t, err)
		start := time.Now()
		_, err = origin.Load(t.Context())
		require.Error(t, err)
		assert.Equal(t, 5, server.requests)
		const pauses = 250 * time.Millisecond * (1 + 2 + 4 + 8)
		took := time.Since(start) - 5*30*time.Second
		assert.GreaterOrEqual(t, took, pauses)
		assert.LessOrEqual(t, took, pauses+pauses/2+time.Millisecond)
	})
}
