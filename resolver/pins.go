package resolver

import (
	"fmt"

	"github.com/resolvent/resolvent/cache/catalog"
)

// Pin holds a package at one bundle: no other one of it is newly selected. What
// is installed may stay, pinned or not.
type Pin struct {
	// Namespace says where the pin counts; empty means everywhere, for
	// ClusterExtensions too.
	Namespace string
	// Package is the one that is pinned.
	Package string
	// Bundle and Version say what to, by name or by semantic version. If both
	// are empty, what is installed stays, and the package is not installed anew.
	Bundle  string
	Version string
}

// admits reports whether the pin allows a bundle of its package.
func (pin *Pin) admits(b *catalog.Bundle) bool {
	return (pin.Bundle != "" || pin.Version != "") &&
		(pin.Bundle == "" || pin.Bundle == b.Name) &&
		(pin.Version == "" || pin.Version == b.Version.String())
}

// text says what the pin holds its package at.
func (pin *Pin) text() string {
	switch {
	case pin.Bundle != "":
		return pin.Bundle
	case pin.Version != "":
		return "version " + pin.Version
	}
	return "what is installed"
}

// pinned says which pin keeps a bundle from being newly selected, if one does.
func (p *problem) pinned(b *catalog.Bundle) (string, bool) {
	for i := range p.options.Pins {
		pin := &p.options.Pins[i]
		if pin.Package == b.Package && (pin.Namespace == "" || pin.Namespace == p.namespace) && !pin.admits(b) {
			return fmt.Sprintf("is not allowed: package %s is pinned to %s", pin.Package, pin.text()), true
		}
	}
	return "", false
}
