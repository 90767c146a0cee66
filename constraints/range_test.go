package constraints_test

import (
	"strings"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/constraints"
)

func TestRange(t *testing.T) {
	for _, test := range []struct{ text, in, out string }{
		{"1.2.3", "1.2.3", "1.2.4"},
		{">=1.0.0 <2.0.0", "2.0.0-rc.1", "2.0.0"},
		{">= 1.0.0 < 2.0.0", "1.0.0", "0.9.0"},
		{"<1.0.0 || >2.0.0", "2.0.1", "1.5.0"},
		{"1.x", "1.9.0", "2.0.0"},
		{"1.x.x", "1.0.9", "1.1.0"},
		{"!=1.2.x", "", "1.2.0"},
		{"!=1.2.x", "", "1.3.0"},
		{">=1.0.0 ! 1.3.0", "1.3.0", "1.4.0"},
		{"1.0.0+a", "1.0.0+b", "1.0.1"},
	} {
		r, err := constraints.ParseRange(test.text)
		require.NoError(t, err, test.text)
		assert.Equal(t, test.text, r.Text())
		assert.Equal(t, test.text, r.String())
		if test.in != "" {
			assert.True(t, r.Contains(semver.MustParse(test.in)), "%s in %s", test.in, test.text)
		}
		assert.False(t, r.Contains(semver.MustParse(test.out)), "%s in %s", test.out, test.text)
	}
}

func TestRangeErrors(t *testing.T) {
	for _, test := range []struct{ text, message string }{
		{"", "is empty"},
		{"   ", "is empty"},
		{"1.0.0 || || 2.0.0", "one side of ||"},
		{"1.0.0 || ! || 2.0.0", "one side of ||"},
		{"1.0.0 ||", "one side of ||"},
		{"|| 1.0.0", "one side of ||"},
		{"1.0.0||2.0.0", "1.0.0||2.0.0"},
		{">=1.0.0, <2.0.0", "1.0.0,"},
		{"~1.0.0", "~1.0.0"},
		{"^1.0.0", "^1.0.0"},
		{"*", "is not a comparison"},
		{"1.2", "1.2"},
		{"<v1.15.0", "v"},
		{">1.0.0-next", ">1.0.0-next"},
		{strings.Repeat(">=1.0.0 ", 600), "more than the 4096 allowed"},
	} {
		r, err := constraints.ParseRange(test.text)
		require.ErrorContains(t, err, test.message, test.text)
		assert.True(t, r.IsZero())
	}
}

func TestZeroRange(t *testing.T) {
	var r constraints.Range
	assert.True(t, r.IsZero())
	assert.Empty(t, r.Text())
	assert.Empty(t, r.Traps())
	assert.False(t, r.Contains(semver.MustParse("1.0.0")))
}

func TestTraps(t *testing.T) {
	for _, test := range []struct {
		text  string
		traps []string
	}{
		{">=1.0.0", nil},
		{">=1.0.0 <=2.0.0", nil},
		{"1.2.3", nil},
		{">=1.0.0 <2.0.0-0", nil},
		{"<1.0.0 || >2.0.0", []string{"also matches prereleases of 1.0.0"}},
		{">=1.0.0 <2.0.0", []string{"<2.0.0 also matches prereleases of 2.0.0, such as 2.0.0-rc.1; to leave them out write <2.0.0-0"}},
		{"1.2.x", []string{"also matches prereleases of 1.3.0"}},
		{"1.x", []string{"also matches prereleases of 2.0.0"}},
		{">=1.x", nil},
		{"1.x.x", []string{"1.x.x means 1.0.x, since only the last x stands for any number; write 1.x", "prereleases of 1.1.0"}},
		{">1.x.x", []string{">1.x.x means >1.0.x, since only the last x stands for any number; write >1.x"}},
		{"!=1.2.x", []string{"!=1.2.x is never true", "no version is in"}},
		{">=1.0.0 ! 1.3.0", []string{`"!" followed by a space`}},
		{">=1.0.0 2", []string{`"2" is passed over`}},
		{"1.0.0+build", []string{"the build +build is passed over"}},
		{"1.0.0 2.0.0", []string{`no version is in "1.0.0 2.0.0"`}},
		{">2.0.0 <1.0.0 || 3.0.0", []string{"also matches", `no version is in ">2.0.0 <1.0.0"`}},
		{">1.0.0 <1.0.1", []string{"also matches"}}, // 1.0.1-0 is between
		{"<0.0.0-0", []string{"no version is in"}},
	} {
		r, err := constraints.ParseRange(test.text)
		require.NoError(t, err, test.text)
		traps := r.Traps()
		require.Len(t, traps, len(test.traps), "%s: %q", test.text, traps)
		for i, want := range test.traps {
			assert.Contains(t, traps[i].Text, want, test.text)
		}
	}
}
