package inputs

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFile writes a file, as a whole or not at all: beside the name, and then under it.
// What is no regular file, such as a pipe, is written as it is.
func WriteFile(name string, text []byte) error {
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(name); err == nil {
		if !info.Mode().IsRegular() {
			return os.WriteFile(name, text, 0)
		}
		mode = info.Mode()
		if name, err = filepath.EvalSymlinks(name); err != nil {
			return err
		}
	}
	file, err := os.OpenFile(filepath.Join(filepath.Dir(name), "."+rand.Text()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil { // the other name says nothing to anybody
		return fmt.Errorf("%s: %w", filepath.Dir(name), errors.Unwrap(err))
	}
	defer os.Remove(file.Name()) // it is gone if all went well
	_, err = file.Write(text)
	if err = cmp.Or(err, file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), name)
}
