package cache_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/remote"
)

// failing is a server that never answers, or refuses at once; it counts requests.
type failing struct {
	silent   bool
	requests int
}

func (s *failing) RoundTrip(r *http.Request) (*http.Response, error) {
	s.requests++
	if !s.silent {
		return nil, errors.New("refused")
	}
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// ended reads a catalog from a server without options, and returns how long that took.
func ended(t *testing.T, server *failing) time.Duration {
	origin, err := cache.Open("http://server.example/c", cache.OriginOptions{Remote: remote.Options{Transport: server}.Open})
	require.NoError(t, err)
	start := time.Now()
	_, err = origin.Load(t.Context())
	require.Error(t, err)
	return time.Since(start)
}

// Without options, a server that refuses is tried five times, with pauses of 250
// milliseconds, twice as much and so on, and up to half of that in addition. One that
// sends nothing has 30 seconds, once.
func TestDefaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &failing{}
		took := ended(t, server)
		assert.Equal(t, 5, server.requests)
		const pauses = 250 * time.Millisecond * (1 + 2 + 4 + 8)
		assert.GreaterOrEqual(t, took, pauses)
		assert.LessOrEqual(t, took, pauses+pauses/2+time.Millisecond)

		server = &failing{silent: true}
		assert.Equal(t, 30*time.Second, ended(t, server))
		assert.Equal(t, 1, server.requests)
	})
}

type answering func(*http.Request) (*http.Response, error)

func (f answering) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestRetryAfter: the pause that a server demands is made, up to a minute.
func TestRetryAfter(t *testing.T) {
	for header, want := range map[string]time.Duration{"": time.Millisecond, "7": 7 * time.Second, "86400": time.Minute, "-1": time.Millisecond, "soon": time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			asked := 0
			transport := answering(func(*http.Request) (*http.Response, error) {
				asked++
				answer := &http.Response{StatusCode: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {header}}, Body: http.NoBody}
				if asked > 1 {
					answer.StatusCode = http.StatusOK
				}
				return answer, nil
			})
			from, err := remote.Options{Transport: transport, Wait: time.Millisecond, Idle: time.Hour}.Open("https://registry.example/catalogs/coast")
			require.NoError(t, err)
			began := time.Now()
			require.NoError(t, from.Get(t.Context(), "", func(string, io.Reader) error { return nil }))
			assert.Equal(t, 2, asked)
			assert.GreaterOrEqual(t, time.Since(began), want, header)
			assert.Less(t, time.Since(began), want+2*time.Millisecond, header)
			if want < time.Second {
				return
			}
			asked, began = 0, time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), want-time.Second)
			defer cancel()
			err = from.Get(ctx, "", func(string, io.Reader) error { return nil })
			assert.ErrorContains(t, err, "it asks for a pause that is longer than the time limit: try again later")
			assert.Zero(t, time.Since(began), "the server says why, and not the clock")
		})
	}
}
