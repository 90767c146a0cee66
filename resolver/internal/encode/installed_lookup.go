package encode

import (
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/internal/candidate"
	"github.com/resolvent/resolvent/solver"
)

// installedLookup narrows down which installed bundles an expression can match,
// so that not every constraint has to be held against every one of them.
type installedLookup struct {
	all       []int // indices into problem.installed
	byAPI     map[properties.GVK][]int
	byPackage map[string][]int
	byLabel   map[string][]int
	// lists caches what matches expressions that cannot be narrowed down.
	lists map[candidate.ListKey][]solver.Var
}

// fewInstalled is a number of bundles that are looked at faster than looked up.
const fewInstalled = 16

func newInstalledLookup(installed []InstalledBundle) *installedLookup {
	l := &installedLookup{all: make([]int, len(installed))}
	for i := range l.all {
		l.all[i] = i
	}
	if len(installed) <= fewInstalled {
		return l
	}
	l.byAPI = make(map[properties.GVK][]int, 4*len(installed))
	l.byPackage = make(map[string][]int, len(installed))
	l.byLabel = map[string][]int{}
	l.lists = map[candidate.ListKey][]solver.Var{}
	for i := range installed {
		set := installed[i].Properties
		for _, api := range set.GVKs() {
			l.byAPI[api] = append(l.byAPI[api], i)
		}
		if pkg, ok := set.Package(); ok {
			l.byPackage[pkg.Name] = append(l.byPackage[pkg.Name], i)
		}
		for _, label := range set.Labels() {
			l.byLabel[label] = append(l.byLabel[label], i)
		}
	}
	return l
}

// like returns the indices of bundles, ascending, among which are all that match
// the expression, and whether that is fewer than all.
func (l *installedLookup) like(e constraints.Expr) (indices []int, narrow bool) {
	if l.byAPI != nil {
		if indices, narrow = constraints.Narrow(l, e); narrow {
			return indices, true
		}
	}
	return l.all, false
}

// Providers, Packaged and Labeled implement [constraints.Index].
func (l *installedLookup) Providers(api properties.GVK) []int { return l.byAPI[api] }
func (l *installedLookup) Packaged(name string) []int         { return l.byPackage[name] }
func (l *installedLookup) Labeled(label string) []int         { return l.byLabel[label] }
