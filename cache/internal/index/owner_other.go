//go:build !unix

package index

import (
	"io/fs"
	"os"
)

const openFlags = os.O_RDONLY

// checkOwner accepts any file: who owns it is not known in one way everywhere.
func checkOwner(fs.FileInfo) error { return nil }
