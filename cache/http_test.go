package cache_test

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/remote"
	"github.com/resolvent/resolvent/testdata/packed"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// catalogd is a server that answers as catalogd does, or as a test says.
type catalogd struct {
	*httptest.Server
	mu       sync.Mutex
	text     []byte
	modified time.Time
	// answer, where set, answers instead, and says whether it did.
	answer   func(w http.ResponseWriter, r *http.Request) bool
	requests []string
	sent     atomic.Int64 // bytes of bodies
}

func newCatalogd(t testing.TB) *catalogd {
	t.Helper()
	c := &catalogd{text: packed.Text(t, coastFS), modified: time.Unix(1e9, 0)}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

func (c *catalogd) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	text, modified, answer := c.text, c.modified, c.answer
	condition := ""
	if r.Header.Get("If-Modified-Since") != "" {
		condition = " if modified"
	}
	c.requests = append(c.requests, r.Method+condition)
	c.mu.Unlock()
	if answer != nil && answer(w, r) {
		return
	}
	if r.URL.Path != "/catalogs/c/api/v1/all" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/jsonl")
	http.ServeContent(&counting{w, &c.sent}, r, "", modified, bytes.NewReader(text))
}

type counting struct {
	http.ResponseWriter
	sent *atomic.Int64
}

func (c *counting) Write(text []byte) (int, error) {
	c.sent.Add(int64(len(text))) // before the client has it, and looks
	return c.ResponseWriter.Write(text)
}

// set changes what the server has.
func (c *catalogd) set(text []byte, modified time.Time, answer func(http.ResponseWriter, *http.Request) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.text, c.modified, c.answer = text, modified, answer
}

// asked returns the requests since it was called last.
func (c *catalogd) asked() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := c.requests
	c.requests = nil
	return list
}

// hurried are options that do not wait.
func hurried() httpOptions {
	return httpOptions{HTTP: remote.Options{Attempts: 3, Wait: time.Millisecond, Idle: time.Minute}}
}

// httpOptions are those of a catalog on a server.
type httpOptions struct {
	cache.OriginOptions
	HTTP remote.Options
}

func (o httpOptions) open(from string) (cache.Origin, error) {
	o.Remote = o.HTTP.Open
	return cache.Open(from, o.OriginOptions)
}

func (c *catalogd) source(t testing.TB, opts httpOptions) cache.Source {
	t.Helper()
	source, err := opts.open(c.URL + "/catalogs/c")
	require.NoError(t, err)
	return source
}

// A Cache gets a catalog again only if it has changed.
func TestHTTPConditional(t *testing.T) {
	server := newCatalogd(t)
	c := cache.New(cache.CacheOptions{})
	c.Set(coast, cache.CatalogConfig{Source: server.source(t, hurried())})
	require.NoError(t, c.Refresh(t.Context()))
	first := c.View().Catalog(coast).Snapshot
	assert.Equal(t, []string{"GET"}, server.asked())

	sent := server.sent.Load()
	require.NoError(t, c.Refresh(t.Context()))
	assert.Equal(t, []string{"GET if modified"}, server.asked())
	assert.Same(t, first, c.View().Catalog(coast).Snapshot)
	assert.Equal(t, sent, server.sent.Load())

	server.set(packed.Text(t, coastFS), time.Unix(2e9, 0), nil)
	require.NoError(t, c.Refresh(t.Context()))
	assert.Equal(t, []string{"GET if modified"}, server.asked())
	assert.NotSame(t, first, c.View().Catalog(coast).Snapshot)

	// A server that identifies nothing is known by what it sends.
	server.set(packed.Text(t, coastFS), time.Time{}, nil)
	require.NoError(t, c.Refresh(t.Context()))
	known := c.View().Catalog(coast).Snapshot
	require.NoError(t, c.Refresh(t.Context()))
	assert.Equal(t, []string{"GET if modified", "GET"}, server.asked())
	assert.Same(t, known, c.View().Catalog(coast).Snapshot)
}

