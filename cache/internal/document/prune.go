package document

import (
	"bytes"
	"slices"

	"github.com/resolvent/resolvent/properties"
)

// pruner leaves out of a YAML document the values that no reader of catalogs
// looks at, which are the larger part of one that a maintainer wrote. A parser
// that makes nodes spends fifty times as long on a line as it takes to see that
// it belongs to such a value.
//
// It knows block style with plain keys, as tools write it, and how scalars
// continue over lines. Anything else makes it give up, so that it never has to
// guess: then the document is parsed in full. The keys stay, and every line that
// is left out becomes an empty one, so that names and line numbers are the same.
type pruner struct {
	out []byte
	// also are members of the root and of metadata that are read as well as those of others.
	also []string

	// A plain or block scalar goes on in lines that are indented more than scalar;
	// a quoted one up to the quote. They are -1 and 0 outside.
	scalar int
	plain  bool // the scalar, which is then no block scalar
	quote  byte
	// skip is the column of the key whose value is being left out, or -1.
	skip int

	// section is the key at the top that the lines belong to. In properties, item
	// is the column of the keys of a property, and of its value if that column
	// is known; -1 otherwise.
	section            string
	dash, item, fields int
	propertyType       string
	inValue            bool
}

// rootFields are the members of a document that are always read.
var rootFields = []string{"schema", "package", "name", "image", "defaultChannel", "properties", "entries", "versions"}

// prune returns the document with less in it, or the text itself if it gives up.
// It uses the memory of out.
func prune(out, text []byte, also ...string) []byte {
	if hasOddBreaks(text) {
		return text
	}
	p := &pruner{out: out[:0], also: also, scalar: -1, skip: -1, dash: -1, item: -1, fields: -1}
	for at := 0; at < len(text); {
		line, _, _ := bytes.Cut(text[at:], []byte("\n"))
		if !p.line(line, at == 0) {
			return text
		}
		at += len(line) + 1
	}
	if !bytes.HasSuffix(text, []byte("\n")) {
		// A break more would be part of a block scalar in the last line.
		return bytes.TrimSuffix(p.out, []byte("\n"))
	}
	return p.out
}

// hasOddBreaks reports whether YAML may see line breaks other than \n.
func hasOddBreaks(text []byte) bool {
	marks := []string{"\r", "\u0085", "\u2028", "\u2029", "\x00"}
	return slices.ContainsFunc(marks, func(mark string) bool { return bytes.Contains(text, []byte(mark)) })
}

// line takes the next line, and reports whether it is understood.
func (p *pruner) line(line []byte, first bool) bool {
	if p.quote != 0 {
		p.keep(line)
		return p.closeQuote(line)
	}
	rest := bytes.TrimLeft(line, " ")
	indent := len(line) - len(rest)
	if len(rest) == 0 || p.scalar >= 0 && indent > p.scalar {
		p.keep(line)
		return len(rest) == 0 || !p.plain || isPlain(rest)
	}
	p.scalar = -1
	if rest[0] == '#' || first && bytes.Equal(bytes.TrimRight(line, " "), marker) {
		p.keep(line)
		return true
	}
	return p.structure(line, indent, rest)
}

// keep writes a line, or an empty one in place of what is left out.
func (p *pruner) keep(line []byte) {
	if p.skip < 0 {
		p.out = append(p.out, line...)
	}
	p.out = append(p.out, '\n')
}

// structure takes a line that begins with an element of a list or a key.
func (p *pruner) structure(line []byte, indent int, rest []byte) bool {
	isItem := rest[0] == '-'
	if p.skip >= 0 && (indent < p.skip || indent == p.skip && !isItem) {
		p.skip = -1
	}
	column, dash := indent, -1
	for len(rest) > 0 && rest[0] == '-' && (len(rest) == 1 || rest[1] == ' ') {
		after := bytes.TrimLeft(rest[1:], " ")
		dash = column
		column += len(rest) - len(after)
		rest = after
	}
	if len(rest) == 0 {
		p.keep(line)
		return true
	}
	key, value, ok := cutKey(rest)
	if !ok {
		p.keep(line)
		// Only as an element of a list does a scalar stand at the start of a line.
		return dash >= 0 && p.value(rest, dash)
	}
	if p.skip < 0 && p.unread(key, value, column, indent, dash) {
		p.keep(line[:len(line)-len(rest)+len(key)+1])
		p.skip = column
	} else {
		p.keep(line)
	}
	return p.value(value, column)
}

