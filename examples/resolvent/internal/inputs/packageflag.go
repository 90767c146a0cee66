package inputs

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/blang/semver/v4"
	"github.com/spf13/pflag"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/examples/resolvent/internal/listing"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/policy"
)

// PackageFlags are the --package flags of a command.
type PackageFlags []packageFlag

// packageFlag is a Subscription that nobody has written.
type packageFlag struct {
	namespace    string // empty for the only one that there is
	pkg, channel string
	start        string // a bundle or a version
}

var (
	namespaceName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)
	objectName    = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
	noObjectName  = regexp.MustCompile(`[^a-z0-9]+`)
	packageParts  = regexp.MustCompile(`^(?:([^/@=\s]+)/)?([^/@=\s]+)(?:@([^/@=\s]+))?(?:=([^@=\s]+))?$`)
)

// parsePackageFlag reads [NAMESPACE/]PACKAGE[@CHANNEL][=BUNDLE or VERSION].
func parsePackageFlag(s string) (packageFlag, error) {
	parts := packageParts.FindStringSubmatch(s)
	if parts == nil {
		return packageFlag{}, Want("PACKAGE, PACKAGE@CHANNEL or PACKAGE=VERSION, optionally after NAMESPACE/")
	}
	f := packageFlag{parts[1], parts[2], parts[3], parts[4]}
	if f.namespace != "" && !namespaceName.MatchString(f.namespace) {
		return f, fmt.Errorf("%q is not a valid namespace; want at most 63 lower-case letters, digits and dashes", f.namespace)
	}
	if v, err := semver.ParseTolerant(f.start); err == nil {
		f.start = v.String()
	}
	return f, nil
}

// parsePinFlag reads [NAMESPACE/]PACKAGE[=BUNDLE or VERSION].
func parsePinFlag(s string) (policy.Pin, error) {
	f, err := parsePackageFlag(s)
	if err != nil || f.channel != "" {
		return policy.Pin{}, Want("PACKAGE, PACKAGE=BUNDLE or PACKAGE=VERSION, optionally after NAMESPACE/")
	}
	pin := policy.Pin{Namespace: f.namespace, Package: f.pkg, Bundle: f.start}
	if _, err := semver.Parse(f.start); err == nil {
		pin.Bundle, pin.Version = "", f.start
	}
	return pin, nil
}

// Register adds --package to a set. With one, the manifests of input may be missing.
func (f *PackageFlags) Register(set *pflag.FlagSet, input *Flags) {
	Group(set, GroupInput, func(set *pflag.FlagSet) {
		set.Func("package", "add a Subscription to `PACKAGE`, as [NAMESPACE/]PACKAGE[@CHANNEL]; append =BUNDLE or =VERSION to start from that, such as web/etcd@alpha=0.9.4; "+
			"the default namespace is that of --namespace, the only one in the manifests, or operators; repeatable",
			func(s string) error {
				p, err := parsePackageFlag(s)
				*f = append(*f, p)
				input.WithoutManifests = true
				return err
			})
	})
}

// defaultNamespace is where operators for the whole cluster usually are.
const defaultNamespace = "operators"

// Subscribe returns the cluster with the Subscriptions that the flags stand for, in the
// namespaces that are to be resolved if any are given.
func (flags PackageFlags) Subscribe(c *cluster.Index, namespaces []string, view *cache.View) (*cluster.Index, error) {
	if len(flags) == 0 {
		return c, nil
	}
	objects := c.Objects()
	objects.Subscriptions = slices.Clone(objects.Subscriptions)
	for _, f := range flags {
		if err := f.setNamespace(namespaces, &objects); err != nil {
			return nil, err
		}
		s := cluster.Subscription{Namespace: f.namespace, Name: unusedName(objects.Subscriptions, f.namespace, f.pkg), Package: f.pkg, Channel: f.channel, StartingCSV: f.start,
			Annotations: map[string]string{cluster.AnnotationAsked: ""}}
		if err := checkPackage(f, view); err != nil {
			return nil, err
		}
		if _, err := semver.Parse(f.start); err == nil {
			if s.StartingCSV, err = bundleOf(f, view); err != nil {
				return nil, err
			}
		}
		objects.Subscriptions = append(objects.Subscriptions, s)
	}
	for catalog := range view.Catalogs() {
		if catalog.Key.Namespace != "" {
			return cluster.NewIndex(objects), nil
		}
	}
	return nil, Usagef("--package: Subscriptions see only catalogs with a namespace; pass one with --catalog NAMESPACE/NAME=FROM")
}

// maxObjectName is shorter than what an API server accepts: a number may follow.
const maxObjectName = 200