// With an index, another process reads nothing but a header.
func TestHTTPIndex(t *testing.T) {
	server := newCatalogd(t)
	opts := hurried()
	opts.Index.Dir = filepath.Join(t.TempDir(), "index")
	first, err := server.source(t, opts).Load(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"HEAD", "GET"}, server.asked())
	sent := server.sent.Load()

	c := cache.New(cache.CacheOptions{})
	c.Set(coast, cache.CatalogConfig{Source: server.source(t, opts)})
	require.NoError(t, c.Refresh(t.Context()))
	assert.Equal(t, []string{"HEAD"}, server.asked())
	assert.Equal(t, sent, server.sent.Load())
	assert.Equal(t, encoded(t, first), encoded(t, c.View().Catalog(coast).Snapshot))
	require.NoError(t, c.Refresh(t.Context()))
	assert.Equal(t, []string{"GET if modified"}, server.asked())

	// One that is damaged is reported once, and made anew.
	list, err := filepath.Glob(filepath.Join(opts.Index.Dir, "*"))
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.NoError(t, os.Truncate(list[0], 100))
	damaged, reports := opts, 0
	damaged.Index.Report = func(error) { reports++ }
	for _, requests := range [][]string{{"HEAD", "GET"}, {"HEAD"}} {
		_, err = server.source(t, damaged).Load(t.Context())
		require.NoError(t, err)
		assert.Equal(t, requests, server.asked())
		assert.Equal(t, 1, reports)
	}

	// A server that knows no HEAD is asked for the catalog.
	server.set(packed.Text(t, coastFS), time.Unix(3e9, 0), func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodHead {
			w.WriteHeader(http.StatusMethodNotAllowed)
		}
		return r.Method == http.MethodHead
	})
	_, err = server.source(t, opts).Load(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"HEAD", "GET"}, server.asked())
}

// What a server may do, and what becomes of it.
func TestHTTPAnswers(t *testing.T) {
	status := func(code int) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(code); return true }
	}
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a redirect was followed") }))
	defer elsewhere.Close()
	text := packed.Text(t, coastFS)
	header := func(rest string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, _ *http.Request) bool {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\n%s", rest)
				conn.Close()
			}
			return true
		}
	}
	for name, test := range map[string]struct {
		answer   func(http.ResponseWriter, *http.Request) bool
		requests int
		want     string // part of the error, "" if there is none
	}{
		"not found":      {status(404), 3, "404 Not Found: the base of a catalog is what status.urls.base"},
		"unavailable":    {status(503), 3, "503 Service Unavailable (3 attempts)"},
		"forbidden":      {status(403), 1, "403 Forbidden: it wants credentials"},
		"gone":           {status(410), 1, "410 Gone"},
		"not modified":   {status(304), 1, "304 Not Modified"},
		"cut":            {header(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(text), text[:len(text)/2])), 3, "the connection was cut in the middle of the answer"},
		"cut chunks":     {header(fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s", len(text), text[:len(text)/2])), 3, "the connection was cut in the middle of the answer"},
		"cut header":     {header("Content-Len"), 3, "connection broken"},
		"without length": {header("\r\n" + string(text)), 1, "neither how long its answer is nor where it ends"},
		"nothing":        {header("Content-Length: 0\r\n\r\n"), 1, "there is nothing in it"},
		"a page":         {header("Content-Length: 6\r\n\r\n<html>"), 1, "it does not begin as a catalog in JSON or YAML does"},
		"broken gzip":    {header("Content-Encoding: gzip\r\nContent-Length: 3\r\n\r\n\x1f\x8b\x08"), 1, "cannot be unpacked"},
		"to another host": {func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, elsewhere.URL, http.StatusFound)
			return true
		}, 1, "which is not followed: if it is to be trusted, name it instead"},
		"to itself": {func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, r.URL.Path, http.StatusFound)
			return true
		}, 10, "the server redirects more than 10 times, at last to "},
		"to a path of it": {func(w http.ResponseWriter, r *http.Request) bool {
			if moved := r.URL.Path != "/catalogs/c/api/v1/all"; moved {
				w.Header().Set("Content-Length", fmt.Sprint(len(text)))
				_, _ = w.Write(text)
			} else {
				http.Redirect(w, r, "/elsewhere", http.StatusFound)
			}
			return true
		}, 2, ""},
		"gzip": {func(w http.ResponseWriter, r *http.Request) bool {
			assert.Equal(t, "gzip", r.Header.Get("Accept-Encoding"))
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(packed.Gzip(t, text))
			return true
		}, 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			server := newCatalogd(t)
			server.set(text, time.Unix(1e9, 0), test.answer)
			_, err := server.source(t, hurried()).Load(t.Context())
			assert.Len(t, server.asked(), test.requests)
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, test.want)
			answered := name != "cut header"
			assert.Equal(t, answered, !strings.Contains(err.Error(), "port-forward"), err)
		})
	}
}

