package cache

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/resolvent/resolvent/properties"
)

// checker collects what only a strict reading minds.
type checker struct {
	snapshot *Snapshot
	faults   []Fault
}

// check returns the faults of the snapshot and those that it did not mind.
func check(ctx context.Context, read *contents, s *Snapshot) ([]Fault, error) {
	c := &checker{snapshot: s, faults: slices.Clone(s.Faults())}
	for name, blobs := range groupByPackage(read) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c.checkPackage(name, blobs)
	}
	return SortFaults(c.faults), nil
}

func (c *checker) add(at origin, code Code, place Fault, message string) {
	c.faults = append(c.faults, at.faultIn(place, code, message))
}

func (c *checker) warn(at origin, place Fault, property int, path, message string) {
	f := at.faultIn(place, CodeTrap, message)
	f.Severity, f.Property, f.Path = Warning, property, path
	c.faults = append(c.faults, f)
}

// packageCheck is the check of one package.
type packageCheck struct {
	*checker
	name  string
	blobs *packageBlobs

	channels map[string]bool // by name
	bundles  map[string]bool // by name
	listed   map[string]bool // names in the entries of channels
}

func (c *checker) checkPackage(name string, blobs *packageBlobs) {
	p := &packageCheck{checker: c, name: name, blobs: blobs, channels: map[string]bool{}, bundles: map[string]bool{}, listed: map[string]bool{}}
	for _, blob := range blobs.channels {
		p.channels[blob.name] = true
		for _, e := range blob.entries {
			p.listed[e.name] = true
		}
	}
	for _, blob := range blobs.bundles {
		p.bundles[blob.name] = true
	}
	p.check()
}

func (c *packageCheck) check() {
	name, blobs := c.name, c.blobs
	place := Fault{Package: name}
	at := blobs.first()
	if !validPackage().MatchString(name) || len(name) > 63 {
		c.add(at, CodeName, place, "the name of a package has at most 63 characters, lower-case letters, digits and dashes, with a letter or digit at both ends")
	}
	c.checkDeprecations()
	if blobs.empty() {
		return
	}
	if len(blobs.channels) == 0 {
		c.add(at, CodeNoChannel, place, "the package has no channel: add one")
	}
	if len(blobs.bundles) == 0 {
		c.add(at, CodeNoBundle, place, "the package has no bundle: add one, or remove the package")
	}
	for _, blob := range blobs.channels {
		c.checkChannel(blob)
	}
	for _, blob := range blobs.bundles {
		c.checkBundle(blob)
	}
	c.checkVersions()
}

func (c *packageCheck) checkChannel(blob *channelBlob) {
	place := Fault{Package: blob.pkg, Channel: blob.name}
	for _, e := range blob.entries {
		c.checkSkipRange(blob, e)
		if !c.bundles[e.name] {
			place.Bundle = e.name
			c.add(blob.origin, CodeEntry, place, "the package has no bundle of this name: add it, or remove the entry")
		}
	}
	if p := c.snapshot.Package(blob.pkg); p != nil {
		if channel := p.Channel(blob.name); channel.Fault == "" {
			c.checkChain(blob.origin, channel)
		}
	}
}

// checkChain looks for entries that the head does not lead to, of a channel that
// has an order.
func (c *packageCheck) checkChain(at origin, channel *Channel) {
	stranded := func(e *Entry, message string) {
		c.add(at, CodeStranded, Fault{Package: channel.Package, Channel: channel.Name, Bundle: e.Name}, message)
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

func (c *packageCheck) checkBundle(blob *bundleBlob) {
	place := Fault{Package: blob.pkg, Bundle: blob.name}
	if blob.image == "" && !blob.directory {
		c.add(blob.origin, CodeImage, place, "the bundle has no image: name it")
	}
	// Of a bundle directory without channels that is said already.
	if !c.listed[blob.name] && !blob.directory {
		c.add(blob.origin, CodeNoChannel, place, "no channel lists the bundle, so nobody is offered it: add an entry, or remove the bundle")
	}
	if blob.properties == nil {
		return // unusable, which has been said
	}
	for _, gvk := range blob.properties.GVKs() {
		c.checkGVK(blob.origin, place, -1, "", gvk)
	}
	for _, stated := range blob.constraints {
		c.checkConstraint(blob.origin, place, stated)
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

func (c *checker) checkGVK(at origin, place Fault, property int, path string, gvk properties.GVK) {
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
			f := at.faultIn(place, CodeName, fmt.Sprintf("the %s of the API %s is not one that Kubernetes accepts", part.what, gvk.Describe()))
			f.Property, f.Path = property, path
			c.faults = append(c.faults, f)
		}
	}
}

// checkVersions looks for bundles that no version tells apart.
func (c *packageCheck) checkVersions() {
	type versioned struct {
		blob *bundleBlob
		pkg  properties.Package
	}
	var list []versioned
	for _, blob := range c.blobs.bundles {
		if blob.properties == nil {
			continue
		}
		if pkg, ok := blob.properties.Package(); ok {
			list = append(list, versioned{blob, pkg})
		}
	}
	slices.SortStableFunc(list, func(a, b versioned) int {
		return cmp.Or(strings.Compare(versionText(a.pkg), versionText(b.pkg)), strings.Compare(a.blob.name, b.blob.name))
	})
	for i := 1; i < len(list); i++ {
		a, b := list[i-1], list[i]
		if a.blob.name != b.blob.name && versionText(a.pkg) == versionText(b.pkg) {
			c.add(b.blob.origin, CodeSameVersion, Fault{Package: b.blob.pkg, Bundle: b.blob.name},
				fmt.Sprintf("the bundle has the version %s, as %s has: give one of them another", versionText(b.pkg), a.blob.name))
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
	for _, blob := range c.blobs.deprecations {
		place := Fault{Package: c.name}
		if c.blobs.empty() {
			c.add(blob.origin, CodeDeprecation, place, "there is no such package: remove the deprecations")
			continue
		}
		for _, d := range blob.entries {
			place := Fault{Package: c.name}
			known := true
			switch d.schema {
			case schemaPackage:
				if d.name != "" {
					c.add(blob.origin, CodeDeprecation, place, fmt.Sprintf("a reference to olm.package has no name, but this one has %q: remove it", d.name))
				}
			case schemaChannel:
				place.Channel = d.name
				known = c.channels[d.name]
			case schemaBundle:
				place.Bundle = d.name
				known = c.bundles[d.name]
			default:
				c.add(blob.origin, CodeDeprecation, place, fmt.Sprintf("schema %q of a reference is none of olm.package, olm.channel and olm.bundle", d.schema))
			}
			if !known {
				c.add(blob.origin, CodeDeprecation, place, "what is deprecated does not exist: remove the deprecation")
			}
			if strings.TrimSpace(d.message) == "" {
				c.add(blob.origin, CodeDeprecation, place, "the deprecation has no message: say what to use instead")
			}
		}
	}
}
