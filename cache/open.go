package cache

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/internal/archive"
	"github.com/resolvent/resolvent/cache/internal/document"
	"github.com/resolvent/resolvent/cache/internal/image"
	"github.com/resolvent/resolvent/cache/internal/walk"
)

// OriginOptions are the options of [Open] and of sources that are not trees of files. The
// zero value works.
type OriginOptions struct {
	Options
	// Index, if it has a directory, keeps the snapshots of servers and images.
	Index IndexStore
	// IndexFiles makes Index keep those of local archives and of folders and files with YAML,
	// too. To detect changes, their files are read in full. JSON is read as fast as an index.
	IndexFiles bool
	// Remote opens URLs, as remote.Options.Open of package cache/remote does. Without it,
	// Open refuses URLs.
	Remote func(url string) (RemoteFile, error)
	// Stdin is the standard input, which - names. Without it, Open refuses -.
	Stdin io.Reader
}

const prefixOCI = "oci:"

// images are the functions that open images on disk, by prefix.
var images = map[string]func(file, reference string, opts OriginOptions) Origin{
	prefixOCI: func(dir, reference string, opts OriginOptions) Origin {
		return OCILayout(insideFS(dir), reference, opts)
	},
	"oci-archive:":    packedImage(image.Layout),
	"docker-archive:": packedImage(image.Docker),
}

// Open returns the catalog that a text names:
//
//   - a folder (see [FS]);
//   - a file: JSON, YAML or a tar of a tree of files, each perhaps compressed with gzip or
//     zstd. Its content tells which;
//   - - for standard input, or a pipe (see [Stream]);
//   - http:// or https://, the base URL of a catalogd or the URL of a file,
//     which a [Cache] gets again only if it has changed;
//   - oci:DIR[:TAG-OR-DIGEST], an OCI layout (see [OCILayout]);
//   - oci-archive:FILE, a packed OCI layout;
//   - docker-archive:FILE, an archive of docker save or podman save.
//
// Reading the catalog fails with a *[catalog.FaultsError] for an archive that cannot be
// unpacked, exceeds a limit, or has an entry that leads out of the tree or is no file.
//
// Open itself reads no content. Its error names a command that converts the catalog.
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
		return &remoteSource{file, opts}, nil
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

// insideFS is a folder of regular files. Links out of it are errors.
type insideFS string

// Open implements fs.FS.
func (dir insideFS) Open(name string) (fs.File, error) {
	root, err := os.OpenRoot(string(dir))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	// Opening a pipe would wait for its other end.
	if info, err := root.Stat(name); err == nil && !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("it is not a regular file")}
	}
	return root.Open(name)
}

const howToCopy = "'opm render IMAGE -o json > catalog.json' or 'skopeo copy docker://IMAGE oci:DIR' saves the catalog of an image here"

// pathError is the error of a path that cannot be looked at, without the name of a system call.
func pathError(path string, err error, remedy string) error {
	if of, ok := errors.AsType[*fs.PathError](err); ok {
		err = of.Err
	}
	return fmt.Errorf("%s: %w; %s", path, err, remedy)
}

// remedyFor returns what to do about a folder or file that cannot be looked at.
func remedyFor(name string, err error) string {
	const other = "name a folder or file that is a catalog; 'opm render IMAGE -o json > catalog.json' writes one"
	host, _, below := strings.Cut(name, "/")
	switch {
	case !errors.Is(err, fs.ErrNotExist):
		return "name a folder or file that can be read"
	case strings.HasPrefix(name, "file:"):
		return "name a file by its path alone"
	case strings.Contains(name, "://"):
		return "URLs that are read begin with http:// or https://"
	case strings.HasPrefix(name, "~"):
		return "a shell replaces ~ only where a word begins: write the path in full"
	case strings.Contains(name, ":"), below && strings.Trim(host, ".") != "" && strings.Contains(host, "."):
		return "if it is an image, " + howToCopy
	}
	return other
}

// splitReference splits a text into a path and a tag or digest. The path is the longest
// prefix that exists.
func splitReference(text string) (path, reference string, err error) {
	for path = text; ; {
		_, err := os.Stat(path)
		if err == nil {
			return path, strings.TrimLeft(strings.TrimPrefix(text, path), ":@"), nil
		}
		end := strings.LastIndexAny(path, ":@")
		if end <= 0 {
			return "", "", pathError(text, err, howToCopy)
		}
		path = path[:end]
	}
}

// openPath returns the catalog in a folder, file or pipe.
func openPath(name string, opts OriginOptions) (Origin, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, pathError(name, err, remedyFor(name, err))
	}
	if !opts.IndexFiles {
		opts.Index = IndexStore{}
	}
	switch dir, base := os.DirFS(filepath.Dir(name)), filepath.Base(name); {
	case info.IsDir():
		if _, err := os.Stat(filepath.Join(name, "oci-layout")); err == nil {
			return nil, fmt.Errorf("%s holds an image: name it %s%s", name, prefixOCI, name)
		}
		return plainTree(os.DirFS(name), opts), nil
	case !info.Mode().IsRegular():
		opts.Index = IndexStore{} // it can be read only once
		source := archiveFile(dir, base, opts)
		source.version = noVersion
		return source, nil
	case document.IsCatalogFile(name):
		file := archive.OneFile{Name: base, OpenFile: func() (fs.File, error) { return dir.Open(base) }}
		return plainTree(file, opts), nil
	default:
		return archiveFile(dir, base, opts), nil
	}
}

// plainTree returns a tree of files that are not packed. One of JSON gets no index: to compare its
// files and to read the index takes as long as to read them (BenchmarkReadIndex,
// BenchmarkLoadCommunity). YAML takes ten times as long.
func plainTree(fsys fs.FS, opts OriginOptions) *treeSource {
	s := fsSource(fsys, opts.Index, opts.Options)
	digest := s.content
	s.content = func(ctx context.Context) (string, error) {
		tree, err := walk.List(ctx, fsys)
		if err != nil || !slices.ContainsFunc(tree.Files, document.IsYAMLFile) {
			return "", err
		}
		return digest(ctx)
	}
	return s
}