// unread reports whether nobody reads the value of a key. Above the key stands
// what was passed to it before; dash is the column of the list's dash in front
// of it, or -1.
func (p *pruner) unread(key, value []byte, column, indent, dash int) bool {
	if column == 0 {
		p.section, p.dash = string(key), -1
		p.item = -1
		return !slices.Contains(rootFields, p.section) && !slices.Contains(p.also, p.section)
	}
	if p.section != "properties" {
		return false
	}
	if dash >= 0 && (p.dash < 0 || dash == p.dash) {
		p.dash, p.item, p.fields = dash, column, -1
		p.propertyType, p.inValue = "", false
		if dash != indent {
			p.item = -1 // a list in a list is no property
		}
	}
	switch {
	case p.item < 0:
		return false
	case column == p.item:
		p.inValue, p.fields = false, -1
		switch string(key) {
		case "type":
			if p.propertyType == "" {
				p.propertyType = string(unquoted(value))
			}
		case "value":
			p.inValue = true
			return p.propertyType == properties.TypeBundleObject
		}
		return false
	case !p.inValue || p.propertyType != properties.TypeCSVMetadata:
		return false
	case p.fields < 0 && dash < 0:
		p.fields = column
	}
	_, read := metadataShape.members[string(key)]
	return dash < 0 && column == p.fields && !read && !slices.Contains(p.also, string(key))
}

// unquoted is the text of a scalar that needs no escapes.
func unquoted(value []byte) []byte {
	if n := len(value); n > 1 && (value[0] == '"' || value[0] == '\'') && value[n-1] == value[0] {
		return value[1 : n-1]
	}
	return value
}

// cutKey splits a line behind its plain key.
func cutKey(line []byte) (key, value []byte, ok bool) {
	for i, c := range line {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '.', c == '/':
		case c == '-' && i > 0:
		case c == ':' && i > 0 && (i+1 == len(line) || line[i+1] == ' '):
			return line[:i], bytes.Trim(line[i+1:], " "), true
		default:
			return nil, nil, false
		}
	}
	return nil, nil, false
}

// value takes what stands in a line behind a key or dash in a column. It reports
// false for what it does not know to follow: anchors, tags, and collections in
// braces that go on in other lines.
func (p *pruner) value(value []byte, column int) bool {
	if len(value) == 0 {
		return true
	}
	switch value[0] {
	case '#':
		return true
	case '|', '>':
		p.scalar, p.plain = column, false
		return blankOrComment(bytes.TrimLeft(value[1:], "+-0123456789"))
	case '"', '\'':
		p.quote = value[0]
		return p.closeQuote(value[1:])
	case '{', '[':
		return len(value) == 2 && (value[1] == '}' || value[1] == ']')
	case '&', '*', '!', '?', '%', '@', '`', '\t':
		return false
	}
	p.scalar, p.plain = column, true
	return isPlain(value)
}

// isPlain reports whether a line can be part of a plain scalar. Where it cannot,
// the parser has something to say.
func isPlain(line []byte) bool {
	return !bytes.Contains(line, []byte(": ")) && !bytes.HasSuffix(line, []byte(":"))
}

// closeQuote looks for the end of a quoted scalar, which may be in a later line.
func (p *pruner) closeQuote(line []byte) bool {
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\\' && p.quote == '"':
			i++
		case line[i] == p.quote && p.quote == '\'' && i+1 < len(line) && line[i+1] == '\'':
			i++
		case line[i] == p.quote:
			p.quote = 0
			return blankOrComment(line[i+1:])
		}
	}
	return true
}

func blankOrComment(rest []byte) bool {
	rest = bytes.TrimLeft(rest, " ")
	return len(rest) == 0 || rest[0] == '#'
}
