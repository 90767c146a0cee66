package words

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

// Say words a row of the table. several chooses the form of verbs, and value returns an argument
// by its name, empty if it has no value. Where no alternative fits, it is the last one, without
// the values that are missing.
func (t table) Say(row string, several bool, value func(name string) string) string {
	for i, alternative := range t[row] {
		s := template{table: t, several: several, value: value}
		if s.fill(alternative, i+1 == len(t[row])) {
			return string(s.text)
		}
	}
	return ""
}

// Values are the arguments of a row by their names.
type Values map[string]string

// With words a row of the table about n things with the arguments, see [table.Say].
func (t table) With(row string, n int, values Values) string {
	return t.Say(row, n != 1, func(name string) string { return values[name] })
}

type template struct {
	table   table
	several bool
	value   func(name string) string
	text    []byte
}

// fill adds a text with its arguments, and reports whether it fits; the last one always does.
func (s *template) fill(text string, last bool) bool {
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

func (s *template) argument(name string) bool {
	if one, many, ok := strings.Cut(name, "|"); ok {
		if s.several {
			one = many
		}
		s.text = append(s.text, one...)
		return true
	}
	switch name[0] {
	case '?', '!':
		return (s.value(name[1:]) != "") == (name[0] == '?')
	case '~':
		s.text = append(s.text, s.value(name[1:])...)
		return true
	case '@':
		s.text = append(s.text, s.table.Say(name[1:], s.several, s.value)...)
		return true
	}
	value := s.value(name)
	s.text = append(s.text, value...)
	return value != ""
}
