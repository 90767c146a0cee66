package finding

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
)

// Identity identifies a finding about one bundle, channel or package. It stays the same while
// the catalog grows and its files move.
type Identity struct {
	Code    catalog.Code `json:"code"`
	Package string       `json:"package,omitempty"`
	// Channel is empty if the finding is not about one. A bundle that cannot be installed is
	// one finding, and one more for each channel of which it is the head.
	Channel string `json:"channel,omitempty"`
	Bundle  string `json:"bundle,omitempty"`
	// Cause distinguishes findings with the same other fields. It is the rule, edge or range
	// at fault, the message of a fault, or the path of the file if nothing else states the
	// place.
	Cause string `json:"cause,omitempty"`
}

// EdgeCause is the cause of a finding about an edge: what an entry states of which name.
func EdgeCause(kind, name string) string { return kind + " " + name }

// Edge returns kind and name of an [EdgeCause].
func (i Identity) Edge() (kind, name string) {
	kind, name, _ = strings.Cut(i.Cause, " ")
	return kind, name
}

func (i Identity) compare(other Identity) int {
	return cmp.Or(
		strings.Compare(i.Package, other.Package),
		strings.Compare(string(i.Code), string(other.Code)),
		strings.Compare(i.Channel, other.Channel),
		strings.Compare(i.Bundle, other.Bundle),
		strings.Compare(i.Cause, other.Cause),
	)
}

// String returns the parts on one line, for display.
func (i Identity) String() string {
	var parts []string
	for _, part := range [...]struct{ word, text string }{
		{"package ", i.Package}, {"channel ", i.Channel}, {"bundle ", i.Bundle}, {"", i.Cause},
	} {
		if part.text != "" {
			parts = append(parts, part.word+part.text)
		}
	}
	return string(i.Code) + ": " + strings.Join(parts, ", ")
}

// Set is a set of findings. The zero value is empty. It is immutable, and safe for any
// number of goroutines.
type Set struct {
	sorted []Identity
}

// SetOf returns the set of findings.
func SetOf(findings map[Identity]bool) Set {
	return Set{slices.SortedFunc(maps.Keys(findings), Identity.compare)}
}

// Identities returns a copy of the findings, sorted by package.
func (s Set) Identities() []Identity { return slices.Clone(s.sorted) }

// Len returns the number of findings.
func (s Set) Len() int { return len(s.sorted) }

// Has reports whether the set has a finding.
func (s Set) Has(id Identity) bool {
	_, found := slices.BinarySearchFunc(s.sorted, id, Identity.compare)
	return found
}

// Without returns the set without the given findings.
func (s Set) Without(findings map[Identity]bool) Set {
	return Set{slices.DeleteFunc(s.Identities(), func(id Identity) bool { return findings[id] })}
}

// Write writes the set as sorted text, one finding per line, so that versions can be compared.
// Each line is a JSON object with the fields of [Identity].
func (s Set) Write(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	for _, id := range s.sorted {
		if err := encoder.Encode(id); err != nil {
			return err
		}
	}
	return nil
}

// Read reads the text of [Set.Write], in any order, up to 256 MiB. The error names the line,
// or is that of the reader or of ctx.
func Read(ctx context.Context, r io.Reader) (Set, error) {
	limited := &io.LimitedReader{R: r, N: maxBytes + 1}
	lines := bufio.NewScanner(limited)
	lines.Buffer(nil, maxLine)
	set := map[Identity]bool{}
	n := 0
	for lines.Scan() {
		if err := ctx.Err(); err != nil {
			return Set{}, err
		}
		n++
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		id, err := parseIdentity(line)
		if err != nil {
			return Set{}, fmt.Errorf("line %d: %w", n, err)
		}
		set[id] = true
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return Set{}, fmt.Errorf("line %d: it is longer than %d bytes, so this is not a baseline", n+1, maxLine)
	case err != nil:
		return Set{}, err
	case limited.N == 0:
		return Set{}, fmt.Errorf("it is longer than %d MiB, so this is not a baseline", maxBytes>>20)
	}
	return SetOf(set), nil
}

func parseIdentity(line []byte) (Identity, error) {
	var id Identity
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&id); err != nil {
		return id, fmt.Errorf("it is not a finding of a baseline: %w", err)
	}
	if decoder.More() || id.Code == "" {
		return id, errors.New("it is not a finding of a baseline: want one object with a code")
	}
	return id, nil
}
