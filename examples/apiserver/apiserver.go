// Package apiserver starts a real API server for tests: a process of its own, see
// command server beside it, with the CRDs of OLM v0 and v1 as their modules publish
// them. So the server is built without the race detector, however the test is, and
// can be killed in the middle of anything.
//
// The tests of this package run the other examples against it.
package apiserver

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	// Their modules have the CRDs.
	_ "github.com/operator-framework/api/crds"
	_ "github.com/operator-framework/operator-controller/api/v1"
)

// startTimeout is how long a server may take to answer on a busy machine.
const startTimeout = 2 * time.Minute

// Server is an API server with its data.
type Server struct {
	dir     string
	port    int
	process *exec.Cmd
	// stdin keeps the process running as long as it is open.
	stdin io.Closer
	// kinds are those that the server served when it was last asked.
	kinds meta.RESTMapper
}

// Start starts a server with the CRDs of OLM, until the test ends.
func Start(t testing.TB) *Server {
	t.Helper()
	s := &Server{dir: t.TempDir(), port: freePort(t)}
	s.Restart(t)
	t.Cleanup(s.Kill)
	s.Apply(t, crds(t, "standard")...)
	return s
}

// programs is the folder of what this process builds.
var programs = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "apiserver") })

// build builds the program of a module, with its own dependencies, and returns its path.
func build(module, name string, flags ...string) (string, error) {
	dir, err := programs()
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, name)
	command := exec.Command("go", append(append([]string{"build", "-o", path}, flags...), ".")...)
	command.Dir = module
	if out, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
}

var buildServer = sync.OnceValues(func() (string, error) { return build("server", "server") })

// freePort returns a port that no client is given by chance while the server is down. It
// is chosen at random, as another test on this machine looks for one, too.
func freePort(t testing.TB) int {
	for range 100 {
		port := 20_000 + rand.IntN(10_000)
		if listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			require.NoError(t, listener.Close())
			return port
		}
	}
	t.Fatal("no port is free")
	return 0
}

// Restart starts the server again with the data that it had, on its port, after a
// Kill. It returns once the server is ready.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	path, err := buildServer()
	require.NoError(t, err)
	log, err := os.Create(filepath.Join(s.dir, "log"))
	require.NoError(t, err)
	defer log.Close()
	s.process = exec.Command(path, "-dir", s.dir, "-port", fmt.Sprint(s.port))
	s.process.Stdout, s.process.Stderr = log, log
	s.stdin, err = s.process.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, s.process.Start())
	for end := time.Now().Add(startTimeout); ; time.Sleep(50 * time.Millisecond) {
		err := s.ready()
		if err == nil {
			return
		}
		if time.Now().After(end) {
			text, _ := os.ReadFile(log.Name())
			t.Fatalf("the server is not ready: %v\n%s", err, text[max(0, len(text)-4096):])
		}
	}
}

func (s *Server) ready() error {
	client, err := discovery.NewDiscoveryClientForConfig(s.Config())
	if err != nil {
		return err
	}
	return client.RESTClient().Get().AbsPath("/readyz").Do(context.Background()).Error()
}

// Kill ends the server at once, in the middle of whatever it does.
func (s *Server) Kill() {
	_ = s.process.Process.Kill()
	_ = s.process.Wait()
	_ = s.stdin.Close()
}

// Config is that of the administrator. Requests are not slowed down on the client's
// side.
func (s *Server) Config() *rest.Config {
	// Not by its name: a transport for it is kept, with what it held while it was written.
	authority, _ := os.ReadFile(filepath.Join(s.dir, "apiserver.crt"))
	return &rest.Config{
		Host:            fmt.Sprintf("https://127.0.0.1:%d", s.port),
		BearerToken:     "admin",
		TLSClientConfig: rest.TLSClientConfig{CAData: authority},
		QPS:             -1,
	}
}

// ServiceAccount is the configuration of a service account, which must be there, with
// a token that the server made for it.
func (s *Server) ServiceAccount(t testing.TB, namespace, name string) *rest.Config {
	t.Helper()
	client, err := kubernetes.NewForConfig(s.Config())
	require.NoError(t, err)
	token, err := client.CoreV1().ServiceAccounts(namespace).CreateToken(t.Context(), name,
		&authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	require.NoError(t, err)
	config := s.Config()
	config.BearerToken = token.Status.Token
	return config
}

// Kubeconfig writes the configuration into a file, and returns its path.
func Kubeconfig(t testing.TB, config *rest.Config) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, clientcmd.WriteToFile(clientcmdapi.Config{
		Clusters:       map[string]*clientcmdapi.Cluster{"test": {Server: config.Host, CertificateAuthority: config.CAFile, CertificateAuthorityData: config.CAData}},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{"test": {Token: config.BearerToken}},
		Contexts:       map[string]*clientcmdapi.Context{"test": {Cluster: "test", AuthInfo: "test"}},
		CurrentContext: "test",
	}, file))
	return file
}

// Apply creates or changes the objects of manifests in YAML or JSON, with their
// status where they state one. Namespaces are made for them, and fields are filled in
// that the server requires and no resolution reads.
func (s *Server) Apply(t testing.TB, manifests ...string) {
	t.Helper()
	client, err := dynamic.NewForConfig(s.Config())
	require.NoError(t, err)
	find, err := discovery.NewDiscoveryClientForConfig(s.Config())
	require.NoError(t, err)
	a := &applier{TB: t, client: client, find: find, kinds: &s.kinds}
	for _, u := range parse(t, manifests...) {
		a.apply(u)
	}
	if len(a.defined) > 0 {
		a.awaitKinds()
	}
}

// crds returns the texts of the files: those of OLM v0, and the standard or experimental ones
// of OLM v1.
func crds(t testing.TB, v1 string) []string {
	var texts []string
	for _, pattern := range []string{
		"github.com/operator-framework/api/crds/*.yaml",
		"github.com/operator-framework/operator-controller/helm/olmv1/base/*/crd/" + v1 + "/*.yaml",
	} {
		parts := strings.SplitN(pattern, "/", 4)
		dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", strings.Join(parts[:3], "/")).Output()
		require.NoError(t, err)
		found, err := filepath.Glob(filepath.Join(string(bytes.TrimSpace(dir)), parts[3]))
		require.NoError(t, err)
		require.NotEmpty(t, found, pattern)
		for _, file := range found {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			texts = append(texts, string(text))
		}
	}
	return texts
}
