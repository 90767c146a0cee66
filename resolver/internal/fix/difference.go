package fix

import (
	"slices"

	"github.com/resolvent/resolvent/resolver/internal/answer"
	"github.com/resolvent/resolvent/resolver/internal/encode"
	"github.com/resolvent/resolvent/resolver/result"
)

// fixed is the fix of changes that help, and what they lead to.
func fixed(o *outcome, list ...change) result.Fix {
	var fix result.Fix
	for _, c := range list {
		for _, s := range c.steps {
			// The last step about a field counts.
			same := func(known result.Step) bool {
				return s.Field != "" && known.Object == s.Object && known.Field == s.Field
			}
			if i := slices.IndexFunc(fix.Steps, same); i >= 0 {
				fix.Steps[i].To = s.To
			} else {
				fix.Steps = append(fix.Steps, s)
			}
		}
		fix.Risk = max(fix.Risk, c.risk)
		fix.Then.Removes = append(fix.Then.Removes, c.removes...)
	}
	for ; o != nil; o = o.also {
		addDifference(&fix.Then, o)
	}
	return fix
}

// addDifference adds what the answer of an outcome changes about what is
// installed. A bundle that is deleted and installed again is updated.
func addDifference(d *result.Difference, o *outcome) {
	for i, r := range answer.ResolutionsOf(o.m, o.solution) {
		p := o.m.Parts[i]
		for _, in := range r.Installs {
			to := result.Version{Bundle: in.Bundle, Package: in.Package, Version: in.Version}
			if at := slices.IndexFunc(p.Installed, func(b encode.InstalledBundle) bool { return !b.Foreign && b.Name() == in.Replaces }); at >= 0 && slices.Contains(r.Replaced, in.Replaces) {
				d.Updates = append(d.Updates, result.Update{From: versionOf(&p.Installed[at]), To: to})
			} else {
				d.Installs = append(d.Installs, to)
			}
		}
	}
}

// versionOf shows an installed bundle.
func versionOf(b *encode.InstalledBundle) result.Version {
	v := result.Version{Bundle: b.Name(), Package: b.PackageName()}
	if _, stated := b.Properties.Package(); stated || b.CSV.Version != "" {
		v.Version = b.Version.String()
	}
	return v
}
