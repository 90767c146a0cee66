package command

import (
	"cmp"
	"context"
	"io"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/resolvent/internal/differences"
	"github.com/resolvent/resolvent/examples/resolvent/internal/fleet"
	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/check"
	"github.com/resolvent/resolvent/resolver/cluster"
)

type diffFlags struct {
	manifests []string
	clusters  []inputs.ClusterFlag
	as        catalog.Key
	// settled is what the first cluster that names one calls the catalog.
	settled catalog.Key
	catalogFlags
	show     catalog.Severity
	output   string
	policies inputs.PolicyFlags
}

func (*diffFlags) describe() cobra.Command {
	return cobra.Command{
		Use: "diff OLD NEW [-f FILE ...] [flags]", Short: "What a catalog change means to its users",
		Args: arguments(2, 2, "two catalogs, OLD and NEW"),
		Long: `Shows what changed between two states of a catalog for its users. With clusters,
it first shows what they would resolve differently, and why, then only changes
of packages that they use. See 'help catalogs' for what OLD and NEW can be.`,
		Example: `  resolvent diff old.json new.json
  resolvent diff old.json new.json -f cluster.yaml --as olm/community
  resolvent diff old.json new.json $(printf -- '--cluster %s ' clusters/*)`,
	}
}

func (f *diffFlags) register(set *pflag.FlagSet) {
	inputs.RegisterOutput(set, &f.output, terminal.OutputText, "for people, with clusters that agree shown together (default)",
		terminal.OutputJSON, "everything; with --cluster one line per cluster, in their order, then one with the changes")
	set.StringArrayVarP(&f.manifests, "filename", "f", nil, "manifests as kubectl prints them; each `FILE` or folder is a separate cluster; - for standard input")
	inputs.RegisterClusters(set, &f.clusters)
	set.Func("as", "the name of the catalog in the clusters, as `[NAMESPACE/]NAME` (default: the only one that their Subscriptions name)", func(s string) (err error) {
		f.as, err = inputs.ParseCatalogKey(s)
		return err
	})
	inputs.RegisterCatalogs(set, "catalog", "another catalog as `NAME=FROM`, the same before and after; repeatable", &f.flags)
	f.show = catalog.Note
	registerSeverity(set, "show", "the lowest severity to list (default note)", &f.show)
	f.policies.Register(set)
	f.sources.Register(set)
}

func (f *diffFlags) packages() []string { return nil }

func (f *diffFlags) run(ctx context.Context, paths []string, _ *pflag.FlagSet, std inputs.Streams) (int, error) {
	page := terminal.NewPage(ctx, std.Out, f.output)
	users, err := f.users(ctx, std)
	if err != nil {
		return exitNotStarted, err
	}
	difference, err := f.compare(ctx, paths[0], paths[1], std)
	if err != nil {
		return exitNotStarted, err
	}
	report := differences.Difference{
		Changes: difference.Changes, Clusters: len(users), Named: len(f.clusters) > 0, Show: f.show, Output: f.output,
	}
	err = f.compareUsers(ctx, difference, users, &report, std)
	if printing := report.Print(page, err == nil); err == nil {
		err = printing
	}
	switch {
	case !report.Answered():
		return exitNotStarted, err
	case err != nil || report.Differs():
		return exitUnresolved, err
	}
	return exitResolved, nil
}

// compareUsers hands over what the change means to each cluster.
func (f *diffFlags) compareUsers(ctx context.Context, d *check.Comparison, users []user, report *differences.Difference, std inputs.Streams) error {
	type compared struct {
		*check.ClusterDifference
		key catalog.Key
	}
	ask := func(ctx context.Context, i int, notes io.Writer) (c compared, err error) {
		cluster, err := users[i].read(ctx, notes)
		if err != nil {
			return c, err
		}
		if c.key, err = f.key(cluster); err != nil {
			return c, err
		}
		given := []cache.Catalog{{Key: cmp.Or(c.key, inputs.Unnamed)}}
		for _, f := range f.flags {
			given = append(given, cache.Catalog{Key: f.Key})
		}
		inputs.HintCatalogs(notes, &resolver.Problem{Cluster: cluster, Catalogs: cache.NewView(given)}, namespaces(cluster.Scopes()))
		c.ClusterDifference, err = d.Cluster(ctx, given[0].Key, f.policies.Dated(cluster))
		return c, err
	}
	use := func(i int, c compared, err error) error {
		if err == nil {
			err = f.settle(c.key)
		}
		return report.Add(std.Out, users[i].name, c.ClusterDifference, err)
	}
	names := terminal.Mapped(users, func(u user) string { return u.name })
	return fleet.Each(ctx, names, besideAnswers(std, f.output), ask, use)
}

// compare reads the catalogs and compares them.
func (f *diffFlags) compare(ctx context.Context, before, after string, std inputs.Streams) (*check.Comparison, error) {
	was, err := inputs.LoadSnapshot(ctx, before, &f.sources, std)
	if err != nil {
		return nil, err
	}
	is, err := inputs.LoadSnapshot(ctx, after, &f.sources, std)
	if err != nil {
		return nil, err
	}
	var o check.Options
	if o.Resolver.Policies, err = f.policies.Read(ctx); err != nil {
		return nil, err
	}
	if o.Background, err = inputs.LoadBackground(ctx, f.flags, &f.sources, std); err != nil {
		return nil, err
	}
	show, end := terminal.ShowStages(std.Err)
	defer end()
	o.Progress = show
	key := f.as
	if key == (catalog.Key{}) {
		key = inputs.JudgedKey(after)
	}
	return check.Diff(ctx, key, was, is, o)
}

// user is a cluster that uses the catalog.
type user struct {
	name string
	// read reads its manifests.
	read func(ctx context.Context, notes io.Writer) (*cluster.Index, error)
}

// users lists the clusters. Those of -f are read at once: standard input can be one.
func (f *diffFlags) users(ctx context.Context, std inputs.Streams) ([]user, error) {
	var list []user
	for _, name := range f.manifests {
		known, err := inputs.ReadCluster(ctx, &inputs.Flags{Manifests: []string{name}}, std)
		if err != nil {
			return nil, err
		}
		key, err := f.key(known)
		if err == nil {
			err = f.settle(key)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, user{name, func(context.Context, io.Writer) (*cluster.Index, error) { return known, nil }})
	}
	for _, c := range f.clusters {
		list = append(list, user{c.Name, func(ctx context.Context, notes io.Writer) (*cluster.Index, error) {
			return inputs.ReadCluster(ctx, (&inputs.Flags{}).Of(c), inputs.Streams{Err: notes})
		}})
	}
	return list, nil
}

var errSeveralCatalogs = inputs.Usagef("the Subscriptions name several catalogs; name that of OLD and NEW with --as, and pass the others with --catalog")

// key is what a cluster calls the catalog that differs, empty if no Subscription names one.
func (f *diffFlags) key(known *cluster.Index) (catalog.Key, error) {
	if f.as != (catalog.Key{}) {
		return f.as, nil
	}
	var named catalog.Key
	for _, s := range known.Objects().Subscriptions {
		key := catalog.Key{Namespace: cmp.Or(s.CatalogNamespace, inputs.Unnamed.Namespace), Name: s.Catalog}
		given := slices.ContainsFunc(f.flags, func(c inputs.CatalogFlag) bool { return c.Key == key })
		if key.Name == "" || given || key == named {
			continue
		}
		if named != (catalog.Key{}) {
			return catalog.Key{}, errSeveralCatalogs
		}
		named = key
	}
	return named, nil
}

// settle refuses clusters that call the catalog by another name than those before.
func (f *diffFlags) settle(key catalog.Key) error {
	if f.settled == (catalog.Key{}) {
		f.settled = key
	}
	if key != (catalog.Key{}) && key != f.settled {
		return errSeveralCatalogs
	}
	return nil
}
