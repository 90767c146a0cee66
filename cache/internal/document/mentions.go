package document

import (
	"bytes"
	"regexp"
	"sync"
)

// These patterns find packages in text that cannot be parsed. JSON names a package in the
// member package of a blob, or in the name of an olm.package blob, with other members
// between schema and name. YAML has the same keys at the start of a line. A pattern that begins
// with a literal text is several times as fast as another one (BenchmarkMentions).
var (
	jsonMention  = Pattern(`package["']?\s*:\s*["']([^"'\\{}\[\]]+)["']`)
	jsonPackages = Pattern(`"schema"\s*:\s*"olm\.package"[^{}]*?"name"\s*:\s*"([^"\\]+)"`)
	jsonReversed = Pattern(`"name"\s*:\s*"([^"\\]+)"[^{}]*?"schema"\s*:\s*"olm\.package"`)
	yamlMention  = Pattern(`(?m)^(?:--- )?package\s*:\s*["']?([^"'\s#{}\[\]]+)`)
	yamlPackage  = Pattern(`(?m)^(?:--- )?schema\s*:\s*["']?olm\.package["']?\s*(?:#.*)?$`)
	yamlName     = Pattern(`(?m)^(?:--- )?name\s*:\s*["']?([^"'\s#{}\[\]]+)`)
)

// mentions returns the packages that an unparsable text seems to mention, with repeats.
func mentions(text []byte) []string {
	patterns := []func() *regexp.Regexp{jsonMention, jsonPackages, jsonReversed}
	if begins(text, "package") {
		patterns = append(patterns, yamlMention)
	}
	if begins(text, "schema") && yamlPackage().Match(text) {
		patterns = append(patterns, yamlName)
	}
	var names []string
	for _, p := range patterns {
		for _, match := range p().FindAllSubmatch(text, -1) {
			names = append(names, string(match[1]))
		}
	}
	return names
}

// begins reports whether a line of a text may begin with a key.
func begins(text []byte, key string) bool {
	return bytes.HasPrefix(text, []byte(key)) || bytes.Contains(text, []byte("\n"+key)) || bytes.Contains(text, []byte("--- "+key))
}

// Pattern returns a regular expression that is compiled when it is first used. A catalog
// without faults needs none.
func Pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
