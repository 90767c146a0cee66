package index_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/index"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/testdata/generate"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// faulty is a small catalog with faults, lost providers, constraints and
// versions of every form.
const faulty = `
-- c.yaml --
{schema: olm.package, name: a, defaultChannel: stable}
---
{schema: olm.channel, package: a, name: stable, entries: [{name: a.v1}, {name: a.v2, replaces: a.v1, skipRange: "<2.0.0"}, {name: a.v0, skipRange: ^1}]}
---
{schema: olm.channel, package: a, name: fast, entries: [{name: a.v2, skips: [a.v1, a.v0]}, {name: a.v1}, {name: a.v9, replaces: a.v2}]}
---
schema: olm.bundle
package: a
name: a.v1
properties:
- {type: olm.package, value: {packageName: a, version: 1.0.0-rc.1+build.5, release: "2"}}
- {type: olm.label, value: {label: gold}}
- {type: olm.deprecated, value: {}}
- {type: olm.maxOpenShiftVersion, value: "4.12"}
- {type: olm.constraint, value: {failureMessage: m, cel: {rule: "properties.exists(p, p.type == 'x')"}}}
- {type: olm.csv.metadata, value: {minKubeVersion: 1.20.0, installModes: [{type: AllNamespaces, supported: true}], annotations: {k: v}}}
- {type: olm.bundle.object, value: {data: x}}
---
{schema: olm.bundle, package: a, name: a.v2, image: i, properties: [{type: olm.package, value: {packageName: a, version: 2.0.0}}, {type: x, value: [1, null]}]}
---
{schema: olm.bundle, package: a, name: a.v3, properties: [{type: olm.gvk, value: {group: g, version: v1, kind: K}}]}
---
{schema: olm.deprecations, package: a, entries: [{reference: {schema: olm.bundle, name: a.v1}, message: old}, {reference: {schema: olm.package}, message: gone}]}
---
{schema: io.openshift.operators.lifecycles.v1alpha1, package: a, versions: [{name: "1.0", phases: [{name: Full, startDate: 2026-01-01, endDate: 2026-12-31}], platformCompatibility: [{name: openshift, versions: ["4.18"]}]}]}
-- d.json --
{"schema": "olm.package", "name": "b"} {"schema":
`

// encoded returns the payload of the index of a snapshot.
func encoded(t testing.TB, s *catalog.Snapshot) []byte {
	t.Helper()
	payload, err := index.Encode(s)
	require.NoError(t, err)
	return payload
}

func decode(payload []byte) (*catalog.Snapshot, error) {
	return index.Decode(context.Background(), string(payload), constraints.Limits{}, 1000)
}

var files = testkit.Tree

func load(t testing.TB, tree fs.FS) *catalog.Snapshot {
	t.Helper()
	s, err := cache.LoadFS(t.Context(), tree, cache.Options{})
	require.NoError(t, err)
	return s
}

const etcd = testkit.Etcd

func TestIndexKeepsEverything(t *testing.T) {
	snapshots := map[string]*catalog.Snapshot{
		"empty":     load(t, files("")),
		"etcd":      load(t, files("-- c.yaml --\n"+etcd)),
		"faulty":    load(t, files(faulty)),
		"generated": load(t, generate.Real(1).FS()),
	}
	for _, name := range []string{"coast", "island", "reef"} {
		snapshots[name] = load(t, os.DirFS(filepath.Join("..", "..", "..", "testdata", "catalogs", name)))
	}
	require.NotEmpty(t, snapshots["faulty"].Faults())
	require.NotEmpty(t, snapshots["faulty"].LostProviders())
	for name, want := range snapshots {
		t.Run(name, func(t *testing.T) { checkIndex(t, want) })
	}
}

func TestIndexKeepsRealCatalogs(t *testing.T) {
	for _, name := range []string{"community", "raw-v4.19"} {
		t.Run(name, func(t *testing.T) { checkIndex(t, load(t, os.DirFS(testkit.Shared(t, "catalogs", name)))) })
	}
}

// checkIndex compares a snapshot with what is read of its index.
func checkIndex(t *testing.T, want *catalog.Snapshot) {
	payload := encoded(t, want)
	got, err := decode(payload)
	require.NoError(t, err)
	require.True(t, bytes.Equal(payload, encoded(t, got)), "written again, it differs")
	require.Equal(t, want.Len(), got.Len())
	wanted, read := shown(want), shown(got)
	for i := range wanted {
		if wanted[i] != read[i] {
			require.Equal(t, wanted[i], read[i])
		}
	}
}

