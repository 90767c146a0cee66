package constraints_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/constraints/versionrange"
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
		r, err := versionrange.Parse(test.text)
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
		{">=1.0.0, <2.0.0", `write ">=1.0.0 <2.0.0"`},
		{">=1.0.0 && <2.0.0", `write ">=1.0.0 <2.0.0"`},
		{">=1.0.0, || ,bad", "Could not parse"}, // what is left without commas is no range either
		{"1.0.0||2.0.0", "1.0.0||2.0.0"},
		{">=1.0.0, <2.0.0", "1.0.0,"},
		{"~1.0.0", "~1.0.0"},
		{"^1.0.0", "^1.0.0"},
		{"*", "is not a comparison"},
		{"1.2", "1.2"},
		{"<v1.15.0", "v"},
		{">1.0.0-next", ">1.0.0-next"},
	} {
		r, err := versionrange.Parse(test.text)
		require.ErrorContains(t, err, test.message, test.text)
		assert.True(t, r.IsZero())
	}
}

func TestZeroRange(t *testing.T) {
	var r versionrange.Range
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
		r, err := versionrange.Parse(test.text)
		require.NoError(t, err, test.text)
		traps := r.Traps()
		require.Len(t, traps, len(test.traps), "%s: %q", test.text, traps)
		for i, want := range test.traps {
			assert.Contains(t, traps[i].Text, want, test.text)
		}
	}
}

// A Range means what blang/semver makes of the text, wherever that is defined.
func FuzzRange(f *testing.F) {
	for _, text := range []string{
		"", ">=1.0.0 <2.0.0", "1.0.0 || || 2.0.0", "1.x.x", "!=1.2.x", ">=1.0.0 ! 1.3.0", "|| a", "a ||", "> = 1.0.0",
		">1.0.0-next", "! || !", "1.0.0 > ", "x.x.x", "x1.x", "1..x",
	} {
		f.Add(text, "1.2.3-rc.1")
	}
	f.Fuzz(func(t *testing.T, text, version string) {
		r, err := versionrange.Parse(text)
		reference, referenceErr := semver.ParseRange(text)
		if err != nil {
			require.True(t, r.IsZero())
			return
		}
		require.NoError(t, referenceErr)
		r.Traps()
		v, err := semver.Parse(version)
		if err != nil {
			return
		}
		require.Equal(t, reference(v), r.Contains(v))
	})
}

func BenchmarkRangeContains(b *testing.B) {
	r, err := versionrange.Parse(">=1.0.0 <2.0.0 || >=3.0.0")
	require.NoError(b, err)
	v := semver.MustParse("3.1.0")
	for b.Loop() {
		r.Contains(v)
	}
}

// Of any version that is in two ranges, their samples have another one that is.
func TestSamples(t *testing.T) {
	texts := []string{">=1.0.0", "<1.0.0", ">1.0.0 <1.0.1", "!=1.0.0 >=1.0.0", "1.x", ">=1.0.0-rc.1 <1.0.0", "<0.1.0 || >2.0.0", "0.2.0", ">1.x", "<=1.0.0-rc.1"}
	versions := []string{"0.0.0-0", "0.0.1", "0.2.0", "1.0.0-rc.0", "1.0.0-rc.1", "1.0.0-rc.2", "1.0.0", "1.0.1-0", "1.0.1", "1.5.0", "2.0.0", "2.0.1"}
	for _, a := range texts {
		for _, b := range texts {
			x, err := versionrange.Parse(a)
			require.NoError(t, err)
			y, err := versionrange.Parse(b)
			require.NoError(t, err)
			inBoth := func(v semver.Version) bool { return x.Contains(v) && y.Contains(v) }
			sampled := slices.ContainsFunc(append(x.Samples(), y.Samples()...), inBoth)
			for _, v := range versions {
				if inBoth(semver.MustParse(v)) {
					assert.True(t, sampled, "%s and %s have %s in common", a, b, v)
				}
			}
		}
	}
}

func ExampleRange_Traps() {
	r, err := versionrange.Parse(">=1.0.0 ! 1.3.0 <2.0.0")
	if err != nil {
		panic(err)
	}
	for _, trap := range r.Traps() {
		fmt.Println(trap.Text)
	}
	// Output:
	// "!" followed by a space is passed over, so the version after it is required instead of excluded; write !=1.2.3
	// <2.0.0 also matches prereleases of 2.0.0, such as 2.0.0-rc.1; to leave them out write <2.0.0-0
}