// nameFor returns the name of a Subscription to a package: that of the package if an object can
// have it, else what of it can stand there.
func nameFor(pkg string) string {
	if len(pkg) <= maxObjectName && objectName.MatchString(pkg) {
		return pkg
	}
	name := strings.Trim(noObjectName.ReplaceAllString(strings.ToLower(pkg), "-"), "-")
	return cmp.Or(strings.Trim(name[:min(len(name), maxObjectName)], "-"), "package")
}

// unusedName returns [nameFor] with a number if a Subscription of the namespace has that name.
func unusedName(list []cluster.Subscription, namespace, pkg string) string {
	name := nameFor(pkg)
	for n := 2; slices.ContainsFunc(list, func(o cluster.Subscription) bool { return o.Namespace == namespace && o.Name == name }); n++ {
		name = nameFor(pkg) + "-" + strconv.Itoa(n)
	}
	return name
}

// setNamespace chooses the namespace of a request that names none. Those given with
// --namespace are the only ones that are resolved.
func (f *packageFlag) setNamespace(given []string, o *cluster.Objects) error {
	switch {
	case f.namespace == "" && len(given) == 0:
		// The only one that the manifests name.
		f.namespace = defaultNamespace
		if names := slices.Compact(slices.Sorted(slices.Values(namespaces(o)))); len(names) == 1 {
			f.namespace = names[0]
		}
	case f.namespace == "" && len(given) == 1:
		f.namespace = given[0]
	case f.namespace == "":
		return Usagef("--package %s: there are several namespaces; name one, as in %s/%[1]s", f.pkg, given[0])
	case len(given) > 0 && !slices.Contains(given, f.namespace):
		return Usagef("--package %s/%s: --namespace leaves out namespace %[1]s; add it, or name another one", f.namespace, f.pkg)
	}
	return nil
}

// namespaces are those of requests, of what is installed and of OperatorGroups, with repeats.
func namespaces(o *cluster.Objects) (names []string) {
	for _, s := range o.Subscriptions {
		names = append(names, s.Namespace)
	}
	for _, c := range o.CSVs {
		names = append(names, c.Namespace)
	}
	for _, g := range o.OperatorGroups {
		names = append(names, g.Namespace)
	}
	return names
}

// checkPackage refuses a package that no catalog has, and a version where a channel should be.
func checkPackage(f packageFlag, view *cache.View) error {
	found, unread, channels, version := false, false, []string{}, ""
	for c := range view.Catalogs() {
		if c.Snapshot == nil {
			unread = true // it may have what is asked for
			continue
		}
		p := c.Snapshot.Package(f.pkg)
		if p == nil {
			continue
		}
		found = true
		for _, channel := range p.Channels {
			channels = append(channels, channel.Name)
		}
		for _, b := range listing.Of(cache.NewView([]cache.Catalog{*c}), f.pkg+"@"+f.channel, "").Packages {
			if len(b.Bundles) > 0 { // none is usable if all are quarantined
				version = b.Bundles[0].Version
			}
		}
	}
	if version == "" {
		if v, err := semver.Parse(strings.TrimPrefix(f.channel, "v")); err == nil {
			version = v.String() // the package does not have it, either
		}
	}
	switch {
	case unread || slices.Contains(channels, f.channel):
		return nil
	case !found:
		return fmt.Errorf("--package %s: no catalog has this package%s", f.pkg, listing.NearestPackage(f.pkg, view))
	case f.channel == "" || f.start != "" || version == "":
		return nil
	}
	return Usagef("--package %s@%s: @ names a channel here, and the package has only %s; for a version write --package %[1]s=%[4]s",
		f.pkg, f.channel, terminal.Few(slices.Compact(slices.Sorted(slices.Values(channels)))), version)
}

// bundleOf returns the name of the bundle that has the version that is asked for.
func bundleOf(f packageFlag, view *cache.View) (string, error) {
	var found, versions []string
	there := false
	for c := range view.Catalogs() {
		if c.Snapshot == nil || c.Snapshot.Package(f.pkg) == nil {
			continue
		}
		there = true
		for _, b := range listing.Bundles(c.Snapshot, c.Snapshot.Package(f.pkg), "") {
			versions = append(versions, b.Version)
			inChannel := f.channel == "" || slices.Contains(b.Channels, f.channel)
			if b.Version == f.start && inChannel && !slices.Contains(found, b.Bundle) {
				found = append(found, b.Bundle)
			}
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return "", Usagef("--package %s=%s: several bundles have this version; name one of %s", f.pkg, f.start, terminal.OneOf(found))
	case len(versions) == 0 && there:
		return "", fmt.Errorf("--package %s=%s: the package has no usable bundle; 'check' says why", f.pkg, f.start)
	case len(versions) == 0:
		return "", fmt.Errorf("--package %s=%s: no catalog has this package%s", f.pkg, f.start, listing.NearestPackage(f.pkg, view))
	}
	return "", fmt.Errorf("--package %s=%s: the package has no such version, only %s", f.pkg, f.start, terminal.Few(versions))
}
