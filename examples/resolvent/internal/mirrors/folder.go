package mirrors

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/resolver/mirror"
)

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
	return inputs.WriteFolder(folder, func(part string) error {
		root, err := os.OpenRoot(part)
		if err != nil {
			return err
		}
		defer root.Close()
		for i, text := range texts {
			if err := cmp.Or(context.Cause(ctx), write(root, m.Catalogs[i].Key, text)); err != nil {
				return err
			}
		}
		return nil
	})
}

func write(root *os.Root, key catalog.Key, text []byte) error {
	folder := filepath.Join(key.Namespace, key.Name)
	if err := root.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	return root.WriteFile(filepath.Join(folder, "catalog.json"), text, 0o644)
}
