package inputs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Streams are a command's standard streams, and what it has to know of the program: its
// name and version, its arguments, and the running cluster that it reads, nil if there is none.
type Streams struct {
	In               io.Reader
	Out, Err         io.Writer
	Program, Version string
	Args             []string
	Live             Live
}

// OpenFile opens a file that reads until ctx ends. A pipe that nobody writes to blocks
// whoever opens it.
func OpenFile(ctx context.Context, name string) (*os.File, error) {
	type opened struct {
		file *os.File
		err  error
	}
	done := make(chan opened, 1)
	go func() {
		file, err := os.Open(name)
		done <- opened{file, err}
	}()
	select {
	case o := <-done:
		if o.err != nil {
			return nil, FileError(o.err)
		}
		context.AfterFunc(ctx, func() { o.file.Close() })
		return o.file, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
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
