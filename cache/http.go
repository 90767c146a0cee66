package cache

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/document"
	"github.com/resolvent/resolvent/cache/internal/remote"
)

// HTTPOptions are the options of requests to a server. The zero value works: it makes up
// to five attempts within some seconds, and waits 30 seconds for each part of an answer.
type HTTPOptions struct {
	// Transport makes the requests; default [http.DefaultTransport].
	Transport http.RoundTripper
	// Attempts is how many requests are made until one succeeds; default 5.
	Attempts int
	// Wait is the time before the second attempt; default 250 milliseconds. It
	// doubles with each further one, and up to half of it is added at random.
	Wait time.Duration
	// Idle is how long a server may send nothing; default 30 seconds.
	Idle time.Duration
}

// HTTP returns the catalog of a catalogd server, by the base URL that
// status.urls.base of the ClusterCatalog states; a URL that ends with the extension of
// a catalog file, such as .json or .tar.gz, is that file instead.
//
// A [Cache] that has read the catalog gets it again only if it has changed, by
// Last-Modified and ETag. With an index, these identify the content, and the catalog is
// sent only if the index does not have it. Requests that fail with 404 or 5xx, without
// an answer or in the middle of one are repeated.
//
// A redirect to another host is not followed. An answer that is cut in the middle is
// an error, and so is one that passes a limit.
func HTTP(base string, opts OriginOptions) (Origin, error) {
	at, err := url.Parse(base)
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
		return nil, fmt.Errorf("%q is no URL of a catalog: it is like https://HOST/catalogs/NAME", base)
	}
	if !isFile(at.Path) && !strings.HasSuffix(at.Path, allOf) {
		at = at.JoinPath(allOf)
	}
	return &httpSource{at: at, client: remote.Client(opts.HTTP), opts: opts}, nil
}

// allOf is where catalogd has all of a catalog.
const allOf = "/api/v1/all"

// isFile reports whether a path is named like a file that is read.
func isFile(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".tar", ".tgz", ".gz", ".zst":
		return true
	}
	return document.IsCatalogFile(name)
}

// httpSource gets a catalog from a server. Unlike a Versioned, it learns in one request
// whether the catalog has changed and, if so, what it is now.
type httpSource struct {
	at     *url.URL
	client remote.Client
	opts   OriginOptions

	mu   sync.Mutex
	last httpVersion // of what was read last
}

// httpVersion is a version with the validators from which it was made.
type httpVersion struct {
	text       string
	validators remote.Validators
}

// Load implements Source.
func (s *httpSource) Load(ctx context.Context) (*catalog.Snapshot, error) {
	read, err := s.load(ctx, "")
	return read.snapshot, err
}

// LoadChecked implements Origin.
func (s *httpSource) LoadChecked(ctx context.Context) (checked *Checked, err error) {
	err = s.get(ctx, remote.Validators{}, func(r *remote.Response) error {
		checked, err = loadCheckedFrom(ctx, s.tree(r), s.opts.Options)
		return err
	})
	return checked, err
}

// load reads the catalog unless it is that of the known version.
func (s *httpSource) load(ctx context.Context, known string) (read sourceRead, err error) {
	if known == "" && s.opts.Index.Dir != "" {
		// Without validators, or without an answer, the catalog itself is requested.
		if validators, err := s.client.Head(ctx, s.at); err == nil && validators.Known() {
			version := s.version(validators)
			// What is refused is reported when the answer is read.
			if read.snapshot, _ = s.opts.Index.read(ctx, version, s.opts.Options); read.snapshot != nil {
				read.version = version
				s.remember(httpVersion{version, validators})
				return read, nil
			}
		}
	}
	err = s.get(ctx, s.validators(known), func(r *remote.Response) error {
		if r.Unchanged {
			read = sourceRead{version: known}
			return nil
		}
		read, err = s.read(ctx, r, known)
		return err
	})
	return read, err
}

// read reads an answer, or takes from the index what it would be.
func (s *httpSource) read(ctx context.Context, r *remote.Response, known string) (read sourceRead, err error) {
	var sum hash.Hash
	if r.Known() {
		read.version = s.version(r.Validators)
	} else {
		// What the server does not identify, its content does.
		sum = sha256.New()
		r.Body = teeBody{io.TeeReader(r.Body, sum), r.Body}
	}
	load := func(ctx context.Context) (*catalog.Snapshot, error) {
		return loadFrom(ctx, s.tree(r), s.opts.Options)
	}
	if s.opts.Index.Dir != "" {
		content := func(context.Context) (string, error) { return read.version, nil }
		read.snapshot, err = s.opts.Index.Load(ctx, content, s.opts.Options, load)
	} else {
		read.snapshot, err = load(ctx)
	}
	if err != nil {
		return sourceRead{}, err
	}
	if sum != nil {
		read.version = "sha256:" + hex.EncodeToString(sum.Sum(nil))
	}
	if read.version == known {
		read.snapshot = nil
	}
	s.remember(httpVersion{read.version, r.Validators})
	return read, nil
}

type teeBody struct {
	io.Reader
	io.Closer
}

// get requests the catalog until use has read a whole answer.
func (s *httpSource) get(ctx context.Context, known remote.Validators, use func(*remote.Response) error) error {
	err := s.client.Retry(ctx, func() error {
		r, err := s.client.Get(ctx, s.at, known)
		if err != nil {
			return err
		}
		defer r.Body.Close()
		return use(r)
	})
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return fmt.Errorf("%w; name the authority that signed it (--ca-file), or read from a pipe what 'curl -k' gets", err)
	}
	if failure, ok := errors.AsType[*remote.Error](err); ok && failure.Status == 0 && ctx.Err() == nil {
		return fmt.Errorf("%w; 'kubectl -n olmv1-system port-forward service/catalogd-service 8443:443' makes the catalogd of a cluster answer at https://localhost:8443/catalogs/NAME", err)
	}
	return err
}

// tree returns how the files of an answer are opened.
func (s *httpSource) tree(r *remote.Response) treeOpener {
	return func(ctx context.Context) (fs.FS, func(), error) {
		return s.opts.unpack(ctx, path.Base(s.at.Path), r.Body, func() {})
	}
}

// version identifies the content with validators.
func (s *httpSource) version(v remote.Validators) string {
	return fmt.Sprintf("%s %q %q", s.at.Redacted(), v.ETag, v.LastModified)
}

func (s *httpSource) remember(v httpVersion) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = v
}

// validators returns those of a version, if it is the one that was read last.
func (s *httpSource) validators(version string) remote.Validators {
	s.mu.Lock()
	defer s.mu.Unlock()
	if version == "" || s.last.text != version {
		return remote.Validators{}
	}
	return s.last.validators
}
