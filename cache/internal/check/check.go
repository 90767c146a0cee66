// Package check finds what a strict reading minds and resolution can do without,
// such as entries that nothing leads to, and ranges that hardly mean what they seem
// to.
package check

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/collect"
	"github.com/resolvent/resolvent/cache/internal/document"
	"github.com/resolvent/resolvent/properties"
)

// checker collects what only a strict reading minds.
type checker struct {
	snapshot *catalog.Snapshot
	faults   []catalog.Fault
}

// Faults returns the faults of the snapshot and those that it did not mind.
func Faults(ctx context.Context, read *collect.Contents, s *catalog.Snapshot) ([]catalog.Fault, error) {
	c := &checker{snapshot: s, faults: slices.Clone(s.Faults())}
	for name, blobs := range collect.ByPackage(read) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c.checkPackage(name, blobs)
	}
	return catalog.SortFaults(c.faults), nil
}

func (c *checker) add(at document.Origin, code catalog.Code, place catalog.Fault, message string) {
	c.faults = append(c.faults, at.FaultIn(place, code, message))
}

func (c *checker) warn(at document.Origin, place catalog.Fault, property int, path, message string) {
	f := at.FaultIn(place, catalog.CodeTrap, message)
	f.Severity, f.Property, f.Path = catalog.Warning, property, path
	c.faults = append(c.faults, f)
}

// packageCheck is the check of one package.
type packageCheck struct {
	*checker
	name  string
	blobs *collect.Blobs

	channels map[string]bool // by name
	bundles  map[string]bool // by name
	listed   map[string]bool // names in the entries of channels
}

func (c *checker) checkPackage(name string, blobs *collect.Blobs) {
	p := &packageCheck{checker: c, name: name, blobs: blobs, channels: map[string]bool{}, bundles: map[string]bool{}, listed: map[string]bool{}}
	for _, blob := range blobs.Channels {
		p.channels[blob.Name] = true
		for _, e := range blob.Entries {
			p.listed[e.Name] = true
		}
	}
	for _, blob := range blobs.Bundles {
		p.bundles[blob.Name] = true
	}
	p.check()
}

func (c *packageCheck) check() {
	name, blobs := c.name, c.blobs
	place := catalog.Fault{Package: name}
	at := blobs.First()
	if !validPackage().MatchString(name) || len(name) > 63 {
		c.add(at, catalog.CodeName, place, "the name of a package has at most 63 characters, lower-case letters, digits and dashes, with a letter or digit at both ends")
	}
	c.checkDeprecations()
	if blobs.Empty() {
		return
	}
	if len(blobs.Channels) == 0 {
		c.add(at, catalog.CodeNoChannel, place, "the package has no channel: add one")
	}
	if len(blobs.Bundles) == 0 {
		c.add(at, catalog.CodeNoBundle, place, "the package has no bundle: add one, or remove the package")
	}
	for _, blob := range blobs.Channels {
		c.checkChannel(blob)
	}
	for _, blob := range blobs.Bundles {
		c.checkBundle(blob)
	}
	c.checkVersions()
}

func (c *packageCheck) checkChannel(blob *collect.Channel) {
	place := catalog.Fault{Package: blob.Pkg, Channel: blob.Name}
	for _, e := range blob.Entries {
		c.checkSkipRange(blob, e)
		if !c.bundles[e.Name] {
			place.Bundle = e.Name
			c.add(blob.Origin, catalog.CodeEntry, place, "the package has no bundle of this name: add it, or remove the entry")
		}
	}
	if p := c.snapshot.Package(blob.Pkg); p != nil {
		if channel := p.Channel(blob.Name); channel.Fault == "" {
			c.checkChain(blob.Origin, channel)
		}
	}
}

// checkChain looks for entries that the head does not lead to, of a channel that
// has an order.
func (c *packageCheck) checkChain(at document.Origin, channel *catalog.Channel) {
	stranded := func(e *catalog.Entry, message string) {
		c.add(at, catalog.CodeStranded, catalog.Fault{Package: channel.Package, Channel: channel.Name, Bundle: e.Name}, message)
	}
	passed := "" // the first skipped entry on the chain
	for _, i := range channel.Order {
		e := &channel.Entries[i]
		switch {
		case e.Skipped && passed == "":
			passed = e.Name
		case !e.Skipped && passed != "":
			stranded(e, fmt.Sprintf("who runs this gets no update, because the way to the head leads through %s, which is skipped: have the entry that skips it skip this one, too", passed))
		}
	}
	for i := range channel.Entries {
		if e := &channel.Entries[i]; e.Depth < 0 && !e.Skipped {
			stranded(e, fmt.Sprintf("no chain of replaces leads here from the head %s, so nobody is offered this entry: have another entry replace or skip it, or remove it", channel.Head().Name))
		}
	}
}

