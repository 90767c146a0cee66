package result

import (
	"fmt"

	"github.com/resolvent/resolvent/resolver/internal/words"
)

// Reason returns why, on one line. It names the demands only if they are of several requests.
func (c *Cause) Reason() string {
	text := c.Explanation.Cause()
	if len(c.Explanation.Reason.args.Conflict.Requests) > 1 {
		text = c.Explanation.Text()
	}
	if len(c.Likewise) > 0 {
		text += "; likewise " + words.Listed(c.Likewise, words.MaxLikewise)
	}
	return words.OneLine(text)
}

// Told returns the causes as a short text has them: those that differ only in the API, the package
// or the rule that they end in are one, with Likewise. It leaves out those of a request of which
// earlier ones state all that they end in.
func (e *NotSatisfiable) Told() []Cause {
	var list []Cause
	stated, alike := map[string]bool{}, map[string]int{}
	for _, c := range e.Causes {
		if !c.hasNews(stated) {
			continue
		}
		key, what := c.endsIn()
		if at, known := alike[key]; known && key != "" {
			list[at].Likewise = append(list[at].Likewise, what)
			continue
		}
		alike[key] = len(list)
		list = append(list, c)
	}
	said := map[string]bool{} // of any requests
	for i := range e.Causes {
		for _, end := range e.Causes[i].Explanation.ends() {
			said[end.key()] = true
		}
	}
	return append(list, e.Further.told(stated, said)...)
}

// endsIn returns the API, package or rule that the cause ends in, and what is equal of causes
// that differ only in that; both are empty if it ends otherwise.
func (c *Cause) endsIn() (key, what string) {
	ends := c.Explanation.ends()
	if len(ends) != 1 {
		return "", ""
	}
	fact := &ends[0].Fact.Reason
	switch args := fact.Args(); fact.code {
	case words.MissingAPI, words.OneAPI:
		what = words.APIText(fact.API())
	case words.MissingPackage, words.NoPackage:
		what = "package " + args.Package
	case words.MissingVersion, words.MissingLabel, words.NoMatch:
		what = args.Constraint.String()
	default:
		return "", ""
	}
	head := c.Explanation.Reason.args.Conflict
	requiring := ""
	if ends[0].RequiredBy != nil {
		requiring = bundlesKey(ends[0].RequiredBy.Bundles)
	}
	return fmt.Sprintf("%s %q %s %s", fact.code, c.Requests, bundlesKey(head.Installed), requiring), what
}
