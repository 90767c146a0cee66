package generate

import (
	"fmt"
	"io/fs"
	"strings"
)

// No maintainer would write the catalogs of this file: each is extreme in one respect. Packages
// are numbered from 0; see [PackageName].

// PackageName returns the name of a generated package by its number.
func PackageName(pkg int) string { return packageName(pkg) }

// Versions returns one package with n versions in one channel.
func Versions(n int) fs.FS {
	return packages(1, func(_ int, w *writer) { plainPackage(w, 0, n, nil) })
}

// Providers returns package 0, which requires an API, and n packages that provide it in all of
// their versions.
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

// Chain returns n packages. Each version requires the next package in the same or a newer
// version. The last package requires a missing package, except in its good oldest versions.
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

// Conflicts returns n packages. Any two of them provide a common API in each version, so that no
// two can be installed in the same version.
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

// Exclusions is like Conflicts, but bundles exclude each other by constraints instead of APIs.
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

// Alternatives returns package 0, which requires any of n pairs of packages. Each pair but the last
// has a missing package.
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

// plainPackage writes a package with one channel, in which each version replaces the one before.
// adjust, if not nil, changes each bundle first.
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

// packages returns a catalog of n packages, each in a file of its own.
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
