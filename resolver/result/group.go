package result

import (
	"fmt"
	"slices"

	"github.com/resolvent/resolvent/resolver/internal/code"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// crowded says that a group has more members than it can have.
func crowded(r *Reason, members []BundleRef, claims []Claim) string {
	switch r.code {
	case code.OnePackage:
		claims = slices.DeleteFunc(slices.Clone(claims), func(c Claim) bool { return c.By.Reason.Kind() == reasonAsked })
		if len(claims) == 0 {
			return "different bundles are needed, and " + r.Message()
		}
		return claimed(claims) + ", and " + r.Message()
	case code.OneName:
		return r.Message()
	}
	var names []string
	for _, list := range ByPackage(members) {
		name := list[0].Bundle.Package + words.InNamespace(list[0].Namespace)
		if len(list) == 1 || list[0].Bundle.Package == "" || list[0].Installed {
			name = describeBundles(list, false)
		}
		names = append(names, name)
	}
	names = words.Distinct(names)
	if len(names) < 2 {
		return r.Message()
	}
	return fmt.Sprintf("%s %s provide %s, and %s", words.Listed(names, words.MaxNamed), words.Verb(len(names)-1, "both", "all"), words.APIText(r.API()), r.row("oneOf"))
}

// claimed says who leads to which bundles.
func claimed(claims []Claim) string {
	texts := words.Distinct(mapped(claims, Claim.text))
	last := len(texts) - 1
	if last == 0 {
		return texts[0]
	}
	return words.Listed(texts[:last], words.MaxNamed) + ", but " + texts[last]
}
