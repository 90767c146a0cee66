package terminal

import (
	"bufio"
	"context"
	"io"
	"strings"
)

// Confirm asks a question, and reports whether the answer is yes. An input that ends says no.
// The error is the cause for which ctx ended before.
func Confirm(ctx context.Context, in io.Reader, out io.Writer, question string) (bool, error) {
	Printf(out, "%s [y/N] ", question)
	answer := make(chan string, 1)
	go func() { // a read of a terminal does not end with ctx
		line, _ := bufio.NewReader(in).ReadString('\n')
		answer <- line
	}()
	select {
	case <-ctx.Done():
		return false, context.Cause(ctx)
	case line := <-answer:
		line = strings.ToLower(strings.TrimSpace(line))
		return line == "y" || line == "yes", nil
	}
}
