// Package inputs reads what commands work on: the flags that several of them share, and
// the manifests and catalogs that these name. What a single command takes stands with it.
package inputs

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

// Flags choose what to read: the cluster and its catalogs.
type Flags struct {
	Manifests        []string
	WithoutManifests bool     // they may be missing
	namespaces       []string // to read of a running cluster where not all may be
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
	Timeout    time.Duration
	Output     string
}

// InputUsage explains the flags of Flags.
const InputUsage = `Input:
  -f FILE                    manifests as kubectl prints them, in YAML or JSON; - is
                             standard input; a folder: every manifest below it, as in
                             a must-gather or a GitOps repository; may be repeated
  --catalog [NAMESPACE/]NAME=FROM[,priority=N][,label=KEY:VALUE]
                             a catalog; may be repeated; priority and labels are
                             otherwise those of the CatalogSource or ClusterCatalog
                             of that name
` + CatalogUsage + `  --installed [EXTENSION=]NAME@VERSION[@RELEASE]
                             what a ClusterExtension has installed, instead of what
                             its status says; without a name, that of the only one
  --kube-version VERSION     the cluster's Kubernetes version
  --openshift-version VERSION
                             the cluster's OpenShift version
` + LoadUsage + SourceUsage + `  --strict                   refuse catalogs with faults
  --verbose                  list the faults of catalogs, not only their number
`

// LoadUsage is the part of InputUsage about a flag that not every command has.
const LoadUsage = `  --load FILE                instead of all other inputs and choices: a problem that
                             was written with resolve --save
`

