package document

import (
	"bytes"
	"io/fs"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"

	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/testdata/testkit"
)

func TestPrune(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"a value in lines":      {"icon:\n  base64data: abc\n  mediatype: x\nname: a\n", "icon:\n\n\nname: a\n"},
		"a list beside its key": {"relatedImages:\n- image: a\n- image: b\nname: a\n", "relatedImages:\n\n\nname: a\n"},
		"a block scalar":        {"description: |\n  schema: b\n\n  name: c\nname: a\n", "description:\n\n\n\nname: a\n"},
		"a quoted scalar":       {"description: \"a\nname: b\n  \\\" c\"\nname: a\n", "description:\n\n\nname: a\n"},
		"a plain scalar":        {"description: a\n  name b\nname: a\n", "description:\n\nname: a\n"},
		"metadata": {
			"properties:\n- type: olm.csv.metadata\n  value:\n    annotations:\n      a: b\n    description: c\n    installModes:\n    - type: d\n    apiServiceDefinitions:\n      owned:\n      - group: e\n",
			"properties:\n- type: olm.csv.metadata\n  value:\n    annotations:\n      a: b\n    description:\n    installModes:\n    - type: d\n    apiServiceDefinitions:\n      owned:\n      - group: e\n",
		},
		"an object": {
			"properties:\n  - type: olm.bundle.object\n    value:\n      data: abc\n  - type: other\n    value:\n      data: abc\n",
			"properties:\n  - type: olm.bundle.object\n    value:\n\n  - type: other\n    value:\n      data: abc\n",
		},
		"no line break at the end": {"icon:\n  a: b\nname: |\n  a", "icon:\n\nname: |\n  a"},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.want, string(prune(nil, []byte(test.text))))
			assert.Equal(t, documentsOf(t, []byte(test.text)), documentsOf(t, []byte(test.want)))
		})
	}
}

// TestPruneGivesUp lists what makes a document be parsed in full.
func TestPruneGivesUp(t *testing.T) {
	for name, text := range map[string]string{
		"anchor":        "icon: &a\n  b: c\nname: a\n",
		"alias":         "icon:\n  b: c\nname: *a\n",
		"tag":           "icon: !!str a\nname: a\n",
		"braces":        "icon: {a: b,\n c: d}\nname: a\n",
		"quoted key":    "\"icon\":\n  a: b\n",
		"key in a key":  "? icon\n: a\n",
		"tab":           "icon:\n\ta: b\n",
		"odd breaks":    "icon:\r\n  a: b\r\n",
		"value beneath": "icon:\n  abc\nname: a\n",
		"no YAML":       "icon: a\n  name: b\nname: a\n",
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, text, string(prune(nil, []byte(text))))
		})
	}
}

// TestPruneReal reads real catalogs with and without what is left out.
func TestPruneReal(t *testing.T) {
	root := os.DirFS(testkit.Shared(t, "catalogs", "raw-v4.19"))
	names, err := fs.Glob(root, "*/catalog.yaml")
	require.NoError(t, err)
	for _, name := range names {
		text, err := fs.ReadFile(root, name)
		require.NoError(t, err)
		f := fileReader{text: text}
		for start := 0; start < len(text); {
			end := f.nextDocument(start)
			one := text[start:end]
			require.Equal(t, documentsOf(t, one), documentsOf(t, prune(nil, one)), "%s at %d", name, start)
			start = end
		}
	}
}

func FuzzPrune(f *testing.F) {
	for _, seed := range []string{
		"icon:\n  a: b\nname: c\n",
		"properties:\n- type: olm.csv.metadata\n  value:\n    description: |-\n      a\n    annotations: {}\n",
		"schema: olm.channel\nentries:\n- name: a\n  skips: ['b']\nproperties: []\nrest: \"a\n b\"\n",
		"name: a\n\n  # b\nicon:\n- - a: b\n  - c\n- \n-\n  d: e\n",
		"properties:\n  - type: 'olm.bundle.object'\n    value: >2\n      a\n    value: b\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		want := documentsOf(t, text)
		if want == nil {
			return // what is no YAML may become some
		}
		assert.Equal(t, want, documentsOf(t, prune(nil, text)))
	})
}

// documentsOf reads YAML documents without leaving anything out first. It
// returns nil for what is no YAML.
func documentsOf(t *testing.T, text []byte) []Document {
	t.Helper()
	loader, err := yaml.NewLoader(bytes.NewReader(text))
	require.NoError(t, err)
	documents := []Document{}
	for {
		var n yaml.Node
		if err := loader.Load(&n); err != nil {
			if err.Error() == "EOF" {
				return documents
			}
			return nil
		}
		if len(n.Content) == 0 || n.Content[0].Kind != yaml.MappingNode {
			continue
		}
		var doc Document
		doc.reset(Origin{Line: n.Content[0].Line, Column: n.Content[0].Column})
		r := decoder{doc: &doc, cursor: &yamlCursor{
			node: n.Content[0], in: properties.NewInterner(), maxDepth: 200, work: 1 << 20,
		}}
		if err := r.document(); err != nil {
			doc.Report(Problem{Code: CodeOf(err), Message: err.Error()})
		}
		doc.Properties, doc.Entries = slices.Clone(doc.Properties), slices.Clone(doc.Entries)
		documents = append(documents, doc)
	}
}
