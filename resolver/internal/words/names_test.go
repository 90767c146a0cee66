package words

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestRules has what Kubernetes accepts and refuses, at each limit and one beyond it.
func TestRules(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	for what, test := range map[string]struct {
		check             func(string) error
		accepted, refused []string
	}{
		"label": {CheckLabel,
			[]string{"a", "0", "a-b", "3scale", x(63)},
			[]string{"", "-a", "a-", "A", "a.b", "a_b", "a/b", "a\n", "\u00e9", "--all", "=a", "#a", x(64)}},
		"subdomain": {CheckSubdomain,
			[]string{"a", "etcdoperator.v0.9.4", "a-b.0", x(253), x(63) + "." + x(63)},
			[]string{"", ".", "a.", ".a", "a..b", "a.-b", "a.B", "etcd+1", "--all", "$(x)", "a b", "a;b", "a\x00", x(254)}},
		"segment": {CheckSegment,
			[]string{"a", "system:auth-delegator", "A b", "..."},
			[]string{".", "..", "a/b", "a%2fb"}},
		"key": {CheckKey,
			[]string{"a", "A_b.c-D", x(63), "a.b/c", x(253) + "/" + x(63)},
			[]string{"", "/", "a/", "/a", "a/b/c", "A/b", "-a", "a_", "a b", x(64), x(254) + "/a", "a/" + x(64)}},
		"value": {CheckValue,
			[]string{"", "a", "A_b.c-D", x(63)},
			[]string{"-", "a.", "a b", "a/b", "`x`", x(64)}},
	} {
		for _, text := range test.accepted {
			assert.NoError(t, test.check(text), what)
		}
		for _, text := range test.refused {
			assert.ErrorContains(t, test.check(text), "no API server accepts this; ", "%s %q", what, text)
		}
	}
	assert.False(t, IsLabel("a.b"))
	assert.True(t, IsLabel("a-b"))
}

// TestSubdomain has texts that are names, and the names of those that are none.
func TestSubdomain(t *testing.T) {
	long := strings.Repeat("x", 300)
	for _, text := range []string{"a", "etcdoperator.v0.9.4", "3scale", long[:253]} {
		assert.Equal(t, text, Subdomain(text))
	}
	found := map[string]string{}
	for _, text := range []string{"", "My_Package", "my_package", "my--Package", "a..b", "a.-b", "-a-", "...", "\u00e9", "\x1b[31m", "a\x00", "\xff", long, long + "x", strings.Repeat("-", 300) + "a"} {
		name := Subdomain(text)
		assert.NoError(t, CheckSubdomain(name), "%q", text)
		assert.NotContains(t, found, name, "%q", text)
		found[name] = text
	}
	assert.Equal(t, "my-package-d051193c", Subdomain("My_Package"))
}

func TestLabelsAndAnnotations(t *testing.T) {
	assert.NoError(t, CheckLabels(nil))
	assert.NoError(t, CheckLabels(map[string]string{"a": "", "b": "c"}))
	assert.ErrorContains(t, CheckLabels(map[string]string{"a": "b", "c": "d e", "f ": ""}), `c: value "d e": no API server accepts this; want`)
	assert.ErrorContains(t, CheckLabels(map[string]string{"z ": "", "f ": ""}), `key "f ": `)

	assert.NoError(t, CheckAnnotations(map[string]string{"Example.COM/a": "any text;\n", "b": strings.Repeat("x", maxAnnotations-len("Example.COM/a"+"any text;\n"+"b"))}))
	assert.EqualError(t, CheckAnnotations(map[string]string{"a": strings.Repeat("x", maxAnnotations)}), "262145 bytes of keys and values: no API server accepts this; want at most 262144")
	assert.ErrorContains(t, CheckAnnotations(map[string]string{"a;b": ""}), `key "a;b": `)
	assert.LessOrEqual(t, len(CheckKey(strings.Repeat("x", 1<<20)).Error()), 500, "names are quoted in part")
}
