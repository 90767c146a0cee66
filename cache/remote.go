package cache

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"io/fs"

	"github.com/resolvent/resolvent/cache/catalog"
)

// RemoteFile is a file on a server. Package cache/remote implements it for HTTP. It must be
// safe for any number of goroutines.
type RemoteFile interface {
	// Name returns the name of the file, for errors.
	Name() string
	// Version returns the version of the content without getting it, "" if the server does
	// not tell. After an error, Get is not called.
	Version(ctx context.Context) (string, error)
	// Get calls use with the content and its version, unless that is the known one. It
	// calls use again if the transfer fails in the middle, and returns the error of use.
	Get(ctx context.Context, known string, use func(version string, content io.Reader) error) error
}

// remoteSource is a file on a server. Unlike a Versioned, it detects a change and gets the
// new content in one request. With an index, the file is sent only if the index does not have
// its version.
type remoteSource struct {
	file RemoteFile
	opts OriginOptions
}

// Load implements Source.
func (s *remoteSource) Load(ctx context.Context) (*catalog.Snapshot, error) {
	read, err := s.load(ctx, "")
	return read.snapshot, err
}

// LoadChecked implements Origin.
func (s *remoteSource) LoadChecked(ctx context.Context) (checked *Checked, err error) {
	err = s.file.Get(ctx, "", func(_ string, content io.Reader) error {
		checked, err = readFrom(ctx, s.tree(content), s.opts.Options, true)
		return err
	})
	return checked, err
}

// load reads the catalog unless it is that of the known version.
func (s *remoteSource) load(ctx context.Context, known string) (read sourceRead, err error) {
	if known == "" && s.opts.Index.Dir != "" {
		version, err := s.file.Version(ctx)
		if err != nil {
			return read, err
		}
		if version != "" {
			// The index reports an error again when the answer is read.
			if snapshot, _ := s.opts.Index.read(ctx, version, s.opts.Options); snapshot != nil {
				return sourceRead{snapshot, version}, nil
			}
		}
	}
	read.version = known
	err = s.file.Get(ctx, known, func(version string, content io.Reader) error {
		read, err = s.read(ctx, version, content)
		return err
	})
	if read.version == known {
		read.snapshot = nil
	}
	return read, err
}

// read reads the content, or takes its snapshot from the index.
func (s *remoteSource) read(ctx context.Context, version string, content io.Reader) (read sourceRead, err error) {
	var sum hash.Hash
	if version == "" {
		// Without a version of the server, a digest identifies the content.
		sum = sha256.New()
		content = io.TeeReader(content, sum)
	}
	load := func(ctx context.Context) (*catalog.Snapshot, error) {
		return loadFrom(ctx, s.tree(content), s.opts.Options)
	}
	if s.opts.Index.Dir != "" {
		identify := func(context.Context) (string, error) { return version, nil }
		read.snapshot, err = s.opts.Index.Load(ctx, identify, s.opts.Options, load)
	} else {
		read.snapshot, err = load(ctx)
	}
	if read.version = version; sum != nil && err == nil {
		read.version = "sha256:" + hex.EncodeToString(sum.Sum(nil))
	}
	return read, err
}

// tree returns a function that opens the files in the content.
func (s *remoteSource) tree(content io.Reader) treeOpener {
	return func(ctx context.Context) (fs.FS, func(), error) {
		return s.opts.unpack(ctx, s.file.Name(), content, func() {})
	}
}
