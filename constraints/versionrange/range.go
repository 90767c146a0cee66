// Package versionrange reads version ranges as catalogs write them, which is as
// github.com/blang/semver reads them, and explains where that surprises. Ranges
// of OLM v1 are another language, and not read here.
package versionrange

import (
	"errors"
	"fmt"
	"strings"

	"github.com/blang/semver/v4"
)

// Range is a set of versions: comparisons joined by spaces (and) and by || (or).
// It means exactly what ParseRange of github.com/blang/semver makes of the text;
// see [Range.Traps] for where that surprises. The zero Range is no range: it
// contains nothing. Two Ranges are equal if their Text is.
type Range struct{ data *rangeData }

type rangeData struct {
	text     string
	contains semver.Range
}

// Parse reads a range, in time proportional to its length, which is the caller's
// to bound. The empty text is an error, as it is in Operator Lifecycle Manager.
func Parse(text string) (r Range, err error) {
	if strings.TrimSpace(text) == "" {
		return Range{}, errors.New("the version range is empty: give one such as >=1.0.0 <2.0.0")
	}
	// An empty alternative parses and then panics when it is evaluated.
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
		return Range{}, fmt.Errorf("version range %q: %w", text, err)
	}
	return Range{&rangeData{text, contains}}, nil
}

// IsZero reports whether r is no range.
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

// Phrase says in words which versions the range has.
func (r Range) Phrase() string {
	exact := strings.TrimLeft(r.Text(), "= ")
	if _, err := semver.Parse(strings.TrimSpace(exact)); err == nil {
		return "at exactly " + strings.TrimSpace(exact)
	}
	return "in range " + r.Text()
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

// rangeArms splits a range into its alternatives and these into terms, in the
// way that blang/semver does it: a space ends a term unless it follows <, > or
// =, and a term of a single character is dropped without a word.
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

// splitRange returns the terms that count, || among them, and those that are
// dropped.
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
