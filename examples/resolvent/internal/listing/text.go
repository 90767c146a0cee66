package listing

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
)

func WritePackages(p *terminal.Page, l Listing) {
	first := []string{"PACKAGE", "CATALOG", "DEFAULT CHANNEL", "HEAD", "VERSIONS", "DEPRECATED", "SUPPORT"}
	p.Table(terminal.Table{Optional: []string{"SUPPORT"}}, first, len(l.Packages), "package", func(i int) []string {
		l := &l.Packages[i]
		return []string{l.Package, l.key().String(), l.DefaultChannel, l.Head, fmt.Sprint(l.Versions), l.Deprecation, l.Lifecycle.String()}
	})
}

func WriteMatches(p *terminal.Page, l Listing) {
	first := []string{"PACKAGE", "CATALOG", "BUNDLE", "HEAD", "FOUND", "DEPRECATED"}
	p.Table(terminal.Table{}, first, len(l.Packages), "package", func(i int) []string {
		l := &l.Packages[i]
		return []string{l.Package, l.key().String(), l.Match.Bundle, marked(l.Match.Head), terminal.Few(l.Match.What), l.Deprecation}
	})
}

func WriteDetails(w *terminal.Page, l Listing) {
	for i, p := range l.Packages {
		if i > 0 {
			w.WriteByte('\n')
		}
		terminal.Printf(w, "%s\n", w.Bold(fmt.Sprintf("package %s of catalog %s", p.Package, p.key())))
		if p.Deprecation != "" {
			terminal.Printf(w, "%s %s\n", w.Notice("deprecated:"), terminal.Flat(p.Deprecation))
		}
		w.WriteByte('\n')
		var t terminal.Table
		t.Row("CHANNEL", "HEAD", "BUNDLES", "DEFAULT", "DEPRECATED")
		for _, c := range p.Channels {
			t.Row(c.Channel, cmp.Or(c.Head, c.Fault), fmt.Sprint(c.Bundles), marked(c.Default), c.Deprecation)
		}
		t.Write(&w.Buffer, w.Style)
		w.WriteByte('\n')
		t = terminal.Table{Optional: []string{"SUPPORT"}}
		t.Row("BUNDLE", "VERSION", "CHANNELS", "DEPRECATED", "SUPPORT")
		for _, b := range p.Bundles {
			t.Row(b.Bundle, b.version(), strings.Join(b.Channels, ", "), cmp.Or(b.Deprecation, marked(b.Deprecated)), b.Lifecycle.String())
		}
		t.Write(&w.Buffer, w.Style)
	}
}

func (b *Bundle) version() string {
	if b.Release != "" {
		return b.Version + " release " + b.Release
	}
	return b.Version
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
