package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/testdata/testkit"
)

// TestMain lets the test binary be the server.
func TestMain(m *testing.M) {
	if os.Getenv("RESOLVENT_MCP_SERVE") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

var given = []string{"-f", "../../testdata/cluster/status.yaml", "--catalog", "olm/coast=../../testdata/catalogs/coast"}

// TestStandardStreams asks a process over its standard input and output, and writes nothing else
// there.
func TestStandardStreams(t *testing.T) {
	process := exec.Command(os.Args[0], given...)
	process.Env = append(os.Environ(), "RESOLVENT_MCP_SERVE=1")
	var stderr bytes.Buffer
	process.Stderr = &stderr
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: process}, nil)
	require.NoError(t, err)
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "status"})
	require.NoError(t, err)
	assert.Contains(t, result.Content[0].(*mcp.TextContent).Text, "attention")
	assert.Contains(t, session.InitializeResult().Instructions, "Begin with status")
	require.NoError(t, session.Close())
	assert.Empty(t, stderr.String())
}

// TestHTTP asks over streamable HTTP, and ends with its context without leaving a goroutine.
func TestHTTP(t *testing.T) {
	before := runtime.NumGoroutine()
	ctx, stop := context.WithCancel(t.Context())
	read, write := io.Pipe()
	ended := make(chan error)
	go func() { ended <- run(ctx, append(given, "--http", "localhost:0"), write) }()
	line, err := bufio.NewReader(read).ReadString('\n')
	require.NoError(t, err)
	url := strings.TrimSpace(strings.TrimPrefix(line, "serving "))
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(ctx, &mcp.StreamableClientTransport{Endpoint: url}, nil)
	require.NoError(t, err)
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "why_not", Arguments: map[string]any{"bundle": "lighthouse"}})
	require.NoError(t, err)
	assert.NotEmpty(t, result.Content)

	// A page of another site cannot use the browser of somebody on this machine.
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(`{}`))
	require.NoError(t, err)
	request.Host = "evil.example.com"
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	answer.Body.Close()
	assert.Equal(t, http.StatusForbidden, answer.StatusCode)

	require.NoError(t, session.Close())
	stop()
	require.NoError(t, <-ended)
	http.DefaultClient.CloseIdleConnections()
	assert.Eventually(t, func() bool { return runtime.NumGoroutine() <= before+2 }, 5*time.Second, 20*time.Millisecond)
}

// TestFlags: what cannot be served is said before anybody asks.
func TestFlags(t *testing.T) {
	for _, c := range []struct{ args, says string }{
		{"", "no catalog"},
		{"gull", "there are no arguments"},
		{"--live -f x --catalog olm/c=x", "leave out -f"},
		{"--catalog olm/c=x --http 0.0.0.0:1", "loopback"},
		{"--catalog olm/c=x --http :1", "loopback"},
		{"--catalog olm/c=x --http example.com:1", "loopback"},
		{"--catalog olm/c=x --http 1", "--http"},
		{"--keep gull", "gull"},
	} {
		assert.ErrorContains(t, run(t.Context(), strings.Fields(c.args), io.Discard), c.says, c.args)
	}
}

// TestClusterGone: a cluster that cannot be reached is said in the answer, in time, and the server
// goes on.
func TestClusterGone(t *testing.T) {
	config := filepath.Join(t.TempDir(), "config")
	require.NoError(t, os.WriteFile(config, []byte("apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters: [{name: c, cluster: {server: 'http://127.0.0.1:1'}}]\ncontexts: [{name: c, context: {cluster: c}}]\n"), 0o600))
	process := exec.Command(os.Args[0], "--live", "--kubeconfig", config, "--timeout", "5s")
	process.Env = append(os.Environ(), "RESOLVENT_MCP_SERVE=1")
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: process}, nil)
	require.NoError(t, err)
	for range 2 {
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "status"})
		require.NoError(t, err)
		assert.True(t, result.IsError)
		assert.Contains(t, result.Content[0].(*mcp.TextContent).Text, "127.0.0.1:1")
	}
	require.NoError(t, session.Close())
}

