package generate

import (
	"fmt"
	"io/fs"
	"strings"
)

// The catalogs of this file are what no maintainer would write: each has one
// trait beyond measure. Packages are numbered from 0; see [PackageName].

// PackageName is the name of a package of a generated catalog by its number.
func PackageName(pkg int) string { return packageName(pkg) }

// Versions is one package with so many versions in one channel.
func Versions(n int) fs.FS {
	return packages(1, func(_ int, w *writer) { plainPackage(w, 0, n, nil) })
}

// Providers is package 0, which requires an API that each of the n others
// provides in so many versions.
func Providers(n, versions int) fs.FS {
	wanted := api{n + 1, 0}
	return packages(n+1, func(pkg int, w *writer) {
		if pkg == 0 {
			plainPackage(w, 0, versions, func(b *bundle) { b.required = []string{property("olm.gvk.required", wanted.json())} })
			return
		}
		plainPackage(w, pkg, versions, func(b *bundle) { b.apis = append(b.apis, wanted) })
	})
}

// Chain is n packages with so many versions, each of which requires the next
// package in the same version or a newer one. The last one requires what there
// is not, in all versions but so many of the oldest.
func Chain(n, versions, good int) fs.FS {
	return packages(n, func(pkg int, w *writer) {
		plainPackage(w, pkg, versions, func(b *bundle) {
			switch {
			case pkg+1 < n:
				b.required = []string{needs(pkg+1, ">="+versionText(b.version))}
			case b.version >= good:
				b.required = []string{needs(n, ">=1.0.0")}
			}
		})
	})
}

// Conflicts is n packages with so many versions, in which any two packages
// provide an API together: no two of them go together in the same version.
func Conflicts(n, versions int) fs.FS {
	return packages(n, func(pkg int, w *writer) {
		plainPackage(w, pkg, versions, func(b *bundle) {
			for other := range n {
				if other != pkg {
					b.apis = append(b.apis, api{min(pkg, other), 1 + max(pkg, other)*versions + b.version})
				}
			}
		})
	})
}

// Exclusions is as Conflicts, but the bundles state what they do not go with
// instead of providing the same.
func Exclusions(n, versions int) fs.FS {
	return packages(n, func(pkg int, w *writer) {
		plainPackage(w, pkg, versions, func(b *bundle) {
			same := make([]string, 0, n)
			for other := range n {
				if other != pkg {
					same = append(same, fmt.Sprintf(`{"package":{"packageName":%q,"versionRange":"=%s"}}`, packageName(other), versionText(b.version)))
				}
			}
			b.required = []string{property("olm.constraint", fmt.Sprintf(`{"not":{"constraints":[%s]}}`, strings.Join(same, ",")))}
		})
	})
}

// Alternatives is package 0, which requires any of n pairs of packages. Of each
// pair but the last, one package is not there.
func Alternatives(n int) fs.FS {
	return packages(2*n+1, func(pkg int, w *writer) {
		if pkg > 0 {
			plainPackage(w, pkg, 3, nil)
			return
		}
		pairs := make([]string, n)
		for i := range pairs {
			partner := 2*n + 1 + i
			if i == n-1 {
				partner = 2 * n
			}
			pairs[i] = fmt.Sprintf(`{"all":{"constraints":[{"package":{"packageName":%q,"versionRange":">=1.0.0"}},{"package":{"packageName":%q,"versionRange":">=1.0.0"}}]}}`,
				packageName(1+i), packageName(partner))
		}
		wide := property("olm.constraint", fmt.Sprintf(`{"any":{"constraints":[%s]}}`, strings.Join(pairs, ",")))
		plainPackage(w, 0, 3, func(b *bundle) { b.required = []string{wide} })
	})
}

func needs(pkg int, versions string) string {
	return property("olm.package.required", fmt.Sprintf(`{"packageName":%q,"versionRange":%q}`, packageName(pkg), versions))
}

// plainPackage writes a package with one channel, in which each version replaces
// the one before.
func plainPackage(w *writer, pkg, versions int, adjust func(*bundle)) {
	name := packageName(pkg)
	w.blob(fmt.Sprintf(`{"schema":"olm.package","name":%q,"defaultChannel":"stable"}`, name))
	entries := make([]string, versions)
	for version := range versions {
		entries[version] = fmt.Sprintf(`{"name":%q}`, bundleName(pkg, version))
		if version > 0 {
			entries[version] = fmt.Sprintf(`{"name":%q,"replaces":%q}`, bundleName(pkg, version), bundleName(pkg, version-1))
		}
	}
	w.blob(fmt.Sprintf(`{"schema":"olm.channel","package":%q,"name":"stable","entries":[%s]}`, name, strings.Join(entries, ",")))
	for version := range versions {
		b := bundle{pkg: pkg, version: version, apis: []api{{pkg, 0}}}
		if adjust != nil {
			adjust(&b)
		}
		b.write(w)
	}
}

// packages is a catalog of n packages in a file each.
func packages(n int, write func(pkg int, w *writer)) fs.FS {
	list := make(files, n)
	for pkg := range list {
		list[pkg] = file{packageName(pkg) + ".json", func() []byte {
			w := &writer{}
			write(pkg, w)
			return w.text
		}}
	}
	return list
}