// shown is all that a snapshot says, by bundle and by package.
func shown(s *catalog.Snapshot) []string {
	list := []string{fmt.Sprintf("%d %v %#v %v", s.Candidates(), s.ByName(), s.Faults(), s.LostProviders())}
	apis := map[properties.GVK]string{}
	for id := range catalog.ID(s.Len()) {
		b := s.Bundle(id)
		text := fmt.Sprint(b.Name, b.Package, b.Image, b.Version, b.Release, b.Deprecation)
		for _, c := range b.Constraints {
			text += fmt.Sprintf("\n%d %s %v", c.Index, c.Type, c.Expr)
		}
		for _, p := range b.Places {
			text += fmt.Sprintf("\n%s %d", p.Channel.Name, p.Entry)
		}
		for _, label := range b.Properties.Labels() {
			text += fmt.Sprintf("\n%s %v", label, s.Labeled(label))
		}
		for i, p := range b.Properties.All() {
			text += fmt.Sprintf("\n%d %s %s", i, p.Type, p.Value)
		}
		for _, api := range b.Properties.GVKs() {
			if apis[api] == "" {
				apis[api] = fmt.Sprintf("\n%v %v", s.Providers(api), s.OtherVersions(api))
				text += apis[api]
			}
		}
		list = append(list, text)
	}
	for p := range s.Packages() {
		text := fmt.Sprint(p.Name, p.DefaultChannel, p.Deprecation, p.Lifecycles, p.Bundles, s.Quarantined(p.Name))
		for _, c := range p.Channels {
			text += fmt.Sprintf("\n%+v", *c)
		}
		list = append(list, text)
	}
	return list
}

func TestIndexDoesNotDependOnWorkers(t *testing.T) {
	var indexes [2][]byte
	for i, workers := range []int{1, 8} {
		s, err := cache.LoadFS(t.Context(), generate.Real(1).FS(), cache.Options{Workers: workers})
		require.NoError(t, err)
		indexes[i] = encoded(t, s)
	}
	require.True(t, bytes.Equal(indexes[0], indexes[1]))
}

func TestDamagedIndexIsRefused(t *testing.T) {
	file := index.EncodeFile("key", encoded(t, load(t, files(faulty))))
	open := func(key string, file []byte) error {
		_, err := index.DecodeFile(key, bytes.NewReader(file), int64(len(file)))
		return err
	}
	require.NoError(t, open("key", file))
	require.Error(t, open("other", file))
	for n := range file {
		require.Error(t, open("key", file[:n]), "ends after %d bytes", n)
	}
	require.Error(t, open("key", append(slices.Clone(file), 0)))
	for i := range file {
		for _, flip := range []byte{0x01, 0x80, 0xff} {
			damaged := slices.Clone(file)
			damaged[i] ^= flip
			require.Error(t, open("key", damaged), "byte %d", i)
		}
	}
}

// Images come back as they are stated.
func TestIndexKeepsImages(t *testing.T) {
	digest := strings.Repeat("0123456789abcdef", 4)
	for _, image := range []string{
		"", "i:1", "registry.example/i@sha256:" + digest, "registry.example/i:v1@sha256:" + digest, "@sha256:" + digest,
		"i@sha256:" + digest + "0", "i@sha256:" + digest[1:], "i@sha256:" + strings.ToUpper(digest), "i@sha512:" + digest,
		"i@sha256:" + digest + "@sha256:" + digest, "i@sha256:" + strings.Repeat("g", 64),
	} {
		s := load(t, files("-- c.yaml --\n"+strings.ReplaceAll(etcd, "registry.example/etcd:1", "x"+image)))
		got, err := decode(encoded(t, s))
		require.NoError(t, err)
		require.Equal(t, "x"+image, got.Bundle(got.Named("etcd.v1")[0]).Image)
	}
}

// An index of another version is refused whatever else it holds.
func TestIndexOfOtherFormat(t *testing.T) {
	file := index.EncodeFile("key", encoded(t, load(t, files(faulty))))
	for _, format := range []uint32{0, index.Format - 1, index.Format + 1} {
		binary.BigEndian.PutUint32(file[index.MagicBytes:], format)
		_, err := index.DecodeFile("key", bytes.NewReader(file), int64(len(file)))
		require.ErrorContains(t, err, "format")
	}
}

// A store asks with the options that are in the key. Were it not, nothing would
// satisfy a constraint that they do not allow.
func TestIndexWithOtherOptions(t *testing.T) {
	s, err := index.Decode(t.Context(), string(encoded(t, load(t, files(faulty)))), constraints.Limits{RuleLength: 10}, 1000)
	require.NoError(t, err)
	asking := s.Bundle(s.Named("a.v1")[0])
	require.Len(t, asking.Constraints, 1)
	yes, err := s.Matches(t.Context(), asking.Constraints[0].Expr, constraints.Facts{})
	require.NoError(t, err)
	require.Empty(t, yes)
}

