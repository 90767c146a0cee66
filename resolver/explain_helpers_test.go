package resolver_test

import (
	"regexp"
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

var place = regexp.MustCompile(`\.(json|yaml):\d+:\d+`)

// placeless leaves out the lines that tell where in a file a fault is.
func placeless(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !place.MatchString(line) {
			b.WriteString(line)
		}
	}
	return b.String()
}
