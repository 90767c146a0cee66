package command

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// terminals returns the two ends of a terminal.
func terminals(t *testing.T) (ours, program *os.File) {
	ours, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	require.NoError(t, err)
	t.Cleanup(func() { ours.Close() })
	var number, unlocked int32
	for request, at := range map[uintptr]*int32{syscall.TIOCGPTN: &number, syscall.TIOCSPTLCK: &unlocked} {
		_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, ours.Fd(), request, uintptr(unsafe.Pointer(at)))
		require.Zero(t, errno)
	}
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { program.Close() })
	return ours, program
}

// TestAtTerminal: a terminal, which shows what a command is at, changes neither its end nor its errors.
func TestAtTerminal(t *testing.T) {
	t.Chdir(filepath.Join("..", "..", ".."))
	ours, program := terminals(t)
	go io.Copy(io.Discard, ours)
	args := verbs()
	args["lock made"] = lockArgs(filepath.Join(t.TempDir(), "operators.lock"))
	args["lock update"] = lockArgs("testdata/examples/lock/operators.lock", "--update", "-o", "diff")
	for name, args := range args {
		t.Run(name, func(t *testing.T) {
			want := Run(t.Context(), args, strings.NewReader(""), io.Discard, io.Discard)
			assert.Equal(t, want, Run(t.Context(), args, strings.NewReader(""), io.Discard, program))
			assert.Equal(t, want, Run(t.Context(), args, strings.NewReader(""), program, program))
		})
	}
}
