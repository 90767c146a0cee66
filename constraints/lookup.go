package constraints

import (
	"cmp"
	"slices"

	"github.com/resolvent/resolvent/properties"
)

// Index finds bundles by what they state. Its lists are ascending.
type Index[ID cmp.Ordered] interface {
	// Providers returns the bundles that provide an API.
	Providers(api properties.GVK) []ID
	// Packaged returns the bundles of a package.
	Packaged(name string) []ID
	// Labeled returns the bundles that carry a label.
	Labeled(label string) []ID
}

// lookup identifies a list of an [Index] that has all bundles that match an expression.
// The zero lookup identifies none: any bundle may match.
type lookup struct {
	by    lookupBy
	api   properties.GVK
	text  string // the package or the label
	exact bool   // all bundles of the list match
	parts []Expr // of byEach and byOneOf
}

type lookupBy uint8

const (
	byNothing lookupBy = iota
	byAPI
	byPackage
	byLabel
	byEach  // the lists of any part that has one
	byOneOf // the lists of all parts together
)

func lookupOf(e Expr) lookup {
	if e == nil {
		return lookup{}
	}
	return e.lookup()
}

// Find returns the bundles that match an expression if the index has a list of exactly
// these, otherwise false. The list belongs to the index: read it only.
func Find[ID cmp.Ordered](index Index[ID], e Expr) ([]ID, bool) {
	if l := lookupOf(e); l.exact {
		return list(index, l)
	}
	return nil, false
}

// Narrow returns bundles, ascending, that include all that match an expression. It
// returns false if the index does not help. The list may belong to the index: read it
// only.
func Narrow[ID cmp.Ordered](index Index[ID], e Expr) ([]ID, bool) { return list(index, lookupOf(e)) }

func list[ID cmp.Ordered](index Index[ID], l lookup) (ids []ID, narrow bool) {
	switch l.by {
	case byAPI:
		return index.Providers(l.api), true
	case byPackage:
		return index.Packaged(l.text), true
	case byLabel:
		return index.Labeled(l.text), true
	case byEach:
		for _, part := range l.parts {
			if found, ok := Narrow(index, part); ok && (!narrow || len(found) < len(ids)) {
				ids, narrow = found, true
			}
		}
		return ids, narrow
	case byOneOf:
		// Many parts may be about one package, of which the index has one list.
		type of struct {
			first *ID
			n     int
		}
		added := map[of]bool{}
		for _, part := range l.parts {
			found, ok := Narrow(index, part)
			if !ok {
				return nil, false
			}
			if len(found) > 0 && !added[of{&found[0], len(found)}] {
				added[of{&found[0], len(found)}] = true
				ids = append(ids, found...)
			}
		}
		slices.Sort(ids)
		return slices.Compact(ids), true
	}
	return nil, false
}
