// Package mirrors prints what a disconnected cluster needs: for people, as JSON, as a list
// of images, and as catalogs in a folder.
package mirrors

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/examples/resolvent/internal/listing"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/mirror"
)

// Images are those of all bundles of the catalogs cut down, each once, with their related ones if blobs
// are read.
func Images(m *mirror.Mirror, blobs []*cache.Blobs) []string {
	list := []string{}
	for i := range m.Catalogs {
		c := &m.Catalogs[i]
		for _, name := range c.Names() {
			if list = append(list, c.Image(name)); blobs != nil {
				list = append(list, blobs[i].Images(name)...)
			}
		}
	}
	slices.Sort(list)
	// WriteDoubts names the bundles without an image.
	return slices.DeleteFunc(slices.Compact(list), func(image string) bool { return image == "" })
}

var reference = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@+-]*$`)

// WriteImages prints the images, one a line, for programs that fetch them. What has not the
// characters of a reference is named on stderr only.
func WriteImages(w, stderr io.Writer, images []string) {
	for _, image := range images {
		if reference.MatchString(image) {
			terminal.Printf(w, "%s\n", image)
		} else {
			terminal.Printf(stderr, "left out because it is not a valid image: %s\n", image)
		}
	}
}

// WriteDoubts says which bundles have no image, such as one in a bundle directory, and which images
// have no digest, so that another one may be fetched under their name. kind is what the images are.
func WriteDoubts(stderr io.Writer, m *mirror.Mirror, images []string, kind string) {
	var empty []string
	for i := range m.Catalogs {
		c := &m.Catalogs[i]
		for _, name := range c.Names() {
			if c.Image(name) == "" {
				empty = append(empty, terminal.Plain(name.Name))
			}
		}
	}
	if len(empty) > 0 {
		terminal.Printf(stderr, "no image: %s; the catalog names none for %s\n", terminal.Few(empty), terminal.Count(len(empty), "bundle"))
	}
	var tags []string
	for _, image := range images {
		if !strings.Contains(image, "@sha256:") {
			tags = append(tags, image)
		}
	}
	if len(tags) > 0 {
		terminal.Printf(stderr, "no digest: %s, such as %s; the registry may serve another image later\n", terminal.Count(len(tags), kind), tags[0])
	}
}

// WriteConnected says which bundles state that they do not run in a disconnected cluster.
func WriteConnected(stderr io.Writer, m *mirror.Mirror) {
	var names []string
	for i := range m.Catalogs {
		c := &m.Catalogs[i]
		for _, name := range c.Names() {
			if b := c.Snapshot.Find(name.Package, name.Name); b != nil {
				if runs, stated := b.Properties.Metadata().Disconnected(); stated && !runs {
					names = append(names, terminal.Plain(name.Name))
				}
			}
		}
	}
	if len(names) > 0 {
		terminal.Printf(stderr, "not made for a disconnected cluster, as annotations say: %s\n", terminal.Few(names))
	}
}

func WriteText(p *terminal.Page, m *mirror.Mirror, whole *cache.View) {
	var t terminal.Table
	t.Row("PACKAGE", "CATALOG", "CHANNEL", "VERSIONS", "BUNDLES", "IN CHANNEL")
	packages, bundles, total := 0, 0, 0
	for i := range m.Catalogs {
		c := &m.Catalogs[i]
		bundles += len(c.Names())
		for _, pkg := range c.Packages {
			all := whole.Catalog(c.Key).Snapshot.Package(pkg.Name)
			packages++
			total += len(all.Bundles)
			for _, channel := range pkg.Channels {
				versions := channel.MinVersion
				if channel.MaxVersion != versions {
					versions += " to " + channel.MaxVersion
				}
				t.Row(pkg.Name, c.Key.String(), channel.Name, versions, fmt.Sprint(listing.Usable(c.Snapshot.Package(pkg.Name).Channel(channel.Name))), fmt.Sprint(listing.Usable(all.Channel(channel.Name))))
			}
		}
	}
	if packages == 0 {
		return // nothing is resolved, which was said
	}
	t.Write(&p.Buffer, p.Style)
	terminal.Printf(p, "\n%s of the %d in %s\n", terminal.Count(bundles, "bundle"), total, terminal.Count(packages, "package"))
}
