package resolver_test

import (
	"strings"

	"github.com/resolvent/resolvent/cache"
)

// keyOf reads NAMESPACE/NAME, or NAME.
func keyOf(text string) cache.Key {
	namespace, name, ok := strings.Cut(text, "/")
	if !ok {
		return cache.Key{Name: text}
	}
	return cache.Key{Namespace: namespace, Name: name}
}
