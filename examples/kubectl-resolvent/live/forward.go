package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/httpstream"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/portforward"
	"k8s.io/client-go/transport/spdy"
)

// codecs read errors of the API server, and nothing else.
var codecs = serializer.NewCodecFactory(runtime.NewScheme()).WithoutConversion()

// forward connects to a port of a pod through the API server, as kubectl port-forward
// does, but without a port on this machine that others could use.
func (c *Cluster) forward(ctx context.Context, namespace, pod, port string) (net.Conn, error) {
	dialer, err := c.dialer(namespace, pod)
	if err != nil {
		return nil, err
	}
	connection, protocol, err := dialer.Dial(portforward.PortForwardProtocolV1Name)
	if err != nil {
		return nil, fmt.Errorf("port-forward to pod %s/%s: %w", namespace, pod, err)
	}
	if protocol != portforward.PortForwardProtocolV1Name {
		connection.Close()
		return nil, fmt.Errorf("port-forward to pod %s/%s: the server speaks %q, not %q", namespace, pod, protocol, portforward.PortForwardProtocolV1Name)
	}
	f := &forwarded{connection: connection}
	if f.failures, err = f.stream(corev1.StreamTypeError, port); err == nil {
		f.failures.Close() // only the pod writes to it
		f.Stream, err = f.stream(corev1.StreamTypeData, port)
	}
	if err != nil {
		connection.Close()
		return nil, err
	}
	return f, nil
}

// dialer prefers WebSockets, which more proxies let pass, and knows SPDY for older
// API servers.
func (c *Cluster) dialer(namespace, pod string) (httpstream.Dialer, error) {
	server, _, err := rest.DefaultServerUrlFor(c.config)
	if err != nil {
		return nil, err
	}
	at := server.JoinPath("api/v1/namespaces", namespace, "pods", pod, "portforward")
	transport, upgrader, err := spdy.RoundTripperFor(c.config)
	if err != nil {
		return nil, err
	}
	older := spdy.NewDialer(upgrader, &http.Client{Transport: transport}, http.MethodPost, at)
	newer, err := portforward.NewSPDYOverWebsocketDialer(at, c.config)
	if err != nil {
		return nil, err
	}
	return portforward.NewFallbackDialer(newer, older, func(err error) bool {
		return httpstream.IsUpgradeFailure(err) || httpstream.IsHTTPSProxyError(err)
	}), nil
}

// forwarded is a connection to a port of a pod.
type forwarded struct {
	httpstream.Stream
	connection httpstream.Connection
	// failures is what the other end says of a connection that it cannot make.
	failures httpstream.Stream
}

func (f *forwarded) stream(kind, port string) (httpstream.Stream, error) {
	headers := http.Header{}
	headers.Set(corev1.StreamType, kind)
	headers.Set(corev1.PortHeader, port)
	headers.Set(corev1.PortForwardRequestIDHeader, "0")
	return f.connection.CreateStream(headers)
}

// Read implements [net.Conn].
func (f *forwarded) Read(to []byte) (int, error) {
	n, err := f.Stream.Read(to)
	if err != nil {
		const most = 4096
		if text, _ := io.ReadAll(io.LimitReader(f.failures, most)); len(text) > 0 {
			err = errors.New(strings.TrimSpace(string(text)))
		}
	}
	return n, err
}

// Close implements [net.Conn].
func (f *forwarded) Close() error { return f.connection.Close() }

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
