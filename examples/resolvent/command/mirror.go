package command

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/outcomes"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/mirror"
	"github.com/resolvent/resolvent/resolver/result"
)

const mirrorUsage = `Usage: resolvent mirror -f FILE --catalog NAMESPACE/NAME=FROM[,image=REF] [flags]
       resolvent mirror --package PACKAGE --catalog NAMESPACE/NAME=FROM[,image=REF] [flags]

Says what a disconnected cluster needs for its requests: the bundles that a resolution
selects, their dependencies and, from what is installed, every bundle on the way that
updates take until nothing changes any more; beyond a dead end, on the shortest path
through other channels. The catalogs cut down to that are checked, and the requests
followed on them again: every answer on the way is the same, or mirror fails.

` + inputs.InputUsage + packageUsage + `  image=REF behind --catalog is the image of the catalog itself, which -o imageset names

` + inputs.ChoiceUsage + `
Mirror:
  --every-step               also what a cluster meets that takes one update at a time,
                             each the closest to what is installed
  --catalog-out FOLDER       write the catalogs cut down, each as a file-based catalog
                             FOLDER/NAMESPACE/NAME/catalog.json; FOLDER must be empty or
                             not there yet. They hold what a resolution needs and the
                             related images, but no icons and descriptions

Output:
  -o text|images|imageset|json
                             text: the channels, with counts, for people (default);
                             images: each image of a bundle and each related image once;
                             imageset: an ImageSetConfiguration of oc-mirror; json: all of
                             this

Examples:
  resolvent mirror -f cluster.yaml --catalog olm/community=community.json
  resolvent mirror --package etcd -o images --catalog olm/community=community.json
  resolvent mirror -f cluster.yaml -o imageset --catalog olm/community=oci:catalog,image=quay.io/operatorhubio/catalog:latest

Exit status: 0 if everything is resolved and mirrored, 1 if something is not, 2 if
nothing was resolved because the command line or an input cannot be used.
`

// The values of -o that no other command has.
const (
	outputImages   = "images"
	outputImageSet = "imageset"
)

// mirrorFlags are those of the command mirror.
type mirrorFlags struct {
	resolveFlags
	everyStep bool
	out       string
}

func (f *mirrorFlags) parse(args []string, std inputs.Streams) error {
	set := flag.NewFlagSet("mirror", flag.ContinueOnError)
	f.input.Register(set)
	f.choice.Register(set, terminal.OutputText, outputImages, outputImageSet, terminal.OutputJSON)
	f.registerPackages(set)
	set.BoolVar(&f.everyStep, "every-step", false, "")
	set.StringVar(&f.out, "catalog-out", "", "")
	if err := inputs.ParseFlags(set, args, std); err != nil {
		return err
	}
	if f.input.Load != "" {
		return inputs.Usagef("a saved problem holds no images: leave out --load, and give what it was saved from")
	}
	if err := f.input.Check(set, std); err != nil {
		return err
	}
	return f.checkOut()
}

// checkOut refuses to write where there is something.
func (f *mirrorFlags) checkOut() error {
	if f.out == "" {
		return nil
	}
	entries, err := os.ReadDir(f.out)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return err
	case len(entries) > 0:
		return inputs.Usagef("--catalog-out %s: the folder is not empty; name one that is, or that is not there yet", f.out)
	}
	return nil
}

// runMirror is the command mirror.
func runMirror(ctx context.Context, args []string, std inputs.Streams) (int, error) {
	var flags mirrorFlags
	if err := flags.parse(args, std); err != nil {
		return exitNotStarted, err
	}
	ctx, cancel := inputs.Limited(ctx, flags.choice.Timeout)
	defer cancel()
	q, err := flags.question(ctx, std)
	if err != nil {
		return exitNotStarted, err
	}
	done := terminal.ShowProgress(std.Err, "following the requests")
	m, err := mirror.Find(ctx, &q.Inputs, mirror.Options{EveryStep: flags.everyStep})
	done()
	if err != nil {
		return exitUnresolved, err
	}
	outcomes.WriteFailures(std.Err, m.Outcomes)
	if err := flags.print(ctx, m, q.Catalogs, std); err != nil {
		return exitUnresolved, err
	}
	if flags.out != "" {
		if err := flags.write(ctx, m, std); err != nil {
			return exitUnresolved, err
		}
	}
	if slices.ContainsFunc(m.Outcomes, outcomes.Unresolved) {
		return exitUnresolved, nil
	}
	return exitResolved, nil
}

// print prints the mirror in the form that was chosen.
func (f *mirrorFlags) print(ctx context.Context, m *mirror.Mirror, whole *cache.View, std inputs.Streams) (err error) {
	var out bytes.Buffer
	var images []string
	if f.choice.Output == terminal.OutputJSON || f.choice.Output == outputImages {
		if images, err = f.images(ctx, m, std); err != nil {
			return err
		}
	}
	switch f.choice.Output {
	case outputImages:
		for _, image := range images {
			fmt.Fprintln(&out, terminal.Plain(image))
		}
	case outputImageSet:
		var text []byte
		own := map[catalog.Key]string{}
		for _, c := range m.Catalogs {
			if own[c.Key] = f.input.Image(c.Key); own[c.Key] == "" {
				return inputs.Usagef("-o imageset names the image of each catalog: add ,image=REF to --catalog %s=FROM", c.Key)
			}
		}
		text, err = m.ImageSet(own)
		out.Write(text)
	case terminal.OutputJSON:
		err = f.writeMirrorJSON(&out, m, images)
	default:
		writeMirror(&out, m, whole)
	}
	if err != nil {
		return err
	}
	return terminal.StyleFor(std.Out).Print(std.Out, out.Bytes(), f.choice.Output)
}

