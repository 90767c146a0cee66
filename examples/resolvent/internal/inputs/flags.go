// Package inputs reads what commands work on: the flags that several of them share, and
// the manifests and catalogs that these name. What a single command takes stands with it.
package inputs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/blang/semver/v4"
	"github.com/spf13/pflag"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/policy"
)

// Flags choose what to read: the cluster and its catalogs.
type Flags struct {
	Manifests        []string
	WithoutManifests bool // they may be missing
	query            LiveQuery
	Catalogs         []CatalogFlag
	kubeVersion      string
	openShiftVersion string
	installed        []installedFlag
	strict           bool
	Load             string
	sources          SourceFlags
	verbose          bool
}

// ChoiceFlags choose how to resolve.
type ChoiceFlags struct {
	Namespaces []string
	Options    policy.Options
	Policies   PolicyFlags
}

func (f *Flags) Register(set *pflag.FlagSet) {
	Group(set, GroupInput, func(set *pflag.FlagSet) {
		set.FuncP("filename", "f", "manifests as kubectl prints them, in YAML or JSON: a `FILE`, - for standard input, or a folder with "+
			"all manifests below it, such as a must-gather or a GitOps repository; repeatable", f.addManifests)
		RegisterInputCatalogs(set, &f.Catalogs)
		set.Func("installed", "the `BUNDLE` that a ClusterExtension has installed, instead of the one in its status, as "+
			"[EXTENSION=]NAME@VERSION[@RELEASE]; EXTENSION is optional if there is only one", func(s string) error {
			i, err := parseInstalledFlag(s)
			f.installed = append(f.installed, i)
			return err
		})
		RegisterVersions(set, &f.kubeVersion, &f.openShiftVersion)
		String(set, "load", "read the problem from `FILE`, which resolve --save wrote, instead of all other inputs and choices", &f.Load)
		set.BoolVar(&f.strict, "strict", false, "refuse catalogs with faults")
		RegisterVerbose(set, &f.verbose)
	})
	f.sources.Register(set)
}

func (f *Flags) addManifests(s string) error {
	if s == "" {
		return Want("a file, or - for standard input")
	}
	if s != stdinName || !slices.Contains(f.Manifests, s) {
		f.Manifests = append(f.Manifests, s)
	}
	return nil
}

// besideLoad are the shared flags that a saved problem leaves to the command line.
var besideLoad = []string{"load", "verbose", TimeoutFlag, ColorFlag}

// Check returns an error for inputs that are missing or exclude each other. A running
// cluster stands for missing manifests. What else may stand beside --load is named.
func (f *Flags) Check(set *pflag.FlagSet, std Streams, beside ...string) error {
	if f.Load != "" {
		var err error
		set.Visit(func(given *pflag.Flag) {
			if err == nil && GroupOf(given) != "" && !slices.Contains(append(beside, besideLoad...), given.Name) {
				err = Usagef("--load: it replaces all other inputs and choices; leave out %s", Spelled(given))
			}
		})
		return err
	}
	if len(f.Manifests) == 0 && std.Live != nil {
		f.Manifests = []string{LivePrefix}
	}
	if len(f.Manifests) == 0 && !f.WithoutManifests {
		instead := ""
		if asks := set.Lookup("package"); asks != nil && GroupOf(asks) != "" {
			instead = ", or a package with --package"
		}
		return Usagef("no manifests: pass them with -f FILE%s; to save those of a cluster: %s", instead, KubectlGet())
	}
	if slices.Contains(f.Manifests, stdinName) && slices.ContainsFunc(f.Catalogs, func(c CatalogFlag) bool { return c.from == stdinName }) {
		return UsageError{errStdinTwice}
	}
	return nil
}

func (f *ChoiceFlags) Register(set *pflag.FlagSet) {
	Group(set, GroupChoice, f.register)
}

