//go:build !js

package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/examples/playground/internal/trial"
	"github.com/resolvent/resolvent/testdata/testkit"
)

var pictures = flag.String("pictures", "", "write pictures of the page into this `FOLDER`: that of the README, and other widths to look at")

// mostBytes is what the library may have, packed.
const mostBytes = 7_000_000

// TestPage drives the page in a browser, from a server such as any file server.
func TestPage(t *testing.T) {
	b := testkit.StartBrowser(t)
	folder := t.TempDir()
	require.NoError(t, build(t.Context(), folder))
	packed, err := os.Stat(filepath.Join(folder, "library.wasm.gz"))
	require.NoError(t, err)
	assert.Less(t, packed.Size(), int64(mostBytes))
	server := httptest.NewServer(http.FileServerFS(os.DirFS(folder)))
	defer server.Close()

	b.Navigate(server.URL)
	settle(t, b)
	t.Logf("%d bytes; the library starts after %v ms, the first answer comes after %v ms", packed.Size(),
		b.Eval(`document.documentElement.dataset.ready`), b.Eval(`document.documentElement.dataset.answered`))
	for _, part := range []struct {
		name string
		test func(*testing.T, *testkit.Browser)
	}{{"looks", looks}, {"examples", examples}, {"strangers", strangers}, {"drops", drops}, {"address", address}} {
		t.Run(part.name, func(t *testing.T) {
			b.Complaints = nil
			part.test(t, b)
			assert.Empty(t, b.Complaints)
		})
	}
}

// examples: each example gives what the library gives here, each fix can be applied and
// undone, and nothing else is asked for.
func examples(t *testing.T, b *testkit.Browser) {
	for _, e := range trial.Examples() {
		choose(t, b, e.Name)
		assert.Equal(t, "#"+e.Name, b.Eval(`location.hash`))
		shows(t, b, e.Input)
		for n := range trial.Answers(t.Context(), e.Input).Fixes {
			text, err := trial.Apply(t.Context(), e.Input, n)
			require.NoError(t, err)
			b.Eval(fmt.Sprintf(`document.querySelectorAll("#fixes button")[%d].click()`, n))
			settle(t, b)
			after := e.Input
			after.Cluster = text
			shows(t, b, after)
			b.Eval(`document.getElementById("undo").click()`)
			settle(t, b)
			shows(t, b, e.Input)
		}
	}
}

// address: what was typed is in the address, and comes back from it.
func address(t *testing.T, b *testkit.Browser) {
	in := trial.Examples()[0].Input
	in.Cluster = strings.ReplaceAll(in.Cluster, "namespace: operators", "namespace: größer") // not ASCII
	in.Question = trial.Status
	set(t, b, in)
	shows(t, b, in)
	link := b.Eval(`location.href`).(string)
	assert.Contains(t, link, "#~")

	b.Navigate("about:blank")
	b.Navigate(link)
	settle(t, b)
	assert.Equal(t, in.Cluster, b.Eval(`document.getElementById("cluster").value`))
	shows(t, b, in)

	// One that is damaged is an example, and says so.
	b.Eval(`location.hash = "#~AAAA"; new Promise((done) => setTimeout(done, 100))`)
	settle(t, b)
	shows(t, b, trial.Examples()[0].Input)
	assert.Contains(t, b.Eval(`document.getElementById("state").textContent`), "damaged")
}

// strangers: what a text says is shown and does nothing.
func strangers(t *testing.T, b *testkit.Browser) {
	markup := `<img src=x onerror="document.title='run'"><script>document.title='run'</script>`
	in := trial.Examples()[0].Input
	in.Catalog = strings.ReplaceAll(in.Catalog, "cert-manager", markup)
	set(t, b, in)
	assert.Equal(t, float64(0), b.Eval(`document.querySelectorAll("#text img, #table img, #fixes img, #faults img, body script").length`))
	assert.Equal(t, "resolvent playground", b.Eval(`document.title`))

	// Typing into a broken text says where it is broken.
	in.Cluster = "kind: ["
	set(t, b, in)
	shows(t, b, in)
	assert.Contains(t, b.Eval(`document.querySelector("#text pre").className`), "fault")

	in.Cluster = "a: b\nkind: [\n"
	set(t, b, in)
	assert.Equal(t, "3", b.Eval(`document.getElementById("cluster").previousElementSibling.querySelector("mark.fault").textContent`), "the line of a fault is marked")
}

