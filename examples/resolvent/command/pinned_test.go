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

// What a user applies has the rest of the spec that was given, and what was left open.
func TestPinnedKeepsTheSpec(t *testing.T) {
	given := `
kind: Subscription
metadata: {name: lamp-oil, namespace: n, labels: {team: keepers}}
spec: {name: kerosene, config: {env: [{name: PROXY, value: "true"}], resources: {limits: {cpu: 2}}}}
`
	const want = `apiVersion: operators.coreos.com/v1alpha1
kind: Subscription
metadata:
  name: lamp-oil
  namespace: 'n'
spec:
  channel: barrel
  config:
    env:
    - name: PROXY
      value: 'true'
    resources:
      limits:
        cpu: 2
  installPlanApproval: Manual
  name: kerosene
  source: coast
  sourceNamespace: olm
  startingCSV: kerosene.v1.4.0
`
	for name, manifests := range map[string]string{"given": given, "applied": want} {
		t.Run(name, func(t *testing.T) {
			got := invoke(t, t.Context(), manifests, resolveArgs([]string{"-f", "-", "-o", "yaml", "--all"}, coast)...)
			assert.Equal(t, outcome{exitResolved, want, ""}, got)
		})
	}
}

// Interrupted while it writes, the program leaves whole manifests, and says how many are missing.
func TestPinnedInterrupted(t *testing.T) {
	const n = 10_000
	var manifests strings.Builder
	for i := range n {
		fmt.Fprintf(&manifests, "---\n{kind: Subscription, metadata: {name: s, namespace: n%d}, spec: {name: kerosene, source: coast, sourceNamespace: olm}}\n", i)
	}
	t.Chdir(filepath.Join("..", "..", ".."))
	ctx, cancel := context.WithCancel(t.Context())
	stdout, stderr := &interrupting{interrupt: cancel}, &bytes.Buffer{}
	status := Run(ctx, resolveArgs([]string{"-f", "-", "-o", "yaml", "--all"}, coast), strings.NewReader(manifests.String()), stdout, stderr)
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