func (f *ChoiceFlags) register(set *pflag.FlagSet) {
	o := &f.Options
	set.FuncP("namespace", "n", "resolve only namespace `NAME`; repeatable (default: every namespace with a Subscription, "+
		"and every ClusterExtension)", func(s string) error {
		if !namespaceName.MatchString(s) {
			return Want("the name of a namespace")
		}
		if !slices.Contains(f.Namespaces, s) {
			f.Namespaces = append(f.Namespaces, s)
		}
		return nil
	})
	set.Func("global-namespace", "let every namespace see the catalogs of namespace `NAME`; repeatable; empty for none "+
		"(default: olm and openshift-marketplace)", func(s string) error {
		if o.GlobalNamespaces == nil {
			o.GlobalNamespaces = []string{}
		}
		if s != "" {
			o.GlobalNamespaces = append(o.GlobalNamespaces, s)
		}
		return nil
	})
	set.Func("exclude-catalog", "leave out catalog `[NAMESPACE/]NAME`; repeatable", func(s string) error {
		key, err := ParseCatalogKey(s)
		o.ExcludeCatalogs = append(o.ExcludeCatalogs, key)
		return err
	})
	RegisterCompound(set, o)
	Choice(set, "updates", "visible (default): updates come from every visible catalog; named: only from the Subscription's own, as in OLM v0", &o.NamedUpdates,
		map[string]bool{"visible": false, "named": true})
	set.BoolVar(&o.AsOLMv1, "as-olmv1", false, "fail a ClusterExtension whose bundle OLM v1 would not install: for its dependencies, install modes or API services")
	Choice(set, "olmv1", "standard (default, unless the ClusterExtension definition among the manifests has spec.config): how OLM v1 installs without its experimental feature gates, "+
		"for all namespaces only; experimental: with them", &o.OLMv1, map[string]cluster.Profile{"standard": cluster.ProfileStandard, "experimental": cluster.ProfileExperimental})
	set.BoolVar(&o.RejectDependencies, "reject-dependencies", false, "fail a ClusterExtension whose best bundle has dependencies, as OLM v1 does")
	f.Policies.Register(set)
	set.Func("pin", "keep `PACKAGE` at what is installed or, with =BUNDLE or =VERSION, at that; prefix NAMESPACE/ to limit this to "+
		"a namespace; repeatable", func(s string) error {
		pin, err := parsePinFlag(s)
		o.Pins = append(o.Pins, pin)
		return err
	})
	set.BoolVar(&o.Jointly, "jointly", false, "resolve the namespaces as one problem")
	set.BoolVar(&o.SingleOwner, "single-owner", false, "allow one owner of a kind across all namespaces; they are resolved in the order of their names, each "+
		"given what the others have and the earlier ones get, or with --jointly all at once")
	set.BoolVar(&o.SameVersions, "same-versions", false, "require all namespaces to provide a kind in the same versions; they are resolved as with --single-owner")
	set.BoolVar(&o.EnforceOpenShiftLimit, "enforce-openshift-limit", false, "choose nothing whose olm.maxOpenShiftVersion is below the cluster's OpenShift; without it you get a warning, because OLM chooses it")
	set.BoolVar(&o.Partial, "partial", false, "if not every request can be satisfied, resolve the others")
	set.BoolVar(&o.LenientHealth, "lenient-health", false, "let an unhealthy catalog fail only the requests that it could have served")
}

func RegisterCompound(set *pflag.FlagSet, o *policy.Options) {
	Choice(set, "compound", "solution (default): different bundles may satisfy the parts of one constraint; bundle: one must satisfy all, "+
		"as in OLM v0", &o.BundleScope, map[string]bool{"solution": false, "bundle": true})
}

func RegisterVersions(set *pflag.FlagSet, kube, openShift *string) {
	Version(set, "kube-version", "the cluster's Kubernetes `VERSION`", kube)
	Version(set, "openshift-version", "the cluster's OpenShift `VERSION`", openShift)
}

