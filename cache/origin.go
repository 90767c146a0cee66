package cache

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"

	"github.com/resolvent/resolvent/cache/internal/archive"
	"github.com/resolvent/resolvent/cache/internal/image"
	"github.com/resolvent/resolvent/cache/internal/task"
)

// archiveFile returns the catalog in one file of a file system: a tar of a tree of files,
// or a text, JSON or YAML; either compressed with gzip or zstd, or not. The content
// tells which it is. Its version is made of the size and the modification time, and
// what identifies it to the index is a digest of the file.
//
// An archive that cannot be unpacked, passes a limit, or has an entry that leads out
// of the tree or is no file, is a *[catalog.FaultsError] with the place.
func archiveFile(fsys fs.FS, name string, opts OriginOptions) *treeSource {
	return &treeSource{
		store: opts.Index, opts: opts.Options,
		version: func(context.Context) (string, error) { return fileStatus(fsys, name) },
		content: func(ctx context.Context) (string, error) { return fileDigest(ctx, fsys, name, opts.Options) },
		tree: func(ctx context.Context) (fs.FS, func(), error) {
			file, err := fsys.Open(name)
			if err != nil {
				return nil, nil, err
			}
			return opts.unpack(ctx, name, file, func() { file.Close() })
		},
	}
}

// unpack returns the tree that a stream holds. The stream is closed with the tree, or
// at once if there is none.
func (o *OriginOptions) unpack(ctx context.Context, name string, r io.Reader, closeStream func()) (fs.FS, func(), error) {
	files, err := archive.NewBudget(o.Limits.WithDefaults()).Files(ctx, path.Base(name), r)
	if err != nil {
		closeStream()
		return nil, nil, err
	}
	return files, func() { files.Close(); closeStream() }, nil
}

// Stream returns the catalog that comes from a reader, such as standard input, as
// [Open] reads it from a file. It can be loaded once, has no version, and is never
// kept in an index. The name stands in errors.
func Stream(name string, r io.Reader, opts OriginOptions) Origin {
	return &treeSource{
		opts: opts.Options, version: noVersion,
		tree: func(ctx context.Context) (fs.FS, func(), error) {
			return opts.unpack(ctx, name, r, func() {})
		},
	}
}

// noVersion is the version of what can be read only once.
func noVersion(context.Context) (string, error) { return "", nil }

// OCILayout returns the catalog in an image of an OCI layout, such as the folder that
// skopeo copies to oci:DIR: the image with the reference, a tag or a digest, or
// without one the only one there is. Of several platforms it takes that of this
// machine, else linux/amd64, else the only one. The catalog is in the folder that the
// image's label operators.operatorframework.io.index.configs.v1 names. Layers are
// applied with their whiteouts, and all digests verified.
//
// Its version is the digest of the manifest. What is wrong with the image is a
// *[catalog.FaultsError] with the place.
func OCILayout(fsys fs.FS, reference string, opts OriginOptions) Origin {
	return imageSource(opts, func(context.Context, *archive.Budget) (*image.Image, error) {
		return image.Layout(fsys, reference)
	})
}

// packedImage returns how the catalog is opened in an image that is packed into one file, a
// tar that may be compressed. It is otherwise as [OCILayout]; of what docker save or podman
// save wrote, the version is the digest of the image's configuration.
func packedImage(find func(files fs.FS, reference string) (*image.Image, error)) func(file, reference string, opts OriginOptions) Origin {
	return func(file, reference string, opts OriginOptions) Origin {
		dir, name := os.DirFS(filepath.Dir(file)), filepath.Base(file)
		return imageSource(opts, func(ctx context.Context, budget *archive.Budget) (*image.Image, error) {
			files, err := budget.OpenPacked(ctx, name, func() (fs.File, error) { return dir.Open(name) })
			if err != nil {
				return nil, err
			}
			return find(files, reference)
		})
	}
}

// imageSource is an image that find finds. Each time, it has a budget of its own.
func imageSource(opts OriginOptions, find func(context.Context, *archive.Budget) (*image.Image, error)) Origin {
	digest := func(ctx context.Context) (string, error) {
		i, err := find(ctx, archive.NewBudget(opts.Limits.WithDefaults()))
		if err != nil {
			return "", err
		}
		return i.Digest, nil
	}
	return &treeSource{
		store: opts.Index, opts: opts.Options, version: digest, content: digest,
		tree: func(ctx context.Context) (fs.FS, func(), error) {
			budget := archive.NewBudget(opts.Limits.WithDefaults())
			i, err := find(ctx, budget)
			if err != nil {
				return nil, nil, err
			}
			tree, err := i.Tree(ctx, budget)
			return tree, func() {}, err
		},
	}
}

// fileStatus identifies a file cheaply, "" if it has no time.
func fileStatus(fsys fs.FS, name string) (string, error) {
	info, err := fs.Stat(fsys, name)
	if err != nil || info.ModTime().IsZero() {
		return "", err
	}
	return strconv.FormatInt(info.Size(), 10) + " " + strconv.FormatInt(info.ModTime().UnixNano(), 10), nil
}

// fileDigest identifies the content of a file.
func fileDigest(ctx context.Context, fsys fs.FS, name string, opts Options) (string, error) {
	file, err := fsys.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	limit := opts.Limits.WithDefaults().ArchiveBytes
	if _, err := io.Copy(sum, io.LimitReader(task.Reader{Ctx: ctx, From: file}, limit)); err != nil {
		return "", err
	}
	return fmt.Sprintf("file %s", hex.EncodeToString(sum.Sum(nil))), nil
}
