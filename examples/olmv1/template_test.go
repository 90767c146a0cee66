package olmv1_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/operator-framework/operator-registry/alpha/declcfg"
	"github.com/operator-framework/operator-registry/alpha/template/api"
	"github.com/operator-framework/operator-registry/alpha/template/basic"
	"github.com/operator-framework/operator-registry/alpha/template/semver"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/template"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// oneOf returns one of several texts, the first ones more often.
func oneOf(r *rand.Rand, list ...string) string {
	return list[min(r.IntN(len(list)), r.IntN(len(list)))]
}

// publishedBundles returns bundles of one package, and now and then of another one, by image.
func publishedBundles(r *rand.Rand) template.Bundles {
	bundles := template.Bundles{}
	for i := range 1 + r.IntN(12) {
		version := fmt.Sprintf("%d.%d.%d", r.IntN(3), r.IntN(3), r.IntN(3)) + oneOf(r, "", "", "", "-alpha", "-rc.1", "+b1", "+b2")
		pkg, name := "p", "p.v"+version
		if r.IntN(40) == 0 {
			pkg = "q"
		}
		if r.IntN(10) == 0 {
			name = "p.v1.0.0"
		}
		image := fmt.Sprintf("example.com/p:%d", i)
		bundles[image], _ = json.Marshal(map[string]any{"schema": "olm.bundle", "package": pkg, "name": name, "image": image, "properties": []any{
			map[string]any{"type": "olm.package", "value": map[string]any{"packageName": pkg, "version": version}}}})
	}
	return bundles
}

// semverText returns a semver template, with a mistake in every fourth or so.
func semverText(r *rand.Rand, images []string) string {
	var text strings.Builder
	fmt.Fprintf(&text, "schema: %s\n", "olm.semver")
	text.WriteString(oneOf(r, "", "generateMajorChannels: true\n", "GenerateMinorChannels: true\n", "generateMajorChannels: true\ngenerateMinorChannels: yes\n", "generateMajorChannel: true\n", "generateMinorChannels: \"true\"\n"))
	text.WriteString(oneOf(r, "", "", "defaultChannelTypePreference: minor\n", "defaultChannelTypePreference: major\n", "defaultChannelTypePreference: middle\n"))
	for _, of := range []string{"stable", "candidate", "fast"} {
		if r.IntN(3) == 0 {
			text.WriteString(oneOf(r, "", of+": {}\n", of+":\n", of+": {bundles: []}\n"))
			continue
		}
		fmt.Fprintf(&text, "%s:\n  bundles:\n", of)
		for _, image := range images {
			if r.IntN(2) == 0 {
				fmt.Fprintf(&text, "  - image: %s\n", image)
			}
			if r.IntN(60) == 0 {
				fmt.Fprintf(&text, "  - image: %s\n    %s\n", image, oneOf(r, "name: x", "image: y"))
			}
		}
	}
	return text.String()
}

// basicText returns a basic template, with a mistake in every fourth or so.
func basicText(r *rand.Rand, bundles template.Bundles, images []string) string {
	entries := []any{map[string]any{"schema": "olm.package", "name": "p", "defaultChannel": "s"}}
	var listed []any
	for _, image := range images {
		var b map[string]any
		_ = json.Unmarshal(bundles[image], &b)
		listed = append(listed, map[string]any{"name": b["name"], "skipRange": "<0.0.1"})
		entry := map[string]any{"schema": "olm.bundle", "image": image}
		if r.IntN(4) == 0 {
			entry["name"] = b["name"]
		}
		if r.IntN(40) == 0 {
			entry["properties"] = b["properties"]
		}
		if r.IntN(40) == 0 {
			entry["package"] = "p"
		}
		entries = append(entries, entry)
	}
	entries = append(entries, map[string]any{"schema": "olm.channel", "package": "p", "name": "s", "entries": listed})
	r.Shuffle(len(entries), func(i, j int) { entries[i], entries[j] = entries[j], entries[i] })
	text, _ := json.MarshalIndent(map[string]any{"schema": "olm.template.basic", "entries": entries}, "", oneOf(r, "  ", "\t", ""))
	return string(text)
}

// opm renders the same catalogs from random templates, and refuses those that have a fault.
func TestTemplates(t *testing.T) {
	refused := 0
	for seed := range testkit.Scale(500, 5000) {
		r := rand.New(rand.NewPCG(uint64(seed), 431))
		bundles := publishedBundles(r)
		var images []string
		for i := range len(bundles) {
			images = append(images, fmt.Sprintf("example.com/p:%d", i))
		}
		render := func(_ context.Context, image string) (*declcfg.DeclarativeConfig, error) {
			if bundles[image] == nil {
				return nil, fmt.Errorf("there is no %s", image)
			}
			return declcfg.LoadReader(bytes.NewReader(bundles[image]))
		}
		var theirs api.Template
		var text string
		if seed%3 > 0 {
			theirs, text = (&semver.Factory{}).CreateTemplate(render), semverText(r, images)
		} else {
			theirs, text = (&basic.Factory{}).CreateTemplate(render), basicText(r, bundles, images)
		}
		require.True(t, template.Is(t.Context(), []byte(text)), text)
		ours, err := template.Load(t.Context(), "t.yaml", []byte(text), bundles, cache.Options{})
		require.NoError(t, err, text)
		faulty := slices.ContainsFunc(ours.Faults, func(f catalog.Fault) bool { return f.Code == "template" })
		rendered, err := theirs.Render(t.Context(), strings.NewReader(text))
		if err != nil {
			refused++
			assert.True(t, faulty, "seed %d: %s\n%s", seed, err, text)
			continue
		}
		var written bytes.Buffer
		require.NoError(t, declcfg.WriteJSON(*rendered, &written))
		want, err := cache.Parse(t.Context(), written.Bytes(), cache.Options{})
		require.NoError(t, err)
		assert.False(t, faulty, "seed %d: %v\n%s", seed, ours.Faults, text)
		assert.Equal(t, blobsOf(t, want), blobsOf(t, ours.Snapshot), "seed %d\n%s", seed, text)
	}
	t.Logf("%d refused", refused)
	assert.Greater(t, refused, 50)
}

func blobsOf(t *testing.T, s *catalog.Snapshot) []string {
	text, err := cache.Render(t.Context(), s, slices.Collect(s.Packages()), nil)
	require.NoError(t, err)
	return strings.Split(string(text), "\n")
}
