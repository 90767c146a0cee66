package inputs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/remote"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
)

// Loaded reads a catalog in one way.
func Loaded[T any](ctx context.Context, from string, std Streams, load func(context.Context) (T, error)) (T, error) {
	from = remote.Public(from)
	done := terminal.ShowProgress(std.Err, "reading "+from)
	read, err := load(ctx)
	done()
	switch {
	case ctx.Err() != nil:
		return *new(T), fmt.Errorf("reading %s: %w", from, context.Cause(ctx))
	case err != nil && (strings.HasPrefix(err.Error(), from+":") || strings.HasPrefix(err.Error(), from+"/")): // as errors of servers do
		return *new(T), err
	case err != nil:
		return *new(T), fmt.Errorf("%s: %w", from, err)
	}
	return read, nil
}

// LoadSnapshot reads a catalog that is not judged.
func LoadSnapshot(ctx context.Context, from string, sources *SourceFlags, std Streams) (*catalog.Snapshot, error) {
	open, err := sources.Opener(ctx, std)
	if err != nil {
		return nil, err
	}
	origin, err := open(from, cache.Options{})
	if err != nil {
		return nil, err
	}
	snapshot, err := Loaded(ctx, from, std, origin.Load)
	if err != nil || snapshot.Len() > 0 || slices.ContainsFunc(snapshot.Faults(), takesBundles) {
		return snapshot, err
	}
	switch other := OtherFormat(from); {
	case other != nil:
		return nil, fmt.Errorf("%s: %w", from, other)
	case len(snapshot.Faults()) > 0:
		err = &catalog.FaultsError{Faults: snapshot.Faults()}
		return nil, fmt.Errorf("%s: %w; %w", remote.Public(from), errNoBundle, err)
	}
	return nil, fmt.Errorf("%s: %w", remote.Public(from), errNoBundle)
}

// LoadBackground reads the catalogs that flags name, for commands that judge none of them.
// Of those of the running cluster one has to be there; why others are not is noted.
func LoadBackground(ctx context.Context, flags []CatalogFlag, sources *SourceFlags, std Streams) ([]cache.Catalog, error) {
	var list []cache.Catalog
	var missing []error
	for _, c := range flags {
		snapshot, err := LoadSnapshot(ctx, c.from, sources, std)
		if err != nil {
			err = fmt.Errorf("catalog %s: %w", c.Key, err)
			if !c.declared || ctx.Err() != nil {
				return nil, err
			}
			missing = append(missing, err)
			continue
		}
		list = append(list, cache.Catalog{Key: c.Key, Priority: c.priority, Labels: c.labels, Snapshot: snapshot})
	}
	return list, noteUnread(missing, len(list), std)
}

// noteUnread returns why catalogs could not be read if none could be. Else it is noted.
func noteUnread(errs []error, read int, std Streams) error {
	err := errors.Join(errs...)
	if err == nil || read == 0 {
		return err
	}
	terminal.Printf(std.Err, "%s\n", err)
	return nil
}

// JudgedKey names a catalog that is given by its path alone.
func JudgedKey(from string) catalog.Key {
	if _, err := os.Stat(from); err == nil {
		from = filepath.ToSlash(filepath.Clean(from))
	}
	return catalog.Key{Name: remote.Public(from)}
}