// looks: the page is usable with the keyboard alone and as wide as its window, has colors
// for light and dark, and numbers beside their lines.
func looks(t *testing.T, b *testkit.Browser) {
	for _, selector := range []string{"#example", "#question", "#share", "#catalog"} {
		b.TabTo(selector)
	}
	assert.Equal(t, float64(0), b.Eval(`document.getElementById("catalog").scrollTop`))
	for _, width := range []int{1920, 1280, 480, 320} {
		b.Size(width)
		assert.Equal(t, true, b.Eval(`document.documentElement.scrollWidth <= innerWidth`), "%d pixels are too narrow for the page", width)
		assert.Equal(t, float64(0), b.Eval(`new Promise((done) => {
			const text = document.getElementById("catalog");
			text.scrollTop = text.scrollHeight;
			let tries = 0;
			const apart = () => text.scrollTop - text.previousElementSibling.scrollTop;
			const timer = setInterval(() => { // the browser tells of scrolling when it paints
				if (apart() !== 0 && ++tries < 250) return;
				clearInterval(timer);
				done(apart());
				text.scrollTop = 0;
			}, 20);
		})`))
		if *pictures != "" {
			require.NoError(t, os.WriteFile(filepath.Join(*pictures, fmt.Sprintf("playground-%d.webp", width)), b.Picture(), 0o644))
		}
	}
	// On a laptop the answer and its fixes stand beside the texts, above the fold.
	b.Call("Emulation.setDeviceMetricsOverride", map[string]any{"width": 1280, "height": 800, "deviceScaleFactor": 1, "mobile": false}, nil)
	assert.Equal(t, true, b.Eval(`(() => {
		const box = (selector) => document.querySelector(selector).getBoundingClientRect();
		return box("#answer").left >= box("#cluster").right && box("#answer").top <= box("#catalog").top && box("#fixes button").bottom <= innerHeight && box("#cluster").bottom <= innerHeight;
	})()`))
	b.Size(1280)
	colors := map[any]bool{}
	for _, scheme := range []string{"dark", "light"} {
		b.Call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]any{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
		colors[b.Eval(`getComputedStyle(document.body).backgroundColor`)] = true
	}
	assert.Len(t, colors, 2)

	b.Eval(`document.getElementById("tab-text").focus()`)
	b.Press("ArrowRight", "", 39)
	assert.Equal(t, false, b.Eval(`document.getElementById("table").hidden`))
	b.TabTo("#fixes button")
	b.Press("Enter", "\r", 13)
	settle(t, b)
	assert.Contains(t, b.Eval(`document.getElementById("text").textContent`), "resolved")
	assert.Equal(t, "undo", b.Eval(`document.activeElement.id`))
	assert.Equal(t, true, b.Eval(`(() => {
		const marks = [...document.querySelectorAll("#cluster").values()].flatMap((text) => [...text.previousElementSibling.querySelectorAll("mark.changed")]);
		const line = (mark) => document.getElementById("cluster").value.split("\n")[mark.textContent - 1];
		return marks.length > 0 && marks.length < 12 && marks.some((mark) => /channel/.test(line(mark)));
	})()`), "the lines that the fix changed are marked")
}

// drops: a file that is dropped stands for a text.
func drops(t *testing.T, b *testkit.Browser) {
	choose(t, b, trial.Examples()[0].Name)
	in := trial.Examples()[0].Input
	in.Cluster = "kind: Namespace\n---\nkind: Namespace\n"
	b.Eval(`{
		const files = new DataTransfer();
		for (const name of ["a.yaml", "b.yaml"]) files.items.add(new File(["kind: Namespace"], name));
		document.getElementById("cluster").parentElement.dispatchEvent(new DragEvent("drop", { dataTransfer: files, cancelable: true, bubbles: true }));
	}; new Promise((done) => setTimeout(done, 300))`)
	settle(t, b)
	assert.Equal(t, in.Cluster, b.Eval(`document.getElementById("cluster").value`))
}

