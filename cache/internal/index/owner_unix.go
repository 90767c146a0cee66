//go:build unix

package index

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// openFlags prevent following a link and waiting for the other end of a pipe.
const openFlags = os.O_RDONLY | syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// checkOwner returns an error for a file that a user other than root and this one may have
// written.
func checkOwner(info fs.FileInfo) error {
	if owner := info.Sys().(*syscall.Stat_t).Uid; owner != 0 && int(owner) != os.Geteuid() {
		return fmt.Errorf("it belongs to another user (%d)", owner)
	}
	if info.Mode().Perm()&0o022 != 0 {
		return errors.New("other users may write to it")
	}
	return nil
}
