package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/resolvent/resolvent/examples/resolvent/internal/fleet"
	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/locks"
	"github.com/resolvent/resolvent/examples/resolvent/internal/outcomes"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/lock"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
)

type lockFlags struct {
	questionFlags
	clusters      []inputs.ClusterFlag
	file          string
	check, update bool
	options       lock.Options
}

func (*lockFlags) describe() cobra.Command {
	return cobra.Command{
		Use: "lock {-f FILE|--cluster NAME=FILE ...} --catalog [NAMESPACE/]NAME=FROM [flags] [PACKAGE ...]", Short: "One file that says which bundle each cluster gets",
		Args: cobra.ArbitraryArgs,
		Long: `Writes operators.lock: for each namespace and ClusterExtension of your clusters,
every bundle that it gets, dependencies included, and the bundles on the way.
What is locked stays; new requests are added. --update moves packages, and with
them only what must move. --check shows what no longer holds. If a request has
no answer, nothing is written. It resolves as OLM does: with the named catalog
and with --compound bundle.

-o diff prints what would move, with risks and reasons, and writes nothing.
-o subscriptions, clusterextensions, operatorpolicy and imageset print what the
file says, to be applied.`,
		Example: `  resolvent lock -f repository --catalog olm/community=community.json
  resolvent lock --check -f repository --catalog olm/community=community.json
  resolvent lock --update etcd -f repository --catalog olm/community=community.json -o diff
  resolvent lock --update --min-age 7d -f repository --catalog olm/community=community.json
  resolvent lock -o subscriptions`,
	}
}

func (f *lockFlags) register(set *pflag.FlagSet) {
	inputs.RegisterOutput(set, &f.output, terminal.OutputText, "what moves, for people (default)", terminal.OutputJSON, "everything",
		locks.OutputDiff, "what would move, in Markdown, such as for a pull request", locks.OutputSubscriptions, "Subscriptions with startingCSV and manual approval",
		locks.OutputExtensions, "ClusterExtensions with their version", locks.OutputPolicy, "OperatorPolicies of Open Cluster Management",
		outputImageSet, "an ImageSetConfiguration for oc-mirror")
	f.file = "operators.lock"
	inputs.String(set, "lock", "the `FILE` of the lock (default operators.lock)", &f.file)
	set.BoolVar(&f.check, "check", false, "show what of the lock no longer holds; nothing is written")
	set.BoolVar(&f.update, "update", false, "move the packages that you name, or all")
	set.Func("min-age", "take no new bundle that is younger than `AGE`, such as 14d: since the lock first saw it, or since its createdAt", func(s string) error {
		days, err := strconv.ParseUint(strings.TrimSuffix(s, "d"), 10, 16)
		if err != nil || !strings.HasSuffix(s, "d") || days == 0 {
			return inputs.Want("a number of days, such as 14d")
		}
		f.options.MinAge = time.Duration(days) * 24 * time.Hour
		return nil
	})
	inputs.String(set, "wave", "move only the clusters of the wave `NAME` in the lock, to what earlier waves run", &f.options.Wave)
	inputs.RegisterClusters(set, &f.clusters)
	f.input.Register(set)
	f.choice.Register(set)
	hide(set, refusedByLock...)
}

// hide leaves flags that a command refuses out of its help.
func hide(set *pflag.FlagSet, names ...string) {
	for _, name := range names {
		set.Lookup(name).Hidden = true
	}
}

// refuseUpdates refuses the flag --updates: what a real cluster gets next is what OLM takes.
func refuseUpdates(set *pflag.FlagSet) error {
	if set.Changed("updates") {
		return inputs.Usagef("--updates: OLM takes updates from the catalog that a Subscription names, and so does this command; leave it out")
	}
	return nil
}

// refusedByLock are the shared flags that a lock, which is about whole clusters, refuses.
var refusedByLock = []string{"updates", "compound", "jointly", "namespace", "load", "pin"}

func (f *lockFlags) packages() []string { return []string{""} }

// renders reports whether the output is made from the file alone.
func (f *lockFlags) renders() bool {
	return !slices.Contains([]string{terminal.OutputText, terminal.OutputJSON, locks.OutputDiff}, f.output)
}

