package inputs

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// ClusterFlag is one --cluster: the manifests of a cluster of its own.
type ClusterFlag struct{ Name, from string }

func RegisterClusters(set *pflag.FlagSet, target *[]ClusterFlag) {
	set.Func("cluster", "a cluster, instead of -f: its name and a file or folder of manifests, as `[NAME=]FILE`; repeatable", func(s string) error {
		c, err := parseClusterFlag(s)
		if err != nil {
			return err
		}
		if slices.Contains(*target, c) {
			return nil // completion reads flags twice
		}
		if slices.ContainsFunc(*target, func(other ClusterFlag) bool { return other.Name == c.Name }) {
			return fmt.Errorf("cluster %s is passed twice; rename one, as in NAME=%s", c.Name, c.from)
		}
		*target = append(*target, c)
		return nil
	})
}

// parseClusterFlag reads [NAME=]FILE.
func parseClusterFlag(s string) (ClusterFlag, error) {
	name, from, found := strings.Cut(s, "=")
	if !found {
		from = name
		if base := filepath.Base(from); from != "" && base != "." && base != ".." {
			name = strings.TrimSuffix(base, filepath.Ext(base))
		}
	}
	switch {
	case name == "" || from == "":
		return ClusterFlag{}, Want("NAME=FILE, or FILE alone")
	case from == stdinName:
		return ClusterFlag{}, Want("a file or a folder, not standard input")
	}
	return ClusterFlag{name, from}, nil
}

// Of returns the flags that read the manifests of the cluster.
func (f *Flags) Of(c ClusterFlag) *Flags {
	one := *f
	one.Manifests = []string{c.from}
	return &one
}

// CheckClusters is Check for commands that may be about several clusters: then there are no manifests of
// one, and the running one is none of them.
func (f *Flags) CheckClusters(clusters []ClusterFlag, by bool, set *pflag.FlagSet, std Streams) error {
	switch {
	case by && len(clusters) == 0:
		return Usagef("--by cluster: there is only one cluster; pass each of several with --cluster, or leave it out")
	case len(clusters) == 0:
		return f.Check(set, std)
	case len(f.Manifests) > 0:
		return Usagef("-f: it is for one cluster, --cluster for several; pass each with --cluster NAME=FILE")
	case f.Load != "":
		return Usagef("--load: it is for one problem; leave out --cluster")
	case len(f.installed) > 0:
		return Usagef("--installed: it is for one cluster; leave it out, or pass that cluster with -f")
	}
	f.WithoutManifests, std.Live = true, nil
	return f.Check(set, std)
}
