//go:build !race

// Command server is a Kubernetes API server without the rest of Kubernetes: its
// generic control plane, which serves namespaces, config maps, events, leases, RBAC
// and custom resources, with etcd in the same process. Nothing runs on it that would
// collect garbage, finish deleted namespaces or start pods.
//
// It is for tests, and serves on this machine only. Its administrator has the token
// "admin". It stops when its standard input ends, so that it never outlives the test
// that started it; started again with the same folder and port, it goes on with the
// same data and certificate. It is never built with the race detector, which would take
// as long again.
package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"

	"go.etcd.io/etcd/server/v3/embed"
	"k8s.io/kubernetes/pkg/controlplane/apiserver/samples/generic/server"
)

func main() {
	dir := flag.String("dir", "", "folder of the data")
	port := flag.Int("port", 0, "port of the server")
	flag.Parse()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	if err := run(*dir, *port); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run serves until the process ends, or something fails.
func run(dir string, port int) error {
	if dir == "" || port <= 0 {
		return errors.New("flags: -dir and -port are missing; state both")
	}
	address, stop, err := startEtcd(filepath.Join(dir, "etcd"))
	if err != nil {
		return fmt.Errorf("etcd: %w", err)
	}
	defer stop()

	tokens, key := filepath.Join(dir, "tokens.csv"), filepath.Join(dir, "serviceaccount.key")
	if err := os.WriteFile(tokens, []byte("admin,admin,admin,system:masters\n"), 0o600); err != nil {
		return err
	}
	if err := writeKey(key); err != nil {
		return err
	}
	command := server.NewCommand()
	command.SetArgs([]string{
		"--etcd-servers=" + address,
		"--bind-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", port),
		"--cert-dir=" + dir,
		"--token-auth-file=" + tokens,
		"--authorization-mode=RBAC",
		"--service-account-issuer=https://apiserver.example.com",
		"--service-account-signing-key-file=" + key,
		"--service-account-key-file=" + key,
	})
	return command.Execute()
}

// startEtcd returns where it serves, and how to stop it.
func startEtcd(dir string) (address string, stop func(), err error) {
	config := embed.NewConfig()
	config.Dir = dir
	config.LogLevel = "error"
	// What is written survives the end of the process, which is all that tests do.
	config.UnsafeNoFsync = true
	local := []url.URL{{Scheme: "http", Host: "127.0.0.1:0"}}
	config.ListenClientUrls, config.AdvertiseClientUrls = local, local
	config.ListenPeerUrls, config.AdvertisePeerUrls = local, local
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	etcd, err := embed.StartEtcd(config)
	if err != nil {
		return "", nil, err
	}
	<-etcd.Server.ReadyNotify()
	return "http://" + etcd.Clients[0].Addr().String(), etcd.Close, nil
}

// writeKey makes the key that signs the tokens of service accounts, unless it is
// there: tokens stay valid when the server starts again.
func writeKey(file string) error {
	if _, err := os.Stat(file); err == nil {
		return nil
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return err
	}
	return os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), 0o600)
}
