package command

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
)

const listUsage = `Usage: resolvent list [PACKAGE] --catalog [NAMESPACE/]NAME=FROM [flags]

Lists the packages of catalogs, or the channels and bundles of one package.

  --catalog [NAMESPACE/]NAME=FROM
                             a catalog; may be repeated
` + inputs.CatalogUsage + inputs.SourceUsage + `  --verbose                  list the faults of catalogs, not only their number
  --timeout DURATION         give up after this time, as in 30s; default 1m; 0: never
  -o text|json

Examples:
  resolvent list --catalog community=community.json
  resolvent list etcd --catalog community=community.json

Exit status: 0 if something is listed, 2 if the input cannot be used, or no catalog
has the package.
`

// list is the command of that name.
func list(ctx context.Context, args []string, std inputs.Streams) (int, error) {
	var flags []inputs.CatalogFlag
	var sources inputs.SourceFlags
	var timeout time.Duration
	var output string
	set := flag.NewFlagSet("list", flag.ContinueOnError)
	inputs.RegisterCatalogs(set, "catalog", &flags)
	sources.Register(set)
	verbose := set.Bool("verbose", false, "")
	inputs.RegisterTimeout(set, &timeout)
	inputs.RegisterOutput(set, &output, terminal.OutputText, terminal.OutputJSON)
	names, err := inputs.Parse(set, args, std)
	switch {
	case err != nil:
		return exitNotStarted, err
	case len(names) > 1:
		return exitNotStarted, inputs.Usagef("want one package, not %d", len(names))
	case len(flags) == 0 && std.Live == nil:
		return exitNotStarted, inputs.Usagef("no catalog: name one with --catalog NAME=FROM")
	}
	ctx, stop := inputs.Limited(ctx, timeout)
	defer stop()
	if len(flags) == 0 {
		if flags, err = inputs.OfLive(ctx, std); err != nil {
			return exitNotStarted, err
		}
	}
	catalogs, err := inputs.LoadBackground(ctx, flags, &sources, std)
	if err != nil {
		return exitNotStarted, err
	}
	view := cache.NewView(catalogs)
	inputs.ReportFaults(std.Err, view, *verbose)
	listed := listPackages(view, names)
	if len(names) > 0 && len(listed.Packages) == 0 {
		return exitNotStarted, fmt.Errorf("no catalog has a package %s%s", names[0], nearestPackage(names[0], view))
	}
	var out bytes.Buffer
	s := terminal.StyleFor(std.Out)
	switch {
	case output == terminal.OutputJSON:
		err = terminal.Encode(&out, listed)
	case len(names) > 0:
		writeDetails(&out, listed, s)
	default:
		writePackages(&out, listed)
	}
	if err == nil {
		err = s.Print(std.Out, out.Bytes(), output)
	}
	if err != nil {
		return exitNotStarted, err
	}
	return exitResolved, nil
}

// The types of what is listed are the JSON output as well.

type listing struct {
	Packages []listedPackage `json:"packages"`
}

type listedPackage struct {
	Catalog          string          `json:"catalog"`
	CatalogNamespace string          `json:"catalogNamespace"`
	Package          string          `json:"package"`
	DefaultChannel   string          `json:"defaultChannel"`
	Head             string          `json:"head"` // of the default channel
	Versions         int             `json:"versions"`
	Deprecation      string          `json:"deprecation,omitempty"`
	Channels         []listedChannel `json:"channels,omitempty"`
	Bundles          []listedBundle  `json:"bundles,omitempty"`
}

type listedChannel struct {
	Channel     string `json:"channel"`
	Default     bool   `json:"default,omitzero"`
	Head        string `json:"head"`
	Bundles     int    `json:"bundles"`
	Fault       string `json:"fault,omitempty"` // why the channel has no head
	Deprecation string `json:"deprecation,omitempty"`
}

type listedBundle struct {
	Bundle      string   `json:"bundle"`
	Version     string   `json:"version"`
	Release     string   `json:"release,omitempty"`
	Channels    []string `json:"channels"`
	Image       string   `json:"image"`
	Deprecated  bool     `json:"deprecated,omitzero"`
	Deprecation string   `json:"deprecation,omitempty"`
}

// listPackages describes all packages, or the ones of some names in detail.
func listPackages(view *cache.View, names []string) listing {
	l := listing{Packages: []listedPackage{}}
	for c := range view.Catalogs() {
		for p := range c.Snapshot.Packages() {
			if len(names) > 0 && !slices.Contains(names, p.Name) {
				continue
			}
			described := listedPackage{
				Catalog: c.Key.Name, CatalogNamespace: c.Key.Namespace, Package: p.Name,
				DefaultChannel: p.DefaultChannel, Versions: len(p.Bundles), Deprecation: p.Deprecation,
			}
			if channel := p.Channel(p.DefaultChannel); channel != nil {
				described.Head = headOf(channel)
			}
			if len(names) > 0 {
				described.Channels = terminal.Mapped(p.Channels, describeChannel)
				described.Bundles = bundlesOf(c.Snapshot, p)
			}
			l.Packages = append(l.Packages, described)
		}
	}
	return l
}

