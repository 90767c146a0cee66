package constraints

// The word namespace is a fine name for a variable, but CEL reserves it. So an [Environment]
// with such a variable gives it a name of the same length while it compiles: columns stay.
const (
	variableNamespace = "namespace"
	renamedNamespace  = "_namespac"
)

// renameReserved renames the variable namespace in the source of a rule. It leaves fields,
// texts and comments alone.
func renameReserved(source string) string {
	text := []byte(source)
	word := func(c byte) bool {
		return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
	}
	last := byte(0) // the last byte that is no blank
	for i := 0; i < len(text); {
		c, from := text[i], i
		switch {
		case c == '/' && i+1 < len(text) && text[i+1] == '/':
			for i < len(text) && text[i] != '\n' {
				i++
			}
			continue
		case c == '"' || c == '\'':
			i = endOfText(source, i, false)
		case word(c):
			for i < len(text) && word(text[i]) {
				i++
			}
			name := source[from:i]
			if raw, ok := textPrefixes[name]; ok && i < len(text) && (text[i] == '"' || text[i] == '\'') {
				i = endOfText(source, i, raw)
			} else if name == variableNamespace && last != '.' {
				copy(text[from:], renamedNamespace)
			}
		default:
			i++
		}
		if c != ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' {
			last = text[i-1]
		}
	}
	return string(text)
}

// textPrefixes are the prefixes of texts, and whether a text with it has no escapes.
var textPrefixes = map[string]bool{
	"r": true, "R": true, "b": false, "B": false,
	"br": true, "bR": true, "Br": true, "BR": true, "rb": true, "rB": true, "Rb": true, "RB": true,
}

// endOfText returns where the text ends that begins with the quote at i.
func endOfText(source string, i int, raw bool) int {
	quote, length := source[i], 1
	if i+2 < len(source) && source[i+1] == quote && source[i+2] == quote {
		length = 3
	}
	for i += length; i < len(source); i++ {
		switch {
		case source[i] == '\\' && !raw:
			i++
		case source[i] == quote && (length == 1 || i+2 < len(source) && source[i+1] == quote && source[i+2] == quote):
			return i + length
		}
	}
	return len(source)
}
