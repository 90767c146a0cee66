//go:build linux

package live

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/resolvent/resolvent/examples/resolvent/command"
)

// planServer is an API server with an InstallPlan in each namespace that waits. It refuses
// patches as the real one does, and keeps what was approved.
type planServer struct {
	testing.TB
	brings string
	// changes, gone and forbidden are namespaces whose InstallPlan does so once it was listed.
	changes, gone, forbidden string

	mu       sync.Mutex
	versions map[string]string // by namespace
	approved []string
	patches  int
}

func (s *planServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	object := func(kind, namespace, name string, spec, status map[string]any) map[string]any {
		return map[string]any{"apiVersion": "operators.coreos.com/v1alpha1", "kind": kind,
			"metadata": map[string]any{"name": name, "namespace": namespace, "resourceVersion": s.versions[namespace]}, "spec": spec, "status": status}
	}
	refuse := func(code int, reason metav1.StatusReason) {
		w.WriteHeader(code)
		assert.NoError(s, json.NewEncoder(w).Encode(metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure, Code: int32(code), Reason: reason, Message: string(reason)}))
	}
	var list []any
	kind := ""
	switch {
	case r.URL.Path == "/version":
		assert.NoError(s, json.NewEncoder(w).Encode(map[string]any{"gitVersion": "v1.31.0"}))
		return
	case r.Method == http.MethodPatch:
		s.patches++
		namespace := strings.Split(r.URL.Path, "/")[5]
		var patch struct {
			Metadata struct{ ResourceVersion string }
			Spec     struct{ Approved bool }
		}
		assert.NoError(s, json.NewDecoder(r.Body).Decode(&patch))
		assert.Equal(s, v0+"/namespaces/"+namespace+"/installplans/install-1", r.URL.Path)
		assert.Equal(s, "application/merge-patch+json", r.Header.Get("Content-Type"))
		assert.True(s, patch.Spec.Approved)
		switch {
		case namespace == s.gone:
			refuse(http.StatusNotFound, metav1.StatusReasonNotFound)
		case namespace == s.forbidden:
			refuse(http.StatusForbidden, metav1.StatusReasonForbidden)
		case patch.Metadata.ResourceVersion != s.versions[namespace]:
			refuse(http.StatusConflict, metav1.StatusReasonConflict)
		default:
			s.approved = append(s.approved, namespace)
			assert.NoError(s, json.NewEncoder(w).Encode(object("InstallPlan", namespace, "install-1", nil, nil)))
		}
		return
	case r.URL.Path == v0+"/subscriptions":
		kind = "Subscription"
		for _, namespace := range []string{"dev", "prod"} {
			list = append(list, object(kind, namespace, "ferry", map[string]any{"name": "ferry", "source": "coast", "sourceNamespace": "olm"}, nil))
		}
	case r.URL.Path == v0+"/installplans":
		kind = "InstallPlan"
		for _, namespace := range []string{"dev", "prod"} {
			list = append(list, object(kind, namespace, "install-1", map[string]any{"approval": "Manual", "approved": false, "clusterServiceVersionNames": []any{s.brings}}, map[string]any{"phase": "RequiresApproval"}))
		}
		if s.changes != "" {
			s.versions[s.changes] += "1"
		}
	default:
		refuse(http.StatusNotFound, metav1.StatusReasonNotFound)
		return
	}
	assert.NoError(s, json.NewEncoder(w).Encode(listOf(kind, list...)))
}

const ferryCatalog = `{schema: olm.package, name: ferry, defaultChannel: stable}
---
{schema: olm.channel, package: ferry, name: stable, entries: [{name: ferry.v1.0.0}]}
---
{schema: olm.bundle, package: ferry, name: ferry.v1.0.0, image: registry.example/ferry, properties: [{type: olm.package, value: {packageName: ferry, version: 1.0.0}}]}
`

