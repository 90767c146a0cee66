package overview_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/examples/resolvent/internal/overview"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/result"
)

func TestLegend(t *testing.T) {
	assert.Equal(t, result.States, terminal.Mapped(overview.States, func(m overview.Meaning) result.State { return m.State }))
	for _, m := range overview.States {
		assert.NotEmpty(t, m.Words)
		assert.Contains(t, overview.Legend(), m.Text)
	}
}
