package apiserver

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/connrotation"
)

// traffic counts the requests of one client, and can break its connections.
type traffic struct {
	connections *connrotation.Dialer
	requests    atomic.Int64
	// conditions and events are writes that were accepted; conflicts are writes that
	// were refused because the object had changed.
	conditions, events, conflicts atomic.Int64
	// refusals are requests that the account may not make; startRefusals those while
	// the server starts, which does not know then what accounts may do.
	refusals, startRefusals atomic.Int64
	// written are the conditions written into each object, by its path.
	written sync.Map
	isDown  *atomic.Bool
	testing.TB
}

// watchTraffic has the requests counted that are made with the configuration.
func watchTraffic(t testing.TB, config *rest.Config, isDown *atomic.Bool) *traffic {
	w := &traffic{
		connections: connrotation.NewDialer((&net.Dialer{Timeout: 10 * time.Second}).DialContext),
		isDown:      isDown, TB: t,
	}
	config.Dial = w.connections.DialContext
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return counted{w, next} })
	return w
}

type counted struct {
	*traffic
	next http.RoundTripper
}

func (c counted) RoundTrip(r *http.Request) (*http.Response, error) {
	wasDown := c.isDown.Load()
	answer, err := c.next.RoundTrip(r)
	c.requests.Add(1)
	if err != nil {
		return nil, err
	}
	switch {
	case answer.StatusCode == http.StatusForbidden || answer.StatusCode == http.StatusUnauthorized:
		if wasDown || c.isDown.Load() {
			c.startRefusals.Add(1)
			break
		}
		c.refusals.Add(1)
		c.Logf("refused: %s %s: %s", r.Method, r.URL.Path, answer.Status)
	case answer.StatusCode == http.StatusConflict:
		c.conflicts.Add(1)
	case r.Method == http.MethodGet || answer.StatusCode >= 300:
	case strings.HasSuffix(r.URL.Path, "/status"):
		c.conditions.Add(1)
		n, _ := c.written.LoadOrStore(r.URL.Path, new(atomic.Int64))
		n.(*atomic.Int64).Add(1)
	default:
		c.events.Add(1)
	}
	return answer, nil
}

// writes is how much was written.
func (w *traffic) writes() int64 { return w.conditions.Load() + w.events.Load() }

// conditionsOf returns how often conditions were written into a Subscription.
func (w *traffic) conditionsOf(namespace, name string) int64 {
	n, ok := w.written.Load("/apis/operators.coreos.com/v1alpha1/namespaces/" + namespace + "/subscriptions/" + name + "/status")
	if !ok {
		return 0
	}
	return n.(*atomic.Int64).Load()
}

func (w *traffic) String() string {
	return fmt.Sprintf("%d requests; writes: %d conditions, %d events; %d conflicts; refusals: %d, and %d while the server started",
		w.requests.Load(), w.conditions.Load(), w.events.Load(), w.conflicts.Load(), w.refusals.Load(), w.startRefusals.Load())
}