// terminals returns the two ends of a terminal.
func terminals(t *testing.T) (ours, program *os.File) {
	t.Helper()
	ours, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	require.NoError(t, err)
	t.Cleanup(func() { ours.Close() })
	require.NoError(t, unix.IoctlSetPointerInt(int(ours.Fd()), unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(int(ours.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { program.Close() })
	return ours, program
}

// TestApprove: only what may be approved is, after a question on a terminal or with --yes, and
// only as it was judged.
func TestApprove(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return file
	}
	catalog := write("catalog.yaml", ferryCatalog)
	policy := write("policy.yaml", "{apiVersion: resolvent/v1, kind: Policy, metadata: {name: p}, match: {namespaces: [prod]}, changes: [{name: frozen, deny: \"true\", message: not now}]}\n")
	both := []string{"dev", "prod"}
	for _, c := range []struct {
		name     string
		server   *planServer
		args     []string
		terminal bool
		typed    string
		status   int
		approved []string
		patches  int
		says     []string
	}{
		{name: "neither a terminal nor --yes", typed: "y\n", says: []string{"approve InstallPlan install-1 of namespace prod"}},
		{name: "yes", args: []string{"--yes"}, approved: both, patches: 2, says: []string{"approved InstallPlan install-1 of namespace dev\napproved InstallPlan install-1 of namespace prod\n"}},
		{name: "one namespace", args: []string{"--yes", "-n", "dev"}, approved: both[:1], patches: 1},
		{name: "it has changed", server: &planServer{changes: "dev"}, args: []string{"--yes"}, status: 1, approved: both[1:], patches: 2,
			says: []string{"InstallPlan install-1 of namespace dev is not approved: it has changed since it was judged; ask again\n"}},
		{name: "it is gone", server: &planServer{gone: "dev"}, args: []string{"--yes"}, status: 1, approved: both[1:], patches: 2, says: []string{"is not approved: it is gone; ask again\n"}},
		{name: "no right", server: &planServer{forbidden: "prod"}, args: []string{"--yes"}, status: 1, approved: both[:1], patches: 2, says: []string{"namespace prod is not approved: Forbidden\n"}},
		{name: "stale", server: &planServer{brings: "ferry.v2"}, args: []string{"--yes"}, status: 1, says: []string{"wait InstallPlan"}},
		{name: "denied", args: []string{"--yes", "--policy", policy}, status: 1, approved: both[:1], patches: 1, says: []string{"wait InstallPlan install-1 of namespace prod", "not now"}},
		{name: "typed y", terminal: true, typed: "y\n", approved: both, patches: 2, says: []string{"Approve 2 InstallPlans now? [y/N]"}},
		{name: "typed yes", terminal: true, typed: "YES\n", approved: both, patches: 2},
		{name: "typed n", terminal: true, typed: "n\n", says: []string{"[y/N]"}},
		{name: "typed nothing", terminal: true, typed: "\n"},
		{name: "end of input", terminal: true, typed: "\x04"},
		{name: "changed while it was asked", server: &planServer{changes: "prod"}, terminal: true, typed: "y\n", status: 1, approved: both[:1], patches: 2, says: []string{"it has changed since it was judged"}},
		{name: "nothing to ask", server: &planServer{brings: "ferry.v2"}, terminal: true, typed: "y\n", status: 1},
		{name: "a file", args: []string{"--yes", "-f", catalog}, status: 2, says: []string{"leave out -f"}},
		{name: "the cluster and a file", args: []string{"--yes", "-f", "cluster:", "-f", write("objects.yaml", "{apiVersion: v1, kind: Namespace, metadata: {name: x}}\n")}, status: 2, says: []string{"leave out -f"}},
		{name: "for programs", args: []string{"--yes", "-o", "json"}, status: 2, says: []string{"leave out -f, --load and -o"}},
		{name: "commands on a terminal", args: []string{"-o", "kubectl"}, terminal: true, typed: "y\n", says: []string{"kubectl patch"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := c.server
			if s == nil {
				s = &planServer{}
			}
			s.TB, s.brings, s.versions = t, cmp.Or(s.brings, "ferry.v1.0.0"), map[string]string{"dev": "41", "prod": "42"}
			server := httptest.NewServer(s)
			defer server.Close()
			t.Setenv("KUBECONFIG", filepath.Join(folder, "none"))
			args := append([]string{"approve", "--server", server.URL, "--catalog", "olm/coast=" + catalog, "--index-cache", ""}, c.args...)
			if !strings.Contains(strings.Join(c.args, " "), "-n ") {
				args = append(args, "-A")
			}
			program := command.Program{Name: "kubectl resolvent", Live: &Cluster{}, LiveUsage: Usage}
			var said bytes.Buffer
			status := 0
			if c.terminal {
				ours, theirs := terminals(t)
				_, err := io.WriteString(ours, c.typed)
				require.NoError(t, err)
				read := make(chan struct{})
				go func() {
					_, _ = io.Copy(&said, ours) // fails once the other end is closed
					close(read)
				}()
				status = program.Run(t.Context(), args, theirs, theirs, theirs)
				require.NoError(t, theirs.Close())
				<-read
			} else {
				status = program.Run(t.Context(), args, strings.NewReader(c.typed), &said, &said)
			}
			text := strings.ReplaceAll(said.String(), "\r\n", "\n")
			assert.Equal(t, c.status, status, text)
			assert.Equal(t, c.approved, s.approved)
			assert.Equal(t, c.patches, s.patches)
			words := strings.Join(strings.Fields(text), " ")
			for _, part := range c.says {
				assert.Contains(t, words, strings.Join(strings.Fields(part), " "))
			}
			assert.Equal(t, c.terminal && c.patches > 0 || c.typed == "n\n" || c.typed == "\x04" || c.typed == "\n", strings.Contains(text, "[y/N]"))
		})
	}
	assert.Equal(t, errNoRecord, (&Cluster{}).Approve(t.Context(), "n", "p", ""))
}
