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

// archiveFile returns the catalog in one file: JSON, YAML or a tar of a tree of files, each
// perhaps compressed. Its version is its size and modification time. The index identifies
// it by a digest of the file.
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

// unpack returns the tree in a stream. closeStream is called with the function that closes
// the tree, or at once on an error.
func (o *OriginOptions) unpack(ctx context.Context, name string, r io.Reader, closeStream func()) (fs.FS, func(), error) {
	files, err := archive.NewBudget(o.Limits.WithDefaults()).Files(ctx, path.Base(name), r)
	if err != nil {
		closeStream()
		return nil, nil, err
	}
	return files, func() { files.Close(); closeStream() }, nil
}

// Stream returns the catalog in a reader, such as standard input. It has the forms of a file
// of [Open]. It can be loaded once, has no version, and no index keeps it. Errors have the
// name.
func Stream(name string, r io.Reader, opts OriginOptions) Origin {
	return &treeSource{
		opts: opts.Options, version: noVersion,
		tree: func(ctx context.Context) (fs.FS, func(), error) {
			return opts.unpack(ctx, name, r, func() {})
		},
	}
}

// noVersion is the version of a stream, which can be read only once.
func noVersion(context.Context) (string, error) { return "", nil }

// OCILayout returns the catalog in an image of an OCI layout, such as the folder that skopeo
// copies to oci:DIR. The reference is a tag or a digest. Without one, the layout must have a
// single image. Of several platforms it takes that of this machine, else linux/amd64, else
// the only one.
//
// The label operators.operatorframework.io.index.configs.v1 of the image names the folder
// of the catalog. Layers are applied with their whiteouts, and all digests are verified.
// The version is the digest of the manifest. An invalid image is a *[catalog.FaultsError]
// with the place.
func OCILayout(fsys fs.FS, reference string, opts OriginOptions) Origin {
	return imageSource(opts, func(context.Context, *archive.Budget) (*image.Image, error) {
		return image.Layout(fsys, reference)
	})
}

// packedImage returns a function that opens the catalog of an image in a tar, which may be
// compressed. Otherwise it is as [OCILayout]. For docker save and podman save, the version is
// the digest of the configuration of the image.
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

// imageSource returns the catalog in the image that find returns. Each reading has its own
// budget.
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

// fileStatus returns the size and time of a file, "" if it has no time.
func fileStatus(fsys fs.FS, name string) (string, error) {
	info, err := fs.Stat(fsys, name)
	if err != nil || info.ModTime().IsZero() {
		return "", err
	}
	return strconv.FormatInt(info.Size(), 10) + " " + strconv.FormatInt(info.ModTime().UnixNano(), 10), nil
}

// fileDigest returns a digest of the content of a file.
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
