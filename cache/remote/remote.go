package remote

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/resolvent/resolvent/cache/internal/task"
)

// validators identify the content of a file to its server.
type validators struct{ ETag, LastModified string }

// known reports whether there are any.
func (v validators) known() bool { return v != validators{} }

// response is an answer of the server.
type response struct {
	validators
	// unchanged: the content is still what the validators of the request identify,
	// and there is no body.
	unchanged bool
	body      io.ReadCloser
}

// transferError is the error of a failed request.
type transferError struct {
	url    string // without a password
	status int    // of the answer, 0 if there was none
	// temporary: another attempt may succeed, after the pause.
	temporary bool
	pause     time.Duration
	err       error
}

func (e *transferError) Error() string { return e.url + ": " + e.err.Error() }

func (e *transferError) Unwrap() error { return e.err }

// maxPause bounds the pause that a server demands (Retry-After).
const maxPause = time.Minute

// errIdle is the error of a server that goes silent.
var errIdle = errors.New("the server sent nothing")

// shown returns a URL without its user, password and query, which may be secret.
func shown(at *url.URL) string {
	public := *at
	public.User, public.Fragment = nil, ""
	if public.RawQuery != "" {
		public.RawQuery = "..."
	}
	return public.String()
}

// head requests the validators of a file.
func (o Options) head(ctx context.Context, at *url.URL) (validators, error) {
	answer, err := o.do(ctx, http.MethodHead, at, validators{})
	if err != nil {
		return validators{}, err
	}
	return answer.validators, answer.body.Close()
}

// do requests a file once. The caller must close the body, whose reading ends with ctx.
func (o Options) do(ctx context.Context, method string, at *url.URL, known validators) (*response, error) {
	fail := func(status int, temporary bool, err error) (*response, error) {
		return nil, &transferError{url: shown(at), status: status, temporary: temporary, err: err}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	idle := cmp.Or(max(o.Idle, 0), 30*time.Second)
	timer := time.AfterFunc(idle, func() { cancel(fmt.Errorf("%w for %v", errIdle, idle)) })
	stop := func() { timer.Stop(); cancel(nil) }
	request, err := http.NewRequestWithContext(ctx, method, at.String(), nil)
	if err != nil {
		stop()
		return fail(0, false, err)
	}
	// With this header, net/http does not unpack the body. Its reader does, within bounds.
	request.Header.Set("Accept-Encoding", "gzip")
	if known.ETag != "" {
		request.Header.Set("If-None-Match", known.ETag)
	}
	if known.LastModified != "" {
		request.Header.Set("If-Modified-Since", known.LastModified)
	}
	client := http.Client{Transport: o.Transport, CheckRedirect: sameHost}
	answer, err := client.Do(request)
	if err != nil {
		temporary, cause := judge(ctx, err)
		stop()
		status := 0
		if answer != nil { // a redirect that is not followed
			status = answer.StatusCode
		}
		return fail(status, temporary, cause)
	}
	got := &response{
		validators: validators{answer.Header.Get("ETag"), answer.Header.Get("Last-Modified")},
		body:       &body{ctx, answer.Body, timer, idle, stop, shown(at)},
	}
	switch {
	case answer.StatusCode == http.StatusNotModified && known.known():
		got.unchanged = true
		return got, got.body.Close()
	case answer.StatusCode != http.StatusOK:
		err = fmt.Errorf("the server answers %s%s", answer.Status, hint(answer.StatusCode))
	case method == http.MethodGet && !framed(answer):
		err = errors.New("the server says neither how long its answer is nor where it ends, so that a part would look like the whole")
	}
	if err != nil {
		got.body.Close()
		seconds, _ := strconv.Atoi(answer.Header.Get("Retry-After"))
		pause := time.Duration(min(max(seconds, 0), int(maxPause/time.Second))) * time.Second
		// A pod that is not the leader answers 404.
		temporary := slices.Contains([]int{http.StatusNotFound, http.StatusRequestTimeout, http.StatusTooManyRequests}, answer.StatusCode)
		return nil, &transferError{shown(at), answer.StatusCode, temporary || answer.StatusCode >= 500, pause, err}
	}
	return got, nil
}

// framed reports whether an incomplete answer can be detected.
func framed(answer *http.Response) bool {
	encoding := answer.Header.Get("Content-Encoding")
	return answer.ContentLength >= 0 || len(answer.TransferEncoding) > 0 || answer.ProtoMajor > 1 || encoding == "gzip"
}

// hint returns a remedy for a status.
func hint(status int) string {
	switch status {
	case http.StatusNotFound:
		return ": the base of a catalog is what status.urls.base of its ClusterCatalog says, as in https://HOST/catalogs/NAME"
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired:
		return ": it wants credentials; only those in a URL, as in https://USER:PASSWORD@HOST, are sent"
	}
	return ""
}

// judge returns whether another attempt may succeed, and the cause of the error. A server
// that goes silent has had its time.
func judge(ctx context.Context, err error) (temporary bool, cause error) {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err // which repeats the URL
	}
	if errors.Is(context.Cause(ctx), errIdle) {
		return false, context.Cause(ctx)
	}
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	_, redirected := errors.AsType[*redirectError](err)
	name, ok := errors.AsType[*net.DNSError](err)
	unknown := ok && name.IsNotFound
	return !untrusted && !redirected && !unknown && ctx.Err() == nil, err
}

