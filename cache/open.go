package cache

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/resolvent/resolvent/cache/internal/archive"
	"github.com/resolvent/resolvent/cache/internal/document"
	"github.com/resolvent/resolvent/cache/internal/image"
)

// OriginOptions are the options of a catalog that is not a tree of files already. The
// zero value works.
type OriginOptions struct {
	Options
	// Index, where it has a directory, keeps what was read of servers and images.
	Index IndexStore
	// IndexFiles keeps folders and files of this machine there, too. To tell whether
	// they have changed, all of them are read.
	IndexFiles bool
	// Remote opens what http:// and https:// name, as remote.Options of package
	// cache/remote does; without it, URLs are refused.
	Remote func(url string) (RemoteFile, error)
	// Stdin is what - stands for; without it, standard input is refused.
	Stdin io.Reader
}

const prefixOCI = "oci:"

// images open images on disk, by the prefixes of their names.
var images = map[string]func(file, reference string, opts OriginOptions) Origin{
	prefixOCI: func(dir, reference string, opts OriginOptions) Origin {
		return OCILayout(insideFS(dir), reference, opts)
	},
	"oci-archive:":    packedImage(image.Layout),
	"docker-archive:": packedImage(image.Docker),
}

// Open returns the catalog that a text names:
//
//   - a folder (see [FS]), or a file, which is JSON or YAML, a tar of a tree of files,
//     or one of these compressed with gzip or zstd: its content tells which;
//   - - for standard input, or a pipe (see [Stream]);
//   - http:// or https://, the base URL of a catalogd, or a file (see [Remote]);
//   - oci:DIR[:TAG-OR-DIGEST], oci-archive:FILE and docker-archive:FILE, an image on
//     disk: a layout (see [OCILayout]), one that is packed, or what docker save or
//     podman save wrote.
//
// An archive that cannot be unpacked, passes a limit, or has an entry that leads out of
// the tree or is no file, fails the reading with a *[catalog.FaultsError] and its place.
//
// Open looks at what is on disk, but reads nothing. Its error says how to get the
// catalog in a form that can be read.
func Open(from string, opts OriginOptions) (Origin, error) {
	switch {
	case from == "-" && opts.Stdin == nil:
		return nil, errors.New("there is no standard input to read from")
	case from == "-":
		return Stream("standard input", opts.Stdin, opts), nil
	case strings.HasPrefix(from, "http://"), strings.HasPrefix(from, "https://"):
		if opts.Remote == nil {
			return nil, fmt.Errorf("%s: URLs are not read here", from)
		}
		file, err := opts.Remote(from)
		if err != nil {
			return nil, err
		}
		return Remote(file, opts), nil
	case strings.HasPrefix(from, "docker:"):
		return nil, fmt.Errorf("%s: registries are not read; %s", from, howToCopy)
	}
	kind, rest, _ := strings.Cut(from, ":")
	if open := images[kind+":"]; open != nil {
		file, reference, err := splitReference(rest)
		return open(file, reference, opts), err
	}
	return openPath(from, opts)
}

// insideFS is a folder of regular files, in which no link leads out of it.
type insideFS string

// Open implements fs.FS.
func (dir insideFS) Open(name string) (fs.File, error) {
	root, err := os.OpenRoot(string(dir))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	// To open a pipe would wait for who writes to it.
	if info, err := root.Stat(name); err == nil && !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("it is no regular file")}
	}
	return root.Open(name)
}

const howToCopy = "'opm render IMAGE -o json > catalog.json' or 'skopeo copy docker://IMAGE oci:DIR' brings the catalog of an image here"

// splitReference splits a path from the tag or digest behind it: the path is as much
// as is there.
func splitReference(text string) (path, reference string, err error) {
	for path = text; ; {
		_, err := os.Stat(path)
		if err == nil {
			return path, strings.TrimLeft(strings.TrimPrefix(text, path), ":@"), nil
		}
		end := strings.LastIndexAny(path, ":@")
		if end <= 0 {
			return "", "", fmt.Errorf("%w; %s", err, howToCopy)
		}
		path = path[:end]
	}
}

// openPath returns the catalog in something on disk.
func openPath(name string, opts OriginOptions) (Origin, error) {
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w; if it is an image, %s", err, howToCopy)
	}
	if err != nil {
		return nil, err
	}
	if !opts.IndexFiles {
		opts.Index = IndexStore{}
	}
	switch dir, base := os.DirFS(filepath.Dir(name)), filepath.Base(name); {
	case info.IsDir():
		if _, err := os.Stat(filepath.Join(name, "oci-layout")); err == nil {
			return nil, fmt.Errorf("%s holds an image: name it %s%s", name, prefixOCI, name)
		}
		return fsSource(os.DirFS(name), opts.Index, opts.Options), nil
	case !info.Mode().IsRegular():
		opts.Index = IndexStore{} // it can be read only once
		source := archiveFile(dir, base, opts)
		source.version = noVersion
		return source, nil
	case document.IsCatalogFile(name):
		file := archive.OneFile{Name: base, OpenFile: func() (fs.File, error) { return dir.Open(base) }}
		return fsSource(file, opts.Index, opts.Options), nil
	default:
		return archiveFile(dir, base, opts), nil
	}
}
