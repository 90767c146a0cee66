package lock

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/resolvent/resolvent/cache/catalog"
)

func digest(text []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(text)) }

// bundleBlob returns the line of the bundle: a deprecation is no other content.
func bundleBlob(text []byte) []byte {
	for line := range bytes.Lines(text) {
		if bytes.HasPrefix(line, []byte(`{"schema":"olm.bundle"`)) {
			return line
		}
	}
	return nil
}

// day reads YYYY-MM-DD, or a time that begins with it.
func day(text string) (time.Time, error) {
	if len(text) > len(time.DateOnly) {
		text = text[:len(time.DateOnly)]
	}
	return time.Parse(time.DateOnly, text)
}

// createdAt returns the day on which a bundle says that it was made.
func createdAt(b *catalog.Bundle) (at time.Time, ok bool) {
	m := b.Properties.Metadata()
	if m == nil {
		return at, false
	}
	for name, value := range m.Annotations() {
		if name == "createdAt" {
			at, err := day(value)
			return at, err == nil
		}
	}
	return at, false
}
