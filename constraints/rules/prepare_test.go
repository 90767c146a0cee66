package rules

import (
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// CEL is prepared once, by whoever needs it first, and not without a rule.
func TestCELIsPreparedWithTheFirstRule(t *testing.T) {
	p := NewReader(Limits{})
	prepared, prepare := 0, p.compiler
	p.compiler = sync.OnceValues(func() (*compiler, error) {
		prepared++
		return prepare()
	})
	_, err := p.Range(">=1.0.0")
	require.NoError(t, err)
	assert.Zero(t, prepared)
	var parsing sync.WaitGroup
	for range 8 {
		parsing.Go(func() {
			_, err := p.Rule("true")
			assert.NoError(t, err)
		})
	}
	parsing.Wait()
	assert.Equal(t, 1, prepared)
}

// If CEL cannot be prepared, rules are errors, and nothing else is.
func TestCELCannotBePrepared(t *testing.T) {
	cause := errors.New("no CEL")
	p := NewReader(Limits{})
	p.compiler = func() (*compiler, error) { return nil, cause }
	for range 2 {
		rule, err := p.Rule("true")
		assert.Nil(t, rule)
		assert.ErrorIs(t, err, cause)
	}
	_, err := p.Range(">=1.0.0")
	assert.NoError(t, err)
}
