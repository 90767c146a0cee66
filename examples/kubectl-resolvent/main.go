// Command kubectl-resolvent is resolvent as a plugin of kubectl: every command of the
// command line, on the running cluster.
//
//	kubectl resolvent status -A
//
// kubectl completes it with the script kubectl_complete-resolvent, in a folder of PATH.
//
// Package live reads the cluster; registrypod and registryimage are the sources of
// catalogs that only this program knows, and crdsafety judges CustomResourceDefinitions as OLM v1 does.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/resolvent/resolvent/examples/kubectl-resolvent/crdsafety"
	"github.com/resolvent/resolvent/examples/kubectl-resolvent/live"
	"github.com/resolvent/resolvent/examples/resolvent/command"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(program().Run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// program is the command line, on a cluster that its flags choose.
func program() command.Program {
	return command.Program{Name: "kubectl resolvent", Live: &live.Cluster{}, LiveUsage: live.Usage, Safety: crdsafety.New().Judge, Examples: live.Examples}
}
