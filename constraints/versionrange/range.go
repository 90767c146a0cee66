// Package versionrange reads the version ranges of catalogs. Their meaning is that of
// github.com/blang/semver, and [Range.Traps] explains where that surprises. Ranges of
// OLM v1 are another language.
package versionrange

import (
	"errors"
	"fmt"
	"strings"

	"github.com/blang/semver/v4"
)

// Range is a set of versions: comparisons joined by spaces (and) and by || (or). Its
// meaning is exactly that of ParseRange of github.com/blang/semver. The zero Range is no
// range and contains nothing. Ranges with equal Text are equal in meaning.
type Range struct{ data *rangeData }

type rangeData struct {
	text     string
	contains semver.Range
}

// Parse reads a range, in time proportional to its length, which the caller must bound.
// The empty text is an error, as in Operator Lifecycle Manager.
func Parse(text string) (r Range, err error) {
	if strings.TrimSpace(text) == "" {
		return Range{}, errors.New("the version range is empty: give one such as >=1.0.0 <2.0.0")
	}
	// blang/semver parses an empty alternative, and panics when it evaluates it.
	arms := rangeArms(text)
	if len(arms) == 1 && len(arms[0]) == 0 {
		return Range{}, fmt.Errorf("version range %q is not a comparison such as >=1.0.0", text)
	}
	for _, arm := range arms {
		if len(arm) == 0 {
			return Range{}, fmt.Errorf("version range %q: nothing stands on one side of ||", text)
		}
	}
	defer func() {
		if p := recover(); p != nil {
			r, err = Range{}, fmt.Errorf("version range %q cannot be read: %v", text, p)
		}
	}()
	contains, err := semver.ParseRange(text)
	if err != nil {
		spaced := strings.Join(strings.Fields(strings.NewReplacer(",", " ", "&&", " ").Replace(text)), " ")
		if spaced != text {
			if _, other := Parse(spaced); other == nil {
				return Range{}, fmt.Errorf("version range %q: a space joins comparisons: write %q", text, spaced)
			}
		}
		return Range{}, fmt.Errorf("version range %q: %w", text, err)
	}
	return Range{&rangeData{text, contains}}, nil
}

// IsZero reports whether r is the zero Range.
func (r Range) IsZero() bool { return r.data == nil }

// Text returns the range as it was written.
func (r Range) Text() string {
	if r.data == nil {
		return ""
	}
	return r.data.text
}

// String returns the range as it was written.
func (r Range) String() string { return r.Text() }

// Phrase returns the versions of the range in words.
func (r Range) Phrase() string {
	if exact := r.Exact(); exact != "" {
		return "at exactly " + exact
	}
	return "in range " + r.Text()
}

// Exact returns the version that is the whole range, empty if the range is written in another way.
func (r Range) Exact() string {
	exact := strings.TrimSpace(strings.TrimLeft(r.Text(), "= "))
	if _, err := semver.Parse(exact); err != nil {
		return ""
	}
	return exact
}

// Contains reports whether v is in the range.
func (r Range) Contains(v semver.Version) (in bool) {
	if r.data == nil {
		return false
	}
	defer func() {
		if recover() != nil {
			in = false
		}
	}()
	return r.data.contains(v)
}

// rangeArms splits a range into alternatives, and these into terms, as blang/semver
// does. A space ends a term unless it follows <, > or =. A term of one character is
// dropped silently.
func rangeArms(text string) [][]string {
	kept, _ := splitRange(text)
	arms := [][]string{nil}
	for _, term := range kept {
		if term == "||" {
			arms = append(arms, nil)
			continue
		}
		last := len(arms) - 1
		arms[last] = append(arms[last], term)
	}
	return arms
}

// splitRange returns the terms that count, including ||, and those that are dropped.
func splitRange(text string) (kept, dropped []string) {
	start := 0
	var lastChar byte
	end := func(i int) {
		switch term := strings.ReplaceAll(text[start:i], " ", ""); {
		case i-start > 1:
			kept = append(kept, term)
		case term != "":
			dropped = append(dropped, term)
		}
		start = i + 1
	}
	for i := range len(text) {
		if text[i] != ' ' {
			lastChar = text[i]
		} else if lastChar != '<' && lastChar != '>' && lastChar != '=' {
			end(i)
		}
	}
	end(len(text))
	return kept, dropped
}
