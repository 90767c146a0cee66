package cache

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/properties"
)

// The parts of a bundle directory.
const (
	manifestsDir = "manifests"
	metadataDir  = "metadata"
)

// bundleDir is a registry+v1 bundle directory.
type bundleDir struct {
	path string
	// manifests and metadata are the files below, sorted.
	manifests, metadata []string
}

// bundleDirs returns the bundle directories among the files of a tree: each has
// manifests beside metadata, or at least manifests with a ClusterServiceVersion.
func bundleDirs(files []string) []bundleDir {
	byPath := map[string]*bundleDir{}
	var dirs []*bundleDir
	for _, file := range files {
		part := path.Dir(file)
		base := path.Base(part)
		if base != manifestsDir && base != metadataDir {
			continue
		}
		d := byPath[path.Dir(part)]
		if d == nil {
			d = &bundleDir{path: path.Dir(part)}
			byPath[d.path] = d
			dirs = append(dirs, d)
		}
		if base == manifestsDir {
			d.manifests = append(d.manifests, file)
		} else {
			d.metadata = append(d.metadata, file)
		}
	}
	var found []bundleDir
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

// readBundleDir reads a bundle directory into a collector. Its error is that
// of ctx or of fsys; what is wrong with the bundle becomes a fault.
func readBundleDir(ctx context.Context, c *collector, fsys fs.FS, dir bundleDir) error {
	r := &bundleDirReader{collector: c, ctx: ctx, fsys: fsys, dir: dir, at: origin{file: dir.path}}
	if err := r.read(); err != nil {
		return err
	}
	r.finish()
	return nil
}

// addDirectories makes the packages and channels that bundle directories name.
// The entries of a channel are the bundles that name it, each with the edges
// that its ClusterServiceVersion states.
func addDirectories(c *contents) {
	// Higher versions first: of what they disagree on, the highest decides.
	slices.SortStableFunc(c.directories, func(a, b *directoryBundle) int {
		if order := strings.Compare(a.pkg, b.pkg); order != 0 {
			return order
		}
		return b.version.Compare(a.version)
	})
	packages := map[string]*packageBlob{}
	channels := map[blobKey]*channelBlob{}
	counts := map[string]int{}
	for _, d := range c.directories {
		p := packages[d.pkg]
		if p == nil {
			p = &packageBlob{origin: d.origin, name: d.pkg}
			packages[d.pkg] = p
			c.packages = append(c.packages, p)
		}
		if p.defaultChannel == "" {
			p.defaultChannel = d.defaultChannel
		}
		for _, name := range d.channels {
			key := blobKey{pkg: d.pkg, channel: name}
			channel := channels[key]
			if channel == nil {
				channel = &channelBlob{origin: d.origin, name: name, pkg: d.pkg}
				channels[key] = channel
				c.channels = append(c.channels, channel)
				counts[d.pkg]++
			}
			channel.entries = append(channel.entries, d.entry)
		}
	}
	for key, channel := range channels {
		// Nothing else can be meant.
		if p := packages[key.pkg]; p.defaultChannel == "" && counts[key.pkg] == 1 {
			p.defaultChannel = channel.name
		}
	}
}

// finish turns what was read into a bundle.
func (r *bundleDirReader) finish() {
	c := r.collector
	if r.csv == nil || r.pkg == "" {
		return // reported already, and nothing is left to call it by
	}
	b := &bundleBlob{origin: r.at, name: r.csv.Metadata.Name, pkg: r.pkg, directory: true, unusable: r.unusable}
	if b.name == "" {
		r.fault(r.at, CodeField, "metadata.name", "the ClusterServiceVersion has no name, so the bundle has none: add one", true)
		return
	}
	doc := &document{origin: r.at, pkg: b.pkg, name: b.name, properties: r.properties()}
	if limit := c.limits.Properties; len(doc.properties) > limit {
		r.fault(r.at, CodeLimit, "", fmt.Sprintf("the bundle has %d properties, more than the %d allowed", len(doc.properties), limit), true)
		b.unusable = true
	} else if !r.unusable {
		c.addProperties(doc, b)
	}
	for _, f := range r.faults {
		f.Package, f.Bundle = b.pkg, b.name
		c.Fault(f)
	}
	c.contents.bundles = append(c.contents.bundles, b)

	d := &directoryBundle{
		origin: r.at, pkg: r.pkg, channels: r.channels, defaultChannel: r.defaultChannel,
		entry: entryBlob{name: b.name, replaces: r.csv.Spec.Replaces, skips: r.skips(), skipRange: r.csv.Metadata.Annotations[annotationSkipRange]},
	}
	if v, err := semver.Parse(r.csv.Spec.Version); err == nil {
		d.version = v
	}
	c.contents.directories = append(c.contents.directories, d)
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
