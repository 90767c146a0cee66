package command

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/policy"
)

// inputFlags choose what to read: the cluster and its catalogs.
type inputFlags struct {
	manifests        []string
	withoutManifests bool // they may be missing
	catalogs         []catalogFlag
	kubeVersion      string
	openShiftVersion string
	installed        []installedFlag
	strict           bool
	load             string
	sources          sourceFlags
	verbose          bool
}

// choiceFlags choose how to resolve.
type choiceFlags struct {
	namespaces []string
	options    policy.Options
	jointly    bool
	timeout    time.Duration
	output     string
}

const inputUsage = `Input:
  -f FILE                    manifests as kubectl prints them, in YAML or JSON; - is
                             standard input; a folder: every manifest below it, as in
                             a must-gather or a GitOps repository; may be repeated
  --catalog [NAMESPACE/]NAME=FROM[,priority=N][,label=KEY:VALUE]
                             a catalog; may be repeated; priority and labels are
                             otherwise those of the CatalogSource or ClusterCatalog
                             of that name
` + catalogUsage + `  --installed [EXTENSION=]NAME@VERSION[@RELEASE]
                             what a ClusterExtension has installed, instead of what
                             its status says; without a name, that of the only one
  --kube-version VERSION     the cluster's Kubernetes version
  --openshift-version VERSION
                             the cluster's OpenShift version
  --load FILE                instead of all other inputs and choices: a problem that
                             was written with resolve --save
` + sourceUsage + `  --strict                   refuse catalogs with faults
  --verbose                  list the faults of catalogs, not only their number
`

const choiceUsage = `Choice:
  -n NAME
  --namespace NAME           resolve only this namespace; may be repeated; default:
                             every namespace that has a Subscription, and every
                             ClusterExtension
  --global-namespace NAME    its catalogs are seen everywhere; may be repeated; empty:
                             none; default: olm and openshift-marketplace
  --exclude-catalog [NAMESPACE/]NAME
                             leave this catalog out; may be repeated
  --compound solution|bundle different bundles may satisfy the parts of one
                             constraint (default), or one must satisfy all, as in
                             OLM v0
  --updates visible|named    updates come from every visible catalog (default), or
                             from the Subscription's own only, as in OLM v0
  --reject-dependencies      fail a ClusterExtension whose best bundle has
                             dependencies, as OLM v1 does
  --pin [NAMESPACE/]PACKAGE[=BUNDLE|=VERSION]
                             select no other bundle of this package; alone: none
                             that is not installed; may be repeated
  --jointly                  resolve the namespaces as one problem
  --single-owner             a kind has one owner in all namespaces: namespaces,
                             taken by name, obey what is installed in others and
                             what was chosen for those before; with --jointly, all
                             choices are made together
  --same-versions            namespaces provide a kind in the same versions; as with
                             --single-owner
  --partial                  resolve what can proceed if not everything can
  --lenient-health           an unhealthy catalog fails only the requests that it
                             could have served
  --timeout DURATION         give up after this time, as in 30s; default 1m; 0: never
`

func (f *inputFlags) register(set *flag.FlagSet) {
	set.Func("f", "", func(s string) error {
		if s == "" {
			return errors.New("want a file, or - for standard input")
		}
		if s == stdinName && slices.Contains(f.manifests, s) {
			return errStdinTwice
		}
		f.manifests = append(f.manifests, s)
		return nil
	})
	registerCatalogs(set, "catalog", &f.catalogs)
	set.Func("installed", "", func(s string) error {
		i, err := parseInstalledFlag(s)
		f.installed = append(f.installed, i)
		return err
	})
	version(set, "kube-version", &f.kubeVersion)
	version(set, "openshift-version", &f.openShiftVersion)
	set.BoolVar(&f.strict, "strict", false, "")
	set.BoolVar(&f.verbose, "verbose", false, "")
	set.StringVar(&f.load, "load", "", "")
	f.sources.register(set)
}

// besideLoad are the flags that a saved problem leaves to the command line.
var besideLoad = []string{"load", "save", "why", "o", "timeout", "verbose", "package", "to", "budget", "target-openshift", "target-kube", "target-catalog"}

// check returns an error for inputs that are missing or exclude each other.
func (f *inputFlags) check(set *flag.FlagSet) error {
	if f.load != "" {
		var err error
		set.Visit(func(given *flag.Flag) {
			isPath := set.Name() == "path"
			which := slices.Contains([]string{"n", "namespace"}, given.Name) && isPath // it says which package is meant
			asked := given.Name == "package" && !isPath                                // it is a request
			if err == nil && (asked || !which && !slices.Contains(besideLoad, given.Name)) {
				err = usagef("--load stands for all other inputs and choices: leave out %s", dashed(given.Name))
			}
		})
		return err
	}
	if len(f.manifests) == 0 && !f.withoutManifests {
		return usagef("no manifests: give them with -f FILE")
	}
	if slices.Contains(f.manifests, stdinName) && slices.ContainsFunc(f.catalogs, func(c catalogFlag) bool { return c.from == stdinName }) {
		return usageError{errStdinTwice}
	}
	return nil
}

