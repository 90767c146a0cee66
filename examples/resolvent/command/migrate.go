package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/examples/resolvent/internal/fleet"
	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/migrations"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/migrate"
)

// migrateFlags are those of the command migrate.
type migrateFlags struct {
	questionFlags
	clusters []inputs.ClusterFlag
	options  migrate.Options
	survey   bool
}

func (*migrateFlags) describe() cobra.Command {
	return cobra.Command{
		Use: "migrate {-f FILE|--cluster NAME=FILE ...|--survey} --catalog [NAMESPACE/]NAME=FROM [flags]", Short: "Whether operators can move from OLM v0 to v1",
		Args: arguments(0, 0, "manifests with -f or --cluster"),
		Long: `Says of each Subscription whether its operator can move to OLM v1, by the checks
of OLM's own tool and one more: what OLM v1 would refuse to install. It says
what OLM v0 and v1 would each install next and why they differ, who depends on
an operator and stays behind, and in which order to go. Catalogs without a
namespace are ClusterCatalogs; where there is none, a CatalogSource counts as
the one that it becomes. Nothing is changed.

States:
  conflict    it has moved, and its Subscription is still there
  ineligible  a check fails that nobody acknowledged
  migrated    a ClusterExtension says that it came from a Subscription
  eligible    it can move`,
		Example: `  resolvent migrate -f cluster.yaml --catalog olm/community=community.json
  resolvent migrate -f cluster.yaml --catalog olm/community=community.json --acknowledge C1 -o yaml
  resolvent migrate --survey --catalog community=community.json`,
	}
}

func (f *migrateFlags) register(set *pflag.FlagSet) {
	inputs.RegisterOutput(set, "for people (default); everything, with --cluster one line for each; or the ClusterCatalogs and ClusterExtensions of what is eligible, in order; or a page with all of that and filters",
		&f.output, terminal.OutputText, terminal.OutputJSON, terminal.OutputYAML, terminal.OutputHTML)
	set.StringSliceVar(&f.options.Acknowledged, "acknowledge", nil, "the `ID` of a check that need not pass, unless it is hard; may be repeated")
	set.BoolVar(&f.survey, "survey", false, "instead of a cluster, judge all packages of the catalogs: what OLM v1 would install, and what it would refuse and why")
	inputs.RegisterClusters(set, &f.clusters)
	f.input.Register(set)
	f.choice.Register(set)
}

// check refuses flags that exclude each other.
func (f *migrateFlags) check(set *pflag.FlagSet, std inputs.Streams) error {
	switch {
	case f.survey && (len(f.clusters)+len(f.input.Manifests)+len(f.options.Acknowledged) > 0 || f.output == terminal.OutputYAML || f.output == terminal.OutputHTML):
		return inputs.Usagef("--survey is about catalogs alone: leave out -f, --cluster, --acknowledge, -o yaml and -o html")
	case f.output == terminal.OutputYAML && len(f.clusters) > 0:
		return inputs.Usagef("-o yaml is for one cluster: leave out --cluster")
	}
	if f.survey || len(f.clusters) > 0 {
		f.input.WithoutManifests, std.Live = true, nil
	}
	if err := f.input.CheckClusters(f.clusters); err != nil {
		return err
	}
	return f.input.Check(set, std)
}

