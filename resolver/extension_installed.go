package resolver

import (
	"github.com/go-json-experiment/json"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/result"
)

// readCluster reads everything that is installed in the cluster. What the
// extension itself has installed comes first; the rest stays as it is: it can
// meet constraints and it owns its APIs, but it is not resolved again.
func (p *problem) readCluster(asked askedExtension) error {
	if asked.Installed != nil {
		own := p.installedExtension(asked.ClusterExtension, asked.installed)
		own.requested = true
		p.regroup(&own)
		p.installed = append(p.installed, own)
		p.addExtensionAliases(&asked)
	}
	p.owners = map[properties.GVK]result.Owner{}
	for i := range p.cluster.extensions {
		other := p.cluster.extensions[i]
		if other.Name == asked.Name || other.Installed == nil {
			continue
		}
		pkg, err := other.Installed.read()
		if err != nil {
			return &result.InvalidInput{Subject: "ClusterExtension " + other.Name, Err: err}
		}
		pkg.Name = other.Package
		p.addForeign(p.installedExtension(other, pkg), result.Owner{Extension: other.Name})
	}
	for _, namespace := range p.cluster.all {
		for _, b := range p.cluster.installed().in[namespace] {
			p.addForeign(installedBundle{csv: b.csv, properties: b.properties, own: noCatalog}, result.Owner{Namespace: namespace, Bundle: b.csv.Name})
		}
	}
	return nil
}

// addForeign adds an installed bundle that only owns its APIs and meets
// constraints.
func (p *problem) addForeign(b installedBundle, owner result.Owner) {
	b.foreign, b.groups, b.constraints = true, nil, nil
	p.installed = append(p.installed, b)
	for _, api := range b.properties.GVKs() {
		if _, ok := p.owners[kindOf(api)]; !ok {
			p.owners[kindOf(api)] = owner
		}
	}
}

// installedExtension is the installed bundle of a ClusterExtension, with the
// properties that the first catalog that has it states for it; if none has it, its
// package is all that is known.
func (p *problem) installedExtension(e *ClusterExtension, pkg properties.Package) installedBundle {
	b := installedBundle{
		csv:      &ClusterServiceVersion{Name: e.Installed.Name},
		version:  pkg.Version,
		packages: []string{e.Package},
		own:      noCatalog,
	}
	for c := range p.universe.catalogs {
		if p.stateAs(&b, c, pkg) {
			return b
		}
	}
	// Marshalling plain strings cannot fail.
	value, _ := json.Marshal(map[string]string{"packageName": e.Package, "version": pkg.Version.String()})
	b.properties, _ = properties.Decode([]properties.Property{{Type: properties.TypePackage, Value: value}}, nil)
	return b
}

// stateAs lets an installed bundle state what the bundle of a catalog states that
// it was installed from, and reports whether the catalog has that.
func (p *problem) stateAs(b *installedBundle, c int, pkg properties.Package) bool {
	found := p.installedIn(c, pkg)
	if found == nil {
		return false
	}
	b.properties, b.constraints, b.own = found.Properties, found.Constraints, c
	return true
}

// stateAsOffered lets what the extension has installed state what the catalog says
// whose offers win: what is kept is kept as that catalog has it, as far as it does.
func (p *problem) stateAsOffered(asked *askedExtension, c int) {
	if own := &p.installed[0]; p.stateAs(own, c, asked.installed) { // readCluster puts it first
		p.regroup(own)
	}
}

// regroup finds the groups of which an installed bundle is one.
func (p *problem) regroup(b *installedBundle) {
	b.groups = p.universe.groups.groups(b.name(), b.packages, b.properties.GVKs())
}

// installedIn returns the bundle of a catalog that is the installed one.
func (p *problem) installedIn(c int, pkg properties.Package) *catalog.Bundle {
	if id := p.findInstalled(c, pkg); id != catalog.NoBundle {
		return p.universe.catalogs[c].snapshot.Bundle(id)
	}
	return nil
}

func (p *problem) findInstalled(c int, pkg properties.Package) catalog.ID {
	snapshot := p.universe.catalogs[c].snapshot
	if found := snapshot.Package(pkg.Name); found != nil {
		for _, id := range found.Bundles {
			b := snapshot.Bundle(id)
			if same(releaseOf(b), pkg) {
				return id
			}
		}
	}
	return catalog.NoBundle
}

// addExtensionAliases makes the catalogs' entries of the installed bundle stand
// for it: choosing them keeps it.
func (p *problem) addExtensionAliases(asked *askedExtension) {
	for c := range p.universe.catalogs {
		if id := p.findInstalled(c, asked.installed); id != catalog.NoBundle {
			p.addAlias(p.number(c, id), p.installedVar(0))
		}
	}
}
