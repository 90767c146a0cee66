package resolver

import (
	"cmp"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/properties"
)

// readCluster reads everything that is installed in the cluster. What the
// extension itself has installed comes first; the rest stays as it is: it can
// meet constraints and it owns its APIs, but it is not resolved again.
func (p *problem) readCluster(asked askedExtension) error {
	if asked.Installed != nil {
		own := p.installedExtension(asked.ClusterExtension, asked.installed)
		own.requested = true
		own.groups = p.universe.groups.groups(own.name(), own.packages, own.properties.GVKs())
		p.installed = append(p.installed, own)
		p.addExtensionAliases(&asked)
	}
	p.owners = map[properties.GVK]string{}
	others := slices.Clone(p.cluster.objects.ClusterExtensions)
	slices.SortFunc(others, func(a, b ClusterExtension) int { return cmp.Compare(a.Name, b.Name) })
	for i := range others {
		if others[i].Name == asked.Name || others[i].Installed == nil {
			continue
		}
		pkg, err := others[i].Installed.read()
		if err != nil {
			return &InvalidInput{Subject: "ClusterExtension " + others[i].Name, Err: err}
		}
		pkg.Name = others[i].Package
		p.addForeign(p.installedExtension(&others[i], pkg), "ClusterExtension "+others[i].Name)
	}
	return p.readForeignCSVs()
}

func (p *problem) readForeignCSVs() error {
	for _, namespace := range p.cluster.all {
		state := p.cluster.in(namespace)
		for _, csv := range state.counting() {
			b, err := p.readBundle(state, csv)
			if err != nil {
				return err
			}
			b.constraints = nil
			p.addForeign(b, csvSubject(namespace, csv.Name))
		}
	}
	return nil
}

func (p *problem) addForeign(b installedBundle, owner string) {
	b.foreign, b.groups = true, nil
	p.installed = append(p.installed, b)
	for _, api := range b.properties.GVKs() {
		if _, ok := p.owners[kindOf(api)]; !ok {
			p.owners[kindOf(api)] = owner
		}
	}
}

// kindOf leaves the version out: a kind has one owner in a cluster.
func kindOf(api properties.GVK) properties.GVK {
	return properties.GVK{Group: api.Group, Kind: api.Kind}
}

// installedExtension is the installed bundle of a ClusterExtension, with the
// properties that a catalog states for it; if none has it, its package is all
// that is known.
func (p *problem) installedExtension(e *ClusterExtension, pkg properties.Package) installedBundle {
	b := installedBundle{
		csv:      &ClusterServiceVersion{Name: e.Installed.Name},
		version:  pkg.Version,
		packages: []string{e.Package},
		own:      noCatalog,
	}
	for c := range p.universe.catalogs {
		if found := p.installedIn(c, pkg); found != nil {
			b.properties, b.own = found.Properties, c
			return b
		}
	}
	// Marshalling plain strings cannot fail.
	value, _ := json.Marshal(map[string]string{"packageName": e.Package, "version": pkg.Version.String()})
	b.properties, _ = properties.Decode([]properties.Property{{Type: properties.TypePackage, Value: value}}, nil)
	return b
}

// installedIn returns the bundle of a catalog that is the installed one.
func (p *problem) installedIn(c int, pkg properties.Package) *cache.Bundle {
	if id := p.findInstalled(c, pkg); id != cache.NoBundle {
		return p.universe.catalogs[c].snapshot.Bundle(id)
	}
	return nil
}

func (p *problem) findInstalled(c int, pkg properties.Package) cache.ID {
	snapshot := p.universe.catalogs[c].snapshot
	if found := snapshot.Package(pkg.Name); found != nil {
		for _, id := range found.Bundles {
			b := snapshot.Bundle(id)
			if same(withRelease(properties.Package{Version: b.Version, Release: b.Release}), pkg) {
				return id
			}
		}
	}
	return cache.NoBundle
}

// addExtensionAliases makes the catalogs' entries of the installed bundle stand
// for it: choosing them keeps it.
func (p *problem) addExtensionAliases(asked *askedExtension) {
	for c := range p.universe.catalogs {
		if id := p.findInstalled(c, asked.installed); id != cache.NoBundle {
			p.addAlias(p.universe.number(c, id), p.installedVar(0))
		}
	}
}
