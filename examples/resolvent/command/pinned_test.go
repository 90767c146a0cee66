package command

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Interrupted while it writes, the program leaves whole manifests, and says how many are missing.
func TestPinnedInterrupted(t *testing.T) {
	const n = 10_000
	var manifests strings.Builder
	for i := range n {
		fmt.Fprintf(&manifests, "---\n{kind: Subscription, metadata: {name: s, namespace: n%d}, spec: {name: lantern, source: coast, sourceNamespace: olm}}\n", i)
	}
	t.Chdir(filepath.Join("..", "..", ".."))
	ctx, cancel := context.WithCancel(t.Context())
	stdout, stderr := &interrupting{interrupt: cancel}, &bytes.Buffer{}
	status := Run(ctx, resolveArgs([]string{"-f", "-", "-o", "yaml"}, coast), strings.NewReader(manifests.String()), stdout, stderr)
	assert.Equal(t, exitUnresolved, status)
	written := strings.Count(stdout.String(), "apiVersion")
	assert.Regexp(t, fmt.Sprintf("interrupted: %d of %d results printed\n$", written, n), stderr.String())
	assert.Greater(t, written, 0)
	last := strings.Split(stdout.String(), "---\n")[written-1]
	assert.Contains(t, last, "startingCSV: kerosene")
}

// interrupting interrupts the program when it writes.
type interrupting struct {
	bytes.Buffer
	interrupt func()
}

func (w *interrupting) Write(p []byte) (int, error) {
	w.interrupt()
	return w.Buffer.Write(p)
}