// TestRunningCluster: objects come from an API server for each call, and catalogs from where they
// were given.
func TestRunningCluster(t *testing.T) {
	var channel atomic.Value
	channel.Store("fast")
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case "/version":
			io.WriteString(w, `{"gitVersion": "v1.31.0"}`)
		case "/apis/operators.coreos.com/v1alpha1/subscriptions":
			io.WriteString(w, `{"apiVersion": "operators.coreos.com/v1alpha1", "kind": "SubscriptionList", "metadata": {}, "items": [{"apiVersion": "operators.coreos.com/v1alpha1",
				"kind": "Subscription", "metadata": {"namespace": "north", "name": "lamp"}, "spec": {"name": "lantern", "channel": "`+channel.Load().(string)+`", "source": "coast", "sourceNamespace": "olm"}}]}`)
		default:
			w.WriteHeader(http.StatusNotFound)
			io.WriteString(w, `{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404}`)
		}
		assert.Equal(t, http.MethodGet, r.Method, r.URL)
	}))
	defer api.Close()
	config := filepath.Join(t.TempDir(), "config")
	require.NoError(t, os.WriteFile(config, []byte("apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters: [{name: c, cluster: {server: '"+api.URL+"'}}]\ncontexts: [{name: c, context: {cluster: c}}]\n"), 0o600))
	process := exec.Command(os.Args[0], "--live", "--kubeconfig", config, "--catalog", "olm/coast=../../testdata/catalogs/coast")
	process.Env = append(os.Environ(), "RESOLVENT_MCP_SERVE=1")
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: process}, nil)
	require.NoError(t, err)
	says := func() string {
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "status"})
		require.NoError(t, err)
		return result.Content[0].(*mcp.TextContent).Text
	}
	assert.Contains(t, says(), "has no channel fast")
	channel.Store("stable")
	assert.Contains(t, says(), "1 to install")
	require.NoError(t, session.Close())
}

// TestOtherImplementation: a client of the protocol's implementation for JavaScript understands
// the server. It is installed for the test, so only the long tests do that, where npm is there.
func TestOtherImplementation(t *testing.T) {
	if testkit.Scale(0, 4) == 0 {
		t.Skip("it takes long: npm installs a package for it")
	}
	npm := testkit.Installed(t, "npm")
	folder := t.TempDir()
	client, err := os.ReadFile("testdata/client.mjs")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "client.mjs"), client, 0o600))
	install := exec.Command(npm, "install", "--no-audit", "--no-fund", "@modelcontextprotocol/sdk@1.32.2")
	install.Dir = folder
	if text, err := install.CombinedOutput(); err != nil {
		t.Skipf("a module that it needs cannot be downloaded: %s", bytes.Join(bytes.Fields(text), []byte(" ")))
	}
	args := []string{"client.mjs", os.Args[0]}
	for _, arg := range given {
		args = append(args, strings.ReplaceAll(arg, "../..", root(t)))
	}
	node := exec.Command("node", args...)
	node.Dir = folder
	node.Stderr = os.Stderr
	text, err := node.Output()
	require.NoError(t, err)
	var got struct {
		Tools         []string
		Schema, Tried string
		Wrong         bool
		Resources     int
	}
	require.NoError(t, json.Unmarshal(text, &got))
	assert.Contains(t, got.Tools, "status")
	assert.Equal(t, "resolvent/v1", got.Schema)
	assert.Contains(t, got.Tried, "After these fixes")
	assert.True(t, got.Wrong)
	assert.NotZero(t, got.Resources)
}

// root is the folder of the project.
func root(t *testing.T) string {
	folder, err := filepath.Abs("../..")
	require.NoError(t, err)
	return folder
}
