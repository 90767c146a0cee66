package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/resolver/cluster"
)

// streamed are limits with which nothing is held as a whole.
func streamed() limits {
	l := defaults
	l.whole, l.split = 0, 0
	return l
}

func readText(t *testing.T, l limits, text string, reader func(io.Reader) io.Reader) (cluster.Objects, error) {
	return readAll(t.Context(), l, []Input{{Name: "in", Reader: reader(strings.NewReader(text))}})
}

func itself(r io.Reader) io.Reader { return r }

// streamTexts are documents of all shapes, right and wrong.
var streamTexts = []string{
	"",
	"\n\n# nothing\n",
	"kind: Namespace\nmetadata: {name: a}\n---\nkind: Namespace\nmetadata: {name: b}\n",
	"%YAML 1.1\n---\nkind: Namespace\nmetadata: {name: a}\n...\n---\nkind: Namespace\nmetadata: {name: b}\n",
	"apiVersion: v1\nitems:\n- kind: Namespace\n  metadata: {name: a}\n# between\n- kind: Namespace\n  metadata:\n    name: b\n    annotations:\n      a: |\n        - kind: no item\n\n        items:\nkind: List\nmetadata: {}\n---\nkind: Namespace\nmetadata: {name: c}\n",
	"kind: List\nitems:\n  - kind: Namespace\n    metadata: {name: a}\n  -\n    kind: Namespace\n    metadata: {name: b}\n",
	"kind: NamespaceList\napiVersion: v1\nitems:\n- metadata: {name: a}\n",
	"apiVersion: v1\nitems:\r\n- metadata: {name: a}\r\n- metadata: {name: b}\r\nkind: NamespaceList\r\n",
	"kind: Other\nitems:\n- kind: Namespace\n  metadata: {name: a}\n",
	"items:\n- kind: Namespace\n  metadata: {name: a}\n",
	"kind: List\nitems: []\n",
	"kind: List\nitems: {a: b}\n",
	"kind: List\nitems:\n  a: b\n",
	"kind: List\nitems: [{kind: Namespace, metadata: {name: a}},\n{kind: Namespace, metadata: {name: b}}]\n",
	"kind: List\nitems:\n- kind: List\n",
	"kind: List\nitems:\n- kind: Namespace\n  metadata: {name: A_B}\n",
	"kind: List\nitems:\n- kind: Namespace\n  metadata: {name: a, labels: {x: [1]}}\n",
	"kind: List\nitems:\n- kind: Namespace\n  metadata: {name: a}\n- kind: Namespace\n  metadata: {name: a, labels: {x: y}}\n",
	"kind: List\nitems:\n- kind: Namespace\n  metadata: {name: a}\n- kind: Namespace\n  metadata: {name: 'a\n",
	"kind: List\nitems:\n- kind: Namespace\n  metadata: {name: a}\nitems: 5\n",
	"kind: List\nitems:\n- kind: Namespace\n  metadata: {name: a}\nmetadata:\n  x: [\n",
	"kind: List\nitems:\n- plain\n",
	"kind: [\n",
	`{"kind":"List","items":[{"kind":"Namespace","metadata":{"name":"a"}},{"kind":"Namespace","metadata":{"name":"b"}}]}`,
	`{"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}],"kind":"NamespaceList","apiVersion":"v1"} {"kind":"Namespace","metadata":{"name":"c"}}`,
	`{"kind":"NamespaceList","apiVersion":"v1","items":[{"metadata":{"name":"a"}}]}` + "\n---\nkind: Namespace\nmetadata: {name: d}\n",
	"{\"kind\":\"Namespace\",\"metadata\":{\"name\":\"c\"}}\n\n---\nkind: Namespace\nmetadata: {name: [}\n",
	`{"kind":"List","items":[]}`, `{"kind":"List","items":5}`, `{"kind":"List"}`, `{}`, `{"kind":5,"items":[{}]}`,
	`{"kind":"Other","items":[{"kind":"Namespace","metadata":{"name":"A_B"}}]}`,
	"{\"kind\":\"List\",\n\"items\":[{\"kind\":\"Namespace\",\n\"metadata\":{\"name\":\"a\"},}]}",
	"{\"kind\":\"List\",\n\"items\":[{\"kind\":\"Namespace\",\n\"metadata\":{\"name\":\"a\"}",
	"{\"kind\":\"List\",\n\"kind\":\"List\"}", "{\"kind\":\"List\",\"items\":[1]}",
	`{"kind":"List","items":[{"kind":"Namespace","metadata":{"name":"a"},"x":1,` + "\n" + `"x":2}]}`,
	`{"kind":"List","items":[{"schema":"olm.package"}]}`,
}

