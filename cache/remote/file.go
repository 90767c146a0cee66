// Package remote gets catalogs from HTTP servers, such as a catalogd. Requests are
// conditional, retried and bounded in time. Package cache reads the files and bounds their
// size.
package remote

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/internal/document"
)

// Options are the options of requests to a server. The zero value works.
type Options struct {
	// Transport makes the requests; default [http.DefaultTransport].
	Transport http.RoundTripper
	// Attempts is the largest number of requests for one file; default 5.
	Attempts int
	// Wait is the time before the second attempt; default 250 milliseconds. It doubles with
	// each further attempt, and up to half of it is added at random.
	Wait time.Duration
	// Idle is how long a server may send nothing; default 30 seconds.
	Idle time.Duration
}

// Open returns a file on a server, for the field Remote of
// [cache.OriginOptions]. The URL is the base of a catalogd, which status.urls.base of a ClusterCatalog states. With the
// extension of a catalog file, such as .json or .tar.gz, it is the URL of that file.
//
// ETag and Last-Modified avoid sending an unchanged file again. Requests are repeated that
// fail with 404, 408, 429 or 5xx, without an answer or in the middle of one. A server that
// goes silent is not asked again. The wait is at least the pause that the server demands
// (Retry-After); one beyond the deadline of the context is an error. Redirects to other hosts
// are not followed. An incomplete answer is an error.
func (o Options) Open(base string) (cache.RemoteFile, error) {
	at, err := url.Parse(base)
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
		return nil, fmt.Errorf("%q is no URL of a catalog: it is like https://HOST/catalogs/NAME", Public(base))
	}
	if !isFile(at.Path) && !strings.HasSuffix(at.Path, allOf) {
		at = at.JoinPath(allOf)
	}
	return &file{at: at, options: o}, nil
}

// Public returns a URL without its user, password and query, which may be secret. Any other
// text stays as it is.
func Public(from string) string {
	scheme, _, found := strings.Cut(from, "://")
	if !found {
		return from
	}
	at, err := url.Parse(from)
	if err != nil {
		return scheme + "://..."
	}
	return shown(at)
}

// allOf is the path of a whole catalog below the base of a catalogd.
const allOf = "/api/v1/all"

// isFile reports whether a path has an extension of files that are read.
func isFile(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".tar", ".tgz", ".gz", ".zst":
		return true
	}
	return document.IsCatalogFile(name)
}

// file is a file on an HTTP server.
type file struct {
	at      *url.URL
	options Options

	mu sync.Mutex
	// last is the version of the last answer, validators are its validators.
	last       string
	validators validators
}

// Name implements cache.RemoteFile.
func (f *file) Name() string { return path.Base(f.at.Path) }

// Version implements cache.RemoteFile.
func (f *file) Version(ctx context.Context) (string, error) {
	v, err := f.options.head(ctx, f.at)
	if errors.Is(err, errIdle) {
		return "", err
	}
	if err != nil {
		return "", nil // Get will have the same error
	}
	return f.remember(v), nil
}

// Get implements cache.RemoteFile.
func (f *file) Get(ctx context.Context, known string, use func(version string, content io.Reader) error) error {
	err := f.options.retry(ctx, func() error {
		answer, err := f.options.do(ctx, http.MethodGet, f.at, f.validatorsOf(known))
		if err != nil || answer.unchanged {
			return err
		}
		defer answer.body.Close()
		if err := use(f.version(answer.validators), answer.body); err != nil {
			return err
		}
		f.remember(answer.validators)
		return nil
	})
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return fmt.Errorf("%w; name the authority that signed it, or read from a pipe what 'curl -k' gets", err)
	}
	if failure, ok := errors.AsType[*transferError](err); ok && failure.status == 0 && ctx.Err() == nil {
		return fmt.Errorf("%w; 'kubectl -n olmv1-system port-forward service/catalogd-service 8443:443' makes the catalogd of a cluster answer at https://localhost:8443/catalogs/NAME", err)
	}
	return err
}

// version returns the version of content with these validators, "" without any.
func (f *file) version(v validators) string {
	if !v.known() {
		return ""
	}
	query := sha256.Sum256([]byte(f.at.RawQuery))
	return fmt.Sprintf("%s %x %q %q", shown(f.at), query[:8], v.ETag, v.LastModified)
}

func (f *file) remember(v validators) (version string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last, f.validators = f.version(v), v
	return f.last
}

// validatorsOf returns the validators of the version of the last answer.
func (f *file) validatorsOf(version string) validators {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.last != version {
		return validators{}
	}
	return f.validators
}
