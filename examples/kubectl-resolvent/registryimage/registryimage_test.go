package registryimage_test

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/kubectl-resolvent/registryimage"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// server is a registry in memory that wants a password.
type server struct {
	host string
	// blobs counts requests for layers and configurations.
	blobs atomic.Int32
	// damage, if set, is what all blobs are instead.
	damage atomic.Pointer[string]
	// stall makes requests for blobs wait.
	stall atomic.Bool
	// busy is how often it answers that it is.
	busy atomic.Int32
}

func serve(t testing.TB) *server {
	t.Helper()
	s := &server{}
	images := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.busy.Add(-1) >= 0 {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		if user, password, _ := r.BasicAuth(); user != "ada" || password != "secret" {
			w.Header().Set("WWW-Authenticate", `Basic realm="images"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/blobs/") {
			s.blobs.Add(1)
			if damage := s.damage.Load(); damage != nil {
				io.WriteString(w, *damage)
				return
			}
			if s.stall.Load() {
				<-r.Context().Done()
			}
		}
		images.ServeHTTP(w, r)
	}))
	t.Cleanup(h.Close)
	s.host = strings.TrimPrefix(h.URL, "http://")
	return s
}

// logIn gives the user of this process a password, as docker login does.
func (s *server) logIn(t *testing.T, password string) {
	dir := t.TempDir()
	auth := base64.StdEncoding.EncodeToString([]byte("ada:" + password))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "config.json"), fmt.Appendf(nil, `{"auths":{%q:{"auth":%q}}}`, s.host, auth), 0o600))
	t.Setenv("DOCKER_CONFIG", dir)
}

// push stores an image of a catalog.
func (s *server) push(t testing.TB, reference string, image remote.Taggable) {
	t.Helper()
	at, err := name.ParseReference(s.host + "/" + reference)
	require.NoError(t, err)
	auth := remote.WithAuth(&authn.Basic{Username: "ada", Password: "secret"})
	switch image := image.(type) {
	case v1.Image:
		require.NoError(t, remote.Write(at, image, auth))
	case v1.ImageIndex:
		require.NoError(t, remote.WriteIndex(at, image, auth))
	}
}

// imageOf is an image as opm makes it, with a layer below the catalog.
func imageOf(t testing.TB, folder fs.FS) v1.Image {
	t.Helper()
	below := layerOf(t, func(w *tar.Writer) error {
		if err := w.WriteHeader(&tar.Header{Name: "configs/gone.yaml", Size: 5, Mode: 0o644}); err != nil {
			return err
		}
		_, err := io.WriteString(w, "gone:")
		return err
	})
	files := layerOf(t, func(w *tar.Writer) error {
		if err := w.WriteHeader(&tar.Header{Name: "configs/.wh.gone.yaml"}); err != nil {
			return err
		}
		return fs.WalkDir(folder, ".", func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := fs.ReadFile(folder, file)
			if err != nil {
				return err
			}
			if err := w.WriteHeader(&tar.Header{Name: "configs/" + file, Size: int64(len(text)), Mode: 0o644}); err != nil {
				return err
			}
			_, err = w.Write(text)
			return err
		})
	})
	image, err := mutate.AppendLayers(empty.Image, below, files)
	require.NoError(t, err)
	image, err = mutate.Config(image, v1.Config{Labels: map[string]string{"operators.operatorframework.io.index.configs.v1": "/configs"}})
	require.NoError(t, err)
	return image
}

func layerOf(t testing.TB, write func(*tar.Writer) error) v1.Layer {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	require.NoError(t, write(w))
	require.NoError(t, w.Close())
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b.Bytes())), nil })
	require.NoError(t, err)
	return layer
}

func (s *server) source(t testing.TB, reference string, options cache.OriginOptions) *registryimage.Source {
	t.Helper()
	source, err := registryimage.New(s.host+"/"+reference, nil, nil, options)
	require.NoError(t, err)
	return source
}

// indexed is a catalog as it is kept on disk: the whole snapshot, byte for byte.
func indexed(t testing.TB, load func(context.Context) (*catalog.Snapshot, error)) []byte {
	t.Helper()
	store := cache.IndexStore{Dir: t.TempDir(), Report: func(err error) { t.Error(err) }}
	_, err := store.Load(t.Context(), func(context.Context) (string, error) { return "content", nil }, cache.Options{}, load)
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(store.Dir, "*"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	text, err := os.ReadFile(files[0])
	require.NoError(t, err)
	return text
}

func TestSameAsFolder(t *testing.T) {
	s := serve(t)
	s.logIn(t, "secret")
	for _, catalog := range []string{"coast", "island", "reef"} {
		folder := os.DirFS(filepath.Join("..", "..", "..", "testdata", "catalogs", catalog))
		want := indexed(t, cache.FS(folder, cache.Options{}).Load)
		image := imageOf(t, folder)
		s.push(t, catalog+":latest", image)
		digest, err := image.Digest()
		require.NoError(t, err)
		// Registries hold the images of several platforms as one.
		s.push(t, catalog+":all", mutate.AppendManifests(empty.Index,
			mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: "amd64"}}},
			mutate.IndexAddendum{Add: empty.Image, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "plan9", Architecture: "sparc"}}}))

		for _, reference := range []string{catalog, catalog + ":latest", catalog + "@" + digest.String(), catalog + ":all"} {
			t.Run(reference, func(t *testing.T) {
				source := s.source(t, reference, cache.OriginOptions{})
				assert.Equal(t, want, indexed(t, source.Load))
				version, err := source.Version(t.Context())
				require.NoError(t, err)
				assert.Equal(t, digest.String(), version)
				checked, err := source.LoadChecked(t.Context())
				require.NoError(t, err)
				assert.Equal(t, want, indexed(t, testkit.Static(checked.Snapshot).Load))
			})
		}
	}
}

// TestIndex: layers are fetched once.
func TestIndex(t *testing.T) {
	s := serve(t)
	s.logIn(t, "secret")
	s.push(t, "coast", imageOf(t, os.DirFS("../../../testdata/catalogs/coast")))
	options := cache.OriginOptions{Index: cache.IndexStore{Dir: t.TempDir(), Report: func(err error) { t.Error(err) }}}
	_, err := s.source(t, "coast", options).Load(t.Context())
	require.NoError(t, err)
	s.blobs.Store(0)
	again, err := s.source(t, "coast", options).Load(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 20, again.Len())
	assert.EqualValues(t, 1, s.blobs.Load(), "the configuration, which names the folder")
}

func TestFailures(t *testing.T) {
	s := serve(t)
	s.logIn(t, "secret")
	s.push(t, "coast", imageOf(t, os.DirFS("../../../testdata/catalogs/coast")))
	s.push(t, "plain", empty.Image)
	load := func(reference string) error {
		_, err := s.source(t, reference, cache.OriginOptions{}).Load(t.Context())
		return err
	}
	assert.ErrorContains(t, load("nothing"), "NAME_UNKNOWN")
	assert.ErrorContains(t, load("plain"), "it has no label operators.operatorframework.io.index.configs.v1")
	_, err := registryimage.New("UPPER/case", nil, nil, cache.OriginOptions{})
	assert.Error(t, err)

	damage := "not a layer"
	s.damage.Store(&damage)
	assert.Error(t, load("coast"))
	s.damage.Store(nil)

	s.logIn(t, "wrong")
	assert.ErrorContains(t, load("coast"), "'docker login "+s.host+"' or 'podman login' stores the credentials that are used")
}

// TestCancel: a context that ends while a registry is silent ends the reading at once.
func TestCancel(t *testing.T) {
	s := serve(t)
	s.logIn(t, "secret")
	s.push(t, "coast", imageOf(t, os.DirFS("../../../testdata/catalogs/coast")))
	s.stall.Store(true)
	source := s.source(t, "coast", cache.OriginOptions{})
	_, err := testkit.CancelAfter(t.Context(), testkit.Latency, func(ctx context.Context) error {
		_, err := source.Load(ctx)
		return err
	})
	assert.ErrorIs(t, err, context.Canceled)
}

// TestMirrors: an image is read from the first mirror that has it, else from where it is
// said to be, after the pause that a registry demands.
func TestMirrors(t *testing.T) {
	s := serve(t)
	s.logIn(t, "secret")
	folder := os.DirFS(filepath.Join("..", "..", "..", "testdata", "catalogs", "coast"))
	s.push(t, "sea/coast:latest", imageOf(t, folder))
	load := func(image string, mirrors ...registryimage.Mirror) error {
		source, err := registryimage.New(image, mirrors, nil, cache.OriginOptions{})
		require.NoError(t, err)
		_, err = source.Load(t.Context())
		return err
	}
	unreachable := "127.0.0.1:1"
	require.Error(t, load(unreachable+"/coast"))
	require.NoError(t, load(unreachable+"/coast", registryimage.Mirror{Of: unreachable, At: s.host + "/lake"}, registryimage.Mirror{Of: unreachable, At: s.host + "/sea"}))
	require.NoError(t, load(s.host+"/sea/coast", registryimage.Mirror{Of: s.host + "/sea", At: unreachable}))
	require.Error(t, load(unreachable+"/coast", registryimage.Mirror{Of: unreachable + "/coa", At: s.host + "/sea/coa"}), "a part of a name is no place")
	s.busy.Store(2)
	require.NoError(t, load(s.host+"/sea/coast"))
	assert.Negative(t, s.busy.Load())
	_, err := registryimage.New("example.com/coast", []registryimage.Mirror{{Of: "example.com", At: "UPPER case"}}, nil, cache.OriginOptions{})
	assert.ErrorContains(t, err, "the mirror UPPER case")
}

// TestAuthority: a registry whose certificate another authority signed is read with that.
func TestAuthority(t *testing.T) {
	images := httptest.NewTLSServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(images.Close)
	at := strings.TrimPrefix(images.URL, "https://") + "/coast"
	reference, err := name.ParseReference(at)
	require.NoError(t, err)
	require.NoError(t, remote.Write(reference, imageOf(t, os.DirFS(filepath.Join("..", "..", "..", "testdata", "catalogs", "coast"))), remote.WithTransport(images.Client().Transport)))
	for _, transport := range []http.RoundTripper{nil, images.Client().Transport} {
		source, err := registryimage.New(at, nil, transport, cache.OriginOptions{})
		require.NoError(t, err)
		_, err = source.Load(t.Context())
		assert.Equal(t, transport == nil, err != nil, err)
	}
}

type answering func(*http.Request) (*http.Response, error)

func (f answering) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestRetryAfter: the pause that a registry demands is made, up to a minute; without one the
// registry's client pauses for a second.
func TestRetryAfter(t *testing.T) {
	for header, want := range map[string]time.Duration{"7": 7 * time.Second, "60": time.Minute, "61": time.Second, "-1": time.Second, "soon": time.Second, "": time.Second} {
		synctest.Test(t, func(t *testing.T) {
			asked := 0
			source, err := registryimage.New("registry.example/coast:1", nil, answering(func(r *http.Request) (*http.Response, error) {
				answer := &http.Response{Request: r, StatusCode: http.StatusNotFound, Header: http.Header{}, Body: http.NoBody}
				if strings.Contains(r.URL.Path, "/manifests/") {
					if asked++; asked == 1 {
						answer.StatusCode = http.StatusTooManyRequests
						answer.Header.Set("Retry-After", header)
					}
				} else if r.URL.Path == "/v2/" {
					answer.StatusCode = http.StatusOK
				}
				return answer, nil
			}), cache.OriginOptions{})
			require.NoError(t, err)
			began := time.Now()
			_, err = source.Version(t.Context())
			require.Error(t, err)
			assert.Equal(t, 2, asked, header)
			assert.InDelta(t, want, time.Since(began), float64(200*time.Millisecond), header)
		})
	}
}
