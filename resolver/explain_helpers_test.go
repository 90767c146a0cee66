package resolver_test

import (
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
)

// keyOf reads NAMESPACE/NAME, or NAME.
func keyOf(text string) catalog.Key {
	namespace, name, ok := strings.Cut(text, "/")
	if !ok {
		return catalog.Key{Name: text}
	}
	return catalog.Key{Namespace: namespace, Name: name}
}