// A pod that becomes the leader while it is asked serves the catalog.
func TestHTTPRetries(t *testing.T) {
	server := newCatalogd(t)
	var asked atomic.Int64
	server.set(packed.Text(t, coastFS), time.Unix(1e9, 0), func(w http.ResponseWriter, _ *http.Request) bool {
		n := asked.Add(1)
		if n < 3 {
			w.WriteHeader(map[int64]int{1: 404, 2: 500}[n])
		}
		return n < 3
	})
	_, err := server.source(t, hurried()).Load(t.Context())
	require.NoError(t, err)
	assert.EqualValues(t, 3, asked.Load())
}

// A server that sends nothing, or without end, is left.
func TestHTTPEndless(t *testing.T) {
	server := newCatalogd(t)
	opts := hurried()
	opts.HTTP.Idle = 20 * time.Millisecond
	wait := func(_ http.ResponseWriter, r *http.Request) bool { <-r.Context().Done(); return true }
	server.set(nil, time.Time{}, wait)
	_, err := server.source(t, opts).Load(t.Context())
	assert.ErrorContains(t, err, "the server sent nothing for 20ms")
	assert.NotContains(t, err.Error(), "attempts", "it is not asked again")
	server.set(nil, time.Time{}, func(w http.ResponseWriter, r *http.Request) bool {
		_, _ = io.WriteString(w, "{")
		w.(http.Flusher).Flush()
		return wait(w, r)
	})
	_, err = server.source(t, opts).Load(t.Context())
	assert.ErrorContains(t, err, "the server sent nothing for 20ms")

	opts = hurried()
	opts.Limits.FileBytes = 1 << 20
	server.set(nil, time.Time{}, func(w http.ResponseWriter, r *http.Request) bool {
		for err := error(nil); err == nil && r.Context().Err() == nil; {
			_, err = w.Write(append([]byte("{"), bytes.Repeat([]byte(" "), 1<<16)...))
		}
		return true
	})
	_, err = server.source(t, opts).Load(t.Context())
	assert.ErrorContains(t, err, "bytes that a file may have")

	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	server.set(nil, time.Time{}, wait)
	_, err = server.source(t, hurried()).Load(ctx)
	assert.ErrorIs(t, err, context.DeadlineExceeded)
}

// A certificate that nobody vouches for is refused.
func TestHTTPS(t *testing.T) {
	secure := httptest.NewUnstartedServer(newCatalogd(t))
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	open := func(opts httpOptions) error {
		source, err := opts.open(secure.URL + "/catalogs/c")
		require.NoError(t, err)
		_, err = source.Load(t.Context())
		return err
	}
	assert.ErrorContains(t, open(hurried()), "name the authority that signed it")
	trusting := hurried()
	authorities := x509.NewCertPool()
	require.True(t, authorities.AppendCertsFromPEM(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw})))
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig.RootCAs = authorities
	trusting.HTTP.Transport = transport
	assert.NoError(t, open(trusting))
}

// cutting is a listener whose connections end after some bytes.
type cutting struct {
	net.Listener
	left *atomic.Int64 // of each connection; endless if negative
}

func (l cutting) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	return &cutConn{conn, l.left.Load()}, err
}

type cutConn struct {
	net.Conn
	left int64
}

func (c *cutConn) Write(text []byte) (int, error) {
	if c.left < 0 {
		return c.Conn.Write(text)
	}
	n, _ := c.Conn.Write(text[:min(int64(len(text)), c.left)])
	if c.left -= int64(n); c.left == 0 {
		c.Close()
		return n, net.ErrClosed
	}
	return n, nil
}

