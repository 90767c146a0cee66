package archive

import (
	"archive/tar"
	"context"
	"errors"
	"io"
	"path"
	"strings"

	"github.com/resolvent/resolvent/cache/internal/code"
)

// Kind is the kind of an entry of a tar.
type Kind uint8

// The kinds of entries.
const (
	Directory Kind = iota
	File
	Link     // a symbolic link
	HardLink // another name of an earlier entry
	Other    // a device, a pipe or a sparse file
)

// Entry is an entry of a tar. Its name is a clean path inside of the tree.
type Entry struct {
	Name string // "." for the tree itself
	Kind Kind
	// Target is the target of a link as it is written.
	Target string
	Size   int64
}

const (
	// maxEntryName is the longest name of an entry in bytes, as on Linux.
	maxEntryName = 4096
	// maxDepth is how deep entries may be nested in folders.
	maxDepth = 128
)

// Walk calls visit for each entry of a tar, with its content. It stops at the first
// error.
func (b *Budget) Walk(ctx context.Context, place string, r io.Reader, visit func(e Entry, content io.Reader) error) error {
	for t := tar.NewReader(r); ; {
		if err := ctx.Err(); err != nil {
			return err
		}
		header, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return tarError(place, err)
		}
		if header.Typeflag == tar.TypeXGlobalHeader {
			continue
		}
		if b.entries--; b.entries < 0 {
			return Fault(code.Limit, place, "there are more than the %d entries allowed", b.limits.ArchiveEntries)
		}
		entry := Entry{Kind: kindOf(header), Target: header.Linkname, Size: header.Size}
		var fault string
		if entry.Name, fault = cleanName(header.Name); fault != "" {
			return Fault(code.Archive, Place(place, header.Name), "%s", fault)
		}
		if err := visit(entry, t); err != nil {
			return tarError(Place(place, entry.Name), err)
		}
	}
}

// tarError makes a fault of an error of a tar, and returns other errors.
func tarError(place string, err error) error {
	if err == tar.ErrHeader || err == tar.ErrFieldTooLong || err == io.ErrUnexpectedEOF {
		return Fault(code.Archive, place, "the tar cannot be read: %v", reworded(err))
	}
	return err
}

// Place returns the place of an entry in an archive.
func Place(archive, entry string) string {
	if archive == "" {
		return entry
	}
	return archive + ": " + entry
}

func kindOf(header *tar.Header) Kind {
	for name := range header.PAXRecords {
		if strings.HasPrefix(name, "GNU.sparse.") {
			return Other
		}
	}
	switch header.Typeflag {
	case tar.TypeReg, tar.TypeCont:
		return File
	case tar.TypeDir:
		return Directory
	case tar.TypeSymlink:
		return Link
	case tar.TypeLink:
		return HardLink
	}
	return Other
}

// cleanName returns the clean name of an entry, or the fault of the name.
func cleanName(name string) (clean, fault string) {
	switch {
	case len(name) > maxEntryName:
		return "", "its name is longer than the 4096 bytes allowed"
	case strings.Count(name, "/") > maxDepth:
		return "", "it lies deeper than the 128 folders allowed"
	case strings.HasPrefix(name, "/") && strings.Trim(name, "/") != "":
		return "", "its name is absolute, which leads out of the tree"
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == ".." {
			return "", "its name leads out of the tree"
		}
	}
	// kaniko names the tree itself with a single slash.
	return path.Clean(strings.TrimLeft(name, "/")), ""
}
