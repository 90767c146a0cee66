//go:build !unix

package index

import (
	"io/fs"
	"os"
)

const openFlags = os.O_RDONLY

// checkOwner accepts any file, because owners differ between operating systems.
func checkOwner(fs.FileInfo) error { return nil }
