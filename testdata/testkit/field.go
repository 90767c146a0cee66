package testkit

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

// Said is what a command said.
type Said struct {
	Status         int
	Stdout, Stderr string
}

// firstLines is how many lines after the headline may hold the first thing to do.
const firstLines = 10

// FieldCase is one file of testdata/field.
type FieldCase struct {
	Commands []string
	Keys     []FieldKey
	Known    map[string]string // why the keys of a kind fail today
	Files    []txtar.File
}

// FieldKey is one line of a key.
type FieldKey struct {
	Kind    string
	Command int // its number; 0: all of them, for first and exit the last one
	text    string
	any     []*regexp.Regexp // one of them matches
	status  int              // of an exit
}

var fieldLine = regexp.MustCompile(`^(cause|first|never|exit)(?: ([1-9]))?: (\S.*)$|^known((?: (?:cause|first|never|exit))+): (\S.*)$`)

// ParseField reads a case.
func ParseField(data []byte) (*FieldCase, error) {
	archive := txtar.Parse(data)
	c := &FieldCase{Known: map[string]string{}}
	if !strings.HasSuffix(strings.TrimSpace(string(archive.Comment)), ".") {
		return nil, fmt.Errorf("a case begins with a sentence of intent")
	}
	for _, file := range archive.Files {
		switch file.Name {
		case "cmd":
			c.Commands = strings.Split(strings.TrimSpace(string(file.Data)), "\n")
		case "key":
			for line := range strings.SplitSeq(strings.TrimSpace(string(file.Data)), "\n") {
				if err := c.AddKey(line); err != nil {
					return nil, fmt.Errorf("key %q: %w", line, err)
				}
			}
		default:
			c.Files = append(c.Files, file)
		}
	}
	has := func(kind string) bool {
		return slices.ContainsFunc(c.Keys, func(k FieldKey) bool { return k.Kind == kind })
	}
	if !has("exit") || !has("cause") && !has("first") {
		return nil, fmt.Errorf("a key has an exit, and a cause or a first")
	}
	for _, key := range c.Keys {
		if key.Command > len(c.Commands) {
			return nil, fmt.Errorf("there is no command %d", key.Command)
		}
	}
	return c, nil
}

// AddKey adds a line of the key.
func (c *FieldCase) AddKey(line string) error {
	parts := fieldLine.FindStringSubmatch(line)
	if parts == nil {
		return fmt.Errorf("want cause, first, never or exit, perhaps the number of a command, a colon and a text; or known, kinds of keys, a colon and the reason")
	}
	if parts[4] != "" {
		for kind := range strings.FieldsSeq(parts[4]) {
			c.Known[kind] = parts[5]
		}
		return nil
	}
	key := FieldKey{Kind: parts[1], text: line}
	if parts[2] != "" {
		key.Command = int(parts[2][0] - '0')
	}
	if key.Kind == "exit" {
		status, err := strconv.Atoi(parts[3])
		key.status = status
		c.Keys = append(c.Keys, key)
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
	c.Keys = append(c.Keys, key)
	return nil
}

// Unpack writes the files of the case to a folder.
func (c *FieldCase) Unpack(t testing.TB) string {
	folder := t.TempDir()
	for _, file := range c.Files {
		require.True(t, filepath.IsLocal(file.Name), file.Name)
		path := filepath.Join(folder, filepath.FromSlash(file.Name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, file.Data, 0o600))
	}
	return folder
}

// Args are the arguments of a command of the case, with the paths of its files in the folder.
func (c *FieldCase) Args(t testing.TB, folder, command string) []string {
	words, err := FieldWords(command)
	require.NoError(t, err)
	require.Equal(t, "resolvent", words[0], "a command is one of resolvent")
	for i, word := range words {
		words[i] = c.inFolder(t, folder, word)
	}
	return words[1:]
}

// inFolder returns a word of a command with its path as the test has it: the word up to a comma,
// or what follows the last "=" in that, if it is a file of the case, or in a folder of it, in out,
// or in $SHARED.
func (c *FieldCase) inFolder(t testing.TB, folder, word string) string {
	named, rest, _ := strings.Cut(word, ",")
	if rest != "" {
		rest = "," + rest
	}
	start := strings.LastIndex(named, "=") + 1
	path := named[start:]
	if shared, ok := strings.CutPrefix(path, "$SHARED/"); ok {
		return word[:start] + Shared(t, shared) + rest
	}
	top, _, _ := strings.Cut(path, "/")
	own := path == "." || top == "out" || slices.ContainsFunc(c.Files, func(f txtar.File) bool {
		return f.Name == path || strings.HasPrefix(f.Name, top+"/")
	})
	if path == "" || !own {
		return word
	}
	return word[:start] + filepath.Join(folder, filepath.FromSlash(path)) + rest
}

// FieldWords splits a command at blanks outside of single quotes.
func FieldWords(command string) (words []string, err error) {
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

// Check returns the keys that do not hold, by kind.
func (c *FieldCase) Check(said []Said) map[string][]string {
	failed := map[string][]string{}
	for _, key := range c.Keys {
		if !key.holds(said) {
			failed[key.Kind] = append(failed[key.Kind], "does not hold: "+key.text)
		}
	}
	return failed
}

func (key *FieldKey) holds(said []Said) bool {
	last := said[len(said)-1]
	if key.Command > 0 {
		said = said[key.Command-1 : key.Command]
		last = said[0]
	}
	switch key.Kind {
	case "exit":
		return last.Status == key.status
	case "first":
		return key.matches(firstPart(last.Stdout))
	}
	var all strings.Builder
	for _, o := range said {
		all.WriteString(o.Stdout + o.Stderr)
	}
	return key.matches(all.String()) == (key.Kind == "cause")
}

func (key *FieldKey) matches(text string) bool {
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
