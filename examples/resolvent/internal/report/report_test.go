package report

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/check"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// markedUp ends every name of the catalogs of the tests.
const markedUp = `</title></svg></script><script>alert(1)</script><img src=x onerror=alert(2)>"'&`

type object = map[string]any

// checked is the input for the page of one catalog.
func checked(t *testing.T, documents ...object) Input {
	t.Helper()
	var text []byte
	for _, d := range documents {
		line, err := json.Marshal(d)
		require.NoError(t, err)
		text = append(append(text, line...), '\n')
	}
	read, err := cache.FS(fstest.MapFS{"catalog.json": {Data: text}}, cache.Options{}).LoadChecked(t.Context())
	require.NoError(t, err)
	catalogs := []check.Catalog{{Key: catalog.Key{Name: "c" + markedUp}, Checked: read}}
	found, err := check.Run(t.Context(), catalogs, check.Options{})
	require.NoError(t, err)
	return Input{Report: found, Catalogs: catalogs, Show: catalog.Warning}
}

func bundleOf(pkg string, version int, more ...object) object {
	properties := []object{{"type": "olm.package", "value": object{"packageName": pkg, "version": fmt.Sprintf("%d.0.0", version)}}}
	return object{"schema": "olm.bundle", "package": pkg, "name": named(pkg, version), "image": "i", "properties": append(properties, more...)}
}

func named(pkg string, version int) string { return fmt.Sprintf("%s.v%d", pkg, version) }

func channelOf(pkg string, entries ...object) object {
	return object{"schema": "olm.channel", "package": pkg, "name": "c" + markedUp, "entries": entries}
}

func packageOf(name string) object {
	return object{"schema": "olm.package", "name": name, "defaultChannel": "c" + markedUp}
}

// strangers is a catalog with an error in one package and a note in another.
func strangers(t *testing.T) Input {
	t.Helper()
	a, b := "a"+markedUp, "b"+markedUp
	return checked(t,
		packageOf(a), channelOf(a, object{"name": named(a, 2), "replaces": named(a, 1)}, object{"name": named(a, 1)}),
		bundleOf(a, 1), bundleOf(a, 2, object{"type": "olm.package.required", "value": object{"packageName": "x" + markedUp, "versionRange": ">=1.0.0"}}),
		packageOf(b), channelOf(b, object{"name": named(b, 2), "skips": []string{named(b, 1)}}, object{"name": named(b, 1)}),
		bundleOf(b, 1), bundleOf(b, 2),
	)
}

func written(t *testing.T, in Input) string {
	t.Helper()
	var page bytes.Buffer
	require.NoError(t, Write(t.Context(), &page, in))
	return page.String()
}

func TestEscapes(t *testing.T) {
	page := written(t, strangers(t))
	assert.Equal(t, 1, strings.Count(page, "<script"))
	assert.NotContains(t, page, "<img")
	assert.Contains(t, page, "Why 1 bundle cannot be installed")
	assert.Equal(t, 2, strings.Count(page, "<summary>Update graph</summary>"))

	// The one script is the one that the policy names.
	script := regexp.MustCompile(`(?s)<script>(.*)</script>`).FindStringSubmatch(page)[1]
	policy := regexp.MustCompile(`script-src '([^']*)'`).FindStringSubmatch(page)[1]
	assert.Equal(t, hash(script), strings.ReplaceAll(policy, "&#43;", "+"))
}

// What is too much for a browser is counted instead of shown.
func TestBounds(t *testing.T) {
	const n = maxBundles + 5
	documents := []object{packageOf("a")}
	var entries []object
	for i := range n {
		entries = append(entries, object{"name": named("a", i), "skips": []string{named("a", n)}})
		documents = append(documents, bundleOf("a", i, object{"type": "olm.package.required", "value": object{"packageName": "x", "versionRange": ">=1.0.0"}}))
		if i > 0 {
			entries[i]["replaces"] = named("a", i-1)
		}
	}
	in := checked(t, append(documents, channelOf("a", entries...))...)
	page := written(t, in)
	assert.Contains(t, page, fmt.Sprintf("Why %d bundles cannot be installed", n))
	assert.Equal(t, maxBundles, strings.Count(page, "has no package x"))
	assert.Contains(t, page, "<li>and 5 more</li>")

	in.Report.Findings = slices.Repeat(in.Report.Findings[:1], maxFindings+4)
	first := &in.Report.Findings[0]
	first.Places = slices.Repeat(first.Places, maxPlaces+3)
	page = written(t, in)
	assert.Contains(t, page, "<li>and 3 more</li>")
	assert.Contains(t, page, "There are 4 more findings")

	// The last one is worst, and has its place.
	in.Report.Findings = slices.Repeat([]check.Finding{{Severity: catalog.Note, Catalog: in.Catalogs[0].Key, Package: "a", Message: "minor"}}, maxFindings+4)
	in.Report.Findings[maxFindings+3].Severity = catalog.Error
	in.Report.Findings[maxFindings+3].Message = "major"
	page = written(t, in)
	assert.Contains(t, page, " 1: major")
	assert.Less(t, strings.Index(page, "major"), strings.Index(page, "minor"))

	s := in.section(in.worst()[maxFindings-1:], nil, false)
	assert.Contains(t, s.Graph.Missing, "run resolvent graph")
}

