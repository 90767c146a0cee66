package live

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/portforward"
	"k8s.io/client-go/transport/spdy"
)

// forward connects to a port of a pod through the API server, as kubectl port-forward
// does, but without a port on this machine that others could use.
func (c *connection) forward(namespace, pod, port string) (net.Conn, error) {
	server, _, err := rest.DefaultServerUrlFor(c.config)
	if err != nil {
		return nil, err
	}
	at := server.JoinPath("api/v1/namespaces", namespace, "pods", pod, "portforward")
	transport, upgrader, err := spdy.RoundTripperFor(c.config)
	if err != nil {
		return nil, err
	}
	newer, err := portforward.NewSPDYOverWebsocketDialer(at, c.config)
	if err != nil {
		return nil, err
	}
	// More proxies let WebSockets pass, and older API servers know SPDY only.
	older := spdy.NewDialer(upgrader, &http.Client{Transport: transport}, http.MethodPost, at)
	dialer := portforward.NewFallbackDialer(newer, older, func(error) bool { return true })
	to, protocol, err := dialer.Dial(portforward.PortForwardProtocolV1Name)
	if err == nil && protocol != portforward.PortForwardProtocolV1Name {
		to.Close()
		err = fmt.Errorf("the server speaks %q, not %q", protocol, portforward.PortForwardProtocolV1Name)
	}
	if err != nil {
		return nil, fmt.Errorf("port-forward to pod %s/%s: %w", namespace, pod, err)
	}
	headers := http.Header{}
	headers.Set(corev1.PortHeader, port)
	headers.Set(corev1.PortForwardRequestIDHeader, "0")
	headers.Set(corev1.StreamType, corev1.StreamTypeError)
	failures, err := to.CreateStream(headers)
	if err != nil {
		to.Close()
		return nil, err
	}
	failures.Close() // only the pod writes to it
	headers.Set(corev1.StreamType, corev1.StreamTypeData)
	data, err := to.CreateStream(headers)
	if err != nil {
		to.Close()
		return nil, err
	}
	return &forwarded{data, failures, to}, nil
}

// forwarded is a connection to a port of a pod.
type forwarded struct {
	io.ReadWriteCloser
	// failures is what the other end says of a connection that it cannot make.
	failures io.Reader
	// all is the connection to the API server.
	all io.Closer
}

// Read implements [net.Conn].
func (f *forwarded) Read(to []byte) (int, error) {
	n, err := f.ReadWriteCloser.Read(to)
	if err != nil {
		const most = 4096
		if text, _ := io.ReadAll(io.LimitReader(f.failures, most)); len(text) > 0 {
			err = errors.New(strings.TrimSpace(string(text)))
		}
	}
	return n, err
}

// Close implements [net.Conn].
func (f *forwarded) Close() error { return f.all.Close() }

// podAddress is the address of a port of a pod, of which the API server does not tell.
type podAddress struct{}

func (podAddress) Network() string { return "pod" }
func (podAddress) String() string  { return "pod" }

// The rest of [net.Conn]. There are no deadlines: who waits closes the connection.

func (*forwarded) LocalAddr() net.Addr              { return podAddress{} }
func (*forwarded) RemoteAddr() net.Addr             { return podAddress{} }
func (*forwarded) SetDeadline(time.Time) error      { return nil }
func (*forwarded) SetReadDeadline(time.Time) error  { return nil }
func (*forwarded) SetWriteDeadline(time.Time) error { return nil }