// ChoiceUsage explains the flags of ChoiceFlags.
const ChoiceUsage = `Choice:
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
  --as-olmv1                 fail a ClusterExtension whose bundle OLM v1 would not
                             install: for its dependencies, install modes or API
                             services
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

// Register adds the flags to a set.
func (f *Flags) Register(set *flag.FlagSet) {
	set.Func("f", "", func(s string) error {
		if s == "" {
			return errors.New("want a file, or - for standard input")
		}
		if s == stdinName && slices.Contains(f.Manifests, s) {
			return errStdinTwice
		}
		f.Manifests = append(f.Manifests, s)
		return nil
	})
	RegisterCatalogs(set, "catalog", &f.Catalogs)
	set.Func("installed", "", func(s string) error {
		i, err := parseInstalledFlag(s)
		f.installed = append(f.installed, i)
		return err
	})
	Version(set, "kube-version", &f.kubeVersion)
	Version(set, "openshift-version", &f.openShiftVersion)
	set.BoolVar(&f.strict, "strict", false, "")
	set.BoolVar(&f.verbose, "verbose", false, "")
	String(set, "load", &f.Load)
	f.sources.Register(set)
}

// besideLoad are the flags that a saved problem leaves to the command line.
var besideLoad = []string{"load", "save", "why", "all", "expect", "o", "timeout", "verbose", "package", "to", "budget", "target-openshift", "target-kube", "target-catalog", "without"}

// Check returns an error for inputs that are missing or exclude each other. A running
// cluster stands for missing manifests.
func (f *Flags) Check(set *flag.FlagSet, std Streams) error {
	if f.Load != "" {
		var err error
		set.Visit(func(given *flag.Flag) {
			isPath := set.Name() == "path"
			which := slices.Contains([]string{"n", "namespace"}, given.Name) && isPath // it says which package is meant
			asked := given.Name == "package" && !isPath                                // it is a request
			if err == nil && (asked || !which && !slices.Contains(besideLoad, given.Name)) {
				err = Usagef("--load stands for all other inputs and choices: leave out %s", dashed(given.Name))
			}
		})
		return err
	}
	if len(f.Manifests) == 0 && std.Live != nil {
		f.Manifests = []string{LivePrefix}
	}
	if len(f.Manifests) == 0 && !f.WithoutManifests {
		return Usagef("no manifests: give them with -f FILE")
	}
	if slices.Contains(f.Manifests, stdinName) && slices.ContainsFunc(f.Catalogs, func(c CatalogFlag) bool { return c.from == stdinName }) {
		return UsageError{errStdinTwice}
	}
	return nil
}

// Register adds the flags to a set. The values of -o are those given, else those of
// commands that resolve.
func (f *ChoiceFlags) Register(set *flag.FlagSet, output ...string) {
	for _, name := range []string{"n", "namespace"} {
		set.Func(name, "", func(s string) error {
			if s == "" {
				return errors.New("want a namespace")
			}
			if !slices.Contains(f.Namespaces, s) {
				f.Namespaces = append(f.Namespaces, s)
			}
			return nil
		})
	}
	set.Func("global-namespace", "", func(s string) error {
		if f.Options.GlobalNamespaces == nil {
			f.Options.GlobalNamespaces = []string{}
		}
		if s != "" {
			f.Options.GlobalNamespaces = append(f.Options.GlobalNamespaces, s)
		}
		return nil
	})
	set.Func("exclude-catalog", "", func(s string) error {
		key, err := ParseCatalogKey(s)
		f.Options.ExcludeCatalogs = append(f.Options.ExcludeCatalogs, key)
		return err
	})
	set.Func("pin", "", func(s string) error {
		pin, err := parsePinFlag(s)
		f.Options.Pins = append(f.Options.Pins, pin)
		return err
	})
	set.BoolVar(&f.Options.Jointly, "jointly", false, "")
	set.BoolVar(&f.Options.SingleOwner, "single-owner", false, "")
	set.BoolVar(&f.Options.SameVersions, "same-versions", false, "")
	Choice(set, "compound", &f.Options.CompoundScope, map[string]policy.CompoundScope{
		"solution": policy.ScopeSolution, "bundle": policy.ScopeBundle})
	Choice(set, "updates", &f.Options.Updates, map[string]policy.UpdateSources{
		"visible": policy.UpdatesVisible, "named": policy.UpdatesNamed})
	set.BoolVar(&f.Options.RejectDependencies, "reject-dependencies", false, "")
	set.BoolVar(&f.Options.AsOLMv1, "as-olmv1", false, "")
	set.BoolVar(&f.Options.Partial, "partial", false, "")
	set.BoolVar(&f.Options.LenientHealth, "lenient-health", false, "")
	RegisterTimeout(set, &f.Timeout)
	if output == nil {
		output = outputs
	}
	RegisterOutput(set, &f.Output, output...)
}

const defaultTimeout = time.Minute

// RegisterCatalogs registers a flag that names catalogs.
func RegisterCatalogs(set *flag.FlagSet, name string, to *[]CatalogFlag) {
	set.Func(name, "", func(s string) error {
		c, err := parseCatalogFlag(s)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(*to, func(other CatalogFlag) bool { return other.Key == c.Key }) {
			return fmt.Errorf("catalog %s is given twice", c.Key)
		}
		if c.from == stdinName && slices.ContainsFunc(*to, func(other CatalogFlag) bool { return other.from == stdinName }) {
			return errStdinTwice
		}
		*to = append(*to, c)
		return nil
	})
}

// RegisterTimeout registers --timeout.
func RegisterTimeout(set *flag.FlagSet, to *time.Duration) {
	*to = defaultTimeout
	set.Func("timeout", "", func(s string) (err error) {
		*to, err = time.ParseDuration(s)
		if err == nil && *to < 0 {
			err = errors.New("want 0 or more")
		}
		return err
	})
}

// RegisterOutput registers -o; the first of the outputs is the default.
func RegisterOutput(set *flag.FlagSet, to *string, outputs ...string) {
	*to = outputs[0]
	set.Func("o", "", func(s string) error {
		if !slices.Contains(outputs, s) {
			return fmt.Errorf("want %s", terminal.OneOf(outputs))
		}
		*to = s
		return nil
	})
}

// String registers a flag that takes any text but an empty one: that comes of a variable
// of a shell that is not set, and must not turn a check off.
func String(set *flag.FlagSet, name string, to *string) {
	set.Func(name, "", func(s string) error {
		if *to = s; s == "" {
			return errors.New("it is empty")
		}
		return nil
	})
}

// Version registers a flag that takes a version, perhaps a shortened one.
func Version(set *flag.FlagSet, name string, to *string) {
	set.Func(name, "", func(s string) error {
		*to = s
		if _, err := semver.ParseTolerant(s); err != nil {
			return errors.New("want a version, such as 1.31 or 1.31.2")
		}
		return nil
	})
}

// Choice registers a flag that takes one of a few words.
func Choice[T any](set *flag.FlagSet, name string, to *T, words map[string]T) {
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

// ParseFlags is parse for commands that take no operands.
func ParseFlags(set *flag.FlagSet, args []string, std Streams) error {
	operands, err := Parse(set, args, std)
	if err == nil && len(operands) > 0 {
		return Usagef("unexpected argument %q", operands[0])
	}
	return err
}

// Parse reads a command's flags and those of the running cluster, which may stand before
// and after its arguments, and returns those. An error is flag.ErrHelp or a usageError.
func Parse(set *flag.FlagSet, args []string, std Streams) (operands []string, err error) {
	if std.Live != nil {
		std.Live.Register(set)
	}
	set.SetOutput(io.Discard)
	set.Usage = func() {}
	for {
		if err := set.Parse(args); err != nil {
			if name, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: -"); unknown {
				return nil, unknownFlag(set, name)
			}
			if errors.Is(err, flag.ErrHelp) {
				return nil, err
			}
			return nil, UsageError{err}
		}
		if set.NArg() == 0 {
			return operands, nil
		}
		operands = append(operands, set.Arg(0))
		args = set.Args()[1:]
	}
}

// ParseCatalogKey reads [NAMESPACE/]NAME.
func ParseCatalogKey(s string) (catalog.Key, error) {
	namespace, name, found := strings.Cut(s, "/")
	if !found {
		namespace, name = "", s
	}
	if name == "" || found && namespace == "" || strings.Contains(name, "/") {
		return catalog.Key{}, errors.New("want NAMESPACE/NAME, or NAME alone")
	}
	return catalog.Key{Namespace: namespace, Name: name}, nil
}

var outputs = []string{terminal.OutputText, terminal.OutputJSON, terminal.OutputYAML, terminal.OutputMermaid, terminal.OutputDOT, terminal.OutputSVG}