func headOf(c *catalog.Channel) string {
	if head := c.Head(); head != nil {
		return head.Name
	}
	return ""
}

func describeChannel(c *catalog.Channel) listedChannel {
	j := listedChannel{Channel: c.Name, Default: c.Default, Head: headOf(c), Fault: c.Fault, Deprecation: c.Deprecation}
	for _, e := range c.Entries {
		if e.Bundle != catalog.NoBundle {
			j.Bundles++
		}
	}
	return j
}

// bundlesOf describes the bundles of a package, the highest version first.
func bundlesOf(s *catalog.Snapshot, p *catalog.Package) []listedBundle {
	bundles := terminal.Mapped(p.Bundles, s.Bundle)
	slices.SortFunc(bundles, func(a, b *catalog.Bundle) int {
		return cmp.Or(b.Version.Compare(a.Version), b.Release.Compare(a.Release), strings.Compare(a.Name, b.Name))
	})
	return terminal.Mapped(bundles, func(b *catalog.Bundle) listedBundle {
		j := listedBundle{
			Bundle: b.Name, Version: b.Version.String(), Release: string(b.Release), Channels: []string{},
			Image: b.Image, Deprecated: b.Properties.Deprecated(), Deprecation: b.Deprecation,
		}
		for _, c := range p.Channels {
			if c.Entry(b.Name) != nil {
				j.Channels = append(j.Channels, c.Name)
			}
		}
		return j
	})
}

// writePackages prints a table of packages for people.
func writePackages(w io.Writer, l listing) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row(t, "PACKAGE", "CATALOG", "DEFAULT CHANNEL", "HEAD", "VERSIONS", "DEPRECATED")
	for _, p := range l.Packages {
		row(t, p.Package, p.key().String(), p.DefaultChannel, p.Head, fmt.Sprint(p.Versions), p.Deprecation)
	}
	t.Flush()
}

// writeDetails prints packages with their channels and bundles for people.
func writeDetails(w *bytes.Buffer, l listing, s terminal.Style) {
	for i, p := range l.Packages {
		if i > 0 {
			w.WriteByte('\n')
		}
		fmt.Fprintf(w, "%s\n", s.Bold(terminal.Plain(fmt.Sprintf("package %s of catalog %s", p.Package, p.key()))))
		if p.Deprecation != "" {
			fmt.Fprintf(w, "%s %s\n", s.Notice("deprecated:"), terminal.Flat(p.Deprecation))
		}
		w.WriteByte('\n')
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		row(t, "CHANNEL", "HEAD", "BUNDLES", "DEFAULT", "DEPRECATED")
		for _, c := range p.Channels {
			row(t, c.Channel, cmp.Or(c.Head, c.Fault), fmt.Sprint(c.Bundles), marked(c.Default), c.Deprecation)
		}
		t.Flush()
		w.WriteByte('\n')
		row(t, "BUNDLE", "VERSION", "CHANNELS", "DEPRECATED")
		for _, b := range p.Bundles {
			version := b.Version
			if b.Release != "" {
				version += " release " + b.Release
			}
			row(t, b.Bundle, version, strings.Join(b.Channels, ","), cmp.Or(b.Deprecation, marked(b.Deprecated)))
		}
		t.Flush()
	}
}

func (p *listedPackage) key() catalog.Key {
	return catalog.Key{Namespace: p.CatalogNamespace, Name: p.Catalog}
}

// marked is what a table shows for a fact.
func marked(is bool) string {
	if is {
		return "yes"
	}
	return ""
}

// row prints a row of a table. What catalogs say stays in one line.
func row(w io.Writer, cells ...string) {
	for i, cell := range cells {
		if cell = terminal.Flat(cell); cell == "" {
			cell = "-"
		}
		cells[i] = terminal.Plain(cell)
	}
	fmt.Fprintln(w, strings.Join(cells, "\t"))
}

// nearestPackage names the package that is closest to a name that no catalog has.
func nearestPackage(asked string, view *cache.View) string {
	var names []string
	for c := range view.Catalogs() {
		if c.Snapshot == nil {
			continue
		}
		for p := range c.Snapshot.Packages() {
			names = append(names, p.Name)
		}
	}
	return terminal.Suggestion(asked, names)
}
