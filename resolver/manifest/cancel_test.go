package manifest_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/resolver/internal/detached"
	"github.com/resolvent/resolvent/resolver/manifest"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// longInputs take a while to read, each in another way.
func longInputs() map[string][]byte {
	many := func(n int, format string) []byte {
		var b bytes.Buffer
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.Bytes()
	}
	enclosed := func(head string, text []byte, tail string) []byte {
		return append(append([]byte(head), bytes.TrimSuffix(text, []byte(","))...), tail...)
	}
	const subscription = `{"apiVersion":"operators.coreos.com/v1alpha1","kind":"Subscription","metadata":{"namespace":"n","name":"s%d"},"spec":{"name":"p"}}`
	return map[string][]byte{
		"YAML documents":   many(2_000, "---\nkind: Subscription\nmetadata: {namespace: n, name: s%d}\nspec: {name: p}\n"),
		"one YAML list":    enclosed("kind: List\nitems: [", many(2_000, subscription+","), "]"),
		"one YAML scalar":  enclosed("kind: Namespace\nmetadata: {name: n, labels: {a: \"", bytes.Repeat([]byte("a\n  "), 200_000), "\"}}"),
		"aliases":          enclosed("kind: X\na: &a ["+string(many(200, "%d,"))+"]\nb: [", bytes.Repeat([]byte("*a,"), 500), "]"),
		"JSON documents":   many(5_000, subscription+"\n"),
		"one JSON list":    enclosed(`{"kind":"List","items":[`, many(5_000, subscription+","), "]}"),
		"one large object": enclosed(`{"kind":"X","a":[`, many(200_000, "%d,"), "]}"),
	}
}

func TestCancelRead(t *testing.T) {
	for name, text := range longInputs() {
		t.Run(name, func(t *testing.T) {
			testkit.CancelAtRandom(t, func(ctx context.Context) error {
				_, err := manifest.Read(ctx, manifest.Input{Name: name, Reader: bytes.NewReader(text)})
				if ctx.Err() != nil && err != nil {
					assert.ErrorIs(t, err, context.Canceled)
				}
				return err
			})
		})
	}
}

// stuckReader cancels once it is read, and then waits.
type stuckReader struct {
	io.Reader
	cancel context.CancelFunc
}

func (r stuckReader) Read(p []byte) (int, error) {
	r.cancel()
	return r.Reader.Read(p)
}

// TestStuckReader: a reader that does not return, such as a terminal, holds up
// nobody but its own goroutine.
func TestStuckReader(t *testing.T) {
	// What tests before it have cancelled may still be ending.
	require.Eventually(t, func() bool { return detached.Abandoned() == 0 }, time.Minute, time.Millisecond)
	r, w := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	_, err := manifest.Read(ctx, manifest.Input{Name: "terminal", Reader: stuckReader{r, cancel}})
	assert.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, 1, detached.Abandoned())
	require.NoError(t, w.Close())
	assert.Eventually(t, func() bool { return detached.Abandoned() == 0 }, time.Minute, time.Millisecond)
}