// TestStream: an input that is read item by item gives the same objects and the same errors as
// one that is held as a whole, wherever its reader stops.
func TestStream(t *testing.T) {
	texts := append([]string(nil), streamTexts...)
	root := filepath.Join("..", "..", "testdata")
	require.NoError(t, filepath.WalkDir(root, func(name string, _ fs.DirEntry, err error) error {
		if ext := filepath.Ext(name); err == nil && (ext == ".yaml" || ext == ".json") && len(texts) < 400 {
			data, err := os.ReadFile(name)
			texts = append(texts, string(data))
			return err
		}
		return err
	}))
	read := 0
	for _, text := range texts {
		want, wantErr := readText(t, defaults, text, itself)
		for _, reader := range []func(io.Reader) io.Reader{itself, iotest.OneByteReader, iotest.DataErrReader} {
			got, err := readText(t, streamed(), text, reader)
			require.Equal(t, want, got, text)
			require.Equal(t, fmt.Sprint(wantErr), fmt.Sprint(err), text)
		}
		if len(want.Subscriptions) > 0 {
			read++
		}
	}
	assert.Greater(t, read, 10)
}

// TestStreamRuns: items are parsed in runs, and a document in the midst of others is split
// where it is large.
func TestStreamRuns(t *testing.T) {
	var text strings.Builder
	for d := range 3 {
		text.WriteString("---\napiVersion: v1\nitems:\n")
		for i := range 4000 {
			fmt.Fprintf(&text, "- apiVersion: v1\n  kind: Namespace\n  metadata:\n    annotations: {text: %s}\n    name: n-%d-%d\n", strings.Repeat("x", 300), d, i)
		}
		text.WriteString("kind: List\nmetadata: {}\n")
	}
	l := defaults
	l.whole = 1 << 20
	got, err := readText(t, l, text.String(), itself)
	require.NoError(t, err)
	want, err := readText(t, defaults, text.String(), itself)
	require.NoError(t, err)
	require.Len(t, got.Namespaces, 12_000)
	assert.Equal(t, want, got)

	broken := strings.Replace(text.String(), "name: n-1-3999\n", "name: [n-1-3999\n", 1)
	_, err = readText(t, l, broken, itself)
	line := strings.Count(broken[:strings.Index(broken, "[n-1-3999")], "\n") + 1
	require.Error(t, err)
	number := regexp.MustCompile(`in: document 2: line (\d+): `).FindStringSubmatch(err.Error())
	require.NotNil(t, number, err.Error())
	assert.Contains(t, []string{fmt.Sprint(line), fmt.Sprint(line + 1)}, number[1])
}

// TestStreamLimits: too much, one object too large, and a reader that fails are errors.
func TestStreamLimits(t *testing.T) {
	items := strings.Repeat(`{"kind":"Other","a":"`+strings.Repeat("x", 200)+`"},`, 2000)
	asJSON := `{"kind":"List","items":[` + items + `{"kind":"Other"}]}`
	asYAML := "kind: List\nitems:\n" + strings.Repeat("- kind: Other\n  a: "+strings.Repeat("x", 200)+"\n", 2000)
	for _, text := range []string{asJSON, asYAML} {
		l := streamed()
		l.object = 300 << 10 // a run of YAML has 256 KiB
		_, err := readText(t, l, text, itself)
		require.NoError(t, err, text[:20])
		l.bytes = int64(len(text)) / 2
		_, err = readText(t, l, text, itself)
		assert.ErrorContains(t, err, "in: more than ")
		_, err = readText(t, streamed(), text, func(r io.Reader) io.Reader {
			return io.MultiReader(io.LimitReader(r, 100_000), iotest.ErrReader(errors.New("broken")))
		})
		assert.EqualError(t, err, "in: broken")
	}
	l := streamed()
	l.object = 100 << 10
	for _, text := range []string{`{"kind":"List","items":[{"a":"` + strings.Repeat("x", 400<<10) + `"}]}`, "kind: List\nitems:\n- a: " + strings.Repeat("x", 400<<10) + "\n"} {
		_, err := readText(t, l, text, itself)
		assert.ErrorContains(t, err, "in: an object of more than 102400 bytes")
	}
}

// FuzzStream compares reading item by item with reading as a whole.
func FuzzStream(f *testing.F) {
	for _, text := range streamTexts {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if bytes.ContainsAny(data, "&*") {
			return // an alias does not lead to another item
		}
		want, wantErr := readText(t, defaults, string(data), itself)
		got, err := readText(t, streamed(), string(data), itself)
		if err == nil {
			require.NoError(t, wantErr)
			require.Equal(t, want, got)
		}
	})
}
