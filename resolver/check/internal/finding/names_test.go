package finding

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A name is nearly another one if they differ in one letter, and in one more for each five of
// it.
func TestClosest(t *testing.T) {
	assert.Equal(t, []string{"etc", "etcdx"}, Closest("etcd", []string{"etc", "etcd", "etcdx", "et", "kafka"}))
	assert.Equal(t, []string{"kiale", "kiall1"}, Closest("kiali", []string{"kiall1", "kiale", "kall1x"}), "the closest first")
}

// Ranges of other languages, as blang/semver writes them. An upper end may leave out the
// prereleases of its version.
func TestRanges(t *testing.T) {
	for text, want := range map[string][]string{
		">= 1.2.0":         {">=1.2.0"},
		"=>1.2.0":          {">=1.2.0"},
		"v1.2.0":           {"1.2.0"},
		"1.2":              {"1.2.0"},
		"1 || 2.1":         {"1.0.0 || 2.1.0"},
		">1 <2":            {">1.0.0 <2.0.0", ">1.0.0 <2.0.0-0"},
		"^1.2.3":           {">=1.2.3 <2.0.0", ">=1.2.3 <2.0.0-0"},
		"^0.3.1":           {">=0.3.1 <0.4.0", ">=0.3.1 <0.4.0-0"},
		"~v1.2":            {">=1.2.0 <1.3.0", ">=1.2.0 <1.3.0-0"},
		">=1.0.0, <2.0.0":  {">=1.0.0 <2.0.0", ">=1.0.0 <2.0.0-0"},
		">=1.0.0 && <3":    {">=1.0.0 <3.0.0", ">=1.0.0 <3.0.0-0"},
		`">=1.0.0"`:        {">=1.0.0"},
		">=1.0.0 <2.0.0":   {">=1.0.0 <2.0.0-0"},
		">=1.0.0 <2.0.0-0": {},
		"the newest":       {},
	} {
		assert.Equal(t, want, Ranges(text), text)
	}
}
