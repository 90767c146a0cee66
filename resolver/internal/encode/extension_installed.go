package encode

import (
	"github.com/go-json-experiment/json"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/candidate"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/result"
)

// readCluster reads everything that is installed in the cluster. What the
// extension itself has installed comes first; the rest stays as it is: it can
// meet constraints and it owns its APIs, but it is not resolved again.
func (p *Part) readCluster(asked askedExtension) error {
	if asked.Installed != nil {
		own := p.installedExtension(asked.ClusterExtension, asked.installed)
		own.requested = true
		p.regroup(&own)
		p.Installed = append(p.Installed, own)
		p.addExtensionAliases(&asked)
	}
	p.owners = map[properties.GVK]result.Owner{}
	for i := range p.Cluster.Extensions {
		other := p.Cluster.Extensions[i]
		if other.Name == asked.Name || other.Installed == nil {
			continue
		}
		pkg, err := ReadInstalled(other.Installed)
		if err != nil {
			return &result.InvalidInput{Subject: "ClusterExtension " + other.Name, Err: err}
		}
		pkg.Name = other.Package
		p.addForeign(p.installedExtension(other, pkg), result.Owner{Extension: other.Name})
	}
	for _, namespace := range p.Cluster.Known {
		for _, b := range p.Cluster.Installed().In[namespace] {
			p.addForeign(InstalledBundle{CSV: b.CSV, Properties: b.Properties, Own: candidate.NoCatalog}, result.Owner{Namespace: namespace, Bundle: b.CSV.Name})
		}
	}
	return nil
}

// addForeign adds an installed bundle that only owns its APIs and meets
// constraints.
func (p *Part) addForeign(b InstalledBundle, owner result.Owner) {
	b.Foreign, b.groups, b.constraints = true, nil, nil
	p.Installed = append(p.Installed, b)
	for _, api := range b.Properties.GVKs() {
		if _, ok := p.owners[inventory.KindOf(api)]; !ok {
			p.owners[inventory.KindOf(api)] = owner
		}
	}
}

// installedExtension is the installed bundle of a ClusterExtension, with the
// properties that the first catalog that has it states for it; if none has it, its
// package is all that is known.
func (p *Part) installedExtension(e *cluster.ClusterExtension, pkg properties.Package) InstalledBundle {
	b := InstalledBundle{
		CSV:      &cluster.ClusterServiceVersion{Name: e.Installed.Name},
		Version:  pkg.Version,
		Packages: []string{e.Package},
		Own:      candidate.NoCatalog,
	}
	for c := range p.Universe.Catalogs {
		if p.stateAs(&b, c, pkg) {
			return b
		}
	}
	// Marshalling plain strings cannot fail.
	value, _ := json.Marshal(map[string]string{"packageName": e.Package, "version": pkg.Version.String()})
	b.Properties, _ = properties.Decode([]properties.Property{{Type: properties.TypePackage, Value: value}}, nil)
	return b
}

// stateAs lets an installed bundle state what the bundle of a catalog states that
// it was installed from, and reports whether the catalog has that.
func (p *Part) stateAs(b *InstalledBundle, c int, pkg properties.Package) bool {
	found := p.InstalledIn(c, pkg)
	if found == nil {
		return false
	}
	b.Properties, b.constraints, b.Own = found.Properties, found.Constraints, c
	return true
}

// stateAsOffered lets what the extension has installed state what the catalog says
// whose offers win: what is kept is kept as that catalog has it, as far as it does.
func (p *Part) stateAsOffered(asked *askedExtension, c int) {
	if own := &p.Installed[0]; p.stateAs(own, c, asked.installed) { // readCluster puts it first
		p.regroup(own)
	}
}

// regroup finds the groups of which an installed bundle is one.
func (p *Part) regroup(b *InstalledBundle) {
	b.groups = p.Universe.Groups.Groups(b.Name(), b.Packages, b.Properties.GVKs())
}

// InstalledIn returns the bundle of a catalog that is the installed one.
func (p *Part) InstalledIn(c int, pkg properties.Package) *catalog.Bundle {
	if id := p.findInstalled(c, pkg); id != catalog.NoBundle {
		return p.Universe.Catalogs[c].Snapshot.Bundle(id)
	}
	return nil
}

func (p *Part) findInstalled(c int, pkg properties.Package) catalog.ID {
	snapshot := p.Universe.Catalogs[c].Snapshot
	if found := snapshot.Package(pkg.Name); found != nil {
		for _, id := range found.Bundles {
			b := snapshot.Bundle(id)
			if candidate.Same(candidate.ReleaseOf(b), pkg) {
				return id
			}
		}
	}
	return catalog.NoBundle
}

// addExtensionAliases makes the catalogs' entries of the installed bundle stand
// for it: choosing them keeps it.
func (p *Part) addExtensionAliases(asked *askedExtension) {
	for c := range p.Universe.Catalogs {
		if id := p.findInstalled(c, asked.installed); id != catalog.NoBundle {
			p.addAlias(p.Number(c, id), p.InstalledVar(0))
		}
	}
}
