package inputs

import (
	"slices"
	"strings"

	"github.com/blang/semver/v4"
	"github.com/spf13/pflag"

	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/check"
)

// RegisterAssumptions registers the flags for what other catalogs provide.
func RegisterAssumptions(set *pflag.FlagSet, target *check.Assumptions) {
	set.Func("assume-package", "assume that another catalog has package `NAME` in any version, or with NAME=VERSION in that version; repeatable", func(s string) error {
		name, version, stated := strings.Cut(s, "=")
		if name == "" {
			return Want("NAME or NAME=VERSION")
		}
		var only *semver.Version
		if stated {
			v, err := semver.Parse(version)
			if err != nil {
				return Want("NAME or NAME=VERSION, with a version such as 1.2.3")
			}
			only = &v
		}
		if target.Packages == nil {
			target.Packages = map[string][]*semver.Version{}
		}
		target.Packages[name] = append(target.Packages[name], only)
		return nil
	})
	set.Func("assume-api", "assume that another catalog provides the `API` KIND.VERSION.GROUP; repeatable", func(s string) error {
		parts := strings.SplitN(s, ".", 3)
		if len(parts) < 3 || slices.Contains(parts, "") {
			return Want("KIND.VERSION.GROUP, such as Certificate.v1.cert-manager.io")
		}
		target.APIs = append(target.APIs, properties.GVK{Kind: parts[0], Version: parts[1], Group: parts[2]})
		return nil
	})
}