// verify refuses flags that exclude each other.
func (f *lockFlags) verify(packages []string, set *pflag.FlagSet, std inputs.Streams) error {
	for _, name := range refusedByLock {
		if set.Changed(name) {
			return inputs.Usagef("--%s: a lock is about whole clusters, as OLM resolves them; leave it out", name)
		}
	}
	moves := f.update || f.options.Wave != "" || f.options.MinAge > 0
	switch {
	case len(packages) > 0 && !f.update:
		return inputs.Usagef("%s: packages are for --update; write --update %[1]s", packages[0])
	case f.check && (moves || f.output == locks.OutputDiff):
		return inputs.Usagef("--check: it moves nothing; leave out --update, --min-age, --wave and -o diff")
	case f.renders() && (moves || f.check):
		return inputs.Usagef("-o %s: it prints what the file says; leave out --check, --update, --min-age and --wave", f.output)
	case f.options.Wave != "" && !f.update:
		return inputs.Usagef("--wave: it is for --update; add that")
	case f.renders():
		f.input.WithoutManifests = true
	}
	return f.input.CheckClusters(f.clusters, false, set, std)
}

func (f *lockFlags) run(ctx context.Context, packages []string, set *pflag.FlagSet, std inputs.Streams) (int, error) {
	if err := f.verify(packages, set, std); err != nil {
		return exitNotStarted, err
	}
	page := terminal.NewPage(ctx, std.Out, f.output)
	var before *lock.Lock
	if _, err := os.Stat(f.file); !errors.Is(err, fs.ErrNotExist) || f.check || f.update || f.renders() {
		if before, err = readLock(ctx, f.file); err != nil {
			return exitNotStarted, err
		}
	}
	if f.renders() {
		return f.render(ctx, page, before, std)
	}
	clusters, err := f.read(ctx, std)
	if err != nil {
		return exitNotStarted, err
	}
	f.warn(std.Err, before, clusters)
	f.options.Resolver, f.options.Date = resolver.New(), inputs.Day(f.choice.Policies.Day())
	done := terminal.ShowProgress(std.Err, "resolving")
	if f.check {
		list, err := before.Check(ctx, clusters, f.options)
		done()
		if err != nil {
			return exitUnresolved, err
		}
		return exit(len(list) > 0, locks.WriteCheck(page, f.file, list, f.output), page.Close())
	}
	var made *lock.Result
	if f.update {
		made, err = before.Update(ctx, clusters, packages, f.options)
	} else {
		f.options.Before = before
		made, err = lock.Make(ctx, clusters, f.options)
	}
	done()
	if err != nil {
		return exitNotStarted, err
	}
	return f.write(ctx, page, made, set, std)
}

// warn says which policies bound nothing: those about what is installed where that is not known, and
// those with which the lock was made, but that are not given.
func (f *lockFlags) warn(out io.Writer, before *lock.Lock, clusters []lock.Cluster) {
	var unknown []string
	for _, c := range clusters {
		objects := c.Problem.Cluster.Objects()
		subscription := func(s cluster.Subscription) bool { return s.InstalledCSV != "" }
		extension := func(e cluster.ClusterExtension) bool { return e.Installed != nil }
		if !slices.ContainsFunc(objects.Subscriptions, subscription) && !slices.ContainsFunc(objects.ClusterExtensions, extension) {
			unknown = append(unknown, cmp.Or(c.Name, "the cluster"))
		}
	}
	given := map[string]bool{}
	for _, p := range f.choice.Options.Policies {
		given[p.Name] = true
		about := func(r *policy.Rule) bool { return r.Reads("installed", "") || r.Reads("changes", "") }
		if len(unknown) > 0 && slices.ContainsFunc(slices.Concat(p.Candidates, p.Changes), about) {
			terminal.Printf(out, "policy %s has a rule about what is installed, and the manifests of %s state nothing installed, so it bounds nothing there; 'kubectl get subscriptions,clusterserviceversions -A -o yaml' prints what is\n",
				terminal.Line(p.Name), terminal.Line(strings.Join(unknown, ", ")))
		}
	}
	if before == nil {
		return
	}
	for _, p := range before.Policies {
		if !given[p.Name] {
			terminal.Printf(out, "policy %s, with which %s was made, is not given, so it bounds nothing; pass it with --policy\n", terminal.Line(p.Name), terminal.Line(f.file))
		}
	}
}

// write writes the lock if every request has an answer, and prints what moved.
func (f *lockFlags) write(ctx context.Context, page *terminal.Page, made *lock.Result, set *pflag.FlagSet, std inputs.Streams) (int, error) {
	written := len(made.Unresolved) == 0 || f.choice.Options.Partial
	var failed []result.Outcome
	for _, o := range made.Unresolved {
		if o.Cluster != "" {
			terminal.Printf(std.Err, "%s\n", terminal.Line(o.String()))
			continue
		}
		failed = append(failed, result.Outcome{Scope: o.Scope, Err: o.Err})
	}
	call := f.call(set, std)
	outcomes.View{Call: call, Rest: call.Command("resolve", "--all") + call.With()}.WriteFailures(std.Err, failed)
	if written && f.output != locks.OutputDiff {
		text, err := made.Lock.Text()
		if err == nil {
			err = inputs.WriteFile(ctx, f.file, text)
		}
		if err != nil {
			return exitUnresolved, fmt.Errorf("%s: it is not written: %w", f.file, inputs.FileError(err))
		}
	}
	return exit(len(made.Unresolved) > 0, locks.WriteMoves(page, f.file, made, written, f.output), page.Close())
}

