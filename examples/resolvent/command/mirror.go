package command

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/mirrors"
	"github.com/resolvent/resolvent/examples/resolvent/internal/outcomes"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/mirror"
	"github.com/resolvent/resolvent/resolver/result"
)

// The values of -o that no other command has.
const (
	outputImages   = "images"
	outputImageSet = "imageset"
)

type mirrorFlags struct {
	questionFlags
	options mirror.Options
	out     string
}

func (*mirrorFlags) describe() cobra.Command {
	return cobra.Command{
		Use: "mirror {-f FILE|--package PACKAGE} --catalog NAMESPACE/NAME=FROM[,image=REF] [flags]", Short: "What a disconnected cluster needs",
		Args: requests,
		Long: `Lists what a disconnected cluster needs for its requests: the selected bundles,
their dependencies and, from what is installed, every bundle on the way to the
last update; beyond a dead end, along the shortest path through other channels.
It cuts the catalogs down to these and what is installed, and lists the images
of all bundles in them. Then it resolves the requests again with these catalogs,
and fails unless every answer on the way is the same, now and after operators
allow their updates again.`,
		Example: `  resolvent mirror -f cluster.yaml --catalog olm/community=community.json
  resolvent mirror --package etcd -o images --catalog olm/community=community.json
  resolvent mirror -f cluster.yaml -o imageset --catalog olm/community=oci:catalog,image=quay.io/org/catalog:latest`,
	}
}

func (f *mirrorFlags) register(set *pflag.FlagSet) {
	inputs.RegisterOutput(set, &f.output, terminal.OutputText, "channels with counts, for people (default)", outputImages, "the images of bundles and their related images, each once",
		outputImageSet, "an ImageSetConfiguration for oc-mirror", terminal.OutputJSON, "everything")
	set.BoolVar(&f.options.WithoutInstalled, "without-installed", false, "leave out what is installed; beware: a pod that moves to another node must pull it again")
	inputs.String(set, "catalog-out", "write the cut-down catalogs, with all blobs that remain, each as a file-based catalog `FOLDER`/NAMESPACE/NAME/catalog.json; "+
		"FOLDER must be empty or not exist", &f.out)
	f.input.Register(set)
	f.requests.Register(set, &f.input)
	f.choice.Register(set)
}

// check refuses flags that cannot be used.
func (f *mirrorFlags) check(set *pflag.FlagSet, std inputs.Streams) error {
	if f.input.Load != "" {
		return inputs.Usagef("--load: a saved problem has no images; pass what it was saved from instead")
	}
	if err := f.input.Check(set, std); err != nil {
		return err
	}
	if f.out == "" {
		return nil
	}
	if err := inputs.CheckNewFolder(f.out); err != nil {
		return inputs.Usagef("--catalog-out %v", err)
	}
	return nil
}

func (f *mirrorFlags) run(ctx context.Context, _ []string, set *pflag.FlagSet, std inputs.Streams) (int, error) {
	if err := f.check(set, std); err != nil {
		return exitNotStarted, err
	}
	page := terminal.NewPage(ctx, std.Out, f.output)
	q, err := f.question(ctx, std)
	if err != nil {
		return exitNotStarted, err
	}
	done := terminal.ShowProgress(std.Err, "following the requests")
	m, err := mirror.Find(ctx, q.Problem, q.Scopes, f.options)
	var all []result.Outcome
	if err == nil {
		all = outcomes.Advised(ctx, q.Problem, m.Outcomes)
	}
	done()
	if err != nil {
		return exitUnresolved, err
	}
	inputs.HintMissing(std.Err, &q.Problem, all)
	call := f.call(set, std)
	outcomes.View{Call: call, Rest: call.Command("resolve", "--all") + call.With()}.WriteFailures(std.Err, all)
	failed := slices.DeleteFunc(slices.Clone(m.Outcomes), func(o result.Outcome) bool { return o.Err == nil })
	if len(failed) > 0 && f.output != terminal.OutputJSON {
		names := terminal.Mapped(failed, func(o result.Outcome) string { return terminal.Plain(o.Scope.String()) })
		terminal.Printf(std.Err, "left out because they do not resolve: %s\n", terminal.Few(names))
	}
	var blobs []*cache.Blobs
	if f.out != "" || f.output == terminal.OutputJSON || f.output == outputImages {
		for i := range m.Catalogs {
			read, err := f.input.Blobs(ctx, m.Catalogs[i].Key, m.Catalogs[i].Names(), std)
			if err != nil {
				return exitUnresolved, err
			}
			blobs = append(blobs, read)
		}
	}
	images, kind := mirrors.Images(m, blobs), "image"
	if blobs == nil {
		kind = "bundle image" // the others are not read
	}
	mirrors.WriteConnected(std.Err, m)
	mirrors.WriteDoubts(std.Err, m, images, kind)
	if err := f.print(page, std.Err, m, q.Problem.Catalogs, images); err != nil {
		return exitUnresolved, err
	}
	if f.out != "" {
		if err := mirrors.WriteFolder(ctx, f.out, m, blobs); err != nil {
			return exitUnresolved, fmt.Errorf("--catalog-out %s: nothing is written: %w", f.out, inputs.FileError(err))
		}
	}
	return exit(slices.ContainsFunc(m.Outcomes, outcomes.Unresolved))
}

// print prints the mirror in the form that was chosen.
func (f *mirrorFlags) print(page *terminal.Page, stderr io.Writer, m *mirror.Mirror, whole *cache.View, images []string) (err error) {
	switch f.output {
	case outputImages:
		mirrors.WriteImages(page, stderr, images)
	case outputImageSet:
		if len(m.Catalogs) == 0 { // an image set without operators mirrors nothing
			break
		}
		var text []byte
		names := map[catalog.Key]string{}
		for _, c := range m.Catalogs {
			if names[c.Key] = f.input.Image(c.Key); names[c.Key] == "" {
				return inputs.Usagef("-o imageset: catalog %s needs an image; append ,image=REF to --catalog %s=FROM", c.Key, terminal.Word(c.Key.String()))
			}
		}
		if text, err = m.ImageSet(names); err == nil {
			err = page.YAMLText(text)
		}
	case terminal.OutputJSON:
		err = mirrors.WriteJSON(page, m, f.input.Image, images)
	default:
		mirrors.WriteText(page, m, whole)
	}
	if err != nil {
		return err
	}
	return page.Close()
}
