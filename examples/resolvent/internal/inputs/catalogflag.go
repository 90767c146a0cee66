package inputs

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/policy"
)

// CatalogFlag is one --catalog.
type CatalogFlag struct {
	Key  catalog.Key
	text string // of the flag
	// From is the minor of OpenShift from which on the catalog is as given, empty for any.
	From string
	// declared: the running cluster names it, and no flag. unnamed: a flag gives it without a
	// name, and its Key is the one that stands for that.
	declared, unnamed bool
	from              string
	// priority counts if hasPriority is true; labels are nil if none are given.
	priority    int
	hasPriority bool
	labels      map[string]string
	// Image is the catalog's own, for those that mirror it.
	Image string
}

// flagOf returns the flag that gives a catalog, nil if none does.
func flagOf(list []CatalogFlag, key catalog.Key) *CatalogFlag {
	for i := range list {
		if list[i].Key == key {
			return &list[i]
		}
	}
	return nil
}

// Unnamed is the catalog without a name for Subscriptions that name none. That for
// ClusterExtensions has the name alone.
var Unnamed = catalog.Key{Namespace: new(policy.Options).Globals()[0], Name: "catalog"}

// parseInputFlag reads a catalog, perhaps without a name.
func parseInputFlag(s string) (CatalogFlag, error) {
	if name, _, found := strings.Cut(s, "="); s == "" || found && !strings.ContainsAny(name, ",:") {
		return parseCatalogFlag(s)
	}
	c, err := parseCatalogFlag(Unnamed.String() + "=" + s)
	c.text, c.unnamed = s, true
	return c, err
}

// nameCatalogs gives a catalog without a name the only one that the objects use, for
// Subscriptions and for ClusterExtensions.
func (f *Flags) nameCatalogs(o *cluster.Objects) error {
	at := slices.IndexFunc(f.Catalogs, func(c CatalogFlag) bool { return c.unnamed })
	if at < 0 {
		return nil
	}
	unnamed := f.Catalogs[at]
	list := slices.Delete(slices.Clone(f.Catalogs), at, at+1)
	var v0, v1 []catalog.Key // that are used, and not given
	use := func(keys *[]catalog.Key, key catalog.Key) {
		if key.Name != "" && flagOf(list, key) == nil && !slices.Contains(*keys, key) {
			*keys = append(*keys, key)
		}
	}
	for _, s := range o.Subscriptions {
		use(&v0, catalog.Key{Namespace: cmp.Or(s.CatalogNamespace, Unnamed.Namespace), Name: s.Catalog})
	}
	if len(v0) == 0 {
		for _, s := range o.CatalogSources {
			use(&v0, s.Key)
		}
	}
	for _, c := range o.ClusterCatalogs {
		use(&v1, catalog.Key{Name: c.Name})
	}
	for _, e := range o.ClusterExtensions {
		if len(o.ClusterCatalogs) == 0 && e.Selector != nil {
			use(&v1, catalog.Key{Name: e.Selector.MatchLabels[cluster.LabelMetadataName]})
		}
	}
	add := func(keys []catalog.Key, otherwise catalog.Key) error {
		if len(keys) > 1 {
			return Usagef("--catalog %s: the manifests name several catalogs; name the one you mean, as in --catalog %s=FROM", unnamed.text, terminal.Word(keys[0].String()))
		}
		c := unnamed
		if c.Key = otherwise; len(keys) > 0 {
			c.Key = keys[0]
		}
		list = append(list, c)
		return nil
	}
	extensions := len(o.ClusterExtensions) > 0
	if !extensions || len(o.Subscriptions) > 0 {
		if err := add(v0, Unnamed); err != nil {
			return err
		}
	}
	if extensions {
		if err := add(v1, catalog.Key{Name: Unnamed.Name}); err != nil {
			return err
		}
	}
	if len(list) > len(f.Catalogs) && unnamed.from == stdinName {
		return UsageError{errStdinTwice}
	}
	f.Catalogs = list
	return nil
}

// Given is where the catalogs come from, by their names, but for addresses with a password.
func (f *Flags) Given() map[catalog.Key]string {
	given := map[catalog.Key]string{}
	for _, c := range f.Catalogs {
		if at, err := url.Parse(c.from); err != nil || at.User == nil {
			given[c.Key] = c.from
		}
	}
	return given
}

// CheckNamed refuses a catalog without a name where several clusters would name it.
func (f *Flags) CheckNamed() error {
	for _, c := range f.Catalogs {
		if c.unnamed {
			return Usagef("--catalog %s: for several clusters, name it as they do, as in --catalog NAMESPACE/NAME=FROM", c.text)
		}
	}
	return nil
}

// parseTargetFlag reads [MAJOR.MINOR:] and a catalog.
func parseTargetFlag(s string) (CatalogFlag, error) {
	minor, rest, found := strings.Cut(s, ":")
	if !found || !minorVersion.MatchString(minor) {
		minor, rest = "", s
	}
	c, err := parseCatalogFlag(rest)
	c.From, c.text = minor, s
	return c, err
}

var minorVersion = regexp.MustCompile(`^[0-9]+\.[0-9]+$`)

// parseCatalogFlag reads [NAMESPACE/]NAME=FROM[,priority=N][,label=KEY:VALUE][,image=REF].
func parseCatalogFlag(s string) (CatalogFlag, error) {
	id, rest, found := strings.Cut(s, "=")
	if !found {
		return CatalogFlag{}, Want("NAMESPACE/NAME=FROM")
	}
	key, err := ParseCatalogKey(id)
	if err != nil {
		return CatalogFlag{}, err
	}
	parts := strings.Split(rest, ",")
	c := CatalogFlag{Key: key, text: s, from: parts[0]}
	if c.from == "" {
		return CatalogFlag{}, errors.New("FROM is missing; see 'help catalogs'")
	}
	for _, part := range parts[1:] {
		name, value, _ := strings.Cut(part, "=")
		switch name {
		case "priority":
			n, err := strconv.ParseInt(value, 10, 32)
			if err != nil {
				return CatalogFlag{}, fmt.Errorf("priority %q: %w", value, Want("a whole number of at most 32 bits"))
			}
			c.priority, c.hasPriority = int(n), true
		case "label":
			k, v, found := strings.Cut(value, ":")
			if !found || k == "" {
				return CatalogFlag{}, fmt.Errorf("label %q: %w", value, Want("KEY:VALUE"))
			}
			if c.labels == nil {
				c.labels = map[string]string{}
			}
			c.labels[k] = v
		case "image":
			if c.Image = value; value == "" {
				return CatalogFlag{}, fmt.Errorf("image %q: %w", value, Want("REF, such as HOST/NAME:TAG"))
			}
		default:
			return CatalogFlag{}, fmt.Errorf("%q cannot follow FROM; want priority=N, label=KEY:VALUE or image=REF", part)
		}
	}
	return c, nil
}