// TestAlone: the page names no other host, and no script or style but its files.
func TestAlone(t *testing.T) {
	text, err := page.ReadFile("page/index.html")
	require.NoError(t, err)
	assert.Contains(t, string(text), `default-src 'none'`)
	assert.NotContains(t, string(text), "unsafe-inline")
	assert.NotContains(t, string(text), "'unsafe-eval'")
	for _, m := range regexp.MustCompile(`(?:src|href)="([^"]*)"`).FindAllStringSubmatch(string(text), -1) {
		if m[1] != "data:," && m[1] != "https://github.com/resolvent/resolvent" {
			_, err := page.Open("page/" + m[1])
			assert.NoError(t, err, "%s is no file of the page", m[1])
		}
	}
	assert.NotRegexp(t, `<[a-z]+[^>]* (on[a-z]+|style)=`, string(text))
	for _, name := range []string{"page.js", "worker.js", "page.css"} {
		text, err := page.ReadFile("page/" + name)
		require.NoError(t, err)
		assert.NotContains(t, string(text), "://", name)
		assert.NotContains(t, string(text), "innerHTML", name)
	}
}

// settle waits until the page has answered what it shows.
func settle(t *testing.T, b *testkit.Browser) {
	t.Helper()
	require.Equal(t, "done", b.Eval(`new Promise((done, fail) => {
		const began = Date.now();
		const look = () => {
			if (typeof shown !== "undefined" && same(shown, input()) && !document.querySelector("[aria-busy]") && location.hash) return done("done");
			if (Date.now() - began > 45000) return done("no answer: " + document.body.innerText);
			setTimeout(look, 20);
		};
		look();
	})`))
}

func choose(t *testing.T, b *testkit.Browser, example string) {
	t.Helper()
	b.Eval(fmt.Sprintf(`{ const e = document.getElementById("example"); e.value = %q; e.dispatchEvent(new Event("change")) }`, example))
	settle(t, b)
}

// set types texts, and chooses a question.
func set(t *testing.T, b *testkit.Browser, in trial.Input) {
	t.Helper()
	text, err := json.Marshal(in)
	require.NoError(t, err)
	b.Eval(fmt.Sprintf(`{ setInput(%s); document.getElementById("cluster").dispatchEvent(new Event("input")) }`, text))
	settle(t, b)
}

// shows compares all that the page shows with the answer of the library.
func shows(t *testing.T, b *testkit.Browser, in trial.Input) {
	t.Helper()
	want := trial.Answers(t.Context(), in)
	got := struct {
		Text    string
		Table   [][]string
		Picture string
		Fixes   []trial.Fix
		Faults  []string
	}{}
	text := b.Eval(`(async () => {
		const all = (selector, from) => [...(from || document).querySelectorAll(selector)];
		const img = document.querySelector("#picture img");
		if (img) await img.decode();
		return JSON.stringify({
			text: document.querySelector("#text pre").textContent,
			table: all("#table tr").map((tr) => [...tr.cells].map((c) => c.textContent)).filter((r) => r.length),
			picture: img ? await lastPicture.text() : "",
			fixes: all("#fixes li").map((li) => ({ title: li.parentElement.previousElementSibling.textContent, text: li.querySelector("span").textContent })),
			faults: all("#faults li").map((li) => li.textContent),
		});
	})()`)
	require.NoError(t, json.Unmarshal([]byte(text.(string)), &got))
	if want.Error != "" {
		assert.Equal(t, want.Error, got.Text)
		return
	}
	assert.Equal(t, want.Text, got.Text)
	assert.Equal(t, want.Table, got.Table)
	assert.Equal(t, want.Picture, got.Picture)
	assert.Equal(t, want.Fixes, got.Fixes)
	assert.Equal(t, want.Faults, got.Faults)
}