// redirectError is a redirect that is not followed.
type redirectError struct {
	to   string
	last bool // of too many
}

func (e *redirectError) Error() string {
	if e.last {
		return fmt.Sprintf("the server redirects more than %d times, at last to %.200s: name a URL that is answered", maxRedirects, e.to)
	}
	return fmt.Sprintf("the server redirects to %.200s, which is not followed: if it is to be trusted, name it instead", e.to)
}

// maxRedirects is that of the standard library.
const maxRedirects = 10

// sameHost refuses redirects to other hosts, and those to unencrypted URLs.
func sameHost(next *http.Request, before []*http.Request) error {
	first := before[0].URL
	if next.URL.Host != first.Host || next.URL.Scheme != first.Scheme && next.URL.Scheme != "https" || len(before) >= maxRedirects {
		return &redirectError{shown(next.URL), len(before) >= maxRedirects}
	}
	return nil
}

// body ends with an error when the server sends nothing for too long.
type body struct {
	ctx   context.Context
	from  io.ReadCloser
	timer *time.Timer
	idle  time.Duration
	stop  func()
	url   string
}

func (b *body) Read(to []byte) (int, error) {
	b.timer.Reset(b.idle)
	n, err := b.from.Read(to)
	if err != nil && err != io.EOF {
		temporary, cause := judge(b.ctx, err)
		if cause == io.ErrUnexpectedEOF {
			cause = errors.New("the connection was cut in the middle of the answer")
		}
		err = &transferError{url: b.url, status: http.StatusOK, temporary: temporary, err: cause}
	}
	return n, err
}

func (b *body) Close() error {
	b.stop()
	return b.from.Close()
}

// retry calls get until it succeeds, fails for good, or has used all attempts. If ctx has
// ended, it returns the error of ctx.
func (o Options) retry(ctx context.Context, get func() error) error {
	attempts, wait := cmp.Or(max(o.Attempts, 0), 5), cmp.Or(max(o.Wait, 0), 250*time.Millisecond)
	for attempt := 1; ; attempt++ {
		err := get()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		failure, ok := errors.AsType[*transferError](err)
		if !ok || !failure.temporary {
			return err
		}
		if attempt == attempts {
			return fmt.Errorf("%w (%d attempts)", err, attempts)
		}
		if end, ok := ctx.Deadline(); ok && time.Until(end) < failure.pause {
			return fmt.Errorf("%w; it asks for a pause that is longer than the time limit: try again later", err)
		}
		task.Sleep(ctx, max(wait+rand.N(wait/2+1), failure.pause))
		wait *= 2
	}
}
