package explain

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"

	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// Nearest returns the names closest to asked, the closest first: few letters differ, or only
// their case, or one name contains the other. A tie goes to the name with the longest common
// beginning, then to the one that differs least behind it, as close versions do.
func Nearest(asked string, names iter.Seq[string]) []string {
	type scored struct {
		name  string
		score int
	}
	var found []scored
	limit, letters := 2+len(asked)/8, utf8.RuneCountInString(asked) // a transposition counts as two
	if len(asked) > request.MaxName {
		return nil
	}
	for name := range names {
		if len(name) > request.MaxName {
			continue
		}
		score := limit + 1
		if length := utf8.RuneCountInString(name); max(length-letters, letters-length) <= limit {
			score = levenshtein.ComputeDistance(asked, name)
		}
		if asked != "" && (strings.Contains(name, asked) || strings.Contains(asked, name)) {
			score = min(score, limit)
		}
		if strings.EqualFold(asked, name) {
			score = min(score, 1)
		}
		if score <= limit {
			found = append(found, scored{name, score})
		}
	}
	slices.SortFunc(found, func(a, b scored) int {
		return cmp.Or(cmp.Compare(a.score, b.score), cmp.Compare(shared(asked, b.name), shared(asked, a.name)),
			cmp.Compare(differs(asked, a.name), differs(asked, b.name)), cmp.Compare(a.name, b.name))
	})
	found = slices.Compact(found)
	return words.Mapped(found[:min(len(found), maxNearest)], func(s scored) string { return s.name })
}

// differs is how far the first bytes are apart that are not alike, 0 where there are none.
func differs(a, b string) int {
	n := shared(a, b)
	if n == min(len(a), len(b)) {
		return 0
	}
	return max(int(a[n])-int(b[n]), int(b[n])-int(a[n]))
}

// shared is how many bytes two names begin alike.
func shared(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