func (f *migrateFlags) run(ctx context.Context, _ []string, set *pflag.FlagSet, std inputs.Streams) (int, error) {
	if err := f.check(set, std); err != nil {
		return exitNotStarted, err
	}
	if len(f.clusters) > 0 {
		return f.ofClusters(ctx, std)
	}
	page := terminal.NewPage(ctx, std.Out, f.output)
	if f.survey {
		return f.surveyed(ctx, page, std)
	}
	p, err := open(ctx, &f.input, &f.choice, std)
	if err != nil {
		return exitNotStarted, err
	}
	for scope, err := range p.Cluster.ClusterScoped().Unread {
		return exitNotStarted, fmt.Errorf("%s: %w", scope, err) // operators of namespaces depend on each other
	}
	inputs.HintCatalogs(std.Err, &p, namespaces(p.Cluster.Scopes()))
	done := terminal.ShowProgress(std.Err, "judging all Subscriptions")
	plan, err := migrate.Judge(ctx, resolver.New(), p, f.options)
	done()
	if err != nil {
		return exitNotStarted, err
	}
	switch f.output {
	case terminal.OutputJSON:
		err = migrations.WriteJSON(page, plan)
	case terminal.OutputYAML:
		err = migrations.WriteYAML(page, plan)
	case terminal.OutputHTML:
		var p migrations.Page
		err = cmp.Or(p.Add(ctx, "", plan, nil), p.Write(ctx, page))
	default:
		migrations.WriteText(page, "", plan)
	}
	if err = cmp.Or(err, page.Close()); err != nil {
		return exitUnresolved, err
	}
	return exit(plan.Blocked())
}

// surveyed judges catalogs.
func (f *migrateFlags) surveyed(ctx context.Context, page *terminal.Page, std inputs.Streams) (int, error) {
	catalogs, err := inputs.ReadCatalogs(ctx, &f.input, f.choice.Options.LenientHealth, std)
	if err != nil {
		return exitNotStarted, err
	}
	rows := migrate.Survey(catalogs)
	if f.output == terminal.OutputJSON {
		err = migrations.WriteSurveyJSON(page, rows)
	} else {
		migrations.WriteSurvey(page, rows)
	}
	return exitResolved, cmp.Or(err, page.Close())
}

// ofClusters is migrate for several clusters.
func (f *migrateFlags) ofClusters(ctx context.Context, std inputs.Streams) (int, error) {
	page := terminal.NewPage(ctx, std.Out, f.output)
	catalogs, err := inputs.ReadCatalogs(ctx, &f.input, f.choice.Options.LenientHealth, std)
	if err != nil {
		return exitNotStarted, err
	}
	shared := resolver.New()
	ask := func(ctx context.Context, i int, notes io.Writer) (*migrate.Plan, error) {
		return f.ofCluster(ctx, f.clusters[i], shared, catalogs, notes)
	}
	var forBrowsers migrations.Page
	status, answered := exitResolved, 0
	use := func(i int, plan *migrate.Plan, err error) error {
		name := f.clusters[i].Name
		if err == nil {
			answered++
		}
		if err != nil || plan.Blocked() {
			status = exitUnresolved
		}
		switch {
		case f.output == terminal.OutputJSON:
			return migrations.WriteLine(std.Out, name, plan, err)
		case f.output == terminal.OutputHTML:
			return forBrowsers.Add(ctx, name, plan, err)
		case err != nil:
			terminal.Printf(page, "%s: %s\n", name, terminal.Message(err))
		default:
			migrations.WriteText(page, name, plan)
		}
		return nil
	}
	err = fleet.Each(ctx, inputs.ClusterNames(f.clusters), besideAnswers(std, f.output), ask, use)
	if f.output == terminal.OutputHTML && err == nil {
		err = forBrowsers.Write(ctx, page)
	}
	err = cmp.Or(err, page.Close())
	switch {
	case answered == 0:
		return exitNotStarted, cmp.Or(err, errors.New("no cluster can be read"))
	case err != nil:
		return exitUnresolved, err
	}
	return status, nil
}

// ofCluster judges one of several clusters.
func (f *migrateFlags) ofCluster(ctx context.Context, c inputs.ClusterFlag, by *resolver.Resolver, catalogs *cache.View, notes io.Writer) (*migrate.Plan, error) {
	input := f.input.Of(c)
	cluster, err := inputs.ReadCluster(ctx, input, inputs.Streams{Err: notes})
	if err != nil {
		return nil, err
	}
	p := resolver.Problem{Cluster: cluster, Catalogs: input.AsDeclared(catalogs, cluster), Options: f.choice.Options}
	inputs.HintCatalogs(notes, &p, namespaces(cluster.Scopes()))
	return migrate.Judge(ctx, by, p, f.options)
}