func (f *choiceFlags) register(set *flag.FlagSet) {
	for _, name := range []string{"n", "namespace"} {
		set.Func(name, "", func(s string) error {
			if s == "" {
				return errors.New("want a namespace")
			}
			if !slices.Contains(f.namespaces, s) {
				f.namespaces = append(f.namespaces, s)
			}
			return nil
		})
	}
	set.Func("global-namespace", "", func(s string) error {
		if f.options.GlobalNamespaces == nil {
			f.options.GlobalNamespaces = []string{}
		}
		if s != "" {
			f.options.GlobalNamespaces = append(f.options.GlobalNamespaces, s)
		}
		return nil
	})
	set.Func("exclude-catalog", "", func(s string) error {
		key, err := parseCatalogKey(s)
		f.options.ExcludeCatalogs = append(f.options.ExcludeCatalogs, key)
		return err
	})
	set.Func("pin", "", func(s string) error {
		pin, err := parsePinFlag(s)
		f.options.Pins = append(f.options.Pins, pin)
		return err
	})
	set.BoolVar(&f.jointly, "jointly", false, "")
	set.BoolVar(&f.options.SingleOwner, "single-owner", false, "")
	set.BoolVar(&f.options.SameVersions, "same-versions", false, "")
	choice(set, "compound", &f.options.CompoundScope, map[string]policy.CompoundScope{
		"solution": policy.ScopeSolution, "bundle": policy.ScopeBundle})
	choice(set, "updates", &f.options.Updates, map[string]policy.UpdateSources{
		"visible": policy.UpdatesVisible, "named": policy.UpdatesNamed})
	set.BoolVar(&f.options.RejectDependencies, "reject-dependencies", false, "")
	set.BoolVar(&f.options.Partial, "partial", false, "")
	set.BoolVar(&f.options.LenientHealth, "lenient-health", false, "")
	registerTimeout(set, &f.timeout)
	registerOutput(set, &f.output, outputs...)
}

const defaultTimeout = time.Minute

// registerCatalogs registers a flag that names catalogs.
func registerCatalogs(set *flag.FlagSet, name string, to *[]catalogFlag) {
	set.Func(name, "", func(s string) error {
		c, err := parseCatalogFlag(s)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(*to, func(other catalogFlag) bool { return other.key == c.key }) {
			return fmt.Errorf("catalog %s is given twice", c.key)
		}
		if c.from == stdinName && slices.ContainsFunc(*to, func(other catalogFlag) bool { return other.from == stdinName }) {
			return errStdinTwice
		}
		*to = append(*to, c)
		return nil
	})
}

func registerTimeout(set *flag.FlagSet, to *time.Duration) {
	*to = defaultTimeout
	set.Func("timeout", "", func(s string) (err error) {
		*to, err = time.ParseDuration(s)
		if err == nil && *to < 0 {
			err = errors.New("want 0 or more")
		}
		return err
	})
}

// registerOutput registers -o; the first of the outputs is the default.
func registerOutput(set *flag.FlagSet, to *string, outputs ...string) {
	*to = outputs[0]
	set.Func("o", "", func(s string) error {
		if !slices.Contains(outputs, s) {
			return fmt.Errorf("want %s", terminal.OneOf(outputs))
		}
		*to = s
		return nil
	})
}

// version registers a flag that takes a version, perhaps a shortened one.
func version(set *flag.FlagSet, name string, to *string) {
	set.Func(name, "", func(s string) error {
		*to = s
		if _, err := semver.ParseTolerant(s); err != nil {
			return errors.New("want a version, such as 1.31 or 1.31.2")
		}
		return nil
	})
}

// choice registers a flag that takes one of a few words.
func choice[T any](set *flag.FlagSet, name string, to *T, words map[string]T) {
	set.Func(name, "", func(s string) error {
		value, ok := words[s]
		if !ok {
			names := make([]string, 0, len(words))
			for word := range words {
				names = append(names, word)
			}
			slices.Sort(names)
			return fmt.Errorf("want %s", terminal.OneOf(names))
		}
		*to = value
		return nil
	})
}

// parseFlags is parse for commands that take no operands.
func parseFlags(set *flag.FlagSet, args []string) error {
	operands, err := parse(set, args)
	if err == nil && len(operands) > 0 {
		return usagef("unexpected argument %q", operands[0])
	}
	return err
}

// parse reads a command's flags, which may stand before and after its
// arguments, and returns those. An error is flag.ErrHelp or a usageError.
func parse(set *flag.FlagSet, args []string) (operands []string, err error) {
	set.SetOutput(io.Discard)
	set.Usage = func() {}
	if err := checkKnown(set, args); err != nil {
		return nil, err
	}
	for {
		if err := set.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				return nil, err
			}
			return nil, usageError{err}
		}
		if set.NArg() == 0 {
			return operands, nil
		}
		operands = append(operands, set.Arg(0))
		args = set.Args()[1:]
	}
}

// parseCatalogKey reads [NAMESPACE/]NAME.
func parseCatalogKey(s string) (catalog.Key, error) {
	namespace, name, found := strings.Cut(s, "/")
	if !found {
		namespace, name = "", s
	}
	if name == "" || found && namespace == "" || strings.Contains(name, "/") {
		return catalog.Key{}, errors.New("want NAMESPACE/NAME, or NAME alone")
	}
	return catalog.Key{Namespace: namespace, Name: name}, nil
}
