// Package findings prints what checks find: as text, JSON and annotations of a pull
// request.
package findings

import (
	"path/filepath"
	"strings"

	"github.com/resolvent/resolvent/resolver/catalogcheck"
)

// findingFile is the file of a finding as the caller would name it: the names of judged
// catalogs are their paths.
func findingFile(f *catalogcheck.Finding) string {
	if f.File == "" {
		return f.Catalog.Name
	}
	if strings.HasPrefix(filepath.Base(f.Catalog.Name), f.File) {
		return f.Catalog.Name // it is one file, perhaps compressed
	}
	return f.Catalog.Name + "/" + f.File
}
