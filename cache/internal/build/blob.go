package build

import (
	"bytes"
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/blang/semver/v4"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/document"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
)

// Contents holds the blobs of files, each judged by itself only.
type Contents struct {
	packages    map[string]*Blobs
	Directories []*Directory
	damages     []damage
	Faults      []catalog.Fault
	// refused are faults without which all can be read, for [Check]: what opm refuses, and schemas
	// that OLM does not define.
	refused []catalog.Fault
	// Whole are the blobs that Collector.Whole selects.
	Whole []WholeBlob
}

// BlobKey identifies a blob. For an olm.package, Package is its name.
type BlobKey struct{ Schema, Package, Name string }

// WholeBlob is a blob as JSON text. That of a bundle directory has only properties and related images.
type WholeBlob struct {
	BlobKey
	Text []byte
}

// IsCatalog reports whether a blob mentions any package.
func (c *Contents) IsCatalog() bool { return len(c.packages) > 0 }

// Blobs are all blobs of one package, in the order of their files.
type Blobs struct {
	Stated       []*Package
	Channels     []*Channel
	bundles      []*Bundle
	deprecations []*deprecations
	lifecycles   []*lifecycles
	first        document.Origin // the first mention of the package
}

// directories reports whether the bundles come from bundle directories.
func (b *Blobs) directories() bool { return len(b.bundles) > 0 && b.bundles[0].Directory }

// damage is a package that an unreadable file mentions. The unread rest of the file may
// say more about the package.
type damage struct{ file, pkg string }

// Package is an olm.package blob.
type Package struct {
	document.Origin
	Name, DefaultChannel string
}

// Channel is an olm.channel blob.
type Channel struct {
	document.Origin
	Name, Pkg string
	Entries   []Entry
	// fault says why the channel cannot have an order, "" if it can.
	fault string
}

// Entry is an entry of a channel. Skips are sorted.
type Entry struct {
	Name, Replaces string
	Skips          []string
	SkipRange      string
}

// Bundle is an olm.bundle blob or a bundle directory. A directory has no image yet.
type Bundle struct {
	document.Origin
	Name, Pkg, Image string
	Directory        bool
	// Places are the places of the properties by index. Nil means the Origin for all.
	Places []document.Origin
	// NoImage is the path of a related image that names none.
	NoImage string
	// Unusable: a fault quarantines the bundle.
	Unusable bool

	properties  *properties.Set
	constraints []constraints.Constraint
	deprecation string // set while building
}

// originOf returns the place of a property, or of the bundle for an index of none.
func (b *Bundle) originOf(property int) document.Origin {
	if property >= 0 && property < len(b.Places) {
		return b.Places[property]
	}
	return b.Origin
}

// Directory is what a bundle directory states about its package and channels. Without a
// name in Entry, it stands for a package that is already published.
type Directory struct {
	document.Origin
	// Annotations is the place of the annotations that name the channels.
	Annotations    document.Origin
	Pkg            string
	Version        semver.Version
	Channels       []string
	DefaultChannel string
	Entry          Entry
}

type deprecations struct {
	document.Origin
	pkg     string
	entries []deprecation
}

type deprecation struct{ schema, name, message string }

// Of returns the blobs of a package, and records a mention of it at a place.
func (c *Contents) Of(pkg string, at document.Origin) *Blobs {
	p := c.packages[pkg]
	if p == nil {
		if c.packages == nil {
			c.packages = map[string]*Blobs{}
		}
		p = &Blobs{first: at}
		c.packages[pkg] = p
	}
	if at.Compare(p.first) < 0 {
		p.first = at
	}
	return p
}

// Append adds the contents of another file.
func (c *Contents) Append(other *Contents) {
	for name, more := range other.packages {
		p := c.Of(name, more.first)
		p.Stated = append(p.Stated, more.Stated...)
		p.Channels = append(p.Channels, more.Channels...)
		p.bundles = append(p.bundles, more.bundles...)
		p.deprecations = append(p.deprecations, more.deprecations...)
		p.lifecycles = append(p.lifecycles, more.lifecycles...)
	}
	c.Directories = append(c.Directories, other.Directories...)
	c.damages = append(c.damages, other.damages...)
	c.Faults = append(c.Faults, other.Faults...)
	c.refused = append(c.refused, other.refused...)
	c.Whole = append(c.Whole, other.Whole...)
}

// SetFaults gives channels the faults with which they were rendered, by package and name.
func (c *Contents) SetFaults(faults map[string]map[string]string) {
	for pkg, blobs := range c.packages {
		for _, channel := range blobs.Channels {
			channel.fault = faults[pkg][channel.Name]
		}
	}
}

