// Command resolvent-mcp serves tools for assistants that look at a cluster with OLM and at
// catalogs of operators: over standard input and output or, with --http, streamable HTTP on the
// loopback interface. It only reads.
//
//	resolvent-mcp -f cluster.yaml --catalog olm/community=community.json
//	resolvent-mcp --live
//
// Package olmtools has the tools, for other servers.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/pflag"

	"github.com/resolvent/resolvent/examples/kubectl-resolvent/live"
	"github.com/resolvent/resolvent/examples/mcp/olmtools"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stderr)
	if err != nil && !errors.Is(err, pflag.ErrHelp) && ctx.Err() == nil {
		fmt.Fprintf(os.Stderr, "resolvent-mcp: %v\n", err)
		os.Exit(2)
	}
}

// run serves until ctx ends, or the other end of standard input is gone.
func run(ctx context.Context, args []string, stderr io.Writer) error {
	var from olmtools.Source
	cluster := &live.Cluster{}
	set := pflag.NewFlagSet("resolvent-mcp", pflag.ContinueOnError)
	set.SetOutput(stderr)
	set.SortFlags = false
	set.StringArrayVarP(&from.Manifests, "filename", "f", nil, "manifests of a cluster, as kubectl prints them: a `FILE` or folder; repeatable")
	set.StringArrayVar(&from.Catalogs, "catalog", nil, "a catalog, as `NAMESPACE/NAME=FROM`; repeatable")
	set.StringArrayVar(&from.Policies, "policy", nil, "obey the policy in `FILE`; repeatable")
	set.StringVar(&from.Lock, "lock", "", "the `FILE` of a lock, for lock_check")
	running := set.Bool("live", false, "look at the running cluster that the kubeconfig names, and at its catalogs")
	address := set.String("http", "", "serve streamable HTTP at `HOST:PORT` of the loopback interface, such as localhost:8321, instead of standard input and output")
	set.DurationVar(&from.Keep, "keep", 5*time.Minute, "how `LONG` to keep a catalog whose changes cannot be detected")
	set.DurationVar(&from.Timeout, "timeout", 30*time.Second, "how `LONG` a call may take")
	group := pflag.NewFlagSet("", pflag.ContinueOnError)
	cluster.Register(group)
	set.AddFlagSet(group)
	if err := set.Parse(args); err != nil {
		return err
	}
	switch {
	case set.NArg() > 0:
		return fmt.Errorf("%s: there are no arguments; name manifests with -f", set.Arg(0))
	case *running && len(from.Manifests) > 0:
		return errors.New("--live: it looks at the running cluster; leave out -f")
	case *running:
		from.Live = cluster
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "resolvent", Title: "Operators and OLM", Version: "v1"}, &mcp.ServerOptions{Instructions: olmtools.Instructions})
	if err := olmtools.AddTo(server, from); err != nil {
		return err
	}
	if *address == "" {
		return server.Run(ctx, &mcp.StdioTransport{})
	}
	return serve(ctx, server, *address, stderr)
}

// serve serves HTTP on the loopback interface only: whoever reaches the server reads the cluster.
func serve(ctx context.Context, server *mcp.Server, address string, stderr io.Writer) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("--http: %w", err)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("--http %s: want an address of the loopback interface, such as localhost:8321; for others, put an authenticating proxy in front of it", address)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("--http: %w", err)
	}
	fmt.Fprintf(stderr, "serving http://%s\n", listener.Addr())
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{SessionTimeout: time.Hour})
	web := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	ended := make(chan struct{})
	context.AfterFunc(ctx, func() { // calls have two seconds to end
		defer close(ended)
		last, done := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer done()
		if web.Shutdown(last) != nil {
			web.Close()
		}
	})
	if err := web.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	<-ended
	return nil
}
