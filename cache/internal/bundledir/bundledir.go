// Package bundledir reads registry+v1 bundle directories (manifests beside metadata) as
// the blobs of a catalog. Each directory is a bundle. The bundles name their packages
// and channels.
package bundledir

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/internal/build"
	"github.com/resolvent/resolvent/cache/internal/code"
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

// Find returns the bundle directories among the files of a tree. Each has manifests
// beside metadata, or at least manifests with a ClusterServiceVersion.
func Find(files []string) []Dir {
	byPath := map[string]int{} // index in dirs
	var dirs []Dir
	for _, file := range files {
		part := path.Dir(file)
		base, dir := path.Base(part), path.Dir(part)
		if base != manifestsDir && base != metadataDir {
			continue
		}
		i, known := byPath[dir]
		if !known {
			i, byPath[dir] = len(dirs), len(dirs)
			dirs = append(dirs, Dir{path: dir})
		}
		if base == manifestsDir {
			dirs[i].manifests = append(dirs[i].manifests, file)
		} else {
			dirs[i].metadata = append(dirs[i].metadata, file)
		}
	}
	return slices.DeleteFunc(dirs, func(d Dir) bool {
		return len(d.manifests) == 0 || len(d.metadata) == 0 && !slices.ContainsFunc(d.manifests, namesServiceVersion)
	})
}

// Beside returns the files outside of the directories.
func Beside(files []string, dirs []Dir) []string {
	within := map[string]bool{}
	for _, d := range dirs {
		within[d.path] = true
	}
	return slices.DeleteFunc(slices.Clone(files), func(file string) bool {
		for dir := path.Dir(file); !within[dir]; dir = path.Dir(dir) {
			if dir == "." {
				return false
			}
		}
		return true
	})
}

func namesServiceVersion(file string) bool {
	return strings.Contains(strings.ToLower(path.Base(file)), "clusterserviceversion")
}

// Read reads a bundle directory into a collector. Its error is that of ctx or of fsys.
// Errors of the bundle become faults.
func Read(ctx context.Context, c *build.Collector, fsys fs.FS, dir Dir) error {
	r := &reader{
		collector: c, ctx: ctx, fsys: fsys, dir: dir, at: document.Origin{File: dir.path}, mediaType: mediaType,
		annotations: document.Origin{File: path.Join(dir.path, metadataDir, "annotations.yaml")},
	}
	return r.read()
}

// AddChannels makes or completes the packages and channels that bundle directories name.
// The entries of a channel are the bundles that name it, with the edges of their
// ClusterServiceVersions.
func AddChannels(c *build.Contents) {
	// Higher versions come first: where bundles disagree, the highest version decides.
	slices.SortStableFunc(c.Directories, func(a, b *build.Directory) int {
		return cmp.Or(strings.Compare(a.Pkg, b.Pkg), b.Version.Compare(a.Version))
	})
	channels := map[build.Name]*build.Channel{}
	for _, d := range c.Directories {
		blobs := c.Of(d.Pkg, d.Origin)
		if blobs.Stated == nil {
			blobs.Stated = []*build.Package{{Origin: d.Annotations, Name: d.Pkg}}
			for _, channel := range blobs.Channels {
				channels[build.Name{Pkg: d.Pkg, Channel: channel.Name}] = channel
			}
		}
		p := blobs.Stated[0]
		if p.DefaultChannel == "" && d.DefaultChannel != "" {
			p.Origin, p.DefaultChannel = d.Annotations, d.DefaultChannel
		}
		for _, name := range d.Channels {
			key := build.Name{Pkg: d.Pkg, Channel: name}
			channel := channels[key]
			if channel == nil {
				channel = &build.Channel{Name: name, Pkg: d.Pkg}
				channels[key] = channel
				blobs.Channels = append(blobs.Channels, channel)
			}
			if channel.File == "" {
				channel.Origin = d.Origin
			}
			channel.Entries = append(channel.Entries, d.Entry)
		}
	}
	for _, d := range c.Directories {
		// The only channel must be the default one.
		if blobs := c.Of(d.Pkg, d.Origin); blobs.Stated[0].DefaultChannel == "" && len(blobs.Channels) == 1 {
			blobs.Stated[0].DefaultChannel = blobs.Channels[0].Name
		}
	}
}

// maxChannelSkips bounds the channels of a bundle times the bundles that it skips: each
// channel has all of its skips.
const maxChannelSkips = 1 << 18

// finish adds the bundle and its directory to the collector.
func (r *reader) finish() {
	c, name := r.collector, r.csv.Metadata.Name
	stated, places := r.properties()
	r.checkInstallation()
	if limit := c.Limits.Properties; len(stated) > limit {
		r.fault(r.at, code.Limit, "", fmt.Sprintf("the bundle has %d properties, more than the %d allowed", len(stated), limit), true)
	}
	skips := slices.Compact(slices.Sorted(slices.Values(r.csv.Spec.Skips)))
	if len(r.channels)*len(skips) > maxChannelSkips {
		r.fault(r.at, code.Limit, "spec.skips", fmt.Sprintf("the bundle skips %d others in %d channels, which is more than the %d entries allowed", len(skips), len(r.channels), maxChannelSkips), true)
		skips = nil
	}
	c.AddBundle(&build.Bundle{Origin: r.at, Name: name, Pkg: r.pkg, Directory: true, Places: places, NoImage: r.noImage, Unusable: r.unusable}, stated)
	if key := (build.BlobKey{Schema: document.SchemaBundle, Package: r.pkg, Name: name}); c.Whole != nil && c.Whole(key) {
		c.Contents.Whole = append(c.Contents.Whole, build.WholeBlob{BlobKey: key, Text: r.whole.blob(stated, c.Objects())})
	}
	for _, f := range r.faults {
		f.Package, f.Bundle = r.pkg, name
		c.Fault(f)
	}
	d := &build.Directory{
		Origin: r.at, Annotations: r.annotations, Pkg: r.pkg, Channels: r.channels, DefaultChannel: r.defaultChannel,
		Entry: build.Entry{Name: name, Replaces: r.csv.Spec.Replaces, Skips: skips, SkipRange: r.csv.Metadata.Annotations[annotationSkipRange]},
	}
	if v, err := semver.Parse(r.csv.Spec.Version); err == nil {
		d.Version = v
	}
	c.Contents.Directories = append(c.Contents.Directories, d)
}

// properties returns the properties of the bundle and their places. They are sorted by
// type, then by value, as in catalogs that opm renders from bundles. Objects, which opm leaves out,
// come last.
func (r *reader) properties() (list []properties.Property, places []document.Origin) {
	slices.SortStableFunc(r.stated, stated.compare)
	for _, p := range slices.CompactFunc(r.stated, func(a, b stated) bool { return a.compare(b) == 0 }) {
		list, places = append(list, p.Property), append(places, p.at)
	}
	return list, places
}

func (p stated) compare(other stated) int {
	object := func(p stated) bool { return p.Type == properties.TypeBundleObject }
	switch {
	case object(p) && !object(other):
		return 1
	case object(other) && !object(p):
		return -1
	}
	return cmp.Or(strings.Compare(p.Type, other.Type), bytes.Compare(p.Value, other.Value))
}
