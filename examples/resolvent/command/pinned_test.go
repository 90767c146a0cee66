package command

import (
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
