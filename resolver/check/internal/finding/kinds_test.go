package finding_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/check"
	"github.com/resolvent/resolvent/resolver/check/internal/finding"
	"github.com/resolvent/resolvent/resolver/check/repair"
)

var update = flag.Bool("update", false, "write the wanted findings anew")

// plain are kinds without cases: only other inputs than one file of a catalog have them, or they have
// nothing but a meaning.
var plain = strings.Fields("annotations bundleChannel clusterServiceVersion damagedFile installModes installStrategy lifecycle limit mediaType " +
	"ownedCRD passedOver refusedUpdate supportEnded syntax template unjudged unreadableFile webhook")

// notes are those that a finding hides.
var notes = map[catalog.Code][]catalog.Code{"skipRangeDowngrade": {"leftBehind"}, "severalHeads": {"hiddenBySkips"}}

// Each kind of finding has cases: a catalog, and what is found there and repaired.
func TestKinds(t *testing.T) {
	seen := map[finding.Mark]bool{}
	for code := range finding.Kinds {
		if slices.Contains(plain, string(code)) {
			continue
		}
		t.Run(string(code), func(t *testing.T) {
			file := filepath.Join("testdata", "kinds", string(code)+".txt")
			text, err := os.ReadFile(file)
			require.NoError(t, err, "no case of %s", code)
			cases := txtar.Parse(text)
			for i := 0; i+1 < len(cases.Files); i += 2 {
				got := found(t, cases.Files[i], code, seen)
				if !*update {
					assert.Equal(t, string(cases.Files[i+1].Data), got, cases.Files[i].Name)
				}
				cases.Files[i+1].Data = []byte(got)
			}
			if *update {
				require.NoError(t, os.WriteFile(file, txtar.Format(cases), 0o644))
			}
		})
	}
	for _, mark := range finding.Marks() {
		assert.True(t, seen[mark], "no finding has the reason %s", mark)
	}
	assert.False(t, finding.Alike("", "abc"), "no name is spelt as another one")
}

func judged(t *testing.T, text []byte) (check.Catalog, *check.Report) {
	read, err := cache.FS(fstest.MapFS{"c.yaml": {Data: text}}, cache.Options{}).LoadChecked(t.Context())
	require.NoError(t, err)
	c := check.Catalog{Key: catalog.Key{Name: "c"}, Checked: read}
	report, err := check.Run(t.Context(), []check.Catalog{c}, check.Options{Safety: unsafe})
	require.NoError(t, err)
	return c, report
}

// unsafe judges all that is defined.
func unsafe(context.Context, *properties.Objects, *properties.Objects) []check.Unsafe {
	return []check.Unsafe{{Definition: "ks.g", Changes: []string{"v1: a field goes"}}}
}

// found returns what is found of a code, and its repair. The repaired catalog lacks the finding, has no
// other, and keeps most lines.
func found(t *testing.T, of txtar.File, code catalog.Code, seen map[finding.Mark]bool) string {
	c, report := judged(t, of.Data)
	var b strings.Builder
	for i := range report.Findings {
		f := &report.Findings[i]
		if f.Code != code {
			continue
		}
		fmt.Fprintf(&b, "%s: %s\n", f.Severity, f.Message)
		for _, r := range f.Because {
			seen[r.Code] = true
			fmt.Fprintf(&b, "because %s\n", r)
		}
		for _, s := range f.Stops {
			fmt.Fprintf(&b, "stops %s\n", s)
		}
		files := repair.Read(c, map[string][]byte{"c.yaml": of.Data}, nil, report.Findings, check.Options{Safety: unsafe})
		applied, err := files.Apply(t.Context(), f)
		require.NoError(t, err)
		for _, p := range applied[0].Patches {
			fmt.Fprintf(&b, "repair: %s\n", strings.Join(p.Lines, "\nrepair: "))
		}
		if applied[0].None != "" {
			fmt.Fprintf(&b, "no repair: %s\n", applied[0].None)
			continue
		}
		text := files.Changed()["c.yaml"]
		_, after := judged(t, text)
		for _, id := range f.Identities {
			assert.False(t, after.All.Has(id), "%v stays in %s", id, of.Name)
		}
		for _, id := range after.All.Identities() {
			assert.True(t, report.All.Has(id) || slices.Contains(notes[code], id.Code) || id.Code == "danglingEdge", "%s: %v appears", of.Name, id)
		}
		lost := 0
		for line := range strings.Lines(string(text)) {
			if !strings.Contains(string(of.Data), line) {
				lost++
			}
		}
		assert.Less(t, lost, 9, of.Name)
	}
	assert.NotEmpty(t, b.String(), "%s: %v", of.Name, report.Findings)
	return b.String()
}
