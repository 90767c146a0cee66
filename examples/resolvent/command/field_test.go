package command

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/testdata/testkit"
)

// fieldKinds are the kinds of keys, in the order of the report.
var fieldKinds = []string{"cause", "first", "never", "exit"}

// TestField asks each question of testdata/field and compares the answer with its key: what is
// right, not how it is worded. testdata/field/README.md says how to write a case.
//
// How first counts: the headline is the first line of standard output that is not blank. The
// next ten lines that are not blank count, whatever their length, but none from a line "Or" on:
// what stands among the alternatives is not the first thing to do.
func TestField(t *testing.T) {
	var (
		mu                sync.Mutex
		cases, known      int
		asked, unanswered = map[string]int{}, map[string]int{}
	)
	t.Run("cases", func(t *testing.T) {
		for file, data := range testkit.Files(t, "testdata", "field", "*.txtar") {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
				t.Parallel()
				c, err := testkit.ParseField(data)
				require.NoError(t, err)
				said := askField(t, c)
				failed := c.Check(said)
				mu.Lock()
				defer mu.Unlock()
				cases++
				for _, key := range c.Keys {
					asked[key.Kind]++
				}
				var broken []string
				for _, kind := range fieldKinds {
					unanswered[kind] += len(failed[kind])
					_, expected := c.Known[kind]
					switch {
					case expected && len(failed[kind]) == 0:
						t.Errorf("every %s key holds now: take the mark of the known failure away (%s)", kind, c.Known[kind])
					case expected:
						known += len(failed[kind])
					default:
						broken = append(broken, failed[kind]...)
					}
				}
				if broken != nil {
					t.Errorf("%s\n%s", strings.Join(broken, "\n"), fieldText(c.Commands, said))
				}
			})
		}
	})
	total := fmt.Sprintf("%d cases", cases)
	for _, kind := range fieldKinds {
		total += fmt.Sprintf(", %s %d of %d", kind, asked[kind]-unanswered[kind], asked[kind])
	}
	t.Logf("%s; %d fail as known", total, known)
}

// askField runs the commands of a case in a folder with its files. Paths in what they print begin
// in that folder.
func askField(t *testing.T, c *testkit.FieldCase) (said []testkit.Said) {
	folder := c.Unpack(t)
	for _, command := range c.Commands {
		o := run(t, c.Args(t, folder, command)...)
		here := func(text string) string { return strings.ReplaceAll(text, folder+string(filepath.Separator), "") }
		said = append(said, testkit.Said{Status: o.status, Stdout: here(o.stdout), Stderr: here(o.stderr)})
	}
	return said
}

func fieldText(commands []string, said []testkit.Said) string {
	var b strings.Builder
	for i, o := range said {
		fmt.Fprintf(&b, "$ %s\n%s", commands[i], outcome{o.Status, o.Stdout, o.Stderr})
	}
	return b.String()
}

// TestFieldKeys: each kind of key can fail, and a case without a key is refused.
func TestFieldKeys(t *testing.T) {
	said := []testkit.Said{
		{Status: 1, Stdout: "1 needs you\n\n What needs you\n  Fix 1: set spec.channel\n     of Subscription gull to slow\n\nOr\n  delete Subscription gull\n", Stderr: "no OperatorGroups were given\n"},
		{Status: 0, Stdout: "headline: gull\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n"},
	}
	for key, holds := range map[string]bool{
		"cause: spec.channel of subscription gull":      true,
		"cause: no operatorgroups":                      true,
		"cause 2: spec.channel":                         false,
		"cause: tern | gull":                            true,
		"cause: tern | tern.v1":                         false,
		`cause: /set \S+ of/`:                           false,
		`cause: /(?s)set \S+\s+of .* delete/`:           true,
		"first 1: set spec.channel":                     true,
		"first 1: 1 needs you":                          false,
		"first 1: delete Subscription gull":             false,
		"first: 10":                                     true,
		"first: 11":                                     false,
		"first: headline":                               false,
		"never: tern":                                   true,
		"never: delete   Subscription":                  false,
		"never 2: delete Subscription":                  true,
		"never: /spec[.]starting|spec[.]channel\\s+of/": false,
		"exit: 0":   true,
		"exit: 1":   false,
		"exit 1: 1": true,
	} {
		var c testkit.FieldCase
		require.NoError(t, c.AddKey(key), key)
		assert.Equal(t, holds, len(c.Check(said)) == 0, key)
	}
	const valid = "It is wet.\n-- cmd --\nresolvent version\n-- key --\ncause: wet\nexit: 0\n"
	_, err := testkit.ParseField([]byte(valid))
	require.NoError(t, err)
	for _, wrong := range []string{
		strings.Replace(valid, "wet.", "wet", 1),
		strings.Replace(valid, "exit: 0\n", "", 1),
		strings.Replace(valid, "cause: wet\n", "", 1),
		strings.Replace(valid, "cause", "causes", 1),
		strings.Replace(valid, "cause", "cause 2", 1),
		strings.Replace(valid, "wet\n", "/wet(/\n", 1),
		valid + "known: it leaks\n",
		valid + "known rain: it leaks\n",
	} {
		_, err := testkit.ParseField([]byte(wrong))
		assert.Error(t, err, wrong)
	}
	words, err := testkit.FieldWords("resolvent show  'a b' --x='1 2'")
	require.NoError(t, err)
	assert.Equal(t, []string{"resolvent", "show", "a b", "--x=1 2"}, words)
	_, err = testkit.FieldWords("resolvent 'a")
	assert.Error(t, err)
}
