package registrypod_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/operator-framework/operator-registry/pkg/api"
	registrycache "github.com/operator-framework/operator-registry/pkg/cache"
	"github.com/operator-framework/operator-registry/pkg/server"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/examples/kubectl-resolvent/registrypod"
)

// serve answers as the registry pod of a catalog does, until the test ends.
func serve(t testing.TB, registry api.RegistryServer) func(context.Context) (net.Conn, error) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := grpc.NewServer()
	api.RegisterRegistryServer(s, registry)
	go s.Serve(listener)
	t.Cleanup(s.Stop)
	return func(ctx context.Context) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "tcp", listener.Addr().String())
	}
}

// registry is operator-registry's own server of a file-based catalog.
func registry(t testing.TB, catalog fs.FS) api.RegistryServer {
	t.Helper()
	store, err := registrycache.New(t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() { store.Close() })
	require.NoError(t, registrycache.LoadOrRebuild(t.Context(), store, catalog))
	return server.NewRegistryServer(store)
}

func TestTmp(t *testing.T) {
	var dirs []string
	for _, p := range []string{"../../../testdata/catalogs/*", "../../../../shared/catalogs/*"} {
		m, _ := filepath.Glob(p)
		dirs = append(dirs, m...)
	}
	for _, dir := range dirs {
		func() {
			store, err := registrycache.New(t.TempDir())
			require.NoError(t, err)
			defer store.Close()
			if err := registrycache.LoadOrRebuild(t.Context(), store, os.DirFS(dir)); err != nil {
				fmt.Println(dir, strings.ReplaceAll(err.Error(), "\n", " | "))
				return
			}
			for range 2 {
				start := time.Now()
				source := &registrypod.Source{Name: "x", Dial: serve(t, server.NewRegistryServer(store))}
				got, err := source.Load(t.Context())
				require.NoError(t, err)
				d := time.Since(start)
				start = time.Now()
				want, err := cache.LoadFS(t.Context(), os.DirFS(dir), cache.Options{})
				require.NoError(t, err)
				fmt.Println(dir, got.Len(), want.Len(), len(got.Faults()), len(want.Faults()), d, time.Since(start))
			}
		}()
	}
	_ = errors.New
}
