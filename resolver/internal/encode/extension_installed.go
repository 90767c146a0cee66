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
func (rd *extensionReader) readCluster() error {
	asked := rd.asked.Object
	if asked.Installed != nil {
		own := rd.installedExtension(asked, rd.asked.installed)
		own.requested = true
		rd.regroup(&own)
		rd.Installed = append(rd.Installed, own)
		rd.addAliases()
	}
	rd.owners = map[properties.GVK]result.Owner{}
	for i := range rd.Cluster.Extensions {
		other := rd.Cluster.Extensions[i]
		if other.Name == asked.Name || other.Installed == nil {
			continue
		}
		pkg, err := readExtensionInstalled(other.Installed)
		if err != nil {
			return &result.InvalidInput{Subject: "ClusterExtension " + other.Name, Err: err}
		}
		pkg.Name = other.Package
		rd.addForeign(rd.installedExtension(other, pkg), result.Owner{Extension: other.Name})
	}
	for _, namespace := range rd.Cluster.Known {
		for _, b := range rd.Cluster.Installed().In[namespace] {
			rd.addForeign(InstalledBundle{CSV: b.CSV, Properties: b.Properties, Own: candidate.NoCatalog}, result.Owner{Namespace: namespace, Bundle: b.CSV.Name})
		}
	}
	return nil
}

// addForeign adds an installed bundle that only owns its APIs and meets
// constraints.
func (rd *extensionReader) addForeign(b InstalledBundle, owner result.Owner) {
	b.Foreign, b.groups, b.constraints = true, nil, nil
	rd.Installed = append(rd.Installed, b)
	for _, api := range b.Properties.GVKs() {
		if _, ok := rd.owners[inventory.KindOf(api)]; !ok {
			rd.owners[inventory.KindOf(api)] = owner
		}
	}
}

// installedExtension is the installed bundle of a ClusterExtension, with the
// properties that the first catalog that has it states for it; if none has it, its
// package is all that is known.
func (rd *extensionReader) installedExtension(e *cluster.ClusterExtension, pkg properties.Package) InstalledBundle {
	b := InstalledBundle{
		CSV:      &cluster.ClusterServiceVersion{Name: e.Installed.Name},
		Version:  pkg.Version,
		Packages: []string{e.Package},
		Own:      candidate.NoCatalog,
	}
	for c := range rd.Universe.Catalogs {
		if rd.stateAs(&b, c, pkg) {
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
func (rd *extensionReader) stateAs(b *InstalledBundle, c int, pkg properties.Package) bool {
	found := rd.installedIn(c, pkg)
	if found == nil {
		return false
	}
	b.Properties, b.constraints, b.Own = found.Properties, found.Constraints, c
	return true
}

// stateAsOffered lets what the extension has installed state what the catalog says
// whose offers win: what is kept is kept as that catalog has it, as far as it does.
func (rd *extensionReader) stateAsOffered(c int) {
	if own := &rd.Installed[0]; rd.stateAs(own, c, rd.asked.installed) { // readCluster puts it first
		rd.regroup(own)
	}
}

// regroup finds the groups of which an installed bundle is one.
func (rd *extensionReader) regroup(b *InstalledBundle) {
	b.groups = rd.Universe.Groups.Groups(b.Name(), b.Properties)
}

// installedIn returns the bundle of a catalog that is the installed one.
func (rd *extensionReader) installedIn(c int, pkg properties.Package) *catalog.Bundle {
	if id := rd.findInstalled(c, pkg); id != catalog.NoBundle {
		return rd.Universe.Catalogs[c].Snapshot.Bundle(id)
	}
	return nil
}

func (rd *extensionReader) findInstalled(c int, pkg properties.Package) catalog.ID {
	snapshot := rd.Universe.Catalogs[c].Snapshot
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

// addAliases makes the catalogs' entries of the installed bundle stand
// for it: choosing them keeps it.
func (rd *extensionReader) addAliases() {
	for c := range rd.Universe.Catalogs {
		if id := rd.findInstalled(c, rd.asked.installed); id != catalog.NoBundle {
			rd.addAlias(rd.Number(c, id), rd.InstalledVar(0))
		}
	}
}
