package constraints

import "strconv"

// Key returns a text that two expressions share exactly if they are written the
// same way, failure messages aside. It identifies what is required, for use as a
// map key; [Expr.String] is what people should read.
func Key(e Expr) string { return string(appendKey(make([]byte, 0, 128), e)) }

// appendKey quotes every text, so that none can pass for two.
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
