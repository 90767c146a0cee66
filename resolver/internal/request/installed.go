package request

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// readInstalled reads the installed bundles of a namespace that count, and finds their
// aliases.
func readInstalled(p *model.Part) error {
	counting := inventory.Counting(p.State)
	p.Installed = make([]model.InstalledBundle, len(counting))
	if len(counting) > 0 {
		p.Managed = make(map[string][]int, len(counting))
	}
	for i, csv := range counting {
		p.Pace.Step(stepsPerCSV)
		if err := readBundle(p, &p.Installed[i], csv); err != nil {
			p.Installed = p.Installed[:i]
			if ended := p.Pace.Ctx.Err(); ended != nil {
				return &result.Incomplete{Phase: p.Pace.Doing, Err: ended}
			}
			subject := fmt.Sprintf("ClusterServiceVersion %s/%s", csv.Namespace, csv.Name)
			return &result.InvalidInput{Subject: subject, Err: err}
		}
	}
	for i := range p.Installed {
		b := &p.Installed[i]
		if !b.Requested {
			continue
		}
		findAliases(p, b, p.InstalledVar(i))
		for _, pkg := range b.Packages {
			p.Managed[pkg] = append(p.Managed[pkg], i)
		}
	}
	return nil
}

// readBundle reads an installed bundle of the namespace. Every fault is an error, as an
// installed bundle cannot be quarantined.
func readBundle(p *model.Part, b *model.InstalledBundle, csv *cluster.ClusterServiceVersion) error {
	state := p.State
	b.CSV, b.Own, b.Condition = csv, model.NoCatalog, state.Upgradeable(csv.Name)
	stated, err := p.Stated(csv)
	if err = cmp.Or(err, stated.Err); err != nil {
		return err
	}
	b.Properties, b.Constraints = stated.Properties, stated.Constraints
	if err := readVersion(b); err != nil {
		return err
	}
	b.Subscriptions = state.Installers[csv.Name]
	if len(b.Subscriptions) > 0 {
		b.Requested, b.Own = true, ownCatalog(p, &state.Subscriptions[b.Subscriptions[0]])
	}
	b.Packages = inventory.SubscribedPackages(state, csv.Name)
	if pkg, stated := b.Properties.Package(); stated {
		b.Packages = append(b.Packages, pkg.Name)
		slices.Sort(b.Packages)
		b.Packages = slices.Compact(b.Packages)
	}
	p.Regroup(b)
	return nil
}

// readVersion takes the version of the object, else that of its properties.
func readVersion(b *model.InstalledBundle) (err error) {
	if b.CSV.Version == "" {
		pkg, _ := b.Properties.Package()
		b.Version = pkg.Version
	} else if b.Version, err = semver.Parse(b.CSV.Version); err != nil {
		return words.NoSemver("spec.version", b.CSV.Version, err)
	}
	return nil
}

// ownCatalog returns the first visible catalog that a Subscription names, or NoCatalog.
func ownCatalog(p *model.Part, s *cluster.Subscription) int {
	if s.Catalog == "" {
		return model.NoCatalog
	}
	return slices.IndexFunc(p.Catalogs, func(c model.Catalog) bool { return s.Names(c.Key) })
}

// findAliases finds the catalogs' bundles that are the installed one: of its name, and of
// one of its packages.
func findAliases(p *model.Part, b *model.InstalledBundle, v solver.Var) {
	for c := range p.Catalogs {
		for _, id := range p.Catalogs[c].Snapshot.Named(b.Name()) {
			if slices.Contains(b.Packages, p.Catalogs[c].Snapshot.Bundle(id).Package) {
				p.AddAlias(p.Number(c, id), v)
			}
		}
	}
}
