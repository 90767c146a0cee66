// Package bundledir reads registry+v1 bundle directories, with manifests beside
// metadata, into the blobs of a catalog: of each directory a bundle, and the
// packages and channels that the bundles name.
package bundledir

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/collect"
	"github.com/resolvent/resolvent/cache/internal/document"
	"github.com/resolvent/resolvent/properties"
)

// The parts of a bundle directory.
const (
	manifestsDir = "manifests"
	metadataDir  = "metadata"
)

// Dir is a registry+v1 bundle directory.
type Dir struct {
	path string
	// manifests and metadata are the files below, sorted.
	manifests, metadata []string
}

// Find returns the bundle directories among the files of a tree: each has
// manifests beside metadata, or at least manifests with a ClusterServiceVersion.
func Find(files []string) []Dir {
	byPath := map[string]*Dir{}
	var dirs []*Dir
	for _, file := range files {
		part := path.Dir(file)
		base := path.Base(part)
		if base != manifestsDir && base != metadataDir {
			continue
		}
		d := byPath[path.Dir(part)]
		if d == nil {
			d = &Dir{path: path.Dir(part)}
			byPath[d.path] = d
			dirs = append(dirs, d)
		}
		if base == manifestsDir {
			d.manifests = append(d.manifests, file)
		} else {
			d.metadata = append(d.metadata, file)
		}
	}
	var found []Dir
	for _, d := range dirs {
		if len(d.manifests) > 0 && (len(d.metadata) > 0 || slices.ContainsFunc(d.manifests, namesServiceVersion)) {
			found = append(found, *d)
		}
	}
	return found
}

func namesServiceVersion(file string) bool {
	return strings.Contains(strings.ToLower(path.Base(file)), "clusterserviceversion")
}

// Read reads a bundle directory into a collector. Its error is that
// of ctx or of fsys; what is wrong with the bundle becomes a fault.
func Read(ctx context.Context, c *collect.Collector, fsys fs.FS, dir Dir) error {
	r := &bundleDirReader{collector: c, ctx: ctx, fsys: fsys, dir: dir, at: document.Origin{File: dir.path}}
	if err := r.read(); err != nil {
		return err
	}
	r.finish()
	return nil
}

// AddChannels makes the packages and channels that bundle directories name.
// The entries of a channel are the bundles that name it, each with the edges
// that its ClusterServiceVersion states.
func AddChannels(c *collect.Contents) {
	// Higher versions first: of what they disagree on, the highest decides.
	slices.SortStableFunc(c.Directories, func(a, b *collect.Directory) int {
		if order := strings.Compare(a.Pkg, b.Pkg); order != 0 {
			return order
		}
		return b.Version.Compare(a.Version)
	})
	packages := map[string]*collect.Package{}
	channels := map[collect.Name]*collect.Channel{}
	counts := map[string]int{}
	for _, d := range c.Directories {
		p := packages[d.Pkg]
		if p == nil {
			p = &collect.Package{Origin: d.Origin, Name: d.Pkg}
			packages[d.Pkg] = p
			c.Packages = append(c.Packages, p)
		}
		if p.DefaultChannel == "" {
			p.DefaultChannel = d.DefaultChannel
		}
		for _, name := range d.Channels {
			key := collect.Name{Pkg: d.Pkg, Channel: name}
			channel := channels[key]
			if channel == nil {
				channel = &collect.Channel{Origin: d.Origin, Name: name, Pkg: d.Pkg}
				channels[key] = channel
				c.Channels = append(c.Channels, channel)
				counts[d.Pkg]++
			}
			channel.Entries = append(channel.Entries, d.Entry)
		}
	}
	for key, channel := range channels {
		// Nothing else can be meant.
		if p := packages[key.Pkg]; p.DefaultChannel == "" && counts[key.Pkg] == 1 {
			p.DefaultChannel = channel.Name
		}
	}
}

// finish turns what was read into a bundle.
func (r *bundleDirReader) finish() {
	c := r.collector
	if r.csv == nil || r.pkg == "" {
		return // reported already, and nothing is left to call it by
	}
	b := &collect.Bundle{Origin: r.at, Name: r.csv.Metadata.Name, Pkg: r.pkg, Directory: true, Unusable: r.unusable}
	if b.Name == "" {
		r.fault(r.at, catalog.CodeField, "metadata.name", "the ClusterServiceVersion has no name, so the bundle has none: add one", true)
		return
	}
	doc := &document.Document{Origin: r.at, Pkg: b.Pkg, Name: b.Name, Properties: r.properties()}
	if limit := c.Limits.Properties; len(doc.Properties) > limit {
		r.fault(r.at, catalog.CodeLimit, "", fmt.Sprintf("the bundle has %d properties, more than the %d allowed", len(doc.Properties), limit), true)
		b.Unusable = true
	} else if !r.unusable {
		c.AddProperties(doc, b)
	}
	for _, f := range r.faults {
		f.Package, f.Bundle = b.Pkg, b.Name
		c.Fault(f)
	}
	c.Contents.Bundles = append(c.Contents.Bundles, b)

	d := &collect.Directory{
		Origin: r.at, Pkg: r.pkg, Channels: r.channels, DefaultChannel: r.defaultChannel,
		Entry: collect.Entry{Name: b.Name, Replaces: r.csv.Spec.Replaces, Skips: r.skips(), SkipRange: r.csv.Metadata.Annotations[annotationSkipRange]},
	}
	if v, err := semver.Parse(r.csv.Spec.Version); err == nil {
		d.Version = v
	}
	c.Contents.Directories = append(c.Contents.Directories, d)
}

func (r *bundleDirReader) skips() []string {
	skips := slices.Clone(r.csv.Spec.Skips)
	slices.Sort(skips)
	return slices.Compact(skips)
}

// properties returns what the bundle states, in the order of the catalogs that
// are rendered from bundles: by type, then by value.
func (r *bundleDirReader) properties() []properties.Property {
	list := slices.Clone(r.stated)
	slices.SortStableFunc(list, func(a, b properties.Property) int {
		if order := strings.Compare(a.Type, b.Type); order != 0 {
			return order
		}
		return strings.Compare(string(a.Value), string(b.Value))
	})
	return slices.CompactFunc(list, func(a, b properties.Property) bool {
		return a.Type == b.Type && string(a.Value) == string(b.Value)
	})
}
