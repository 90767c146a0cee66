package catalogcheck

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

// Identity is what stays the same of a finding about one bundle, or else about a
// channel or package, while the catalog grows and its files move.
type Identity struct {
	Code    catalog.Code `json:"code"`
	Package string       `json:"package,omitempty"`
	// Channel is empty for what is not about one. That a bundle cannot be installed is
	// one finding about it, and one more about each channel of which it is the head.
	Channel string `json:"channel,omitempty"`
	Bundle  string `json:"bundle,omitempty"`
	// Cause tells apart what can be found several times there: the rule, edge or range
	// at fault, the message of a fault, or the path of a file in the catalog's tree if
	// nothing else says where the fault is.
	Cause string `json:"cause,omitempty"`
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

// String names the parts in one line.
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

func identityOf(f catalog.Fault) Identity {
	id := Identity{Code: f.Code, Package: f.Package, Channel: f.Channel, Bundle: f.Bundle}
	switch {
	case f.Package == "" || slices.Contains(ofFiles, f.Code):
		id.Cause = f.File
	case slices.Contains(onePerPlace, f.Code):
	case f.Path != "":
		id.Cause = f.Path + ": " + f.Message
	default:
		id.Cause = f.Message
	}
	return id
}

// Baseline is a set of findings. The zero value is empty. It is immutable, and safe for
// any number of goroutines.
type Baseline struct {
	sorted []Identity
}

func newBaseline(set map[Identity]bool) Baseline {
	return Baseline{slices.SortedFunc(maps.Keys(set), Identity.compare)}
}

// Identities returns what is in it, sorted by package. It is the caller's.
func (b Baseline) Identities() []Identity { return slices.Clone(b.sorted) }

// Len is how many findings it has.
func (b Baseline) Len() int { return len(b.sorted) }

func (b Baseline) has(id Identity) bool {
	_, found := slices.BinarySearchFunc(b.sorted, id, Identity.compare)
	return found
}

// without returns what is not in the set.
func (b Baseline) without(set map[Identity]bool) Baseline {
	return Baseline{slices.DeleteFunc(b.Identities(), func(id Identity) bool { return set[id] })}
}

// Write writes the baseline as text: a finding a line, sorted, so that versions of it
// can be compared. Each line is an object in JSON with the fields of [Identity].
func (b Baseline) Write(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	for _, id := range b.sorted {
		if err := encoder.Encode(id); err != nil {
			return err
		}
	}
	return nil
}

// Limits of a baseline that is read.
const (
	maxBaselineBytes = 256 << 20
	maxBaselineLine  = 1 << 20
)

// ReadBaseline reads what [Baseline.Write] writes, in any order, up to 256 MiB. An error
// names the line, or is that of ctx.
func ReadBaseline(ctx context.Context, r io.Reader) (Baseline, error) {
	limited := &io.LimitedReader{R: r, N: maxBaselineBytes + 1}
	lines := bufio.NewScanner(limited)
	lines.Buffer(nil, maxBaselineLine)
	set := map[Identity]bool{}
	n := 0
	for lines.Scan() {
		if err := ctx.Err(); err != nil {
			return Baseline{}, err
		}
		n++
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		id, err := parseIdentity(line)
		if err != nil {
			return Baseline{}, fmt.Errorf("line %d: %w", n, err)
		}
		set[id] = true
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return Baseline{}, fmt.Errorf("line %d: it is longer than %d bytes, so this is no baseline", n+1, maxBaselineLine)
	case err != nil:
		return Baseline{}, err
	case limited.N == 0:
		return Baseline{}, fmt.Errorf("it is longer than %d MiB, so this is no baseline", maxBaselineBytes>>20)
	}
	return newBaseline(set), nil
}

func parseIdentity(line []byte) (Identity, error) {
	var id Identity
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&id); err != nil {
		return id, fmt.Errorf("it is no finding of a baseline: %w", err)
	}
	if decoder.More() || id.Code == "" {
		return id, errors.New("it is no finding of a baseline: want one object with a code")
	}
	return id, nil
}

// Ignore is a choice of findings to leave out: those with a code, of one package if that
// is named.
type Ignore struct {
	Code    catalog.Code
	Package string
}

func (i Ignore) covers(code catalog.Code, pkg string) bool {
	return i.Code == code && (i.Package == "" || i.Package == pkg)
}
