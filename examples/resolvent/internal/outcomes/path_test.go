package outcomes

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/updates"
)

// It is said how often a path waits for approval, and for which InstallPlan first.
func TestApprovals(t *testing.T) {
	step := func(a string) updates.Step {
		return updates.Step{Resolution: &result.Resolution{Approval: a}}
	}
	one, two := []updates.Step{step("Manual")}, []updates.Step{step("Manual"), {Channel: "next"}, step("Manual")}
	for want, p := range map[string]updates.Path{
		"": {Steps: []updates.Step{step("Automatic"), {Channel: "next"}}},
		", once its InstallPlan is approved; what waits after that leads beyond":                                                                                                 {Steps: one},
		", once InstallPlan p, which waits now, is approved; what waits after that leads beyond":                                                                                 {Steps: one, InstallPlan: "p"},
		", in 2 approvals: once a step is done, OLM makes the InstallPlan of the next one, which waits again; what waits after that leads beyond":                                {Steps: two},
		", in 2 approvals: first of InstallPlan p, which waits now, then of the one that OLM makes for each further step, which waits again; what waits after that leads beyond": {Steps: two, InstallPlan: "p"},
	} {
		assert.Equal(t, want, approvals(&p))
	}
}
