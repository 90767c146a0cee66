package resolver

import "github.com/resolvent/resolvent/cache/catalog"

// admits reports whether the pin allows a bundle of its package.
func (pin *Pin) admits(b *catalog.Bundle) bool {
	return (pin.Bundle != "" || pin.Version != "") &&
		(pin.Bundle == "" || pin.Bundle == b.Name) &&
		(pin.Version == "" || pin.Version == b.Version.String())
}
