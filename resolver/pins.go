package resolver

import (
	"github.com/resolvent/resolvent/cache"
)

// admits reports whether the pin allows a bundle of its package.
func (pin *Pin) admits(b *cache.Bundle) bool {
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
