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

// Kind says what an entry of a tar is.
type Kind uint8

// The kinds of entries.
const (
	Directory Kind = iota
	File
	Link     // a symbolic one
	HardLink // another name of an entry before it
	Other    // a device, a pipe or a sparse file
)

// Entry is an entry of a tar. Its name is clean and leads nowhere but into the tree.
type Entry struct {
	Name string // "." for the tree itself
	Kind Kind
	// Target is that of a link, as it is written.
	Target string
	Size   int64
}

const (
	// maxEntryName is how long the name of an entry may be, in bytes, as on Linux.
	maxEntryName = 4096
	// maxDepth is in how many folders an entry may lie.
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

// tarError makes a fault of what is wrong with a tar; other errors stay.
func tarError(place string, err error) error {
	if err == tar.ErrHeader || err == tar.ErrFieldTooLong || err == io.ErrUnexpectedEOF {
		return Fault(code.Archive, place, "the tar cannot be read: %v", reworded(err))
	}
	return err
}

// Place is the place of an entry in an archive.
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

// cleanName returns the name without what means nothing, or what is wrong with it.
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
	// kaniko writes the tree itself as a single slash.
	return path.Clean(strings.TrimLeft(name, "/")), ""
}