func (c *packageCheck) checkBundle(blob *collect.Bundle) {
	place := catalog.Fault{Package: blob.Pkg, Bundle: blob.Name}
	if blob.Image == "" && !blob.Directory {
		c.add(blob.Origin, catalog.CodeImage, place, "the bundle has no image: name it")
	}
	// Of a bundle directory without channels that is said already.
	if !c.listed[blob.Name] && !blob.Directory {
		c.add(blob.Origin, catalog.CodeNoChannel, place, "no channel lists the bundle, so nobody is offered it: add an entry, or remove the bundle")
	}
	if blob.Properties == nil {
		return // unusable, which has been said
	}
	for _, gvk := range blob.Properties.GVKs() {
		c.checkGVK(blob.Origin, place, -1, "", gvk)
	}
	for _, stated := range blob.Constraints {
		c.checkConstraint(blob.Origin, place, stated)
	}
}

// What Kubernetes accepts as the name of a package (a label), of an API group (a
// subdomain), and of a version or, in lower case, a kind.
var (
	validPackage = compiled(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)
	validGroup   = compiled(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
	validVersion = compiled(`^[a-z]([-a-z0-9]*[a-z0-9])?$`)
)

// compiled is a regular expression that is compiled when it is first used.
func compiled(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

func (c *checker) checkGVK(at document.Origin, place catalog.Fault, property int, path string, gvk properties.GVK) {
	for _, part := range [...]struct {
		what, text string
		valid      *regexp.Regexp
		longest    int
	}{
		{"group", gvk.Group, validGroup(), 253},
		{"version", gvk.Version, validVersion(), 63},
		{"kind", strings.ToLower(gvk.Kind), validVersion(), 63},
	} {
		if !part.valid.MatchString(part.text) || len(part.text) > part.longest {
			f := at.FaultIn(place, catalog.CodeName, fmt.Sprintf("the %s of the API %s is not one that Kubernetes accepts", part.what, gvk.Describe()))
			f.Property, f.Path = property, path
			c.faults = append(c.faults, f)
		}
	}
}

// checkVersions looks for bundles that no version tells apart.
func (c *packageCheck) checkVersions() {
	type versioned struct {
		blob *collect.Bundle
		pkg  properties.Package
	}
	var list []versioned
	for _, blob := range c.blobs.Bundles {
		if blob.Properties == nil {
			continue
		}
		if pkg, ok := blob.Properties.Package(); ok {
			list = append(list, versioned{blob, pkg})
		}
	}
	slices.SortStableFunc(list, func(a, b versioned) int {
		return cmp.Or(strings.Compare(versionText(a.pkg), versionText(b.pkg)), strings.Compare(a.blob.Name, b.blob.Name))
	})
	for i := 1; i < len(list); i++ {
		a, b := list[i-1], list[i]
		if a.blob.Name != b.blob.Name && versionText(a.pkg) == versionText(b.pkg) {
			c.add(b.blob.Origin, catalog.CodeSameVersion, catalog.Fault{Package: b.blob.Pkg, Bundle: b.blob.Name},
				fmt.Sprintf("the bundle has the version %s, as %s has: give one of them another", versionText(b.pkg), a.blob.Name))
		}
	}
}

// versionText tells apart what Version.Compare does not: builds.
func versionText(pkg properties.Package) string {
	if pkg.Release == "" {
		return pkg.Version.String()
	}
	return pkg.Version.String() + ", release " + string(pkg.Release)
}

func (c *packageCheck) checkDeprecations() {
	for _, blob := range c.blobs.Deprecations {
		place := catalog.Fault{Package: c.name}
		if c.blobs.Empty() {
			c.add(blob.Origin, catalog.CodeDeprecation, place, "there is no such package: remove the deprecations")
			continue
		}
		for _, d := range blob.Entries {
			place := catalog.Fault{Package: c.name}
			known := true
			switch d.Schema {
			case document.SchemaPackage:
				if d.Name != "" {
					c.add(blob.Origin, catalog.CodeDeprecation, place, fmt.Sprintf("a reference to olm.package has no name, but this one has %q: remove it", d.Name))
				}
			case document.SchemaChannel:
				place.Channel = d.Name
				known = c.channels[d.Name]
			case document.SchemaBundle:
				place.Bundle = d.Name
				known = c.bundles[d.Name]
			default:
				c.add(blob.Origin, catalog.CodeDeprecation, place, fmt.Sprintf("schema %q of a reference is none of olm.package, olm.channel and olm.bundle", d.Schema))
			}
			if !known {
				c.add(blob.Origin, catalog.CodeDeprecation, place, "what is deprecated does not exist: remove the deprecation")
			}
			if strings.TrimSpace(d.Message) == "" {
				c.add(blob.Origin, catalog.CodeDeprecation, place, "the deprecation has no message: say what to use instead")
			}
		}
	}
}
