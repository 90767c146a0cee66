package encode

import (
	"github.com/resolvent/resolvent/cache/catalog"

	"github.com/resolvent/resolvent/resolver/policy"
)

// admits reports whether the pin allows a bundle of its package.
func admits(pin *policy.Pin, b *catalog.Bundle) bool {
	return (pin.Bundle != "" || pin.Version != "") &&
		(pin.Bundle == "" || pin.Bundle == b.Name) &&
		(pin.Version == "" || pin.Version == b.Version.String())
}
