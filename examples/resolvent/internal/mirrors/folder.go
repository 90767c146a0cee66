package mirrors

import (
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

// Related reads the related images of bundles of a catalog.
type Related func(key catalog.Key, of []catalog.BundleName) (cache.RelatedImages, error)

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

// WriteFolder writes the catalogs cut down to a folder, with their related images.
func WriteFolder(ctx context.Context, folder string, m *mirror.Mirror, related Related) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	for i := range m.Catalogs {
		if err := writeCatalog(ctx, root, &m.Catalogs[i], related); err != nil {
			return err
		}
	}
	return nil
}

func writeCatalog(ctx context.Context, root *os.Root, c *mirror.Catalog, related Related) error {
	var names []catalog.BundleName
	for id := range c.Snapshot.Len() {
		b := c.Snapshot.Bundle(catalog.ID(id))
		names = append(names, catalog.BundleName{Package: b.Package, Bundle: b.Name})
	}
	images, err := related(c.Key, names)
	if err != nil {
		return err
	}
	text, err := cache.Render(ctx, c.Snapshot, slices.Collect(c.Snapshot.Packages()), images)
	if err != nil {
		return err
	}
	folder := filepath.Join(c.Key.Namespace, c.Key.Name)
	if err := root.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	file, err := root.OpenFile(filepath.Join(folder, "catalog.json"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return errors.Join(err, file.Close())
}
