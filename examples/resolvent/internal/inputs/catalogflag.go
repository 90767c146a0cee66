package inputs

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
)

// CatalogFlag is one --catalog.
type CatalogFlag struct {
	Key  catalog.Key
	text string // of the flag
	// From is the minor of OpenShift from which on the catalog is as given, empty for any.
	From string
	// declared: the running cluster names it, and no flag.
	declared bool
	from     string
	// priority counts if hasPriority is true; labels are nil if none are given.
	priority    int
	hasPriority bool
	labels      map[string]string
	// Image is the catalog's own, for those that mirror it.
	Image string
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
		return CatalogFlag{}, errors.New("FROM is missing; 'help catalogs' says what it can be")
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
			return CatalogFlag{}, fmt.Errorf("%q cannot follow FROM; only priority=N, label=KEY:VALUE and image=REF can", part)
		}
	}
	return c, nil
}
