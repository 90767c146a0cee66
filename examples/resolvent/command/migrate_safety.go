package command

import (
	"context"
	"slices"
	"sync"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/migrate"
)

// nextSafety judges the next updates of plans as OLM v1 does, with the whole objects of catalogs. It
// is safe for concurrent use.
type nextSafety struct {
	input *inputs.Flags
	std   inputs.Streams
	mu    sync.Mutex
	read  map[catalog.Key]map[catalog.BundleKey]*properties.Objects
}

// judge notes the next updates of a plan that OLM v1 would refuse. Of what no catalog has the objects
// nothing is said.
func (n *nextSafety) judge(ctx context.Context, plan *migrate.Plan, catalogs *cache.View) error {
	if n.std.Safety == nil {
		return nil
	}
	wanted := map[catalog.Key][]catalog.BundleKey{}
	var rows []*migrate.Row
	var keys []catalog.Key
	for i := range plan.Rows {
		r := &plan.Rows[i]
		content := catalogs.Catalog(r.Content)
		if r.Next.Fails || content == nil || content.Snapshot == nil {
			continue
		}
		from, to := content.Snapshot.Find(r.Package, r.Installed), content.Snapshot.Find(r.Package, r.Next.V1)
		if from == nil || to == nil || !shareDefinition(from.Properties.Objects(), to.Properties.Objects()) {
			continue
		}
		if wanted[r.Content] == nil {
			keys = append(keys, r.Content)
		}
		wanted[r.Content] = append(wanted[r.Content], keysOf(r)...)
		rows = append(rows, r)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, key := range keys {
		if err := n.load(ctx, key, wanted[key]); err != nil {
			return err
		}
	}
	for _, r := range rows {
		of, objects := keysOf(r), n.read[r.Content]
		var changes []string
		for _, one := range n.std.Safety(ctx, objects[of[0]], objects[of[1]]) {
			for _, change := range one.Changes {
				changes = append(changes, one.Definition+": "+change)
			}
		}
		r.RefuseNext(changes)
	}
	return nil
}

// keysOf are the bundles that a row is about: what is installed, and what comes next.
func keysOf(r *migrate.Row) []catalog.BundleKey {
	return []catalog.BundleKey{{Package: r.Package, Name: r.Installed}, {Package: r.Package, Name: r.Next.V1}}
}

func shareDefinition(a, b *properties.Objects) bool {
	return a != nil && slices.ContainsFunc(a.Definitions, func(d properties.Definition) bool { return b.Definition(d.Name()) != nil })
}

// load reads the objects of bundles that were not read before. The objects of a catalog that has
// changed or cannot be read again are not known.
func (n *nextSafety) load(ctx context.Context, key catalog.Key, bundles []catalog.BundleKey) error {
	known := n.read[key]
	if known == nil {
		known = map[catalog.BundleKey]*properties.Objects{}
		n.read[key] = known
	}
	bundles = slices.DeleteFunc(bundles, func(of catalog.BundleKey) bool { _, read := known[of]; return read })
	if len(bundles) == 0 {
		return nil
	}
	blobs, err := n.input.Objects(ctx, key, bundles, n.std)
	if ctx.Err() != nil {
		return err
	}
	if err != nil {
		terminal.Printf(n.std.Err, "catalog %s: changes of CustomResourceDefinitions are not judged: %v\n", key, err)
	}
	for _, of := range bundles {
		if known[of] = nil; blobs != nil {
			known[of] = blobs.Objects(of)
		}
	}
	return nil
}
