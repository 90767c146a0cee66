package inputs

import (
	"fmt"
	"io"
)

// Streams are a command's standard streams, and what it has to know of the program: its
// name, and the running cluster that it reads, nil if there is none.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
	Program  string
	Live     Live
}

// UsageError is a fault of the command line.
type UsageError struct{ error }

// Usagef returns a UsageError.
func Usagef(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }
