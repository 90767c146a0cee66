package terminal

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// narrowest is the least width of a terminal for which lines are broken.
const narrowest = 20

var (
	// colour is what colours text, and takes no place.
	colour = regexp.MustCompile(`\x1b\[[0-9;]*m`)
	// label begins lines that are entries of a list; what follows stands behind it.
	label = regexp.MustCompile(`^(?:\d+\.|-|Fix \d+:|\d+ (?:error|warning|note)) +`)
	// branches begin the lines of a tree, and place begins those that show one in a rule.
	branches = " │├└─"
	place    = "| "
)

// wrapped breaks the lines of a text that are wider than a width, before words. What follows is
// indented by a bit more than the line. No word is broken, nor are lines that show a place in a
// rule.
func wrapped(text string, width int) string {
	if width < narrowest {
		return text
	}
	var b strings.Builder
	for line := range strings.SplitAfterSeq(text, "\n") {
		if seen(line) > width && !strings.HasPrefix(strings.TrimLeft(line, " "), place) {
			line = wrappedLine(line, width)
		}
		b.WriteString(line)
	}
	return b.String()
}

// bit is by how much further lines are indented.
const bit = "  "

func wrappedLine(line string, width int) string {
	body := strings.TrimLeft(line, branches)
	begin := line[:len(line)-len(body)]
	first, _, _ := strings.Cut(strings.TrimRight(body, "\n"), " ")
	if strings.Trim(begin, " ") == "" && seen(begin)+seen(first) > width { // further to the left it may fit
		begin = begin[:max(0, min(len(begin), width-seen(first)))]
	}
	further := strings.NewReplacer("├", "│", "└", " ", "─", " ").Replace(begin)
	if entry := label.FindString(colour.ReplaceAllString(body, "")); entry != "" {
		further += strings.Repeat(" ", len(entry))
	} else if seen(further) == seen(begin) && !strings.ContainsAny(begin, "├└│") {
		further += bit
	}
	if seen(further) > width/2 {
		further = bit
	}
	var b strings.Builder
	now, at := begin, seen(begin)
	for i, word := range strings.SplitAfter(body, " ") {
		if bare := seen(strings.TrimRight(word, " \n")); i > 0 && at+bare > width && bare > 0 {
			b.WriteString(strings.TrimRight(now, " ") + "\n")
			now = further
			if seen(further)+bare > width { // further to the left it may fit
				now = strings.Repeat(" ", max(0, min(width-bare, len(bit))))
			}
			at = seen(now)
		}
		now, at = now+word, at+seen(word)
	}
	return b.String() + now
}

// seen is how many characters of a line a terminal shows.
func seen(line string) int {
	return utf8.RuneCountInString(colour.ReplaceAllString(strings.TrimSuffix(line, "\n"), ""))
}