func RegisterVerbose(set *pflag.FlagSet, to *bool) {
	set.BoolVar(to, "verbose", false, "list the faults of catalogs, not only their number")
}

// RegisterInputCatalogs registers --catalog for commands that ask about what it names.
func RegisterInputCatalogs(set *pflag.FlagSet, to *[]CatalogFlag) {
	registerCatalogs(set, "catalog", "a catalog as `NAME=FROM`, for Subscriptions NAMESPACE/NAME=FROM; FROM alone is the only catalog that the manifests name; repeatable; see 'help catalogs'", to, parseInputFlag)
}

func RegisterCatalogs(set *pflag.FlagSet, name, usage string, to *[]CatalogFlag) {
	registerCatalogs(set, name, usage, to, parseCatalogFlag)
}

// RegisterTargets registers a flag that names catalogs at versions of OpenShift.
func RegisterTargets(set *pflag.FlagSet, name, usage string, to *[]CatalogFlag) {
	registerCatalogs(set, name, usage, to, parseTargetFlag)
}

func registerCatalogs(set *pflag.FlagSet, name, usage string, target *[]CatalogFlag, parse func(string) (CatalogFlag, error)) {
	set.Func(name, usage, func(s string) error {
		c, err := parse(s)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(*target, func(other CatalogFlag) bool { return other.text == s }) {
			return nil // completion reads flags twice
		}
		if slices.ContainsFunc(*target, func(other CatalogFlag) bool { return other.Key == c.Key && other.From == c.From }) {
			if c.unnamed {
				return errors.New("with several catalogs, each needs a name, as in NAMESPACE/NAME=FROM")
			}
			return fmt.Errorf("catalog %s is passed twice; leave one out", c.Key)
		}
		if c.from == stdinName && slices.ContainsFunc(*target, func(other CatalogFlag) bool { return other.from == stdinName }) {
			return errStdinTwice
		}
		*target = append(*target, c)
		return nil
	})
}

// TimeoutFlag is the name of the flag that RegisterTimeout registers.
const TimeoutFlag = "timeout"

func RegisterTimeout(set *pflag.FlagSet, to *time.Duration) {
	*to = time.Minute
	set.Func(TimeoutFlag, "give up after `DURATION`, such as 30s; 0 for never (default 1m)", func(s string) (err error) {
		if *to, err = time.ParseDuration(s); err != nil || *to < 0 {
			return Want("a duration, such as 30s or 2m, or 0")
		}
		return nil
	})
}

// ColorFlag is the name of the flag that RegisterColor registers.
const ColorFlag = "color"

// RegisterColor registers the flag that says whether an output is coloured.
func RegisterColor(set *pflag.FlagSet, to *terminal.Color) {
	Choice(set, ColorFlag, "color text; auto: on a terminal, unless NO_COLOR is set (default auto)", to,
		map[string]terminal.Color{"auto": terminal.Auto, "always": terminal.Always, "never": terminal.Never})
}

// ErrTimeout is the cause of contexts that --timeout ends.
var ErrTimeout = errors.New("the time limit of --timeout is over")

// Limited applies a timeout; 0 is none.
func Limited(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	if timeout == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, timeout, ErrTimeout)
}

// RegisterOutput registers -o. Each output stands before what it is, or before the next one if
// that is empty; the first is the default.
func RegisterOutput(set *pflag.FlagSet, target *string, outputs ...string) {
	*target = outputs[0]
	var known, same, usages []string
	for pair := range slices.Chunk(outputs, 2) {
		known, same = append(known, pair[0]), append(same, pair[0])
		if pair[1] != "" {
			usages, same = append(usages, strings.Join(same, ", ")+": "+pair[1]), nil
		}
	}
	set.VarP(words{known: known, set: func(s string) error {
		*target = s
		return nil
	}}, "output", "o", "the `FORMAT`; "+strings.Join(usages, "; "))
}