// readLock reads the lock in a file.
func readLock(ctx context.Context, name string) (*lock.Lock, error) {
	const most = 64 << 20 // as package lock allows
	text, err := inputs.ReadFile(ctx, name, most)
	if err != nil {
		return nil, err
	}
	l, err := lock.Read(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return l, nil
}

// read reads the clusters and their catalogs.
func (f *lockFlags) read(ctx context.Context, std inputs.Streams) ([]lock.Cluster, error) {
	if len(f.clusters) == 0 {
		q, err := f.question(ctx, std)
		if err != nil {
			return nil, err
		}
		return []lock.Cluster{{Problem: q.Problem}}, nil
	}
	catalogs, err := f.shared(ctx, std)
	if err != nil {
		return nil, err
	}
	if f.choice.Options.Policies, err = f.choice.Policies.Read(ctx); err != nil {
		return nil, err
	}
	names := terminal.Mapped(f.clusters, func(c inputs.ClusterFlag) string { return c.Name })
	list := make([]lock.Cluster, len(names))
	return list, fleet.Each(ctx, names, besideAnswers(std, f.output), func(ctx context.Context, i int, notes io.Writer) (resolver.Problem, error) {
		return f.problemOf(ctx, f.clusters[i], catalogs, notes)
	}, func(i int, p resolver.Problem, err error) error {
		if list[i] = (lock.Cluster{Name: names[i], Problem: p}); err != nil {
			return fmt.Errorf("cluster %s: %w", names[i], err)
		}
		return nil
	})
}

// render prints what the lock says, to be applied.
func (f *lockFlags) render(ctx context.Context, page *terminal.Page, l *lock.Lock, std inputs.Streams) (int, error) {
	if f.output == outputImageSet {
		catalogs, err := f.shared(ctx, std)
		if err != nil {
			return exitNotStarted, err
		}
		text, err := locks.ImageSet(l, catalogs, f.input.Image)
		if err != nil {
			return exitNotStarted, fmt.Errorf("-o imageset: %w", err)
		}
		return exit(false, page.YAMLText(text), page.Close())
	}
	name, known := "", cluster.NewIndex(cluster.Objects{})
	input := &f.input
	switch all := l.Clusters(); {
	case len(f.clusters) == 1:
		name, input = f.clusters[0].Name, f.input.Of(f.clusters[0])
	case len(all) != 1:
		return exitNotStarted, inputs.Usagef("-o %s: it is for one cluster; name it with --cluster NAME=FILE", f.output)
	default:
		name = all[0]
	}
	if len(input.Manifests) > 0 {
		var err error
		if known, err = inputs.ReadCluster(ctx, input, inputs.Streams{Err: std.Err, In: std.In}); err != nil {
			return exitNotStarted, err
		}
	}
	if !slices.Contains(l.Clusters(), name) {
		return exitNotStarted, inputs.Usagef("--cluster %s: the lock has no such cluster; it has %s", name, terminal.OneOf(l.Clusters()))
	}
	return exit(false, locks.WriteObjects(page, l, name, known, f.output), page.Close())
}

// lockFlag is the lock that other commands hold a cluster to.
type lockFlag struct{ cluster, file string }

func (f *lockFlag) register(set *pflag.FlagSet, usage string) {
	set.Func("lock", usage, func(s string) error {
		name, file, found := strings.Cut(s, "=")
		if !found {
			name, file = "", s
		}
		if *f = (lockFlag{name, file}); file == "" {
			return inputs.Want("FILE, or CLUSTER=FILE")
		}
		return nil
	})
}

// read returns the lock, nil if there is none, and the name that it has for the only cluster.
func (f *lockFlag) read(ctx context.Context, several bool) (*lock.Lock, string, error) {
	if f.file == "" {
		return nil, "", nil
	}
	l, err := readLock(ctx, f.file)
	if err != nil {
		return nil, "", fmt.Errorf("--lock %w", err)
	}
	all := l.Clusters()
	switch {
	case several && f.cluster != "":
		return nil, "", inputs.Usagef("--lock: with --cluster, pass FILE alone; it names the clusters")
	case several:
	case f.cluster == "" && len(all) == 1:
		f.cluster = all[0]
	case !slices.Contains(all, f.cluster):
		return nil, "", inputs.Usagef("--lock: name the cluster as CLUSTER=%s; the lock has %s", terminal.Word(f.file), terminal.OneOf(all))
	}
	return l, f.cluster, nil
}