// However a reload is cut, the snapshot that was there stays, and is reported to be
// stale; the next reload that works replaces it.
func TestReloadIsCut(t *testing.T) {
	texts := [][]byte{packed.Text(t, coastFS), []byte(strings.ReplaceAll(string(packed.Text(t, coastFS)), "kraken", "krakon"))}
	catalogs := make([]string, len(texts))
	for i, text := range texts {
		s, err := cache.Parse(t.Context(), text, cache.Options{})
		require.NoError(t, err)
		catalogs[i] = encoded(t, s)
	}
	server := &catalogd{text: texts[0], modified: time.Unix(1e9, 0)}
	var left atomic.Int64
	left.Store(-1)
	server.Server = httptest.NewUnstartedServer(server)
	server.Listener = cutting{server.Listener, &left}
	server.Start()
	defer server.Close()
	opts := hurried()
	opts.HTTP.Attempts = 2
	opts.HTTP.Transport = &http.Transport{DisableKeepAlives: true}
	c := cache.New(cache.CacheOptions{})
	c.Set(coast, cache.CatalogConfig{Source: server.source(t, opts)})
	require.NoError(t, c.Refresh(t.Context()))

	ctx, cancel := context.WithCancel(t.Context())
	var watched sync.WaitGroup
	watched.Go(func() {
		for view := range c.Watch(ctx) {
			// Whoever looks never sees anything but a whole catalog.
			assert.NotNil(t, view.Catalog(coast).Snapshot)
			assert.Empty(t, view.Catalog(coast).Snapshot.Faults())
		}
	})
	random := rand.New(rand.NewPCG(1, 2))
	for round := range testkit.Scale(20, 300) {
		before, now := round%2, (round+1)%2
		server.set(texts[now], time.Unix(1e9+int64(round)*10+10, 0), nil)
		left.Store(random.Int64N(int64(len(texts[now]))))
		err := c.Refresh(t.Context())
		held := c.View().Catalog(coast)
		require.Error(t, err)
		stale, ok := held.Stale.(*cache.StaleError)
		require.True(t, ok, "%v", held.Stale)
		require.ErrorContains(t, stale.Err, "attempts")
		require.False(t, held.Healthy())
		require.Equal(t, catalogs[before], encoded(t, held.Snapshot))

		left.Store(-1)
		require.NoError(t, c.Refresh(t.Context()))
		held = c.View().Catalog(coast)
		require.True(t, held.Healthy())
		require.NoError(t, held.Stale)
		require.Equal(t, catalogs[now], encoded(t, held.Snapshot))
	}
	cancel()
	watched.Wait()
}

// Run makes requests at intervals, and Watch sees what has changed.
func TestHTTPWatch(t *testing.T) {
	server := newCatalogd(t)
	c := cache.New(cache.CacheOptions{})
	c.Set(coast, cache.CatalogConfig{Source: server.source(t, hurried())})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var running sync.WaitGroup
	defer running.Wait()
	running.Go(func() { _ = c.Run(ctx, cache.Schedule{Interval: time.Millisecond, RetryMin: time.Millisecond}) })
	var seen []*catalog.Snapshot
	for view := range c.Watch(ctx) {
		if held := view.Catalog(coast); held.Snapshot != nil && held.Healthy() {
			seen = append(seen, held.Snapshot)
			server.set(packed.Text(t, coastFS), time.Unix(1e9+int64(len(seen)), 0), nil)
		}
		if len(seen) == 3 {
			cancel()
		}
	}
	assert.Len(t, seen, 3)
}

// What is no URL is refused at once, and a password is never shown.
func TestHTTPNames(t *testing.T) {
	for _, url := range []string{"http://", "https:///x", "ftp://example.com/x", "http://[", ""} {
		_, err := remote.Options{}.Open(url)
		assert.ErrorContains(t, err, "is no URL of a catalog: it is like https://HOST/catalogs/NAME", url)
	}
	opts := hurried()
	opts.HTTP.Attempts = 1
	source, err := opts.open("http://secret:secret@127.0.0.1:1/catalogs/c?token=secret#secret")
	require.NoError(t, err)
	_, err = source.Load(t.Context())
	assert.ErrorContains(t, err, "http://127.0.0.1:1/catalogs/c/api/v1/all?...: ")
	assert.ErrorContains(t, err, "kubectl -n olmv1-system port-forward")
	assert.NotContains(t, err.Error(), "secret")
}
