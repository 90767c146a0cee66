//go:build unix

package command

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
)

// A pipe that nobody writes to is waited for until the time is over.
func TestExpectPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	got := invoke(t, t.Context(), "", resolveArgs(from("install.yaml", "--expect", pipe, "--timeout", "50ms"), coast, island)...)
	assert.Equal(t, exitNotStarted, got.status)
	assert.Contains(t, got.stderr, inputs.ErrTimeout.Error())
}
