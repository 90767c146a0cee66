package command

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/listing"
	"github.com/resolvent/resolvent/examples/resolvent/internal/outcomes"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
)

type pathFlags struct {
	questionFlags
	pkg, to     string
	budget, fix int
	all         bool
}

func (*pathFlags) describe() cobra.Command {
	return cobra.Command{
		Use: "path PACKAGE[@VERSION] -f FILE --catalog NAMESPACE/NAME=FROM [flags]", Short: "Which updates lead a package to a version",
		Args: arguments(0, 1, "one package, as PACKAGE or PACKAGE@VERSION"),
		Long: `Finds the shortest sequence of updates from the installed version of a package
to VERSION, or to the head of its channel. VERSION may be a prefix, such as
1.16, which means the highest such version. If the channel does not lead there,
the path changes channels, as rarely as possible. Each update leaves the whole
namespace in a consistent state. You can also give the name of a Subscription or
ClusterExtension instead of its package.`,
		Example: `  resolvent path etcd -f cluster.yaml --catalog olm/community=community.json
  resolvent path etcd@0.9.4 -n operators -f cluster.yaml --catalog olm/community=community.json`,
	}
}

func (f *pathFlags) register(set *pflag.FlagSet) {
	inputs.String(set, "package", "the `PACKAGE`, instead of an argument", &f.pkg)
	inputs.String(set, "to", "the `VERSION` or bundle name to reach (default: the head)", &f.to)
	inputs.Number(set, "budget", "give up after `N` resolutions (default 2000)", &f.budget)
	inputs.RegisterFix(set, "if there is no path, print", &f.fix)
	inputs.RegisterAll(set, &f.all)
	inputs.RegisterOutput(set, &f.output, terminal.OutputText, "for people (default)", terminal.OutputNames, "the bundle or change of channel of each step", terminal.OutputJSON, "everything", terminal.OutputYAML, "roles with the rights that OLM lacks for the steps")
	f.input.Register(set)
	f.choice.Register(set)
}

func (f *pathFlags) packages() []string { return append(f.questionFlags.packages(), "", "to") }

func (f *pathFlags) run(ctx context.Context, args []string, set *pflag.FlagSet, std inputs.Streams) (int, error) {
	if err := f.input.Check(set, std, "namespace"); err != nil {
		return exitNotStarted, err
	}
	if len(args) > 0 && f.pkg != "" {
		return exitNotStarted, inputs.Usagef("%s: the package is passed twice; leave out --package", args[0])
	}
	pkg, version, versioned := strings.Cut(strings.Join(append(args, f.pkg), ""), "@")
	if versioned && f.to != "" {
		return exitNotStarted, inputs.Usagef("--to: the argument already names version %s; leave out --to", version)
	}
	f.pkg, f.to = pkg, cmp.Or(version, f.to)
	if f.pkg == "" {
		return exitNotStarted, inputs.Usagef("no package: name one, as in 'path PACKAGE@VERSION'")
	}
	if f.fix != 0 && f.output != terminal.OutputText {
		return exitNotStarted, errFixText
	}
	problem, err := open(ctx, &f.input, &f.choice, std)
	if err != nil {
		return exitNotStarted, err
	}
	if f.budget != 0 {
		problem.Options.PathBudget = f.budget // whatever a saved problem says
	}
	if err := inputs.CheckNamespaces(f.choice.Namespaces, problem.Cluster, std.Live != nil && f.input.ReadsLive()); err != nil {
		return exitNotStarted, err
	}
	f.pkg = listing.PackageOf(problem.Catalogs, problem.Cluster, f.pkg)
	request, err := requestFor(pkg, f.pkg, f.choice.Namespaces, problem.Cluster)
	if err != nil {
		return exitNotStarted, err
	}
	if b := listing.Exact(problem.Catalogs, problem.Cluster, f.pkg+"@"+f.to); b != nil && f.to != "" {
		f.to = b.Version.String()
	}
	done := terminal.ShowProgress(std.Err, "searching a path for package "+f.pkg)
	page := terminal.NewPage(ctx, std.Out, f.output)
	found, err := resolver.New().Path(ctx, problem, request, f.to)
	outcome := outcomes.Advised(ctx, problem, []result.Outcome{{Scope: request.Scope(), Err: err}})
	err = outcome[0].Err
	done()
	inputs.HintMissing(std.Err, &problem, outcome)
	switch {
	case f.output == terminal.OutputYAML && err == nil:
		return exit(outcomes.NoPath(found, err), outcomes.WritePathYAML(page, found), page.Close())
	case f.output == terminal.OutputYAML, f.output == terminal.OutputNames && err != nil:
		outcomes.View{Call: f.call(set, std), Rest: "-o text --all"}.WriteFailures(std.Err, outcome)
		return exit(true, page.Close())
	case f.fix != 0:
		return exit(false, outcomes.WriteFix(ctx, page, std.Err, "--all", f.fix, problem, result.HelpOf(err)), page.Close())
	case f.output == terminal.OutputNames && err == nil:
		outcomes.WritePathNames(page, found)
		return exit(outcomes.NoPath(found, err), page.Close())
	case f.output == terminal.OutputJSON:
		return exit(outcomes.NoPath(found, err), outcomes.WritePathJSON(page, problem.Catalogs, request.Scope(), f.pkg, found, err), page.Close())
	}
	outcomes.WritePath(page, problem.Catalogs, request.Scope(), f.pkg, found, err, outcomes.View{All: f.all, Fix: true, Call: f.call(set, std)})
	return exit(outcomes.NoPath(found, err), page.Close())
}

var errFixText = inputs.Usagef("--fix: it prints commands; leave out -o")

// requestFor returns the request that has the package installed: a ClusterExtension, or the
// first Subscription of the only namespace, of those among if any are given. If asked is not the
// package, it is the name of the request.
func requestFor(asked, pkg string, among []string, known *cluster.Index) (cluster.RequestKey, error) {
	meant := func(name, of string) bool { return of == pkg && (asked == pkg || asked == name) }
	found, installed := map[string]cluster.RequestKey{}, []string{}
	for _, scope := range known.Scopes() {
		for _, s := range slices.Backward(known.In(scope.Namespace()).Subscriptions) {
			if s.InstalledCSV != "" && s.Package != asked {
				installed = append(installed, s.Package)
			}
			if meant(s.Name, s.Package) && s.InstalledCSV != "" && (len(among) == 0 || slices.Contains(among, s.Namespace)) {
				found[outcomes.Title(scope)] = s.Key()
			}
		}
		if e := known.Extension(scope.Extension()); e != nil && meant(e.Name, e.Package) && e.Installed != nil && len(among) == 0 {
			found[outcomes.Title(scope)] = e.Key()
		}
	}
	names := slices.Sorted(maps.Keys(found))
	switch len(names) {
	case 0:
		return cluster.RequestKey{}, fmt.Errorf("%s: no Subscription or ClusterExtension has this package installed%s", terminal.Plain(asked), terminal.Suggestion(asked, installed))
	case 1:
		return found[names[0]], nil
	}
	return cluster.RequestKey{}, inputs.Usagef("%s: it is installed for %s; choose a namespace with --namespace, or pass the name of one of the requests", asked, terminal.OneOf(names))
}
