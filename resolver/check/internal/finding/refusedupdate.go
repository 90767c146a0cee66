package finding

import (
	"fmt"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

const codeRefusedUpdate catalog.Code = "refusedUpdate"

var refusedUpdateKind = Kind{
	Code: codeRefusedUpdate, Meaning: "a cluster refuses the update of a CustomResourceDefinition", find: (*Judge).refused,
	None: "only its author knows how stored resources are converted",
}

// refused reports CustomResourceDefinitions that a cluster with one bundle does not take from its
// update: the version in which they store resources goes, or what no API server changes.
func (j *Judge) refused(g Updates) {
	for from, to := range g.next(j.Ctx) {
		if from.Properties.Objects() != nil {
			j.refusedDefinitions(g, from, to)
		}
	}
}

func (j *Judge) refusedDefinitions(g Updates, from, to *catalog.Bundle) {
	objects := from.Properties.Objects()
	for i := range objects.Definitions {
		d := &objects.Definitions[i]
		next, has := to.Properties.Objects().Definition(d.Name()), cluster.Definition{Name: d.Name(), Definition: *d}
		if next == nil {
			continue
		}
		if version := d.Stores(); version != "" {
			has.Stored = []string{version}
		}
		for _, reason := range request.RefusedDefinition(&has, next, to.Name) {
			args, of := reason.Args(), d.Name()+" of "
			id := Identity{Code: codeRefusedUpdate, Package: g.Package, Channel: g.Name, Bundle: to.Name, Cause: of + from.Name}
			j.Observe(&Observation{Identity: id, Severity: catalog.Warning, Bundles: []string{to.Name}, Place: NoPlace, Text: to.Name + " " + reason.Message(), Sentence: func(all *Joined) string {
				clusters := words.Listed(words.Mapped(all.Causes, func(cause string) string { return strings.TrimPrefix(cause, of) }), words.MaxNamed)
				if args.Said != "" {
					return all.Subject(id) + fmt.Sprintf("changes %s of CustomResourceDefinition %s from %s to %s: no API server that had %s takes the update", args.Said, d.Name(), args.Has, args.Limit, clusters)
				}
				return all.Subject(id) + fmt.Sprintf("removes version %s from CustomResourceDefinition %s, in which resources are stored where %s ran: OLM refuses the update as a risk of data loss; keep the version until all of them are written anew", d.Stores(), d.Name(), clusters)
			}})
		}
	}
}
