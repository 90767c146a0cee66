package document

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/code"
	"github.com/resolvent/resolvent/properties"
)

// What aliases and merge keys stand for is read within the limit, however it is
// reached: what is beyond it is a fault.
func TestWorkIsBounded(t *testing.T) {
	const n = 5000
	many := func(s string) string { return strings.Repeat(s, n) }
	const bundle = "schema: olm.bundle\npackage: p\nname: b\nproperties: "
	for name, text := range map[string]string{
		"keys that nobody reads": "x: &a {" + many("z,") + "}\ny: &p {type: olm.csv.metadata, value: *a}\n" + bundle + "[" + many("*p,") + "*p]\n",
		"members of properties":  "x: &a {" + many("z: 1,") + "}\n" + bundle + "[" + many("*a,") + "*a]\n",
		"a long key":             "x: &a {" + many("z") + ": 1}\ny: &p {type: t, value: *a}\n" + bundle + "[" + many("*p,") + "*p]\n",
		"a long scalar":          "x: &a " + many("z") + "\ny: &p {type: *a}\n" + bundle + "[" + many("*p,") + "*p]\n",
		"what is no number":      "x: &a " + many("1_") + "\ny: &p {type: t, value: *a}\n" + bundle + "[" + many("*p,") + "*p]\n",
		"merged keys":            "x: &a {" + many("z: 1,") + "}\ny: &p {type: t, value: {<<: [" + many("*a,") + "*a]}}\n" + bundle + "[*p]\n",
		"merged again":           "x: &a {" + many("z: 1,") + "}\ny: &p {type: t, value: {<<: *a}}\n" + bundle + "[" + many("*p,") + "*p]\n",
	} {
		t.Run(name, func(t *testing.T) {
			limits := catalog.Limits{}.WithDefaults()
			sink := &faults{}
			r := Reader{Limits: limits, Strings: &properties.Interner{}, Sink: sink}
			require.NoError(t, r.ReadFile(t.Context(), "c.yaml", []byte(text)))
			assert.Contains(t, sink.codes, catalog.Code(code.Limit))

			doc := &Document{}
			trees := 0
			fault, err := Trees(t.Context(), "c.yaml", []byte(text), limits, func(tree *Tree) {
				trees++
				tree.cursor.node, tree.cursor.in = tree.Root, &properties.Interner{}
				d := decoder{doc: doc, cursor: tree.cursor}
				_ = d.document()
				spent := expansion(limits, len(text)) - tree.cursor.work
				assert.Greater(t, spent, expansion(limits, len(text)))
				// What is charged at once is no larger than the text.
				assert.Less(t, spent, expansion(limits, len(text))+len(text)+n*20)
			})
			require.NoError(t, err)
			assert.Nil(t, fault)
			assert.Equal(t, 1, trees)
		})
	}
}

// faults are the codes of what is wrong with files.
type faults struct{ codes []catalog.Code }

func (s *faults) Document(d *Document) {
	for _, p := range d.Problems {
		s.codes = append(s.codes, p.Code)
	}
}
func (s *faults) Fault(f catalog.Fault) { s.codes = append(s.codes, f.Code) }
func (s *faults) Damage(string, string) {}
