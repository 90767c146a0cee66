package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"time"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/catalogcheck"
)

const graphUsage = `Usage: resolvent graph CATALOG|DIR --package NAME [flags]

Draws which bundle of a package is updated to which, channel by channel, with
versions, skips, skipRanges, deprecations, and bundles that cannot be installed.

  --package NAME             the package
  --channel NAME             only this channel
  --catalog NAME=PATH        a further catalog that bundles may take dependencies
                             from; may be repeated
  --timeout DURATION         give up after this time, as in 30s; default 1m; 0: never
  -o text|mermaid|dot        text: for people (default); mermaid, dot: pictures

Exit status: 0 if the graph is drawn, 2 if the input cannot be used.
`

// graph is the command of that name.
func graph(ctx context.Context, args []string, std streams) (int, error) {
	var pkg, channel, output string
	var background []catalogFlag
	var timeout time.Duration
	set := flag.NewFlagSet("graph", flag.ContinueOnError)
	set.StringVar(&pkg, "package", "", "")
	set.StringVar(&channel, "channel", "", "")
	registerCatalogs(set, &background)
	registerTimeout(set, &timeout)
	registerOutput(set, &output, outputText, outputMermaid, outputDOT)
	paths, err := parse(set, args)
	switch {
	case err != nil:
		return exitNotStarted, err
	case len(paths) != 1:
		return exitNotStarted, usagef("want one catalog or bundle directory, not %d", len(paths))
	case pkg == "":
		return exitNotStarted, usagef("no package: name it with --package NAME")
	}
	ctx, stop := limited(ctx, timeout)
	defer stop()
	judged, err := loadJudged(ctx, paths, std)
	if err != nil {
		return exitNotStarted, err
	}
	others, err := loadBackground(ctx, background, std)
	if err != nil {
		return exitNotStarted, err
	}
	snapshot := judged[0].Checked.Snapshot
	p := snapshot.Package(pkg)
	if p == nil {
		return exitNotStarted, fmt.Errorf("%s has no package %s", paths[0], pkg)
	}
	g := catalogcheck.NewGraph(snapshot, p)
	if channel != "" && !g.Only(channel) {
		return exitNotStarted, fmt.Errorf("package %s has no channel %s", pkg, channel)
	}
	key := judged[0].Key
	view := cache.NewView(append(others, cache.Catalog{Key: key, Snapshot: snapshot}))
	blocked, err := resolver.New(resolver.Options{}).Uninstallable(ctx, nil, view, key)
	if err != nil {
		return exitNotStarted, err
	}
	ids := make([]cache.ID, len(blocked))
	for i, u := range blocked {
		ids[i] = u.Bundle
	}
	marks := catalogcheck.Blocked(ids...)
	text := ""
	switch output {
	case outputText:
		text = g.Text(marks)
	case outputMermaid:
		text = g.Mermaid(marks)
	case outputDOT:
		text = g.DOT(marks)
	}
	if _, err := io.WriteString(std.out, text); err != nil {
		return exitNotStarted, err
	}
	return exitResolved, nil
}
