package command

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/migrations"
	"github.com/resolvent/resolvent/examples/resolvent/internal/report"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/migrate"
)

type migrateFlags struct {
	questionFlags
	clusters     []inputs.ClusterFlag
	acknowledged []string
	survey       bool
	safety       *nextSafety
	by           bool // cluster
}

func (*migrateFlags) describe() cobra.Command {
	return cobra.Command{
		Use: "migrate {-f FILE|--cluster NAME=FILE ...|--survey} --catalog [NAMESPACE/]NAME=FROM [flags]", Short: "Whether operators can move from OLM v0 to v1",
		Args: arguments(0, 0, "manifests with -f or --cluster"),
		Long: `Shows for each Subscription whether its operator can move to OLM v1, by the
checks of OLM's own tool and one more: what OLM v1 would refuse to install. It
also shows what OLM v0 and v1 would each install next and why they differ, which
operators depend on it and stay behind, and in which order to move. Catalogs
without a namespace are ClusterCatalogs; if a ClusterCatalog is missing, the
CatalogSource that would become it counts instead. It is read-only.

States:` + migrations.States(),
		Example: `  resolvent migrate -f cluster.yaml --catalog olm/community=community.json
  resolvent migrate -f cluster.yaml --catalog olm/community=community.json --acknowledge C1 -o yaml
  resolvent migrate --survey --catalog community=community.json`,
	}
}

func (f *migrateFlags) register(set *pflag.FlagSet) {
	inputs.RegisterOutput(set, &f.output, terminal.OutputText, "for people (default)", terminal.OutputWide, "also explain each row", terminal.OutputJSON, "everything, with --cluster one line per cluster",
		terminal.OutputYAML, "the ClusterCatalogs and ClusterExtensions for eligible operators, in order", terminal.OutputHTML, "a page with filters")
	set.StringSliceVar(&f.acknowledged, "acknowledge", nil, "accept that check `ID` fails, unless it must pass; repeatable")
	set.BoolVar(&f.survey, "survey", false, "judge all packages of the catalogs instead of a cluster: what OLM v1 would install, what it would refuse, and why")
	inputs.RegisterClusters(set, &f.clusters)
	inputs.Choice(set, "by", "also show the rows of each `cluster`, after the totals", &f.by, map[string]bool{"cluster": true})
	f.input.Register(set)
	f.choice.Register(set)
	hide(set, "updates")
}

// check refuses flags that exclude each other.
func (f *migrateFlags) check(set *pflag.FlagSet, std inputs.Streams) error {
	switch {
	case f.survey && (len(f.clusters)+len(f.input.Manifests)+len(f.choice.Namespaces)+len(f.acknowledged) > 0 || f.output == terminal.OutputYAML):
		return inputs.Usagef("--survey: it is for catalogs; leave out -f, -n, --cluster, --acknowledge and -o yaml")
	case f.output == terminal.OutputYAML && len(f.clusters) > 0:
		return inputs.Usagef("-o yaml: it is for one cluster; leave out --cluster")
	}
	if f.survey {
		f.input.WithoutManifests, std.Live = true, nil
	}
	return cmp.Or(refuseUpdates(set), f.input.CheckClusters(f.clusters, f.by, set, std))
}

func (f *migrateFlags) run(ctx context.Context, _ []string, set *pflag.FlagSet, std inputs.Streams) (int, error) {
	if err := f.check(set, std); err != nil {
		return exitNotStarted, err
	}
	page := terminal.NewPage(ctx, std.Out, f.output)
	f.safety = &nextSafety{input: &f.input, std: std, read: map[catalog.Key]map[catalog.BundleKey]*properties.Objects{}}
	if f.survey {
		catalogs, err := inputs.ReadCatalogs(ctx, &f.input, f.choice.Options.LenientHealth, std)
		if err != nil {
			return exitNotStarted, err
		}
		rows, err := migrate.Survey(ctx, catalogs, f.choice.Options.OLMv1)
		if err != nil {
			return exitNotStarted, err
		}
		source := report.NewSource(std, f.choice.Policies.Day(), catalogs)
		return exitResolved, cmp.Or(migrations.WriteSurvey(ctx, page, rows, f.output, source), page.Close())
	}
	if len(f.clusters) > 0 {
		catalogs, err := f.shared(ctx, std)
		if err != nil {
			return exitNotStarted, err
		}
		return ofClusters(ctx, &f.questionFlags, f.clusters, catalogs, std, f.judge, (*migrate.Plan).Blocked, f.to(catalogs, std), page)
	}
	p, err := open(ctx, &f.input, &f.choice, std)
	if err != nil {
		return exitNotStarted, err
	}
	for scope, err := range p.Cluster.ClusterScoped().Unread {
		return exitNotStarted, fmt.Errorf("%s: %w", scope, err) // operators of namespaces depend on each other
	}
	done := terminal.ShowProgress(std.Err, "judging all Subscriptions")
	plan, err := f.judge(ctx, p, resolver.New(), std.Err)
	done()
	if err != nil {
		return exitNotStarted, err
	}
	to := f.to(p.Catalogs, std)
	return exit(plan.Blocked(), to.Add(ctx, "", plan, nil), to.Write(ctx, page), page.Close())
}

// judge judges a cluster, all of it: operators of namespaces depend on each other. The
// namespaces that were chosen are what is shown.
func (f *migrateFlags) judge(ctx context.Context, p resolver.Problem, with *resolver.Resolver, notes io.Writer) (*migrate.Plan, error) {
	if err := inputs.CheckNamespaces(f.choice.Namespaces, p.Cluster, f.input.ReadsLive()); err != nil {
		return nil, err
	}
	inputs.HintCatalogs(notes, &p, namespaces(p.Cluster.Scopes()))
	inputs.HintClusterCatalogs(notes, &p)
	plan, err := migrate.Judge(ctx, with, p, f.acknowledged...)
	plan = migrations.Of(plan, f.choice.Namespaces)
	if err == nil {
		err = f.safety.judge(ctx, plan, p.Catalogs)
	}
	return plan, err
}

// to is the output that was chosen.
func (f *migrateFlags) to(catalogs *cache.View, std inputs.Streams) clusterOutput[*migrate.Plan] {
	switch f.output {
	case terminal.OutputJSON:
		return &migrations.JSON{Lines: std.Out, Named: len(f.clusters) > 0}
	case terminal.OutputYAML:
		return &migrations.Objects{}
	case terminal.OutputHTML:
		return &migrations.Page{Source: report.NewSource(std, f.choice.Policies.Day(), catalogs)}
	}
	return &migrations.Text{Named: len(f.clusters) > 0, ByCluster: f.by, Wide: f.output == terminal.OutputWide}
}
