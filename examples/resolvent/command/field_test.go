package command

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/resolvent/resolvent/testdata/testkit"
)

// fieldKinds are the kinds of keys, in the order of the report.
var fieldKinds = []string{"cause", "first", "never", "exit"}

// firstLines is how many lines after the headline may hold the first thing to do.
const firstLines = 10

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
				c, err := parseField(data)
				require.NoError(t, err)
				said := c.ask(t)
				failed := c.check(said)
				mu.Lock()
				defer mu.Unlock()
				cases++
				for _, key := range c.keys {
					asked[key.kind]++
				}
				var broken []string
				for _, kind := range fieldKinds {
					unanswered[kind] += len(failed[kind])
					_, expected := c.known[kind]
					switch {
					case expected && len(failed[kind]) == 0:
						t.Errorf("every %s key holds now: take the mark of the known failure away (%s)", kind, c.known[kind])
					case expected:
						known += len(failed[kind])
					default:
						broken = append(broken, failed[kind]...)
					}
				}
				if broken != nil {
					t.Errorf("%s\n%s", strings.Join(broken, "\n"), fieldText(c.commands, said))
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

// fieldCase is one file of testdata/field.
type fieldCase struct {
	commands []string
	keys     []fieldKey
	known    map[string]string // why the keys of a kind fail today
	files    []txtar.File
}

// fieldKey is one line of a key.
type fieldKey struct {
	kind    string
	command int // its number; 0: all of them, for first and exit the last one
	text    string
	any     []*regexp.Regexp // one of them matches
	status  int              // of an exit
}

var fieldLine = regexp.MustCompile(`^(cause|first|never|exit)(?: ([1-9]))?: (\S.*)$|^known((?: (?:cause|first|never|exit))+): (\S.*)$`)

func parseField(data []byte) (*fieldCase, error) {
	archive := txtar.Parse(data)
	c := &fieldCase{known: map[string]string{}}
	if !strings.HasSuffix(strings.TrimSpace(string(archive.Comment)), ".") {
		return nil, fmt.Errorf("a case begins with a sentence of intent")
	}
	for _, file := range archive.Files {
		switch file.Name {
		case "cmd":
			c.commands = strings.Split(strings.TrimSpace(string(file.Data)), "\n")
		case "key":
			for line := range strings.SplitSeq(strings.TrimSpace(string(file.Data)), "\n") {
				if err := c.addKey(line); err != nil {
					return nil, fmt.Errorf("key %q: %w", line, err)
				}
			}
		default:
			c.files = append(c.files, file)
		}
	}
	has := func(kind string) bool {
		return slices.ContainsFunc(c.keys, func(k fieldKey) bool { return k.kind == kind })
	}
	if !has("exit") || !has("cause") && !has("first") {
		return nil, fmt.Errorf("a key has an exit, and a cause or a first")
	}
	for _, key := range c.keys {
		if key.command > len(c.commands) {
			return nil, fmt.Errorf("there is no command %d", key.command)
		}
	}
	return c, nil
}

func (c *fieldCase) addKey(line string) error {
	parts := fieldLine.FindStringSubmatch(line)
	if parts == nil {
		return fmt.Errorf("want cause, first, never or exit, perhaps the number of a command, a colon and a text; or known, kinds of keys, a colon and the reason")
	}
	if parts[4] != "" {
		for kind := range strings.FieldsSeq(parts[4]) {
			c.known[kind] = parts[5]
		}
		return nil
	}
	key := fieldKey{kind: parts[1], text: line}
	if parts[2] != "" {
		key.command = int(parts[2][0] - '0')
	}
	if key.kind == "exit" {
		status, err := strconv.Atoi(parts[3])
		key.status = status
		c.keys = append(c.keys, key)
		return err
	}
	for text := range strings.SplitSeq(parts[3], " | ") {
		pattern := strings.ReplaceAll(regexp.QuoteMeta(strings.Join(strings.Fields(text), " ")), " ", `\s+`)
		if len(text) > 2 && text[0] == '/' && text[len(text)-1] == '/' {
			pattern = text[1 : len(text)-1]
		}
		compiled, err := regexp.Compile("(?i)" + pattern)
		if err != nil {
			return err
		}
		key.any = append(key.any, compiled)
	}
	c.keys = append(c.keys, key)
	return nil
}

// ask runs the commands in a folder with the files of the case. Paths in what they print begin
// in that folder.
func (c *fieldCase) ask(t *testing.T) (said []outcome) {
	folder := t.TempDir()
	for _, file := range c.files {
		require.True(t, filepath.IsLocal(file.Name), file.Name)
		path := filepath.Join(folder, filepath.FromSlash(file.Name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, file.Data, 0o600))
	}
	for _, command := range c.commands {
		words, err := fieldWords(command)
		require.NoError(t, err)
		require.Equal(t, "resolvent", words[0], "a command is one of resolvent")
		for i, word := range words {
			words[i] = c.inFolder(t, folder, word)
		}
		o := run(t, words[1:]...)
		o.stdout = strings.ReplaceAll(o.stdout, folder+string(filepath.Separator), "")
		o.stderr = strings.ReplaceAll(o.stderr, folder+string(filepath.Separator), "")
		said = append(said, o)
	}
	return said
}

// inFolder returns a word of a command with its path as the test has it: the word up to a comma,
// or what follows the last "=" in that, if it is a file of the case, or in a folder of it, in out,
// or in $SHARED.
func (c *fieldCase) inFolder(t *testing.T, folder, word string) string {
	named, rest, _ := strings.Cut(word, ",")
	if rest != "" {
		rest = "," + rest
	}
	start := strings.LastIndex(named, "=") + 1
	path := named[start:]
	if shared, ok := strings.CutPrefix(path, "$SHARED/"); ok {
		return word[:start] + testkit.Shared(t, shared) + rest
	}
	top, _, _ := strings.Cut(path, "/")
	own := path == "." || top == "out" || slices.ContainsFunc(c.files, func(f txtar.File) bool {
		return f.Name == path || strings.HasPrefix(f.Name, top+"/")
	})
	if path == "" || !own {
		return word
	}
	return word[:start] + filepath.Join(folder, filepath.FromSlash(path)) + rest
}

// fieldWords splits a command at blanks outside of single quotes.
func fieldWords(command string) (words []string, err error) {
	var word strings.Builder
	quoted, begun := false, false
	for _, r := range command + " " {
		switch {
		case r == '\'':
			quoted, begun = !quoted, true
		case r == ' ' && !quoted:
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	if quoted {
		return nil, fmt.Errorf("%s: a quote is not closed", command)
	}
	return words, nil
}

// check returns the keys that do not hold, by kind.
func (c *fieldCase) check(said []outcome) map[string][]string {
	failed := map[string][]string{}
	for _, key := range c.keys {
		if !key.holds(said) {
			failed[key.kind] = append(failed[key.kind], "does not hold: "+key.text)
		}
	}
	return failed
}

func (key *fieldKey) holds(said []outcome) bool {
	last := said[len(said)-1]
	if key.command > 0 {
		said = said[key.command-1 : key.command]
		last = said[0]
	}
	switch key.kind {
	case "exit":
		return last.status == key.status
	case "first":
		return key.matches(firstPart(last.stdout))
	}
	var all strings.Builder
	for _, o := range said {
		all.WriteString(o.stdout + o.stderr)
	}
	return key.matches(all.String()) == (key.kind == "cause")
}

func (key *fieldKey) matches(text string) bool {
	return slices.ContainsFunc(key.any, func(r *regexp.Regexp) bool { return r.MatchString(text) })
}

// firstPart is where the first thing to do has to stand.
func firstPart(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "Or" {
			break
		}
		if strings.TrimSpace(line) != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines[1:min(len(lines), 1+firstLines)], "")
}

func fieldText(commands []string, said []outcome) string {
	var b strings.Builder
	for i, o := range said {
		fmt.Fprintf(&b, "$ %s\n%s", commands[i], o)
	}
	return b.String()
}

// TestFieldKeys: each kind of key can fail, and a case without a key is refused.
func TestFieldKeys(t *testing.T) {
	said := []outcome{
		{1, "1 needs you\n\n What needs you\n  Fix 1: set spec.channel\n     of Subscription gull to slow\n\nOr\n  delete Subscription gull\n", "no OperatorGroups were given\n"},
		{0, "headline: gull\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n", ""},
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
		var c fieldCase
		require.NoError(t, c.addKey(key), key)
		assert.Equal(t, holds, len(c.check(said)) == 0, key)
	}
	const valid = "It is wet.\n-- cmd --\nresolvent version\n-- key --\ncause: wet\nexit: 0\n"
	_, err := parseField([]byte(valid))
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
		_, err := parseField([]byte(wrong))
		assert.Error(t, err, wrong)
	}
	words, err := fieldWords("resolvent show  'a b' --x='1 2'")
	require.NoError(t, err)
	assert.Equal(t, []string{"resolvent", "show", "a b", "--x=1 2"}, words)
	_, err = fieldWords("resolvent 'a")
	assert.Error(t, err)
}
