package command

import (
	"context"
	"flag"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/mirrors"
	"github.com/resolvent/resolvent/examples/resolvent/internal/outcomes"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/mirror"
)

var mirrorUsage = `Usage: resolvent mirror -f FILE --catalog NAMESPACE/NAME=FROM[,image=REF] [flags]
       resolvent mirror --package PACKAGE --catalog NAMESPACE/NAME=FROM[,image=REF] [flags]

Says what a disconnected cluster needs for its requests: the bundles that a resolution
selects, their dependencies and, from what is installed, every bundle on the way that
updates take until nothing changes any more; beyond a dead end, on the shortest path
through other channels. The catalogs cut down to that are checked, and the requests
followed on them again: every answer on the way is the same, or mirror fails.

` + strings.Replace(inputs.InputUsage, inputs.LoadUsage, "", 1) + inputs.PackageUsage + `  image=REF behind --catalog is the image of the catalog itself, which -o imageset names

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
	f.packages.Register(set, &f.input)
	set.BoolVar(&f.everyStep, "every-step", false, "")
	inputs.String(set, "catalog-out", &f.out)
	if err := inputs.ParseFlags(set, args, std); err != nil {
		return err
	}
	if f.input.Load != "" {
		return inputs.Usagef("a saved problem holds no images: leave out --load, and give what it was saved from")
	}
	if err := f.input.Check(set, std); err != nil {
		return err
	}
	if f.out == "" {
		return nil
	}
	if err := mirrors.CheckFolder(f.out); err != nil {
		return inputs.Usagef("--catalog-out %v", err)
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
	page := terminal.NewPage(ctx, std.Out, flags.choice.Output)
	q, err := flags.question(ctx, std)
	if err != nil {
		return exitNotStarted, err
	}
	done := terminal.ShowProgress(std.Err, "following the requests")
	m, err := mirror.Find(ctx, q.Problem, q.Scopes, mirror.Options{EveryStep: flags.everyStep})
	done()
	if err != nil {
		return exitUnresolved, err
	}
	outcomes.WriteFailures(std.Err, m.Outcomes)
	related := func(key catalog.Key, of []catalog.BundleKey) (cache.RelatedImages, error) {
		return flags.input.RelatedImages(ctx, key, of, std)
	}
	if err := flags.print(page, m, q.Problem.Catalogs, related); err != nil {
		return exitUnresolved, err
	}
	if flags.out != "" {
		if err := mirrors.WriteFolder(ctx, flags.out, m, related); err != nil {
			return exitUnresolved, err
		}
	}
	return exit(slices.ContainsFunc(m.Outcomes, outcomes.Unresolved))
}

// print prints the mirror in the form that was chosen.
func (f *mirrorFlags) print(page *terminal.Page, m *mirror.Mirror, whole *cache.View, related mirrors.Related) (err error) {
	var images []string
	if f.choice.Output == terminal.OutputJSON || f.choice.Output == outputImages {
		if images, err = mirrors.Images(m, related); err != nil {
			return err
		}
	}
	switch f.choice.Output {
	case outputImages:
		for _, image := range images {
			terminal.Printf(page, "%s\n", image)
		}
	case outputImageSet:
		var text []byte
		own := map[catalog.Key]string{}
		for _, c := range m.Catalogs {
			if own[c.Key] = f.input.Image(c.Key); own[c.Key] == "" {
				return inputs.Usagef("-o imageset names the image of each catalog: add ,image=REF to --catalog %s=FROM", c.Key)
			}
		}
		var set yaml.Node
		if text, err = m.ImageSet(own); err == nil {
			err = yaml.Load(text, &set)
		}
		if err == nil {
			err = page.YAML(1, "document", func(int) ([]*yaml.Node, error) { return []*yaml.Node{&set}, nil })
		}
	case terminal.OutputJSON:
		err = mirrors.WriteJSON(page, m, f.input.Image, images)
	default:
		mirrors.WriteText(&page.Buffer, m, whole)
	}
	if err != nil {
		return err
	}
	return page.Close()
}
