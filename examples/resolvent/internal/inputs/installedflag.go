package inputs

import (
	"slices"
	"strings"

	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/cluster"
)

// installedFlag is one --installed.
type installedFlag struct {
	extension string // empty for the only one
	installed cluster.InstalledExtension
}

// parseInstalledFlag reads [EXTENSION=]NAME@VERSION[@RELEASE].
func parseInstalledFlag(s string) (installedFlag, error) {
	var i installedFlag
	extension, bundle, found := strings.Cut(s, "=")
	if !found {
		extension, bundle = "", s
	}
	parts := strings.Split(bundle, "@")
	if len(parts) < 2 || len(parts) > 3 || parts[0] == "" || parts[1] == "" || found && extension == "" {
		return i, Want("NAME@VERSION or EXTENSION=NAME@VERSION")
	}
	i.extension = extension
	i.installed = cluster.InstalledExtension{Name: parts[0], Version: parts[1]}
	if len(parts) == 3 {
		i.installed.Release, i.installed.HasRelease = parts[2], true
	}
	return i, nil
}

// setInstalled replaces what the extensions have installed as the flags state.
func setInstalled(extensions []cluster.ClusterExtension, flags []installedFlag) error {
	for _, f := range flags {
		at := 0
		if len(extensions) == 0 {
			return Usagef("--installed %s: the manifests have no ClusterExtension; pass one with -f", f.installed.Name)
		}
		if f.extension == "" {
			if len(extensions) != 1 {
				return Usagef("--installed %s: there are %s; name one, as in EXTENSION=%s@%s",
					f.installed.Name, terminal.Count(len(extensions), "ClusterExtension"), f.installed.Name, f.installed.Version)
			}
		} else if at = slices.IndexFunc(extensions, func(e cluster.ClusterExtension) bool { return e.Name == f.extension }); at < 0 {
			names := terminal.Mapped(extensions, func(e cluster.ClusterExtension) string { return e.Name })
			return Usagef("--installed %s=%s: unknown ClusterExtension%s", f.extension, f.installed.Name, terminal.Suggestion(f.extension, names))
		}
		extensions[at].Installed = &f.installed
	}
	return nil
}
