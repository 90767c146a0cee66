package document

import (
	"regexp"
	"sync"
)

// pattern is a regular expression that is compiled when it is first used: a
// process that starts from an index needs none.
func pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
