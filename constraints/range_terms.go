package constraints

import "strings"

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
