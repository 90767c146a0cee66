package constraints

import "strconv"

// Key returns a text that is equal exactly for expressions that are written the same
// way; failure messages do not count. It is a key of maps. [Expr.String] is the text for
// people.
func Key(e Expr) string { return string(appendKey(make([]byte, 0, 128), e)) }

// appendKey quotes every text, so that different expressions have different keys.
func appendKey(key []byte, e Expr) []byte {
	if e == nil {
		return key
	}
	key = append(append(key, e.name()...), '(')
	fields, parts := e.content()
	for i, f := range fields {
		if i > 0 {
			key = append(key, ',')
		}
		key = strconv.AppendQuote(key, f.text)
	}
	for i, part := range parts {
		if i > 0 {
			key = append(key, ',')
		}
		key = appendKey(key, part)
	}
	return append(key, ')')
}
