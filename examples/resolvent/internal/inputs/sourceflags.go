package inputs

import (
	"context"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/remote"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
)

// SourceFlags choose how catalogs are read, wherever they come from.
type SourceFlags struct {
	// indexDir is where indexes are kept, if hasIndexDir is true; empty: nowhere.
	indexDir    string
	hasIndexDir bool
	caFiles     []string
	// Texts has what bundles say to people read.
	Texts bool
	// Objects keeps whole objects of bundles.
	Objects bool
}

func (f *SourceFlags) Register(set *pflag.FlagSet) {
	Group(set, GroupReading, func(set *pflag.FlagSet) {
		set.StringArrayVar(&f.caFiles, "ca-file", nil, "also trust the certificate authorities in a PEM `FILE`; repeatable")
		set.Func("index-cache", "keep indexes of catalogs in folder `DIR`, and read them instead of unchanged catalogs; you can delete the files "+
			"at any time; empty for none (default: your cache folder, for servers and images only)", func(s string) error {
			f.indexDir, f.hasIndexDir = s, true
			return nil
		})
	})
}

// Opener opens catalogs by what --catalog or an argument names.
type Opener func(from string, opts cache.Options) (cache.Origin, error)

// Opener returns how catalogs are opened. A server that sends nothing, or that cannot be reached, is
// given up just before ctx ends, so that this can be said.
func (f *SourceFlags) Opener(ctx context.Context, std Streams) (Opener, error) {
	var server remote.Options
	if end, ok := ctx.Deadline(); ok {
		left := time.Until(end)
		server.Idle = min(30*time.Second, (left * 9 / 10).Round(time.Millisecond))
		server.Wait = min(250*time.Millisecond, left/30) // five attempts wait up to 22.5 times as long
	}
	if len(f.caFiles) > 0 {
		transport, err := trusting(ctx, f.caFiles)
		if err != nil {
			return nil, err
		}
		server.Transport = transport
	}
	options := cache.OriginOptions{Remote: server.Open, Stdin: std.In, IndexFiles: f.hasIndexDir, Index: f.index(std.Err)}
	return func(from string, opts cache.Options) (cache.Origin, error) {
		options := options
		options.Options = opts
		options.Texts, options.Objects = f.Texts, f.Objects
		if std.Live != nil {
			if origin, err := std.Live.Open(from, server.Transport, options); origin != nil || err != nil {
				return origin, err
			}
		}
		return cache.Open(from, options)
	}, nil
}

// index returns where indexes are kept. Without a folder of the user, that is nowhere.
func (f *SourceFlags) index(stderr io.Writer) cache.IndexStore {
	dir := f.indexDir
	if !f.hasIndexDir {
		user, err := os.UserCacheDir()
		if err != nil {
			return cache.IndexStore{}
		}
		dir = filepath.Join(user, "resolvent")
	}
	var mu sync.Mutex // catalogs are read at the same time
	return cache.IndexStore{Dir: dir, Report: func(err error) {
		mu.Lock()
		defer mu.Unlock()
		terminal.Printf(stderr, "--index-cache: %v\n", err)
	}}
}

// maxAuthorityBytes bounds a file of authorities. Those of a system have 0.2 MB.
const maxAuthorityBytes = 16 << 20

// trusting returns a transport that trusts the authorities in files, too.
func trusting(ctx context.Context, files []string) (http.RoundTripper, error) {
	authorities, err := x509.SystemCertPool()
	if err != nil {
		authorities = x509.NewCertPool()
	}
	for _, file := range files {
		text, err := ReadFile(ctx, file, maxAuthorityBytes)
		if err != nil {
			return nil, fmt.Errorf("--ca-file %w", err)
		}
		if !authorities.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("--ca-file %s: it has no PEM certificate; pass a file that has one", file)
		}
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig.RootCAs = authorities
	return transport, nil
}
