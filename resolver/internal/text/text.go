// Package text is how answers are said: a table that leads from the code of a reason to
// its words, and nothing of what the words are about. [English] is one.
package text

import "strings"

// table has the words of each code. A row is a list of alternatives, of which the first
// that fits is said. In an alternative stand
//
//	{name}      the value of an argument; it does not fit where that has none
//	{~name}     the value of an argument, if it has one
//	{is|are}    the form for one or for several
//	{?name}     nothing; it fits where the argument has a value
//	{!name}     nothing; it fits where the argument has none
//	{@row}      the words of another row
//	[...]       a part that is left out where it does not fit
type table map[string][]string

// Facts are what a sentence is about. Value returns an argument by its name, empty if it has
// no value; Several chooses the form of verbs.
type Facts interface {
	Value(name string) string
	Several() bool
}

// Say words a row of the table. Where no alternative fits, it is the last one, without the
// values that are missing.
func (t table) Say(row string, facts Facts) string {
	for i, alternative := range t[row] {
		s := sentence{table: t, facts: facts}
		if s.fill(alternative, i+1 == len(t[row])) {
			return string(s.text)
		}
	}
	return ""
}

type sentence struct {
	table table
	facts Facts
	text  []byte
}

// fill adds a text with its arguments, and reports whether it fits; the last one always does.
func (s *sentence) fill(text string, last bool) bool {
	for text != "" {
		at := strings.IndexAny(text, "{[")
		if at < 0 {
			break
		}
		s.text = append(s.text, text[:at]...)
		if text[at] == '[' {
			part, rest, _ := strings.Cut(text[at+1:], "]")
			if before := len(s.text); !s.fill(part, false) {
				s.text = s.text[:before]
			}
			text = rest
			continue
		}
		name, rest, _ := strings.Cut(text[at+1:], "}")
		if !s.argument(name) && !last {
			return false
		}
		text = rest
	}
	s.text = append(s.text, text...)
	return true
}

func (s *sentence) argument(name string) bool {
	if one, many, ok := strings.Cut(name, "|"); ok {
		if s.facts.Several() {
			one = many
		}
		s.text = append(s.text, one...)
		return true
	}
	switch name[0] {
	case '?', '!':
		return (s.facts.Value(name[1:]) != "") == (name[0] == '?')
	case '~':
		s.text = append(s.text, s.facts.Value(name[1:])...)
		return true
	case '@':
		s.text = append(s.text, s.table.Say(name[1:], s.facts)...)
		return true
	}
	value := s.facts.Value(name)
	s.text = append(s.text, value...)
	return value != ""
}
