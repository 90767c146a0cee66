package inputs

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// WriteFile writes a file, as a whole or not at all: beside the name, and then under it.
// What is no regular file, such as a pipe, is written as it is, until ctx ends.
func WriteFile(ctx context.Context, name string, text []byte) error {
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(name); err == nil {
		if !info.Mode().IsRegular() {
			_, err := until(ctx, func() (struct{}, error) { return struct{}{}, os.WriteFile(name, text, 0) })
			return err
		}
		mode = info.Mode()
		if name, err = filepath.EvalSymlinks(name); err != nil {
			return err
		}
	}
	file, err := os.OpenFile(filepath.Join(filepath.Dir(name), "."+rand.Text()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil { // the other name says nothing to anybody, here and below
		return fmt.Errorf("%s: %w", filepath.Dir(name), errors.Unwrap(err))
	}
	defer os.Remove(file.Name()) // it is gone if all went well
	_, err = file.Write(text)
	if err = cmp.Or(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), name)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, errors.Unwrap(err))
	}
	return nil
}

// CheckNewFolder returns an error unless files can be written to a folder: it is empty or not
// there yet, and in none of the folders that are read.
func CheckNewFolder(folder string, read ...string) error {
	entries, err := os.ReadDir(folder)
	switch {
	case err == nil && len(entries) > 0:
		return fmt.Errorf("%s: the folder is not empty; name an empty or a new one", folder)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return FileError(err)
	}
	at, err := whereabouts(folder)
	if err != nil {
		return FileError(err)
	}
	for _, from := range read {
		parent, err := whereabouts(from)
		if err != nil {
			return FileError(err)
		}
		if inside, err := filepath.Rel(parent, at); err == nil && inside != ".." && !strings.HasPrefix(inside, ".."+string(filepath.Separator)) {
			return fmt.Errorf("%s: the folder is in %s, which is read; name one outside of it", folder, from)
		}
	}
	return nil
}

// whereabouts returns a path without links, also of what is not there yet.
func whereabouts(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	there := path
	for {
		at, err := filepath.EvalSymlinks(there)
		if !errors.Is(err, fs.ErrNotExist) || there == filepath.Dir(there) {
			return filepath.Join(at, strings.TrimPrefix(path, there)), err
		}
		there = filepath.Dir(there)
	}
}

// WriteFolder writes a folder, as a whole or not at all: fill writes to another one first.
func WriteFolder(folder string, fill func(part string) error) error {
	_, err := os.Stat(folder)
	made := errors.Is(err, fs.ErrNotExist)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	if err = filled(folder, fill); err != nil && made {
		os.Remove(folder)
	}
	return err
}

func filled(folder string, fill func(part string) error) error {
	part, err := os.MkdirTemp(folder, ".part-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(part)
	if err := fill(part); err != nil {
		return err
	}
	entries, err := os.ReadDir(part)
	for _, e := range entries {
		err = cmp.Or(err, os.Rename(filepath.Join(part, e.Name()), filepath.Join(folder, e.Name())))
	}
	return err
}

// ReplaceFiles writes files of a folder, or none of them: each is written beside its name before
// the first gets it, and if one cannot have it, the others get back what they were.
func ReplaceFiles(folder string, files map[string][]byte) (err error) {
	type file struct {
		name, part, kept string
	}
	var list []file
	defer func() {
		for _, f := range list {
			os.Remove(f.part) // it is gone if all went well
			if f.kept != "" {
				os.Remove(f.kept)
			}
		}
	}()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f := file{name: filepath.Join(folder, filepath.FromSlash(name))}
		mode := fs.FileMode(0o644)
		if info, err := os.Stat(f.name); err == nil {
			mode = info.Mode()
			if f.name, err = filepath.EvalSymlinks(f.name); err != nil {
				return err
			}
			f.kept = filepath.Join(filepath.Dir(f.name), "."+rand.Text())
		}
		f.part = filepath.Join(filepath.Dir(f.name), "."+rand.Text())
		list = append(list, f)
		if err := os.WriteFile(f.part, files[name], mode.Perm()); err != nil {
			return err
		}
		if f.kept != "" {
			if err := os.Link(f.name, f.kept); err != nil {
				return err
			}
		}
	}
	for i, f := range list {
		if err := os.Rename(f.part, f.name); err != nil {
			for _, done := range list[:i] {
				if done.kept == "" {
					err = errors.Join(err, os.Remove(done.name))
				} else {
					err = errors.Join(err, os.Rename(done.kept, done.name))
				}
			}
			return err
		}
	}
	return nil
}
