// Package findings prints what checks find, as text, JSON and annotations of a pull
// request.
package findings

import (
	"path/filepath"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
)

// FileIn is a file of a judged catalog as the caller would name it: the names of these
// catalogs are their paths.
func FileIn(judged catalog.Key, file string) string {
	if file == "" || file == "." {
		return judged.Name
	}
	if strings.HasPrefix(filepath.Base(judged.Name), file) {
		return judged.Name // it is one file, perhaps compressed
	}
	return judged.Name + "/" + file
}