// A snapshot that is unpacked bit by bit is the same for all who ask.
func TestIndexIsUnpackedOnce(t *testing.T) {
	want := load(t, generate.Real(1).FS())
	got, err := decode(encoded(t, want))
	require.NoError(t, err)
	packages := slices.Collect(want.Packages())
	var first sync.Map
	same := func(t assert.TestingT, key, value any) {
		known, _ := first.LoadOrStore(key, value)
		assert.Same(t, known, value)
	}
	var readers sync.WaitGroup
	for seed := range uint64(8) {
		readers.Go(func() {
			random := rand.New(rand.NewPCG(seed, 1))
			for range 2000 {
				id := catalog.ID(random.IntN(want.Len()))
				b, w := got.Bundle(id), want.Bundle(id)
				same(t, id, b)
				assert.Equal(t, w.Name, b.Name)
				p := packages[random.IntN(len(packages))]
				same(t, p.Name, got.Package(p.Name))
				assert.Equal(t, p.Bundles, got.Package(p.Name).Bundles)
				for _, api := range w.Properties.GVKs() {
					assert.Equal(t, want.Providers(api), got.Providers(api))
				}
				assert.Equal(t, want.Named(w.Name), got.Named(w.Name))
			}
		})
	}
	readers.Wait()
	require.Nil(t, got.Bundle(-1))
	require.Nil(t, got.Bundle(catalog.ID(got.Len())))
	require.Nil(t, got.Package("none"))
}

// What would take long to unpack is unpacked while the index is read, which ends
// with its context.
func TestLargePackagesAreUnpackedAhead(t *testing.T) {
	bundle := func(pkg string, properties int) string {
		stated := strings.Repeat("- {type: t, value: 1}\n", properties)
		return fmt.Sprintf("---\nschema: olm.package\nname: %[1]s\ndefaultChannel: a\n---\nschema: olm.channel\npackage: %[1]s\nname: a\nentries: [{name: %[1]s.v1}]\n"+
			"---\nschema: olm.bundle\npackage: %[1]s\nname: %[1]s.v1\nimage: i\nproperties:\n- {type: olm.package, value: {packageName: %[1]s, version: 1.0.0}}\n%[2]s", pkg, stated)
	}
	want := load(t, files("-- c.yaml --\n"+bundle("a", index.LazyProperties-1)+bundle("b", index.LazyProperties)+bundle("c", 1)))
	assert.Equal(t, []string{"b"}, index.Large(string(encoded(t, want))))
	checkIndex(t, want)
}

// What the checksum does not catch ends in an error, or in a snapshot.
func TestPayloadOfAnyBytesIsSafe(t *testing.T) {
	// Compiling rules is slow, and not what this is about.
	text := strings.Replace(faulty, `cel: {rule: "properties.exists(p, p.type == 'x')"}`, `package: {packageName: b, versionRange: ">=1.0.0"}`, 1)
	payload := encoded(t, load(t, files(text)))
	for i := range payload {
		readPayload(t, payload[:i])
		for _, b := range []byte{0, 0xff, payload[i] + 1} {
			damaged := slices.Clone(payload)
			damaged[i] = b
			readPayload(t, damaged)
		}
	}
}

// readPayload uses all of a snapshot that can be unpacked.
func readPayload(t *testing.T, payload []byte) {
	s, err := decode(payload)
	if err != nil {
		return
	}
	for i := range s.Len() {
		b := s.Bundle(catalog.ID(i))
		b.Properties.CEL()
		for range b.Properties.All() {
		}
		require.Equal(t, i < s.Candidates(), len(b.Places) > 0)
		require.Contains(t, s.Package(b.Package).Bundles, catalog.ID(i))
	}
	again := encoded(t, s)
	twice, err := decode(again)
	require.NoError(t, err)
	require.Equal(t, again, encoded(t, twice))
}

// The bytes of an index may change only together with Format. The same is
// asked of what reading a catalog comes to, of which this is a part.
func TestIndexFormat(t *testing.T) {
	sum := sha256.Sum256(encoded(t, load(t, files(faulty))))
	assert.Equal(t, map[int]string{12: "4383022de56469a8"}, map[int]string{index.Format: hex.EncodeToString(sum[:8])},
		"raise Format, and then put the new pair here")
}

// What the checksum does not catch ends in an error, or in a snapshot.
func FuzzReadIndex(f *testing.F) {
	for _, text := range []string{faulty, "-- c.yaml --\n" + etcd} {
		payload := encoded(f, load(f, files(text)))
		f.Add(payload)
		f.Add(payload[:len(payload)/2])
		flipped := slices.Clone(payload)
		flipped[len(flipped)-20] ^= 4
		f.Add(flipped)
	}
	f.Fuzz(readPayload)
}