// Replace adds the bundles of directories, and removes others with their names. A
// directory of the highest version replaces the olm.package blob of a package.
func (c *Contents) Replace(directories *Contents) {
	c.Directories = append(c.Directories, directories.Directories...)
	c.Faults = append(c.Faults, directories.Faults...)
	for pkg, more := range directories.packages {
		p, names := c.Of(pkg, more.first), map[string]bool{}
		for _, b := range more.bundles {
			names[b.Name] = true
		}
		before := &Directory{Pkg: pkg}
		for _, stated := range p.Stated {
			before.DefaultChannel = stated.DefaultChannel
		}
		p.Stated = nil
		p.bundles = slices.DeleteFunc(p.bundles, func(b *Bundle) bool { return names[b.Name] })
		for _, b := range p.bundles {
			if stated, ok := b.properties.Package(); ok && stated.Version.GT(before.Version) {
				before.Version = stated.Version
			}
		}
		c.Directories = append(c.Directories, before)
		for _, b := range more.bundles {
			p.bundles = append(p.bundles, new(*b))
		}
		p.Channels = slices.DeleteFunc(p.Channels, func(channel *Channel) bool {
			channel.Entries = slices.DeleteFunc(channel.Entries, func(e Entry) bool { return names[e.Name] })
			return len(channel.Entries) == 0
		})
	}
}

// DirectoryOf returns the place of a bundle directory, if possible one of the package.
func (c *Contents) DirectoryOf(pkg string) (at document.Origin) {
	for _, d := range c.Directories {
		if d.Entry.Name != "" && (at.File == "" || d.Pkg == pkg) {
			if at = d.Origin; d.Pkg == pkg {
				break
			}
		}
	}
	return at
}

// empty reports whether there are at most deprecations and lifecycles.
func (p *Blobs) empty() bool { return len(p.Stated)+len(p.Channels)+len(p.bundles) == 0 }

// Name identifies a bundle, a channel or, with neither, a package.
type Name struct{ Pkg, Channel, Bundle string }

// Origins returns the place of each blob, the first one for each name.
func Origins(read *Contents) map[Name]document.Origin {
	places := map[Name]document.Origin{}
	put := func(key Name, at document.Origin) {
		if _, ok := places[key]; !ok {
			places[key] = at
		}
	}
	for pkg, blobs := range read.packages {
		for _, p := range blobs.Stated {
			put(Name{Pkg: pkg}, p.Origin)
		}
		for _, c := range blobs.Channels {
			put(Name{Pkg: pkg, Channel: c.Name}, c.Origin)
		}
		for _, b := range blobs.bundles {
			put(Name{Pkg: pkg, Bundle: b.Name}, b.Origin)
		}
	}
	return places
}

// named is a blob or an entry, of which several may have one name.
type named[B any] interface {
	key() string
	equal(other B) bool
}

func (b *Package) key() string      { return b.Name }
func (b *Channel) key() string      { return b.Name }
func (b *Bundle) key() string       { return b.Name }
func (b *deprecations) key() string { return b.pkg }
func (e Entry) key() string         { return e.Name }

// groups sorts blobs by name and walks those of each name. The second value reports
// whether all blobs of the name are equal, and so count as one.
func groups[B named[B]](blobs []B) iter.Seq2[[]B, bool] {
	// The order of places decides among blobs of one name.
	slices.SortStableFunc(blobs, func(a, b B) int { return strings.Compare(a.key(), b.key()) })
	return func(yield func([]B, bool) bool) {
		for len(blobs) > 0 {
			n, alike := 1, true
			for n < len(blobs) && blobs[n].key() == blobs[0].key() {
				alike = alike && blobs[n-1].equal(blobs[n]) // compares each twice at most
				n++
			}
			if !yield(blobs[:n], alike) {
				return
			}
			blobs = blobs[n:]
		}
	}
}

func (b *Package) equal(other *Package) bool { return b.DefaultChannel == other.DefaultChannel }

func (b *Channel) equal(other *Channel) bool {
	sorted := func(entries []Entry) []Entry {
		return slices.SortedStableFunc(slices.Values(entries), func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	}
	return b.fault == other.fault && slices.EqualFunc(sorted(b.Entries), sorted(other.Entries), Entry.equal)
}

func (e Entry) equal(other Entry) bool {
	return e.Name == other.Name && e.Replaces == other.Replaces && e.SkipRange == other.SkipRange &&
		slices.Equal(e.Skips, other.Skips)
}

func (b *Bundle) equal(other *Bundle) bool {
	if b.Unusable || other.Unusable {
		return b.Unusable == other.Unusable
	}
	stated := func(set *properties.Set) (list []properties.Property) {
		for _, p := range set.All() {
			list = append(list, p)
		}
		return list
	}
	return b.Image == other.Image && slices.EqualFunc(stated(b.properties), stated(other.properties), func(a, b properties.Property) bool {
		return a.Type == b.Type && (bytes.Equal(a.Value, b.Value) || bytes.Equal(Canonical(a.Value), Canonical(b.Value)))
	})
}

func (b *deprecations) equal(other *deprecations) bool { return slices.Equal(b.entries, other.entries) }

func (d deprecation) compare(other deprecation) int {
	return cmp.Or(strings.Compare(d.schema, other.schema), strings.Compare(d.name, other.name), strings.Compare(d.message, other.message))
}

// Canonical returns JSON text that is equal for equal values.
func Canonical(value []byte) []byte {
	text := jsontext.Value(value).Clone()
	if err := text.Canonicalize(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		return value
	}
	return text
}
