//go:build unix

package inputs

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A pipe is read as a file is, and one that nobody writes to does not block for ever.
func TestPipes(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	go func() { os.WriteFile(pipe, []byte(`{"code":"trap"}`), 0) }()
	known := AcceptFlags{knownIn: pipe}
	require.NoError(t, known.Read(t.Context(), nil, Streams{}))
	assert.Equal(t, 1, known.Known.Len())

	writer, err := os.OpenFile(pipe, os.O_RDWR, 0)
	require.NoError(t, err)
	defer writer.Close()
	for _, opened := range []bool{true, false} {
		if !opened {
			require.NoError(t, writer.Close())
		}
		ctx, cancel := context.WithTimeoutCause(t.Context(), 10*time.Millisecond, assert.AnError)
		assert.ErrorIs(t, (&AcceptFlags{knownIn: pipe}).Read(ctx, nil, Streams{}), assert.AnError)
		cancel()
	}
}

// What has no other end is given up when the context ends, and what has no end at a limit.
func TestEndless(t *testing.T) {
	for name, use := range map[string]func(ctx context.Context, pipe string) error{
		"read":  func(ctx context.Context, pipe string) error { _, err := ReadFile(ctx, pipe, 10); return err },
		"write": func(ctx context.Context, pipe string) error { return WriteFile(ctx, pipe, []byte("text")) },
	} {
		pipe := filepath.Join(t.TempDir(), name)
		require.NoError(t, syscall.Mkfifo(pipe, 0o600))
		ctx, cancel := context.WithTimeoutCause(t.Context(), 10*time.Millisecond, assert.AnError)
		assert.ErrorIs(t, use(ctx, pipe), assert.AnError, name)
		cancel()
	}
	_, err := ReadFile(t.Context(), "/dev/zero", 10)
	assert.ErrorContains(t, err, "/dev/zero: it has more than the 10 bytes that are read")
	large := filepath.Join(t.TempDir(), "large")
	require.NoError(t, os.WriteFile(large, nil, 0o600))
	require.NoError(t, os.Truncate(large, 1<<30))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = ReadFile(t.Context(), large, 64<<20)
	runtime.ReadMemStats(&after)
	assert.ErrorContains(t, err, "large: it has more than the 67108864 bytes that are read")
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20), "it is not read")
	text, err := ReadFile(t.Context(), os.DevNull, 10)
	assert.NoError(t, err)
	assert.Empty(t, text)
}
