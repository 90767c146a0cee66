package catalogcheck

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/catalogcheck/baseline"
)

// identity is what stays the same of a finding.
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

// digest stands behind a shortened text for the whole of it.
func digest(whole string) string {
	sum := sha256.Sum256([]byte(whole))
	return fmt.Sprintf(" (%x)", sum[:6])
}

// Ignore is a choice of findings to leave out: those with a code, of one package if that
// is named.
type Ignore struct {
	Code    catalog.Code
	Package string
}

func (i Ignore) covers(code catalog.Code, pkg string) bool {
	return i.Code == code && (i.Package == "" || i.Package == pkg)
}
