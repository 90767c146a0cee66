package resolver

import (
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
)

// installedLookup narrows down which installed bundles an expression can match,
// so that not every constraint has to be held against every one of them.
type installedLookup struct {
	all       []int // indices into problem.installed
	byAPI     map[properties.GVK][]int
	byPackage map[string][]int
}

// fewInstalled is a number of bundles that are looked at faster than looked up.
const fewInstalled = 16

func newInstalledLookup(installed []installedBundle) *installedLookup {
	l := &installedLookup{all: make([]int, len(installed))}
	for i := range l.all {
		l.all[i] = i
	}
	if len(installed) <= fewInstalled {
		return l
	}
	l.byAPI = make(map[properties.GVK][]int, 4*len(installed))
	l.byPackage = make(map[string][]int, len(installed))
	for i := range installed {
		set := installed[i].properties
		for _, api := range set.GVKs() {
			l.byAPI[api] = append(l.byAPI[api], i)
		}
		if pkg, ok := set.Package(); ok {
			l.byPackage[pkg.Name] = append(l.byPackage[pkg.Name], i)
		}
	}
	return l
}

// like returns the indices of bundles, ascending, among which are all that match
// the expression.
func (l *installedLookup) like(e constraints.Expr) []int {
	if l.byAPI == nil {
		return l.all
	}
	switch e := e.(type) {
	case constraints.GVK:
		return l.byAPI[e.GVK]
	case constraints.Package:
		return l.byPackage[e.Name]
	}
	return l.all
}
