package apiserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
)

// packages is how many packages a random catalog has.
const packages = 12

func packageName(i int) string { return fmt.Sprintf("package-%d", i) }

// fields is a JSON object.
type fields map[string]any

// randomCatalog is a catalog in which some packages require others, in versions that
// may be missing, and some provide the same API.
func randomCatalog(t testing.TB, r *rand.Rand) []byte {
	var text bytes.Buffer
	to := json.NewEncoder(&text)
	for p := range packages {
		name := packageName(p)
		var entries []fields
		for v := range 1 + r.IntN(4) {
			bundle := bundleName(name, v+1)
			entry := fields{"name": bundle}
			if v > 0 {
				entry["replaces"] = bundleName(name, v)
			}
			entries = append(entries, entry)
			require.NoError(t, to.Encode(fields{"schema": "olm.bundle", "package": name, "name": bundle,
				"image": "registry.example.com/" + name, "properties": randomProperties(r, name, v+1)}))
		}
		require.NoError(t, to.Encode(fields{"schema": "olm.package", "name": name, "defaultChannel": "stable"}))
		require.NoError(t, to.Encode(fields{"schema": "olm.channel", "package": name, "name": "stable", "entries": entries}))
	}
	return text.Bytes()
}

func bundleName(pkg string, version int) string { return fmt.Sprintf("%s.v%d.0.0", pkg, version) }

func randomProperties(r *rand.Rand, pkg string, version int) []fields {
	list := []fields{{"type": "olm.package", "value": fields{"packageName": pkg, "version": fmt.Sprintf("%d.0.0", version)}}}
	if r.IntN(3) == 0 {
		list = append(list, fields{"type": "olm.gvk", "value": fields{
			"group": "example.com", "version": "v1", "kind": fmt.Sprintf("Kind%d", r.IntN(packages/2))}})
	}
	if r.IntN(2) == 0 {
		list = append(list, fields{"type": "olm.package.required", "value": fields{
			"packageName": packageName(r.IntN(packages)), "versionRange": fmt.Sprintf(">=%d.0.0", 1+r.IntN(4))}})
	}
	return list
}

// publisher is a catalog that changes, and fails. It is a cache.Source, and serves what
// catalogd does.
type publisher struct {
	mu       sync.Mutex
	text     []byte
	snapshot *catalog.Snapshot
	versions int64
	fails    bool
}

var errDown = errors.New("the registry is down")

// publish changes the catalog, or lets it fail.
func (p *publisher) publish(t testing.TB, r *rand.Rand, fails bool) {
	text := randomCatalog(t, r)
	snapshot, err := cache.LoadFS(t.Context(), fstest.MapFS{"catalog.json": {Data: text}}, cache.Options{Strict: true})
	require.NoError(t, err)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fails = fails; !fails {
		p.text, p.snapshot = text, snapshot
		p.versions++
	}
}

func (p *publisher) Load(context.Context) (*catalog.Snapshot, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fails {
		return nil, errDown
	}
	return p.snapshot, nil
}

// state is the catalog as a resolution has to see it.
func (p *publisher) state(key catalog.Key) cache.Catalog {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := cache.Catalog{Key: key, Snapshot: p.snapshot}
	if p.fails {
		c.Err = errDown
	}
	return c
}

// ServeHTTP implements http.Handler. What was published next is a second younger, which
// is what Last-Modified distinguishes.
func (p *publisher) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	http.ServeContent(w, r, "catalog.json", time.Unix(1e9+p.versions, 0), bytes.NewReader(p.text))
}
