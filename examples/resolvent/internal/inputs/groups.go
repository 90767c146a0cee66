package inputs

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/manifest"
)

// The groups of flags that several commands share. Help of a command only names their
// flags.
const (
	GroupInput   = "Cluster and catalogs"
	GroupChoice  = "Choices"
	GroupReading = "Reading"
	GroupLive    = "Running cluster"
)

// groupNote is the annotation of flags with their group.
const groupNote = "group"

// Group adds flags to a set, as those of a group. What the set has already, stays.
func Group(set *pflag.FlagSet, group string, register func(*pflag.FlagSet)) {
	flagSet := pflag.NewFlagSet("", pflag.ContinueOnError)
	flagSet.SortFlags = false
	register(flagSet)
	flagSet.VisitAll(func(f *pflag.Flag) {
		if set.Lookup(f.Name) == nil {
			_ = flagSet.SetAnnotation(f.Name, groupNote, []string{group})
			set.AddFlag(f)
		}
	})
}

// GroupOf is the group of a flag, empty if it is of one command only.
func GroupOf(f *pflag.Flag) string { return strings.Join(f.Annotations[groupNote], "") }

// WordsOf are those that a flag takes, nil if it takes any.
func WordsOf(f *pflag.Flag) []string {
	w, _ := f.Value.(words)
	return w.known
}

// Spelled is a flag as people write it.
func Spelled(f *pflag.Flag) string {
	if f.Shorthand != "" {
		return "-" + f.Shorthand
	}
	return "--" + f.Name
}

// unrepeated are the shared flags that change no answer, or that a hint states itself.
var unrepeated = []string{"namespace", "verbose", "index-cache", TimeoutFlag, ColorFlag}

// Repeated names the shared flags that are given, as another call about the same cluster needs them.
func Repeated(set *pflag.FlagSet) string {
	names, name := []string{}, ""
	set.Visit(func(f *pflag.Flag) {
		if GroupOf(f) != "" && !slices.Contains(unrepeated, f.Name) {
			names = append(names, Spelled(f))
		}
		if f.Name == "cluster" {
			name = "-f for one of the clusters, and "
		}
	})
	if len(names) == 0 {
		return ""
	}
	return name + "the same " + terminal.Listed(names, "and")
}

// CheckDashes refuses a flag behind one dash, which would be read as several short ones.
func CheckDashes(set *pflag.FlagSet, args []string) error {
	for _, arg := range args {
		name, short := strings.CutPrefix(arg, "-")
		name, _, _ = strings.Cut(name, "=")
		switch {
		case arg == "--":
			return nil
		case short && len(name) > 1 && set.Lookup(name) != nil:
			return Usagef("-%s: write --%[1]s", name)
		}
	}
	return nil
}

// FlagError is the error of a flag that does not exist, with the closest one, or whose value
// is missing or invalid.
func FlagError(set *pflag.FlagSet, err error) error {
	switch err := err.(type) {
	case *pflag.InvalidValueError:
		cause := err.Unwrap()
		if err.GetFlag().Value.Type() == "bool" {
			cause = Want("true or false")
		}
		return Usagef("%s %q: %w", Spelled(err.GetFlag()), err.GetValue(), cause)
	case *pflag.ValueRequiredError:
		name, _ := pflag.UnquoteUsage(err.GetFlag())
		return Usagef("%s: missing value; write %[1]s %s", Spelled(err.GetFlag()), name)
	case *pflag.NotExistError:
		flag, name := "--"+err.GetSpecifiedName(), err.GetSpecifiedName()
		if shorts := err.GetSpecifiedShortnames(); shorts != "" {
			flag, name = "-"+shorts, shorts
		}
		var names []string
		set.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		near := terminal.Nearest(name, names)
		switch {
		case near != "":
			near = "; did you mean --" + near + "?"
		case name == "channel" && set.Lookup("package") != nil:
			near = "; write --package PACKAGE@CHANNEL"
		}
		return Usagef("%s: unknown flag%s", flag, near)
	}
	return UsageError{err}
}

// atInstall are the kinds that tell what OLM would refuse at install, as kubectl names them. They are many
// megabytes of a cluster; OpenShift has other roles, too.
var atInstall = []string{
	"customresourcedefinitions", "serviceaccounts",
	"roles.rbac.authorization.k8s.io", "rolebindings.rbac.authorization.k8s.io", "clusterroles.rbac.authorization.k8s.io", "clusterrolebindings.rbac.authorization.k8s.io",
}

// KubectlGet reads all that a resolution can depend on from a cluster.
func KubectlGet() string {
	var kinds []string
	for _, kind := range manifest.Kinds() {
		name := strings.ToLower(kind) + "s"
		switch {
		case slices.ContainsFunc(atInstall, func(other string) bool { return other == name || strings.HasPrefix(other, name+".") }):
			continue
		case kind == "ConfigMap":
			continue // there are many others
		case kind == "Subscription":
			name += ".operators.coreos.com" // Open Cluster Management and Knative have others
		}
		kinds = append(kinds, name)
	}
	return "kubectl get " + strings.Join(kinds, ",") + " -A -o yaml > cluster.yaml"
}

// KubectlGetAtInstall reads what tells what OLM would refuse at install.
func KubectlGetAtInstall() string {
	return "kubectl get " + strings.Join(atInstall, ",") + " -A -o yaml > install.yaml"
}
