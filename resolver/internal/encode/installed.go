package encode

import (
	"fmt"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/candidate"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// InstalledBundle is a ClusterServiceVersion that counts, or what a
// ClusterExtension has installed.
type InstalledBundle struct {
	CSV *cluster.ClusterServiceVersion
	inventory.Stated
	Version semver.Version
	// Packages are that of the properties and those named by the Subscriptions
	// that installed it, sorted.
	Packages []string
	// requested is true if a request manages the bundle; any other must stay.
	requested bool
	// Foreign bundles are outside of what is resolved: they only own their APIs
	// and satisfy constraints.
	Foreign bool
	// Subscriptions are the indices of those that installed it.
	Subscriptions []int
	// Own is the catalog of the first of them in the Universe, or NoCatalog.
	Own    int
	groups []solver.Group
	// condition says whether the operator refuses updates, nil if nothing does.
	condition *cluster.Condition
}

// Name is the name of the ClusterServiceVersion.
func (b *InstalledBundle) Name() string { return b.CSV.Name }

// PackageName is the package that the bundle is shown with.
func (b *InstalledBundle) PackageName() string {
	if pkg, ok := b.Properties.Package(); ok {
		return pkg.Name
	}
	if len(b.Packages) > 0 {
		return b.Packages[0]
	}
	return ""
}

// Held returns why the operator refuses updates, nil if it does not.
func (b *InstalledBundle) Held() *result.Hold {
	if b.condition == nil || b.condition.Status != "False" {
		return nil
	}
	return &result.Hold{Reason: b.condition.Reason, Message: b.condition.Message}
}

// readInstalled reads the installed bundles that count and finds the catalog
// entries that stand for them.
func (p *Part) readInstalled() error {
	counting := inventory.Counting(p.State)
	p.Installed = make([]InstalledBundle, len(counting))
	if len(counting) > 0 {
		p.managed = make(map[string][]int, len(counting))
	}
	for i, csv := range counting {
		p.Step(stepsPerCSV)
		if err := p.readBundle(&p.Installed[i], csv); err != nil {
			p.Installed = p.Installed[:i]
			subject := fmt.Sprintf("ClusterServiceVersion %s/%s", csv.Namespace, csv.Name)
			return &result.InvalidInput{Subject: subject, Err: err}
		}
	}
	for i := range p.Installed {
		b := &p.Installed[i]
		if !b.requested {
			continue
		}
		p.findAliases(b, p.InstalledVar(i))
		for _, pkg := range b.Packages {
			p.managed[pkg] = append(p.managed[pkg], i)
		}
	}
	return nil
}

// stepsPerCSV is how many steps it takes to read a ClusterServiceVersion, some 30 us.
const stepsPerCSV = 16

// readBundle reads an installed bundle of the namespace. It cannot be quarantined,
// so every fault is an error.
func (p *Part) readBundle(b *InstalledBundle, csv *cluster.ClusterServiceVersion) error {
	state := p.State
	b.CSV, b.Own, b.condition = csv, candidate.NoCatalog, state.Conditions[csv.Name]
	if b.Stated = p.memory.reader.Read(state, csv); b.Err != nil {
		return b.Err
	}
	if err := b.readVersion(); err != nil {
		return err
	}
	b.Subscriptions = state.Installers[csv.Name]
	if len(b.Subscriptions) > 0 {
		b.requested, b.Own = true, p.ownCatalog(&state.Subscriptions[b.Subscriptions[0]])
	}
	b.Packages = inventory.SubscribedPackages(state, csv.Name)
	if pkg, stated := b.Properties.Package(); stated {
		b.Packages = append(b.Packages, pkg.Name)
		slices.Sort(b.Packages)
		b.Packages = slices.Compact(b.Packages)
	}
	p.regroup(b)
	return nil
}

// readVersion takes the version of the object, else that of its properties.
func (b *InstalledBundle) readVersion() (err error) {
	if b.CSV.Version == "" {
		pkg, _ := b.Properties.Package()
		b.Version = pkg.Version
	} else if b.Version, err = semver.Parse(b.CSV.Version); err != nil {
		return fmt.Errorf("spec.version %q is no semantic version: %w", b.CSV.Version, err)
	}
	return nil
}

// regroup finds the groups of an installed bundle.
func (p *Part) regroup(b *InstalledBundle) {
	b.groups = p.Universe.Groups.Groups(b.Name(), b.Properties)
}

// ownCatalog returns the visible catalog that a Subscription names, or NoCatalog.
func (p *Part) ownCatalog(s *cluster.Subscription) int {
	if s.Catalog == "" {
		return candidate.NoCatalog
	}
	return slices.IndexFunc(p.Catalogs, func(c candidate.Catalog) bool { return s.Names(c.Key) })
}

// findAliases finds the catalog entries that stand for an installed bundle.
func (p *Part) findAliases(b *InstalledBundle, v solver.Var) {
	for c := range p.Catalogs {
		for _, id := range p.Catalogs[c].Named(b.Name()) {
			if slices.Contains(b.Packages, p.Catalogs[c].Bundle(id).Package) {
				p.addAlias(p.Number(c, id), v)
			}
		}
	}
}

// addAlias makes a catalog's entry stand for an installed bundle.
func (p *Part) addAlias(entry, installed solver.Var) {
	if p.Aliases == nil {
		p.Aliases = make(map[solver.Var]solver.Var)
	}
	p.Aliases[entry] = installed
}

// aliased reports whether a catalog's entry stands for an installed bundle.
func (p *Part) aliased(v solver.Var) bool {
	_, ok := p.Aliases[v]
	return ok
}

// InstalledVar returns the number of an installed bundle.
func (p *Part) InstalledVar(i int) solver.Var { return p.Base + p.Size + solver.Var(i) }

// AsInstalled returns the installed bundle with the number v, or nil.
func (p *Part) AsInstalled(v solver.Var) *InstalledBundle {
	i := v - p.Base - p.Size
	if i < 0 {
		return nil
	}
	return &p.Installed[i]
}

// installedIndex returns the index of an installed bundle of the namespace by
// name, or -1.
func (p *Part) installedIndex(name string) int {
	// The bundles of a namespace are sorted, and each has a name.
	i, found := slices.BinarySearchFunc(p.Installed, name, func(b InstalledBundle, name string) int { return strings.Compare(b.Name(), name) })
	if !found || name == "" {
		return -1
	}
	return i
}
