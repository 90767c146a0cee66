package main

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/testdata/testkit"
)

var pictures = flag.String("pictures", "", "write the picture of the status page into this `FOLDER`")

// TestStatusPage looks at the page that the README shows.
func TestStatusPage(t *testing.T) {
	b := testkit.StartBrowser(t)
	page, status := script(t, "cd ../..; resolvent status -f testdata/cluster/community.yaml --catalog olm/community=testdata/community/catalog.yaml --date 2026-11-26 -o html 2>/dev/null")
	require.Equal(t, 1, status)
	b.Open([]byte(page))
	b.Size(1200)
	assert.Equal(t, true, b.Eval(`document.documentElement.scrollWidth <= innerWidth`))
	assert.Contains(t, b.Eval(`document.body.innerText`), "apicurio-registry-3")
	assert.Equal(t, true, b.Eval(`document.querySelector("h2").getBoundingClientRect().top < document.querySelector("table.rows").getBoundingClientRect().top`), "what needs somebody is above the table")
	assert.Equal(t, true, b.Eval(`[...document.querySelectorAll("tr.error a")].every(a => document.querySelector(a.getAttribute("href")).querySelector("p"))`), "what is stuck leads to why")
	assert.EqualValues(t, 0, b.Eval(`[...document.querySelectorAll("svg")].filter(s => !s.querySelector(".node")).length`), "pictures of nothing")
	assert.Equal(t, true, b.Eval(`new Set([...document.querySelectorAll("section p")].map(p => p.textContent)).size == document.querySelectorAll("section p").length`), "a sentence is there twice")
	assert.Empty(t, b.Complaints)
	if *pictures != "" {
		require.NoError(t, os.WriteFile(filepath.Join(*pictures, "status.webp"), b.Picture(), 0o644))
	}
}
