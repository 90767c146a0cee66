package rules_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/constraints/rules"
)

// No rule panics, and none ends without a verdict.
func FuzzRule(f *testing.F) {
	for _, source := range []string{
		`properties.exists(p, p.type == "tier" && p.value == "gold")`,
		`semver_compare(properties[0].value.version, cluster.kubernetesVersion) > 0`,
		`semver_in_range("1.0", ">=1.0.0 || || 2.0.0")`,
		`properties.map(p, p.value).filter(v, v != null)[0] in properties`,
		`"a".matches("(a{1000}){1000}")`, `{1: 2}[dyn([])] == 1`, `[[1]].exists(x, [x + x] == [x])`, "((((", "\x00",
		`timestamp("2020-01-01T00:00:00Z") < timestamp("2021-01-01T00:00:00Z") + duration("1h")`,
	} {
		f.Add(source)
	}
	p := newReader()
	facts := rules.Facts{KubernetesVersion: "1.30.0"}
	f.Fuzz(func(t *testing.T, source string) {
		r, err := p.Rule(source)
		if err != nil {
			require.Less(t, len(err.Error()), 4000)
			return
		}
		verdict, err := r.Eval(context.Background(), ruleProperties, facts)
		require.NotEqual(t, rules.Unknown, verdict)
		require.Equal(t, verdict == rules.Failed, err != nil)
	})
}
