package inputs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/resolvent/resolvent/resolver/check"
)

// Streams are a command's standard streams, and what it has to know of the program: its
// name and version, its arguments, the running cluster that it reads, nil if there is none, and
// what judges CustomResourceDefinitions as OLM v1 does, nil if nothing does.
type Streams struct {
	In               io.Reader
	Out, Err         io.Writer
	Program, Version string
	Args             []string
	Live             Live
	Safety           check.Safety
}

// OpenFile opens a file that reads until ctx ends. A pipe that nobody writes to blocks
// whoever opens it.
func OpenFile(ctx context.Context, name string) (*os.File, error) {
	file, err := until(ctx, func() (*os.File, error) { return os.Open(name) })
	if err != nil {
		return nil, FileError(err)
	}
	context.AfterFunc(ctx, func() { file.Close() })
	return file, nil
}

// ReadFile reads a whole file until ctx ends. A file of more than most bytes is an error, so that
// one without an end does not fill the memory.
func ReadFile(ctx context.Context, name string, most int64) ([]byte, error) {
	large := false
	text, err := until(ctx, func() ([]byte, error) {
		file, err := OpenFile(ctx, name)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		if info, err := file.Stat(); err == nil && info.Size() > most {
			large = true // without reading it
			return nil, nil
		}
		text, err := io.ReadAll(io.LimitReader(file, most+1))
		large = int64(len(text)) > most
		return text, err
	})
	switch {
	case ctx.Err() != nil && err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	case err == nil && large:
		return nil, fmt.Errorf("%s: it has more than the %d bytes that are read", name, most)
	}
	return text, FileError(err)
}

// until returns what f returns, or the cause if ctx ends before that. Then f goes on alone.
func until[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type returned struct {
		value T
		err   error
	}
	done := make(chan returned, 1)
	go func() {
		value, err := f()
		done <- returned{value, err}
	}()
	select {
	case r := <-done:
		if r.err != nil && ctx.Err() != nil {
			r.err = context.Cause(ctx) // it closed the file
		}
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}

// FileError is an error of a file as people read it, without the name of a system call.
func FileError(err error) error {
	if of, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s: %w", of.Path, of.Err)
	}
	return err
}

// UsageError is a fault of the command line.
type UsageError struct{ error }

func Usagef(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

// Want is the error of a value that has another form than this.
type Want string

func (w Want) Error() string { return "invalid; want " + string(w) }
