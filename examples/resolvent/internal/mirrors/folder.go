package mirrors

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/mirror"
)

// CheckFolder returns an error unless catalogs can be written to a folder: it is empty, or
// not there yet.
func CheckFolder(folder string) error {
	entries, err := os.ReadDir(folder)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err == nil && len(entries) > 0:
		err = fmt.Errorf("%s: the folder is not empty; name one that is, or that is not there yet", folder)
	}
	return err
}

// WriteFolder writes the catalogs cut down to a folder, with all that their Blobs state: all
// of them or nothing.
func WriteFolder(ctx context.Context, folder string, m *mirror.Mirror, blobs []*cache.Blobs) error {
	var texts [][]byte
	for i := range m.Catalogs {
		c := &m.Catalogs[i]
		text, err := cache.Render(ctx, c.Snapshot, slices.Collect(c.Snapshot.Packages()), blobs[i])
		if err != nil {
			return err
		}
		texts = append(texts, text)
	}
	_, err := os.Stat(folder)
	made := errors.Is(err, os.ErrNotExist)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	err = fill(ctx, folder, m, texts)
	if err != nil && made {
		os.Remove(folder)
	}
	return err
}

// fill writes all texts, or none: into a folder of their own first.
func fill(ctx context.Context, folder string, m *mirror.Mirror, texts [][]byte) error {
	beside, err := os.MkdirTemp(folder, ".part-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(beside)
	root, err := os.OpenRoot(beside)
	if err != nil {
		return err
	}
	defer root.Close()
	for i, text := range texts {
		if err := cmp.Or(context.Cause(ctx), write(root, m.Catalogs[i].Key, text)); err != nil {
			return err
		}
	}
	entries, err := os.ReadDir(beside)
	for _, e := range entries {
		err = cmp.Or(err, os.Rename(filepath.Join(beside, e.Name()), filepath.Join(folder, e.Name())))
	}
	return err
}

func write(root *os.Root, key catalog.Key, text []byte) error {
	folder := filepath.Join(key.Namespace, key.Name)
	if err := root.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	return root.WriteFile(filepath.Join(folder, "catalog.json"), text, 0o644)
}
