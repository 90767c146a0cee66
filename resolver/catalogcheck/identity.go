package catalogcheck

import (
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
	case f.Path != "":
		id.Cause = f.Path + ": " + f.Message
	default:
		id.Cause = f.Message
	}
	return id
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
