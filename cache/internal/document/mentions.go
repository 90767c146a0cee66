package document

import (
	"regexp"
	"sync"
)

// What a broken text says about packages has to be found without parsing it. In
// JSON a package is named by the member package of a blob, or by the name of an
// olm.package blob, whose other members may stand between the two. In YAML the
// same keys stand at the start of a line.
var (
	jsonMention  = Pattern(`["']?package["']?\s*:\s*["']([^"'\\{}\[\]]+)["']`)
	jsonPackages = Pattern(`"schema"\s*:\s*"olm\.package"[^{}]*?"name"\s*:\s*"([^"\\]+)"`)
	jsonReversed = Pattern(`"name"\s*:\s*"([^"\\]+)"[^{}]*?"schema"\s*:\s*"olm\.package"`)
	yamlMention  = Pattern(`(?m)^(?:--- )?package\s*:\s*["']?([^"'\s#{}\[\]]+)`)
	yamlPackage  = Pattern(`(?m)^(?:--- )?schema\s*:\s*["']?olm\.package["']?\s*(?:#.*)?$`)
	yamlName     = Pattern(`(?m)^(?:--- )?name\s*:\s*["']?([^"'\s#{}\[\]]+)`)
)

// mentions returns the packages that a text which cannot be parsed is about, as
// far as can be told, with repeats.
func mentions(text []byte) []string {
	patterns := []func() *regexp.Regexp{jsonMention, jsonPackages, jsonReversed, yamlMention}
	if yamlPackage().Match(text) {
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

// Pattern is a regular expression that is compiled when it is first used: a
// process that starts from an index needs none.
func Pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
