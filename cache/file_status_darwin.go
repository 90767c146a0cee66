package cache

import (
	"io/fs"
	"syscall"
)

// statusOf returns what tells a state of a file from all others, as far as the
// operating system knows; false if it does not.
func statusOf(info fs.FileInfo) (fileStatus, bool) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fileStatus{}, false
	}
	return fileStatus{
		device: uint64(s.Dev), inode: s.Ino, mode: uint64(s.Mode), size: uint64(s.Size),
		modified: s.Mtimespec.Nano(), changed: s.Ctimespec.Nano(),
	}, true
}
