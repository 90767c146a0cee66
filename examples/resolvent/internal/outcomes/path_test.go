package outcomes

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/resolver/result"
)

// It is said how often a path waits for approval, and for which InstallPlan first.
func TestApprovals(t *testing.T) {
	step := func(a string) result.PathStep {
		return result.PathStep{Resolution: &result.Resolution{Approval: a}}
	}
	one, two := []result.PathStep{step("Manual")}, []result.PathStep{step("Manual"), {Channel: "next"}, step("Manual")}
	for want, p := range map[string]result.Path{
		"": {Steps: []result.PathStep{step("Automatic"), {Channel: "next"}}},
		", once its InstallPlan is approved; do not approve the InstallPlan after the last step, which leads beyond the target":                                                                                       {Steps: one},
		", once InstallPlan p, which is waiting now, is approved; do not approve the InstallPlan after the last step, which leads beyond the target":                                                                  {Steps: one, InstallPlan: "p"},
		", with 2 approvals: after each step, OLM creates the InstallPlan of the next one; do not approve the InstallPlan after the last step, which leads beyond the target":                                         {Steps: two},
		", with 2 approvals: first of InstallPlan p, which is waiting now, then of the one that OLM creates for each further step; do not approve the InstallPlan after the last step, which leads beyond the target": {Steps: two, InstallPlan: "p"},
		"; InstallPlan p, which is waiting now, brings a, b instead": {Steps: []result.PathStep{step("Automatic")}, Instead: &result.WaitingPlan{InstallPlan: "p", Bundles: []string{"a", "b"}}},
	} {
		assert.Equal(t, want, approvals(&p, cache.NewView(nil)))
	}
}
