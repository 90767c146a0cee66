package listing

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
)

// WritePackages prints a table of packages for people.
func WritePackages(w io.Writer, l Listing) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	terminal.Row(t, "PACKAGE", "CATALOG", "DEFAULT CHANNEL", "HEAD", "VERSIONS", "DEPRECATED")
	for _, p := range l.Packages {
		terminal.Row(t, p.Package, p.key().String(), p.DefaultChannel, p.Head, fmt.Sprint(p.Versions), p.Deprecation)
	}
	t.Flush()
}

// WriteDetails prints packages with their channels and bundles for people.
func WriteDetails(w *bytes.Buffer, l Listing, s terminal.Style) {
	for i, p := range l.Packages {
		if i > 0 {
			w.WriteByte('\n')
		}
		terminal.Printf(w, "%s\n", s.Bold(fmt.Sprintf("package %s of catalog %s", p.Package, p.key())))
		if p.Deprecation != "" {
			terminal.Printf(w, "%s %s\n", s.Notice("deprecated:"), terminal.Flat(p.Deprecation))
		}
		w.WriteByte('\n')
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		terminal.Row(t, "CHANNEL", "HEAD", "BUNDLES", "DEFAULT", "DEPRECATED")
		for _, c := range p.Channels {
			terminal.Row(t, c.Channel, cmp.Or(c.Head, c.Fault), fmt.Sprint(c.Bundles), marked(c.Default), c.Deprecation)
		}
		t.Flush()
		w.WriteByte('\n')
		terminal.Row(t, "BUNDLE", "VERSION", "CHANNELS", "DEPRECATED")
		for _, b := range p.Bundles {
			version := b.Version
			if b.Release != "" {
				version += " release " + b.Release
			}
			terminal.Row(t, b.Bundle, version, strings.Join(b.Channels, ","), cmp.Or(b.Deprecation, marked(b.Deprecated)))
		}
		t.Flush()
	}
}

func (p *Package) key() catalog.Key {
	return catalog.Key{Namespace: p.CatalogNamespace, Name: p.Catalog}
}

// marked is what a table shows for a fact.
func marked(is bool) string {
	if is {
		return "yes"
	}
	return ""
}
