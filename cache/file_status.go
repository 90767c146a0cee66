package cache

import (
	"context"
	"encoding/binary"
	"io/fs"
	"time"
)

// fileStatus is what a file system tells of a file without reading it. Programs
// can set the time at which a file was modified, but not the one at which it was
// changed, which counts what was done to the file's status, too.
type fileStatus struct {
	device, inode, mode, size uint64
	modified, changed         int64 // in nanoseconds
}

const fileStatusBytes = 6 * 8

// settling is how long a file has to be unchanged before its status tells its
// state: two changes within one tick of the file system's clock look like one.
const settling = 2 * time.Second

// readStatuses returns the statuses of files, one behind the other, and whether
// they tell that the files have not changed. They do not where the operating
// system knows no time of the last change; where that time is a whole second,
// since the clock is too coarse then, or the times were made up when an image
// was; and within the settling time before the given one.
func readStatuses(ctx context.Context, fsys fs.FS, names []string, workers int, by time.Time) ([]byte, bool) {
	const together = 32
	statuses := make([]byte, fileStatusBytes*len(names))
	latest := by.Add(-settling).UnixNano()
	err := forEach(ctx, (len(names)+together-1)/together, workers, func(_ context.Context, part int) error {
		for i := part * together; i < min(len(names), (part+1)*together); i++ {
			info, err := fs.Stat(fsys, names[i])
			if err != nil {
				return err
			}
			status, ok := statusOf(info)
			if !ok || status.changed%int64(time.Second) == 0 || status.changed > latest {
				return errUnsettled
			}
			status.put(statuses[i*fileStatusBytes:])
		}
		return nil
	})
	return statuses, err == nil
}

func (s *fileStatus) put(to []byte) {
	for i, n := range [...]uint64{s.device, s.inode, s.mode, s.size, uint64(s.modified), uint64(s.changed)} {
		binary.LittleEndian.PutUint64(to[8*i:], n)
	}
}