func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stop")
	cancel(stop)
	var page bytes.Buffer
	assert.ErrorIs(t, Write(ctx, &page, strangers(t)), stop)
	assert.Empty(t, page.String())
	assert.ErrorIs(t, Write(ctx, &page, Input{Report: &check.Report{}}), stop)
}

func TestNothingFound(t *testing.T) {
	page := written(t, Input{Report: &check.Report{Catalogs: make([]check.Summary, 2), Known: 3, Ignored: 1}})
	assert.Contains(t, page, "Check of 2 catalogs")
	assert.Contains(t, page, `<p id="none">`)
	assert.Contains(t, page, "0 errors, 0 warnings, 0 notes; 3 known from the baseline; 1 ignored</p>")
}

// In a real browser nothing of the names runs, the filters filter, and all of it works
// with the keyboard, on a wide page and a narrow one.
func TestBrowser(t *testing.T) {
	b := testkit.StartBrowser(t)
	b.Open([]byte(written(t, strangers(t))))
	shown := func() string {
		return b.Eval(`[...document.querySelectorAll(".package:not([hidden]) .findings > li:not([hidden])")].map(i => i.dataset.severity).join()`).(string)
	}
	assert.EqualValues(t, 1, b.Eval(`document.scripts.length`))
	assert.EqualValues(t, 0, b.Eval(`document.images.length`))
	assert.Equal(t, "error,error,error", shown())

	b.TabTo(`[name=severity][value=note]`)
	b.Press(" ", " ", 32)
	assert.Equal(t, "error,error,error,note", shown())
	b.TabTo(`[name=text]`)
	b.Call("Input.insertText", map[string]any{"text": "PACKAGE B<"}, nil)
	assert.Equal(t, "error,note", shown())
	b.Press("Enter", "\r", 13)
	b.Call("Input.insertText", map[string]any{"text": "nowhere"}, nil)
	assert.Empty(t, shown())
	assert.Equal(t, false, b.Eval(`document.getElementById("none").hidden`))
	b.TabTo(`[type=reset]`)
	b.Press(" ", " ", 32)
	b.Eval(`new Promise(done => setTimeout(done))`) // the filters are applied after that
	assert.Equal(t, "error,error,error", shown())
	b.TabTo(`summary`)
	b.Press("Enter", "\r", 13)
	assert.Equal(t, true, b.Eval(`document.activeElement.parentElement.open`))
	assert.Contains(t, b.Eval(`document.querySelector("details[open] svg").textContent`), "a"+markedUp)

	fits(t, b)
	assert.Empty(t, b.Complaints)
}

// fits checks that the page is as wide as the window with no name broken that has room, and
// drawn for light and dark.
func fits(t *testing.T, b *testkit.Browser) {
	for _, width := range []int{1600, 1280, 480, 400} {
		b.Size(width)
		assert.Equal(t, true, b.Eval(`document.documentElement.scrollWidth <= innerWidth`), "%d pixels are too narrow for the page", width)
		assert.Equal(t, []any{}, b.Eval(`[...document.querySelectorAll("bdi")].filter(e => {
			if (!e.offsetParent) return false;
			const height = e.offsetHeight;
			e.style.whiteSpace = "nowrap";
			const broken = e.offsetHeight < height && e.scrollWidth <= e.parentElement.clientWidth;
			e.style.whiteSpace = "";
			return broken;
		}).map(e => e.textContent)`), "%d pixels", width)
	}
	background := func(scheme string) any {
		b.Call("Emulation.setEmulatedMedia", map[string]any{"features": []object{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
		return b.Eval(`getComputedStyle(document.body).backgroundColor + getComputedStyle(document.querySelector("svg")).backgroundColor`)
	}
	assert.NotEqual(t, background("light"), background("dark"))
}