// images are those of all bundles that are needed, with their related ones, each once.
func (f *mirrorFlags) images(ctx context.Context, m *mirror.Mirror, std inputs.Streams) ([]string, error) {
	list := []string{}
	for i := range m.Catalogs {
		c := &m.Catalogs[i]
		names := c.Names()
		related, err := f.input.RelatedImages(ctx, c.Key, names, std)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			list = append(append(list, c.Image(name)), related[name]...)
		}
	}
	slices.Sort(list)
	// A bundle directory has no image yet.
	return slices.DeleteFunc(slices.Compact(list), func(image string) bool { return image == "" }), nil
}

// write writes the catalogs cut down.
func (f *mirrorFlags) write(ctx context.Context, m *mirror.Mirror, std inputs.Streams) error {
	if err := os.MkdirAll(f.out, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(f.out)
	if err != nil {
		return err
	}
	defer root.Close()
	for i := range m.Catalogs {
		c := &m.Catalogs[i]
		var names []catalog.BundleName
		for id := range c.Snapshot.Len() {
			b := c.Snapshot.Bundle(catalog.ID(id))
			names = append(names, catalog.BundleName{Package: b.Package, Bundle: b.Name})
		}
		related, err := f.input.RelatedImages(ctx, c.Key, names, std)
		if err != nil {
			return err
		}
		text, err := cache.Render(ctx, c.Snapshot, slices.Collect(c.Snapshot.Packages()), related)
		if err != nil {
			return err
		}
		folder := filepath.Join(c.Key.Namespace, c.Key.Name)
		if err := root.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		file, err := root.OpenFile(filepath.Join(folder, "catalog.json"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err != nil {
			return err
		}
		_, err = file.Write(text)
		if err = errors.Join(err, file.Close()); err != nil {
			return err
		}
	}
	return nil
}

// writeMirror prints the channels for people.
func writeMirror(w io.Writer, m *mirror.Mirror, whole *cache.View) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row(t, "PACKAGE", "CATALOG", "CHANNEL", "VERSIONS", "BUNDLES", "IN CHANNEL")
	packages, bundles, of := 0, 0, 0
	for i := range m.Catalogs {
		c := &m.Catalogs[i]
		bundles += len(c.Names())
		for _, p := range c.Packages {
			all := whole.Catalog(c.Key).Snapshot.Package(p.Name)
			packages++
			of += len(all.Bundles)
			for _, channel := range p.Channels {
				versions := channel.MinVersion
				if channel.MaxVersion != versions {
					versions += " to " + channel.MaxVersion
				}
				row(t, p.Name, c.Key.String(), channel.Name, versions, fmt.Sprint(len(channel.Bundles)), fmt.Sprint(describeChannel(all.Channel(channel.Name)).Bundles))
			}
		}
	}
	t.Flush()
	fmt.Fprintf(w, "\n%s of the %d in %s\n", terminal.Count(bundles, "bundle"), of, terminal.Count(packages, "package"))
}

type mirrorJSON struct {
	Catalogs []mirrorCatalogJSON `json:"catalogs"`
	Images   []string            `json:"images"`
	// Failed are the requests of which nothing is mirrored.
	Failed []mirrorFailureJSON `json:"failed,omitempty"`
}

type mirrorCatalogJSON struct {
	Catalog  string              `json:"catalog"`
	Image    string              `json:"image"`
	Packages []mirrorPackageJSON `json:"packages"`
}

type mirrorPackageJSON struct {
	Package        string              `json:"package"`
	DefaultChannel string              `json:"defaultChannel"`
	Channels       []mirrorChannelJSON `json:"channels"`
}

type mirrorChannelJSON struct {
	Channel    string   `json:"channel"`
	MinVersion string   `json:"minVersion"`
	MaxVersion string   `json:"maxVersion"`
	Bundles    []string `json:"bundles"`
}

type mirrorFailureJSON struct {
	Namespace string        `json:"namespace"`
	Extension string        `json:"extension"`
	Result    result.Result `json:"result"`
	Message   string        `json:"message"`
}

func (f *mirrorFlags) writeMirrorJSON(w io.Writer, m *mirror.Mirror, images []string) error {
	j := mirrorJSON{Images: images}
	j.Catalogs = terminal.Mapped(m.Catalogs, func(c mirror.Catalog) mirrorCatalogJSON {
		return mirrorCatalogJSON{c.Key.String(), f.input.Image(c.Key), terminal.Mapped(c.Packages, mirrorPackageToJSON)}
	})
	for i := range m.Outcomes {
		if o := &m.Outcomes[i]; o.Err != nil {
			j.Failed = append(j.Failed, mirrorFailureJSON{o.Namespace, o.Extension, o.Result(), o.Err.Error()})
		}
	}
	return terminal.Encode(w, j)
}

func mirrorPackageToJSON(p mirror.Package) mirrorPackageJSON {
	return mirrorPackageJSON{p.Name, p.DefaultChannel, terminal.Mapped(p.Channels, func(c mirror.Channel) mirrorChannelJSON {
		return mirrorChannelJSON{c.Name, c.MinVersion, c.MaxVersion, append([]string{}, c.Bundles...)}
	})}
}
