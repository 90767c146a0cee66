package document

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// What is read without the grammar is what the grammar accepts.
func TestPlainNames(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	plain := 0
	for range 20_000 {
		text := make([]byte, []int{1, 5, 12, 64, 80, 255, 256}[r.IntN(7)])
		for i := range text {
			if text[i] = "abcdef0123456789"[r.IntN(16)]; r.IntN(40) == 0 {
				text[i] = "._-/:AZ"[r.IntN(7)]
			}
		}
		if name := string(text); plainName(name) {
			plain++
			assert.True(t, pullSpec().MatchString(name) && !identifier().MatchString(name), name)
		}
	}
	assert.Greater(t, plain, 5000)
}
