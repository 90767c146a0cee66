package text

import (
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// notGiven returns which catalogs of the cluster are not known, empty if none.
func notGiven(h *result.Help) string {
	n := len(h.NotGiven)
	if n == 0 {
		return ""
	}
	names := words.Listed(words.Mapped(h.NotGiven, catalog.Key.String), words.MaxNamed)
	return "catalog" + words.Plural(n) + " " + names + " of the cluster " + words.Verb(n, "was", "were") + " not given, and may have what is missing"
}

// leaveOf returns that nothing has to be done at once, empty if that is not so.
func leaveOf(h *result.Help) string {
	if len(h.Runs) == 0 {
		return ""
	}
	n, until := len(h.Runs), ""
	if h.Until != "" {
		until = ", and " + words.Verb(n, "supports", "support") + " no cluster above " + h.Until
	}
	return words.Unbroken("no immediate action needed: " + words.Listed(h.Runs, words.MaxNamed) + words.Verb(n, " keeps running, but gets", " keep running, but get") + " no updates" + until)
}

// cutOff returns a sentence that the search was cut off, empty if it was not.
func cutOff(h *result.Help) string {
	switch h.Search {
	case result.SearchLimit:
		return "The search for what would help ended at its limit: there may be more"
	case result.SearchCanceled:
		return "The search for what would help was cut off: there may be changes that help"
	}
	return ""
}
