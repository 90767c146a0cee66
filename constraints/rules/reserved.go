package rules

import "regexp"

// The word namespace is a fine name for a variable, but CEL reserves it. So an [Environment]
// with such a variable gives it a name of the same length while it compiles: columns stay.
const (
	variableNamespace = "namespace"
	renamedNamespace  = "_namespac"
)

// tokens matches what may hold the word: comments, texts, fields and names.
var tokens = regexp.MustCompile(`//[^\n]*` +
	`|\b(?i:r|br|rb)(?s:""".*?"""|'''.*?'''|"[^"]*"|'[^']*')` + // texts without escapes
	`|(?s:"""(?:\\.|[^\\])*?"""|'''(?:\\.|[^\\])*?'''|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')` +
	`|["'](?s:.*)` + // a text without an end
	`|\.(?:\s|//[^\n]*)*\w+` +
	`|\w+`)

// renameReserved renames the variable namespace in the source of a rule. It leaves fields,
// texts and comments alone.
func renameReserved(source string) string {
	return tokens.ReplaceAllStringFunc(source, func(token string) string {
		if token == variableNamespace {
			return renamedNamespace
		}
		return token
	})
}
