package fix

import (
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/fixes"
	"github.com/resolvent/resolvent/resolver/internal/answer"
	"github.com/resolvent/resolvent/resolver/internal/model"
)

// fixed is the fix of changes that help, and what they lead to.
func fixed(o *outcome, list ...change) fixes.Fix {
	var fix fixes.Fix
	for _, c := range list {
		for _, s := range c.steps {
			// The last step about a field counts.
			same := func(known fixes.Step) bool {
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
	if len(fix.Then.Removes) > 0 {
		fix.Risk = max(fix.Risk, fixes.RiskRemoves)
	}
	return fix
}

// addDifference adds what the answer of an outcome changes about what is
// installed.
func addDifference(d *fixes.Difference, o *outcome) {
	for i, r := range answer.ResolutionsOf(o.m, o.solution) {
		installed := map[string]*model.InstalledBundle{}
		for k := range o.m.Model.Parts[i].Installed {
			if b := &o.m.Model.Parts[i].Installed[k]; !b.Foreign {
				installed[b.Name()] = b
			}
		}
		updated := map[string]bool{}
		for _, in := range r.Installs {
			to := fixes.Version{Bundle: in.Bundle, Version: &in.Version}
			if !slices.Contains(r.Replaced, in.Replaces) {
				d.Installs = append(d.Installs, to)
				continue
			}
			from := installed[in.Replaces]
			updated[in.Replaces] = true
			version, _ := in.Properties.Package()
			d.Updates = append(d.Updates, fixes.Update{From: versionOf(from), To: to, Down: version.Version.LT(from.Version)})
		}
		for _, name := range r.Replaced {
			if !updated[name] {
				d.Removes = append(d.Removes, versionOf(installed[name]))
			}
		}
	}
}

// versionOf shows an installed bundle.
func versionOf(b *model.InstalledBundle) fixes.Version {
	v := fixes.Version{Bundle: catalog.BundleKey{Package: b.PackageName(), Name: b.Name()}}
	if _, stated := b.Properties.Package(); stated || b.CSV.Version != "" {
		v.Version = &b.Version
	}
	return v
}
