package finding

import (
	"crypto/sha256"
	"fmt"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

const codeUnsafeUpdate catalog.Code = "unsafeUpdate"

var unsafeUpdateKind = Kind{
	Code: codeUnsafeUpdate, Meaning: "OLM v1 refuses the update of a CustomResourceDefinition (only 'kubectl resolvent' judges that)",
	None: "only its author knows how custom resources are converted",
}

// unsafe reports updates that OLM v1 refuses: it may take any update of any channel.
func (j *Judge) unsafe(p *catalog.Package) {
	if j.Safety == nil {
		return
	}
	var bundles []*catalog.Bundle
	for _, id := range j.Checked.Snapshot.Packaged(p.Name) {
		if b := j.Checked.Snapshot.Bundle(id); b.Properties.Objects() != nil {
			bundles = append(bundles, b)
		}
	}
	edges := 0
	for _, to := range bundles {
		for _, from := range bundles {
			if j.Ctx.Err() != nil {
				return // Run returns the error
			}
			if !from.Version.LT(to.Version) || !updates(p, from, to) {
				continue // OLM v1 keeps the higher version
			}
			if edges++; edges > maxEdges {
				j.Add(catalog.Note, Identity{Code: CodeUnjudged, Package: p.Name, Cause: "edges"}, nil,
					"CRD upgrade safety of OLM v1 is judged for the first %d updates only; narrow the skipRanges", maxEdges)
				return
			}
			j.unsafeUpdate(p, from, to, j.Safety(j.Ctx, from.Properties.Objects(), to.Properties.Objects()))
		}
	}
}

// updates reports whether an entry of any channel updates a bundle to the other.
func updates(p *catalog.Package, from, to *catalog.Bundle) bool {
	for _, c := range p.Channels {
		if e := c.Entry(to.Name); e != nil && e.Updates(from.Name, &from.Version) {
			return true
		}
	}
	return false
}

// unsafeUpdate notes what is wrong with an update: the changes that OLM v1 refuses, and what cannot
// be judged.
func (j *Judge) unsafeUpdate(p *catalog.Package, from, to *catalog.Bundle, list []Unsafe) {
	refused := &Observation{
		Identity: Identity{Code: codeUnsafeUpdate, Package: p.Name, Bundle: to.Name, Cause: from.Name},
		Severity: catalog.Warning, Bundles: []string{to.Name}, Place: NoPlace, Text: to.Name,
	}
	definitions, changes, all := 0, 0, sha256.New()
	for _, one := range list {
		if one.Unjudged != "" {
			j.Add(catalog.Note, Identity{Code: CodeUnjudged, Package: p.Name, Bundle: to.Name, Cause: one.Definition}, []string{to.Name},
				"it is not judged whether OLM v1 refuses to update CustomResourceDefinition %s to this one: %s", one.Definition, one.Unjudged)
			continue
		}
		definitions++
		changes += len(one.Changes)
		for _, change := range one.Changes {
			r := Reason{Code: UnsafeChange, Entry: one.Definition, Rule: change}
			fmt.Fprintln(all, r)
			if len(refused.because) < maxReasons {
				refused.because = append(refused.because, r)
			}
		}
	}
	if definitions == 0 {
		return
	}
	refused.Text += fmt.Sprintf(" %x", all.Sum(nil)) // the same changes are one cause
	refused.Sentence = func(all *Joined) string {
		return all.Subject(refused.Identity) + fmt.Sprintf("OLM v1 refuses the update from %s, for %d change%s of %d CustomResourceDefinition%s: "+
			"keep what each version accepts, and make changes in a new version, with a conversion webhook; otherwise users must set spec.install.preflight.crdUpgradeSafety.enforcement to None, "+
			"which turns the check off for all updates of their ClusterExtension, and custom resources may be lost or no longer valid",
			words.Listed(all.Causes, words.MaxNamed), changes, words.Plural(changes), definitions, words.Plural(definitions))
	}
	j.Observe(refused)
}

// Unsafe is a CustomResourceDefinition whose update OLM v1 refuses, or that cannot be judged.
type Unsafe struct {
	Definition string
	// Changes are those that OLM v1 refuses, a few words each.
	Changes []string
	// Unjudged says why the definition cannot be judged, empty if it can.
	Unjudged string
}
