package apiserver

import (
	"bytes"
	"encoding/json"
	"encoding/pem"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/operator-framework/operator-registry/alpha/declcfg"
	"github.com/operator-framework/operator-registry/pkg/api"
	registrycache "github.com/operator-framework/operator-registry/pkg/cache"
	"github.com/operator-framework/operator-registry/pkg/server"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/streaming/pkg/httpstream"
	"k8s.io/streaming/pkg/httpstream/spdy"
)

// front is an API server with what the real one behind it has no nodes for: the pods of
// catalogs, the ports of these, and the proxy of catalogd's service. Who may use them,
// the real one decides.
type front struct {
	*httptest.Server
	behind *rest.Config
	proxy  *httputil.ReverseProxy
	// registries are the addresses of registry servers, and contents what catalogd
	// serves, by the names of catalogs.
	registries map[string]string
	contents   map[string][]byte

	mu       sync.Mutex
	requests []string
}

func newFront(t testing.TB, s *Server) *front {
	t.Helper()
	f := &front{behind: s.Config(), registries: map[string]string{}, contents: map[string][]byte{}}
	anonymous := rest.AnonymousClientConfig(f.behind)
	transport, err := rest.TransportFor(anonymous)
	require.NoError(t, err)
	target, err := url.Parse(f.behind.Host)
	require.NoError(t, err)
	f.proxy = &httputil.ReverseProxy{Transport: transport, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	routes := http.NewServeMux()
	routes.HandleFunc("GET /api/v1/namespaces/{namespace}/pods", f.pods)
	routes.HandleFunc("/api/v1/namespaces/{namespace}/pods/{pod}/portforward", f.forward)
	routes.HandleFunc("GET /api/v1/namespaces/olmv1-system/services/{service}/proxy/catalogs/{name}/api/v1/all", f.catalog)
	routes.HandleFunc("GET /api/v1/namespaces/olmv1-system/services/{service}/proxy/", f.catalog)
	routes.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		// The pages of a large cluster.
		if query := r.URL.Query(); query.Has("limit") {
			query.Set("limit", "2")
			r.URL.RawQuery = query.Encode()
		}
		f.proxy.ServeHTTP(w, r)
	})
	f.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		f.requests = append(f.requests, r.Method+" "+r.URL.Path)
		f.mu.Unlock()
		routes.ServeHTTP(w, r)
	}))
	t.Cleanup(f.Close)
	return f
}

// serve has the catalog of a folder served by catalogd, and by a registry pod as far as
// operator-registry takes it.
func (f *front) serve(t testing.TB, name string, folder fs.FS) {
	t.Helper()
	var text bytes.Buffer
	var mu sync.Mutex
	require.NoError(t, declcfg.WalkMetasFS(t.Context(), folder, func(_ string, meta *declcfg.Meta, err error) error {
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		return json.NewEncoder(&text).Encode(meta)
	}))
	f.contents[name] = text.Bytes()

	store, err := registrycache.New(t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() { store.Close() })
	if err := registrycache.LoadOrRebuild(t.Context(), store, folder); err != nil {
		t.Logf("operator-registry does not serve %s: %v", name, err)
		return
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	registry := grpc.NewServer()
	api.RegisterRegistryServer(registry, server.NewRegistryServer(store))
	go registry.Serve(listener)
	t.Cleanup(registry.Stop)
	f.registries[name] = listener.Addr().String()
}

// allowed asks the real server whether the user of a request may do something, and
// refuses if not.
func (f *front) allowed(w http.ResponseWriter, r *http.Request, attributes authorizationv1.ResourceAttributes) bool {
	review, err := json.Marshal(authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &attributes}})
	if err != nil {
		panic(err)
	}
	request := httptest.NewRequest(http.MethodPost, "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", bytes.NewReader(review))
	for name, values := range r.Header {
		if name == "Authorization" || strings.HasPrefix(name, "Impersonate-") {
			request.Header[name] = values
		}
	}
	request.Header.Set("Content-Type", "application/json")
	answer := httptest.NewRecorder()
	f.proxy.ServeHTTP(answer, request)
	var decided authorizationv1.SelfSubjectAccessReview
	if json.Unmarshal(answer.Body.Bytes(), &decided) == nil && decided.Status.Allowed {
		return true
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusForbidden)
	_ = json.NewEncoder(w).Encode(map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Forbidden", "code": http.StatusForbidden,
		"message": "cannot " + attributes.Verb + " " + strings.TrimSuffix(attributes.Resource+"/"+attributes.Subresource, "/") + " in the namespace " + attributes.Namespace})
	return false
}

