package finding

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/constraints/versionrange"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

var (
	spaced   = regexp.MustCompile(`([<>=!]=?)\s+`)
	swapped  = regexp.MustCompile(`=([<>])`)
	short    = regexp.MustCompile(`(^|[^\d.\w-])(\d+)(\.\d+)?($|[^\d.\w-])`)
	prefixed = regexp.MustCompile(`(^|[^\w.-])[vV](\d)`)
	about    = regexp.MustCompile(`([~^])>?\s*[vV]?(\d[\w.+-]*)`)
	bound    = regexp.MustCompile(`<(\d+\.\d+\.\d+)($|\s)`)
)

// Ranges returns ranges that a text may be meant to be: without the notations of
// other languages, such as v1.2.0, commas, ^, ~ and missing numbers.
func Ranges(text string) (list []string) {
	whole := strings.NewReplacer(",", " ", "&&", " ", "\"", "", "'", "").Replace(text)
	for _, one := range []string{text, whole} {
		one = swapped.ReplaceAllString(one, "${1}=")
		one = spaced.ReplaceAllString(one, "$1")
		one = about.ReplaceAllStringFunc(one, func(term string) string {
			parts := about.FindStringSubmatch(term)
			v, err := semver.ParseTolerant(parts[2])
			if err != nil {
				return term
			}
			next := semver.Version{Major: v.Major, Minor: v.Minor + 1}
			if parts[1] == "^" && v.Major > 0 {
				next = semver.Version{Major: v.Major + 1}
			}
			return fmt.Sprintf(">=%s <%s", v, next)
		})
		one = prefixed.ReplaceAllString(one, "$1$2")
		for range 2 { // neighbours share the character between them
			one = short.ReplaceAllStringFunc(one, func(term string) string {
				parts := short.FindStringSubmatch(term)
				minor := parts[3]
				if minor == "" {
					minor = ".0"
				}
				return parts[1] + parts[2] + minor + ".0" + parts[4]
			})
		}
		one = strings.Join(strings.Fields(one), " ")
		list = append(list, one, bound.ReplaceAllString(one, "<$1-0$2"))
	}
	list = slices.DeleteFunc(list, func(one string) bool {
		_, err := versionrange.Parse(one)
		return err != nil || one == text
	})
	return words.Distinct(list)
}
