// Command resolvent resolves a cluster's requests for operators on the command
// line.
//
//	resolvent resolve -f cluster.yaml --catalog olm/coast=testdata/catalogs/coast
//
// Everything it does is in the package command.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/resolvent/resolvent/examples/resolvent/command"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	os.Exit(command.Run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