// RegisterFix registers --fix, which takes the number of a change. The usage begins with when
// it is for.
func RegisterFix(set *pflag.FlagSet, usage string, to *int) {
	Number(set, "fix", usage+" fix `NUMBER` as kubectl commands; nothing is changed", to)
}

func RegisterAll(set *pflag.FlagSet, to *bool) {
	set.BoolVar(to, "all", false, "show every cause and fix with all its effects, instead of a recommendation")
}

// Number registers a flag that takes a whole number from 1.
func Number(set *pflag.FlagSet, name, usage string, to *int) {
	set.Func(name, usage, func(s string) (err error) {
		*to, err = number(s)
		return err
	})
}

// Numbers is [Number] of a flag that is repeatable.
func Numbers(set *pflag.FlagSet, name, usage string, to *[]int) {
	set.Func(name, usage, func(s string) error {
		n, err := number(s)
		*to = append(*to, n)
		return err
	})
}

func number(s string) (int, error) {
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil || n < 1 {
		err = Want("a whole number from 1 to 2147483647")
	}
	return int(n), err
}

// String registers a flag that takes any text but an empty one: an unset variable of a shell
// gives that, and must not turn a check off.
func String(set *pflag.FlagSet, name, usage string, to *string) {
	set.Func(name, usage, func(s string) error {
		if *to = s; s == "" {
			return errors.New("it is empty; pass a value, or leave the flag out")
		}
		return nil
	})
}

// Version registers a flag that takes a version, perhaps a shortened one.
func Version(set *pflag.FlagSet, name, usage string, to *string) {
	set.Func(name, usage, func(s string) error {
		*to = s
		if _, err := semver.ParseTolerant(s); err != nil && strings.Contains(name, "openshift") {
			return Want("a version, such as 4.20 or 4.20.1")
		} else if err != nil {
			return Want("a version, such as 1.31 or 1.31.2")
		}
		return nil
	})
}

// Day is the first day that is given, else today, as YYYY-MM-DD.
func Day(given ...string) string {
	return cmp.Or(append(given, time.Now().UTC().Format(time.DateOnly))...)
}

// Date registers the flag for the day on which support is judged.
func Date(set *pflag.FlagSet, to *string) {
	set.Func("date", "judge support and rules as of `DAY`, as YYYY-MM-DD (default today)", func(s string) error {
		*to = s
		if _, err := time.Parse(time.DateOnly, s); err != nil {
			return Want("a day, such as 2026-11-23")
		}
		return nil
	})
}

// Choice registers a flag that takes one of a few words.
func Choice[T any](set *pflag.FlagSet, name, usage string, to *T, values map[string]T) {
	set.Var(words{known: slices.Sorted(maps.Keys(values)), set: func(s string) error {
		*to = values[s]
		return nil
	}}, name, usage)
}

// words is the value of a flag that takes one of a few words.
type words struct {
	known []string
	set   func(string) error
	// open: it takes others, too.
	open bool
}

func (w words) String() string { return "" }

// Type is what help calls the value.
func (w words) Type() string { return strings.Join(w.known, "|") }

func (w words) Set(s string) error {
	if !w.open && !slices.Contains(w.known, s) {
		return Want(terminal.OneOf(w.known))
	}
	return w.set(s)
}

// ParseCatalogKey reads [NAMESPACE/]NAME.
func ParseCatalogKey(s string) (catalog.Key, error) {
	namespace, name, found := strings.Cut(s, "/")
	if !found {
		namespace, name = "", s
	}
	if name == "" || found && namespace == "" || strings.Contains(name, "/") {
		return catalog.Key{}, Want("NAMESPACE/NAME, or NAME alone")
	}
	return catalog.Key{Namespace: namespace, Name: name}, nil
}

// Sources are the catalogs, and how to read them.
func (f *Flags) Sources() ([]CatalogFlag, *SourceFlags) { return f.Catalogs, &f.sources }
