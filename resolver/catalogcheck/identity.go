package catalogcheck

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/catalogcheck/baseline"
)

// identity is short for baseline.Identity.
type identity = baseline.Identity

func identityOf(f catalog.Fault) identity {
	id := identity{Code: f.Code, Package: f.Package, Channel: f.Channel, Bundle: f.Bundle}
	switch {
	case f.Package == "" || slices.Contains(ofFiles, f.Code):
		id.Cause = f.File
	case slices.Contains(onePerPlace, f.Code):
	case f.Code == "field": // its message may name a line
		id.Cause = f.Path
	case f.Path != "":
		id.Cause = f.Path + ": " + f.Message
	default:
		id.Cause = f.Message
	}
	return id
}

// digest returns the digest of a text, to put behind a shortened form of it.
func digest(whole string) string {
	sum := sha256.Sum256([]byte(whole))
	return fmt.Sprintf(" (%x)", sum[:6])
}

// Ignore leaves out the findings with a code, of one package if Package is set.
type Ignore struct {
	Code    catalog.Code
	Package string
}

func (i Ignore) covers(code catalog.Code, pkg string) bool {
	return i.Code == code && (i.Package == "" || i.Package == pkg)
}
