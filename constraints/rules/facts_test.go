package rules_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/constraints/rules"
)

func TestVerdictString(t *testing.T) {
	assert.Equal(t, "unknown", rules.Unknown.String())
	assert.Equal(t, "yes", rules.Yes.String())
	assert.Equal(t, "no", rules.No.String())
	assert.Equal(t, "failed", rules.Failed.String())
	assert.Equal(t, "Verdict(9)", rules.Verdict(9).String())
}

func TestFactsKey(t *testing.T) {
	facts := []rules.Facts{
		{},
		{KubernetesVersion: "1"},
		{OpenShiftVersion: "1"},
		{Namespace: "1"},
		{Labels: map[string]string{"a": "1"}},
		{Labels: map[string]string{"a": "1", "b": "2"}},
		{Labels: map[string]string{`a"="1" "b`: "2"}},
	}
	seen := map[string]bool{}
	for _, f := range facts {
		assert.NotContains(t, seen, f.Key())
		seen[f.Key()] = true
	}
	assert.Equal(t, rules.Facts{}.Key(), rules.Facts{Labels: map[string]string{}}.Key())
}
