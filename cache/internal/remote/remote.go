// Package remote gets a file from an HTTP server: conditionally, with retries, and
// within bounds of time. What the file is, it does not know; its size is bounded by
// who reads it.
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
	"time"
)

// Client gets files. Zero fields have the defaults of cache.HTTPOptions. It is safe for
// any number of goroutines.
type Client struct {
	Transport http.RoundTripper
	Attempts  int
	Wait      time.Duration // before the second attempt; it doubles with each further one
	Idle      time.Duration // how long the server may send nothing
}

// Validators identify the content of a file to the server that stated them.
type Validators struct{ ETag, LastModified string }

// Known reports whether there are any.
func (v Validators) Known() bool { return v != Validators{} }

// Response is an answer of the server.
type Response struct {
	Validators
	// Unchanged: the content is still what the validators of the request identify,
	// and there is no Body.
	Unchanged bool
	Body      io.ReadCloser
}

// Error is why a file could not be got.
type Error struct {
	// URL is without a password.
	URL string
	// Status is that of the answer, 0 if there was none.
	Status int
	// Temporary: another attempt may succeed.
	Temporary bool
	Err       error
}

func (e *Error) Error() string { return e.URL + ": " + e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

var errIdle = errors.New("the server sent nothing for too long")

// Get requests a file, once. The body must be closed, and is read until ctx ends.
func (c *Client) Get(ctx context.Context, at *url.URL, known Validators) (*Response, error) {
	return c.do(ctx, http.MethodGet, at, known)
}

// Head requests the validators of a file.
func (c *Client) Head(ctx context.Context, at *url.URL) (Validators, error) {
	response, err := c.do(ctx, http.MethodHead, at, Validators{})
	if err != nil {
		return Validators{}, err
	}
	return response.Validators, response.Body.Close()
}

func (c *Client) do(ctx context.Context, method string, at *url.URL, known Validators) (*Response, error) {
	fail := func(status int, temporary bool, err error) (*Response, error) {
		return nil, &Error{at.Redacted(), status, temporary, err}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	idle := cmp.Or(max(c.Idle, 0), 30*time.Second)
	timer := time.AfterFunc(idle, func() { cancel(errIdle) })
	stop := func() { timer.Stop(); cancel(nil) }
	request, err := http.NewRequestWithContext(ctx, method, at.String(), nil)
	if err != nil {
		stop()
		return fail(0, false, err)
	}
	// Set here, it is the reader of the body who unpacks, within bounds.
	request.Header.Set("Accept-Encoding", "gzip")
	if known.ETag != "" {
		request.Header.Set("If-None-Match", known.ETag)
	}
	if known.LastModified != "" {
		request.Header.Set("If-Modified-Since", known.LastModified)
	}
	client := http.Client{Transport: c.Transport, CheckRedirect: sameHost}
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
	response := &Response{
		Validators: Validators{answer.Header.Get("ETag"), answer.Header.Get("Last-Modified")},
		Body:       &body{ctx, answer.Body, timer, idle, stop, at.Redacted()},
	}
	switch {
	case answer.StatusCode == http.StatusNotModified && known.Known():
		response.Unchanged = true
		return response, response.Body.Close()
	case answer.StatusCode != http.StatusOK:
		err = fmt.Errorf("the server answers %s%s", answer.Status, hint(answer.StatusCode))
	case method == http.MethodGet && !framed(answer):
		err = errors.New("the server says neither how long its answer is nor where it ends, so that a part would look like the whole")
	}
	if err != nil {
		response.Body.Close()
		return fail(answer.StatusCode, isTemporary(answer.StatusCode), err)
	}
	return response, nil
}

// framed reports whether the end of an answer can be told from a cut.
func framed(answer *http.Response) bool {
	encoding := answer.Header.Get("Content-Encoding")
	return answer.ContentLength >= 0 || len(answer.TransferEncoding) > 0 || answer.ProtoMajor > 1 || encoding == "gzip"
}

// isTemporary judges by the status. A pod that is not the leader answers 404.
func isTemporary(status int) bool {
	switch status {
	case http.StatusNotFound, http.StatusRequestTimeout, http.StatusTooManyRequests:
		return true
	}
	return status >= 500
}

// hint says what to do about a status.
func hint(status int) string {
	switch status {
	case http.StatusNotFound:
		return ": the base of a catalog is what status.urls.base of its ClusterCatalog says, as in https://HOST/catalogs/NAME"
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired:
		return ": it wants credentials; only those in a URL, as in https://USER:PASSWORD@HOST, are sent"
	}
	return ""
}

// judge says whether a request may succeed the next time, and why it did not.
func judge(ctx context.Context, err error) (temporary bool, cause error) {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err // which repeats the URL
	}
	if errors.Is(context.Cause(ctx), errIdle) {
		return true, errIdle
	}
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	_, redirected := errors.AsType[*redirectError](err)
	name, ok := errors.AsType[*net.DNSError](err)
	unknown := ok && name.IsNotFound
	return !untrusted && !redirected && !unknown && ctx.Err() == nil, err
}

// redirectError is a redirect that is not followed.
type redirectError struct{ to string }

func (e *redirectError) Error() string {
	return fmt.Sprintf("the server redirects to %.200s, which is not followed: if it is to be trusted, name it instead", e.to)
}

// maxRedirects is what the standard library follows.
const maxRedirects = 10

// sameHost refuses redirects to other hosts, and those that give encryption up.
func sameHost(next *http.Request, before []*http.Request) error {
	first := before[0].URL
	if next.URL.Host != first.Host || next.URL.Scheme != first.Scheme && next.URL.Scheme != "https" || len(before) >= maxRedirects {
		return &redirectError{next.URL.Redacted()}
	}
	return nil
}

// body is read until nothing came for too long.
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
		err = &Error{b.url, http.StatusOK, temporary, cause}
	}
	return n, err
}

func (b *body) Close() error {
	b.stop()
	return b.from.Close()
}

// Retry calls get until it succeeds, fails for good, or has failed as often as the
// client allows. A caller's ctx that ends goes before what it made of get.
func (c *Client) Retry(ctx context.Context, get func() error) error {
	attempts, wait := cmp.Or(max(c.Attempts, 0), 5), cmp.Or(max(c.Wait, 0), 250*time.Millisecond)
	for attempt := 1; ; attempt++ {
		err := get()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		failure, ok := errors.AsType[*Error](err)
		if !ok || !failure.Temporary {
			return err
		}
		if attempt == attempts {
			return fmt.Errorf("%w (%d attempts)", err, attempts)
		}
		pause := time.NewTimer(wait + rand.N(wait/2+1))
		select {
		case <-ctx.Done():
		case <-pause.C:
		}
		pause.Stop()
		wait *= 2
	}
}
