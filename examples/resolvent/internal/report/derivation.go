package report

import "github.com/resolvent/resolvent/resolver/result"

// bundle is one that cannot be installed.
type bundle struct {
	Bundle string
	// Several says that it has several causes.
	Several bool
	Causes  []cause
}

// cause is a set of facts that exclude a bundle.
type cause struct {
	Facts []fact
	More  int // facts that are not shown
}

// fact is what a bundle states, and what is missing for that.
type fact struct {
	Text    string
	Missing []string
}

func newBundle(name string, causes []result.BundleCause) bundle {
	b := bundle{Bundle: name, Several: len(causes) > 1}
	for _, c := range causes {
		shown := c.Constraints[:min(len(c.Constraints), maxFacts)]
		derived := cause{More: len(c.Constraints) - len(shown)}
		for i := range shown {
			derived.Facts = append(derived.Facts, newFact(&shown[i]))
		}
		b.Causes = append(b.Causes, derived)
	}
	return b
}

func newFact(r *result.Reason) fact {
	f := fact{Text: r.Message()}
	for _, missing := range r.Because() {
		f.Missing = append(f.Missing, missing.Message())
	}
	return f
}
