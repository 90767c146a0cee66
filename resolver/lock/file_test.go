package lock_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/resolver/lock"
	"github.com/resolvent/resolvent/testdata/testkit"
)

const head = "apiVersion: resolvent/v1\nkind: Lock\n"

// What is no lock is an error with its place.
func TestHostile(t *testing.T) {
	for text, want := range map[string]string{
		"":                   "the file holds no lock",
		"a: [":               "line 2: ",
		"kind: Lock\n":       `want apiVersion: resolvent/v1 and kind: Lock, not "" and "Lock"`,
		head + "---\na: 1\n": "line 3: a file holds one lock",
		head + "scope: []\n": "line 3: there is no field scope",
		head + "scopes:\n- namespace: a\n  bundle: x\n":                                                                 "line 5: there is no field bundle",
		head + "scopes: 1\n":                                                                                            "line 3: the value has another type",
		head + "scopes: &a []\nwaves: *a\n":                                                                             "line 3: a lock has no anchors and aliases",
		head + "scopes: [[[[[[[[[[]]]]]]]]]]\n":                                                                         "line 3: nested more than 8 levels deep",
		head + "scopes:\n- namespace: \"a\\x1b[2J\"\n":                                                                  `line 4: "a\x1b[2J" has characters that no name has`,
		head + "scopes:\n- namespace: \"a\\nb\"\n":                                                                      `line 4: "a\nb" has characters that no name has`,
		head + "scopes:\n- namespace: \"a\\u202eb\"\n":                                                                  "line 4:",
		head + "scopes:\n- namespace: " + strings.Repeat("a", 5000) + "\n":                                              "line 4: longer than the allowed 4096 bytes",
		head + "scopes:\n- namespace: a\n  clusterExtension: b\n":                                                       "scopes[0]: want either a namespace or a clusterExtension",
		head + "scopes:\n- namespace: a\n- namespace: a\n":                                                              "scopes[1]: namespace a is there twice",
		head + "scopes:\n- namespace: a\n  bundles: [{package: p, bundle: b}, {package: p, bundle: c}]\n":               "scopes[0].bundles[1]: package p is there twice",
		head + "scopes:\n- namespace: a\n  bundles: [{package: p}]\n":                                                   "scopes[0].bundles[0]: want a package and a bundle",
		head + "scopes:\n- namespace: a\n  bundles: [{package: p, bundle: b, newer: [{bundle: c, firstSeen: soon}]}]\n": "scopes[0].bundles[0].newer[0]: want a bundle and firstSeen as YYYY-MM-DD",
		head + "waves: [{name: a, clusters: [x]}, {name: b, clusters: [x]}]\n":                                          `waves[1].clusters[0]: cluster "x" is in two waves`,
		head + "waves: [{name: a, clusters: []}, {name: a, clusters: []}]\n":                                            `waves[1]: "a": each wave needs a name of its own`,
		head + "#" + strings.Repeat(" ", 64<<20):                                                                        "larger than the allowed 64 MiB",
	} {
		_, err := lock.Read([]byte(text))
		require.Error(t, err, "%.200s", text)
		assert.Contains(t, err.Error(), want)
		assert.NotContains(t, err.Error(), "\n")
	}
}

// FuzzRead: nothing panics, and what is read is written and read the same.
func FuzzRead(f *testing.F) {
	testkit.LookFurther(f)
	l := made(f, one(view(f, blobs(pkg{"a", []string{"1.0.0", "2.0.0 b<2.0.0"}}, pkg{"b", []string{"1.0.0"}})), "n/a=1.0.0"), lock.Options{})
	f.Add([]byte(text(f, l)))
	f.Add([]byte(head + "waves: [{name: a, clusters: [x]}]\nscopes:\n- clusterExtension: a\n  bundles: [{package: p, bundle: b, byItself: false}]\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		first, err := lock.Read(data)
		if err != nil {
			return
		}
		written := text(t, first)
		second, err := lock.Read([]byte(written))
		require.NoError(t, err, "%s", written)
		assert.Equal(t, written, text(t, second))
	})
}