func (f *front) pods(w http.ResponseWriter, r *http.Request) {
	namespace := r.PathValue("namespace")
	if !f.allowed(w, r, authorizationv1.ResourceAttributes{Verb: "list", Resource: "pods", Namespace: namespace}) {
		return
	}
	name := strings.TrimPrefix(r.URL.Query().Get("labelSelector"), "olm.catalogSource=")
	pod := corev1.Pod{Status: corev1.PodStatus{
		Conditions:        []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}},
		ContainerStatuses: []corev1.ContainerStatus{{ImageID: "registry.example/" + name + "@sha256:" + strings.Repeat("0", 64)}},
	}}
	pod.Namespace, pod.Name = namespace, name+"-x7k2p"
	starting := corev1.Pod{}
	starting.Namespace, starting.Name = namespace, name+"-aaaaa"
	list := corev1.PodList{Items: []corev1.Pod{starting, pod}}
	list.APIVersion, list.Kind = "v1", "PodList"
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(list)
}

// forward connects a port of a pod, as a node does that knows SPDY only.
func (f *front) forward(w http.ResponseWriter, r *http.Request) {
	if !f.allowed(w, r, authorizationv1.ResourceAttributes{Verb: "create", Resource: "pods", Subresource: "portforward", Namespace: r.PathValue("namespace")}) {
		return
	}
	if _, err := httpstream.Handshake(r, w, []string{"portforward.k8s.io"}); err != nil {
		return
	}
	streams := make(chan httpstream.Stream, 2)
	connection := spdy.NewResponseUpgrader().UpgradeResponse(w, r, func(s httpstream.Stream, _ <-chan struct{}) error {
		streams <- s
		return nil
	})
	if connection == nil {
		return
	}
	defer connection.Close()
	failures, data := <-streams, <-streams
	if failures.Headers().Get(corev1.StreamType) == corev1.StreamTypeData {
		failures, data = data, failures
	}
	name := strings.TrimSuffix(r.PathValue("pod"), "-x7k2p")
	to, err := net.Dial("tcp", f.registries[name])
	if err != nil {
		io.WriteString(failures, "an error occurred forwarding 50051: connection refused")
		failures.Close()
		data.Close()
		return
	}
	defer to.Close()
	failures.Close()
	go io.Copy(to, data)
	io.Copy(data, to)
}

func (f *front) catalog(w http.ResponseWriter, r *http.Request) {
	if !f.allowed(w, r, authorizationv1.ResourceAttributes{Verb: "get", Resource: "services", Subresource: "proxy", Namespace: "olmv1-system", Name: r.PathValue("service")}) {
		return
	}
	text, ok := f.contents[r.PathValue("name")]
	if !ok || r.PathValue("service") != "https:catalogd-service:443" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/jsonl")
	w.Write(text)
}

// kubeconfig is that of a user whom the server knows by a token.
func (f *front) kubeconfig(t testing.TB, user *rest.Config) string {
	t.Helper()
	ca := filepath.Join(t.TempDir(), "ca.crt")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: f.Certificate().Raw})
	require.NoError(t, os.WriteFile(ca, text, 0o600))
	return Kubeconfig(t, &rest.Config{Host: f.URL, BearerToken: user.BearerToken, TLSClientConfig: rest.TLSClientConfig{CAFile: ca}})
}

// catalogFolder is one of the project's own catalogs.
func catalogFolder(name string) string {
	return filepath.Join("..", "..", "testdata", "catalogs", name)
}
