package cache

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache/generate"
	"github.com/resolvent/resolvent/cache/testkit"
	"github.com/resolvent/resolvent/constraints"
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
-- d.json --
{"schema": "olm.package", "name": "b"} {"schema":
`

// written returns the index of a snapshot.
func written(_ testing.TB, s *Snapshot) []byte { return encodeIndex(s, "") }

// evaluationCost is that of the snapshots of these tests.
const evaluationCost = 50_000_000

// readBack reads what written wrote.
func readBack(ctx context.Context, index []byte, limits constraints.Limits) (*Snapshot, error) {
	payload, err := openFile("", bytes.NewReader(index), int64(len(index)))
	if err != nil {
		return nil, err
	}
	return readIndex(ctx, payload, limits, evaluationCost)
}

func TestIndexKeepsEverything(t *testing.T) {
	snapshots := map[string]*Snapshot{
		"empty":     load(t, ""),
		"etcd":      parse(t, etcd),
		"faulty":    load(t, faulty),
		"generated": loadTree(t, generate.Real(1).FS()),
	}
	for _, name := range []string{"coast", "island", "reef"} {
		snapshots[name] = loadTree(t, os.DirFS(filepath.Join("..", "testdata", "catalogs", name)))
	}
	require.NotEmpty(t, snapshots["faulty"].Faults())
	require.NotEmpty(t, snapshots["faulty"].LostProviders())
	for name, want := range snapshots {
		t.Run(name, func(t *testing.T) { checkIndex(t, want) })
	}
}

func TestIndexKeepsRealCatalogs(t *testing.T) {
	for _, name := range []string{"community", "raw-v4.19"} {
		t.Run(name, func(t *testing.T) { checkIndex(t, loadTree(t, os.DirFS(testkit.Shared(t, "catalogs", name)))) })
	}
}

// checkIndex compares a snapshot with what is read of its index.
func checkIndex(t *testing.T, want *Snapshot) {
	index := written(t, want)
	got, err := readBack(context.Background(), index, constraints.Limits{})
	require.NoError(t, err)
	require.True(t, bytes.Equal(index, written(t, got)), "written again, it differs")
	require.Equal(t, want.candidates, got.candidates)
	require.Equal(t, want.allProviders(), got.allProviders())
	require.Equal(t, want.allLabeled(), got.allLabeled())
	require.Equal(t, want.ByName(), got.ByName())
	require.Equal(t, want.quarantined, got.quarantined)
	require.Equal(t, want.evaluationCost, got.evaluationCost)
	require.Equal(t, want.Faults(), got.Faults())
	require.Equal(t, want.LostProviders(), got.LostProviders())
	for i := range want.bundles {
		a, b := want.Bundle(ID(i)), got.Bundle(ID(i))
		require.Equal(t, a.Version, b.Version)
		require.Equal(t, a.Release, b.Release)
		require.Equal(t, asked(a), asked(b))
		require.Equal(t, slices.Collect(allProperties(a.Properties)), slices.Collect(allProperties(b.Properties)))
		require.Equal(t, placed(a), placed(b))
	}
	for i, p := range want.packages {
		require.Equal(t, p.Bundles, got.packages[i].Bundles)
		for j, c := range p.Channels {
			other := got.packages[i].Channels[j]
			require.Equal(t, c.Default, other.Default)
			require.Equal(t, c.Order, other.Order)
			for k := range c.Entries {
				require.Equal(t, c.Entries[k].Depth, other.Entries[k].Depth)
			}
		}
	}
}

type place struct {
	channel string
	entry   int
}

func placed(b *Bundle) []place {
	var list []place
	for _, p := range b.Places {
		list = append(list, place{p.Channel.Name, p.Entry})
	}
	return list
}

func TestIndexDoesNotDependOnWorkers(t *testing.T) {
	var indexes [2][]byte
	for i, workers := range []int{1, 8} {
		s, err := LoadFS(t.Context(), generate.Real(1).FS(), Options{Workers: workers})
		require.NoError(t, err)
		indexes[i] = written(t, s)
	}
	require.True(t, bytes.Equal(indexes[0], indexes[1]))
}

func TestDamagedIndexIsRefused(t *testing.T) {
	index := written(t, load(t, faulty))
	for n := range index {
		_, err := readBack(context.Background(), index[:n], constraints.Limits{})
		require.Error(t, err, "cut off after %d bytes", n)
	}
	_, err := readBack(context.Background(), append(slices.Clone(index), 0), constraints.Limits{})
	require.Error(t, err)
	for i := range index {
		for _, flip := range []byte{0x01, 0x80, 0xff} {
			damaged := slices.Clone(index)
			damaged[i] ^= flip
			_, err := readBack(context.Background(), damaged, constraints.Limits{})
			require.Error(t, err, "byte %d", i)
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
		s := parse(t, strings.ReplaceAll(etcd, "registry.example/etcd:1", "x"+image))
		got, err := readBack(context.Background(), written(t, s), constraints.Limits{})
		require.NoError(t, err)
		require.Equal(t, "x"+image, got.Bundle(got.Named("etcd.v1")[0]).Image)
	}
}

// An index of another version is refused whatever else it holds.
func TestIndexOfOtherFormat(t *testing.T) {
	index := written(t, load(t, faulty))
	for _, format := range []uint32{0, indexFormat - 1, indexFormat + 1} {
		binary.BigEndian.PutUint32(index[len(indexMagic):], format)
		_, err := readBack(context.Background(), index, constraints.Limits{})
		require.ErrorContains(t, err, "format")
	}
}

// A store asks with the options that are in the key. Were it not, nothing would
// satisfy a constraint that they do not allow.
func TestIndexWithOtherOptions(t *testing.T) {
	s, err := readBack(context.Background(), written(t, load(t, faulty)), constraints.Limits{RuleLength: 10})
	require.NoError(t, err)
	asking := s.Bundle(s.Named("a.v1")[0])
	require.Len(t, asking.Constraints, 1)
	yes, _, err := s.Matches(t.Context(), asking.Constraints[0].Expr, constraints.Facts{})
	require.NoError(t, err)
	require.Empty(t, yes)
}

// A snapshot that is unpacked bit by bit is the same for all who ask.
func TestIndexIsUnpackedOnce(t *testing.T) {
	want := loadTree(t, generate.Real(1).FS())
	got, err := readBack(context.Background(), written(t, want), constraints.Limits{})
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
				id := ID(random.IntN(want.Len()))
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
	require.Nil(t, got.Bundle(ID(got.Len())))
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
	want := parse(t, bundle("a", lazyProperties-1)+bundle("b", lazyProperties)+bundle("c", 1))
	got, err := readBack(t.Context(), written(t, want), constraints.Limits{})
	require.NoError(t, err)
	for i, ahead := range []bool{false, true, false} {
		assert.Equal(t, ahead, got.packed.ready[i].Load())
	}
	checkIndex(t, want)
}

// What the checksum does not catch ends in an error, or in a snapshot.
func TestPayloadOfAnyBytesIsSafe(t *testing.T) {
	// Compiling rules is slow, and not what this is about.
	text := strings.Replace(faulty, `cel: {rule: "properties.exists(p, p.type == 'x')"}`, `package: {packageName: b, versionRange: ">=1.0.0"}`, 1)
	payload := written(t, load(t, text))[sealedHeader:]
	for i := range payload {
		readPayload(t, payload[:i])
		for _, b := range []byte{0, 1, 2, 0x7f, 0xff, payload[i] + 1} {
			damaged := slices.Clone(payload)
			damaged[i] = b
			readPayload(t, damaged)
		}
	}
}

// readPayload uses all of a snapshot that can be unpacked.
func readPayload(t *testing.T, payload []byte) {
	s, err := readIndex(context.Background(), string(payload), constraints.Limits{}, evaluationCost)
	if err != nil {
		return
	}
	for i := range s.Len() {
		b := s.Bundle(ID(i))
		b.Properties.CEL()
		require.Len(t, slices.Collect(allProperties(b.Properties)), b.Properties.Len())
		require.Equal(t, i < s.Candidates(), len(b.Places) > 0)
		require.Contains(t, s.Package(b.Package).Bundles, ID(i))
	}
	index := written(t, s)
	again, err := readBack(context.Background(), index, constraints.Limits{})
	require.NoError(t, err)
	require.Equal(t, index, written(t, again))
}

// The bytes of an index may change only together with indexFormat. The same is
// asked of what reading a catalog comes to, of which this is a part.
func TestIndexFormat(t *testing.T) {
	sum := sha256.Sum256(written(t, load(t, faulty)))
	assert.Equal(t, map[int]string{5: "4efcb5e33e50990c"}, map[int]string{indexFormat: hex.EncodeToString(sum[:8])},
		"raise indexFormat, and then put the new pair here")
}

func TestIndexedFS(t *testing.T) {
	catalog, dir := t.TempDir(), filepath.Join(t.TempDir(), "made", "here")
	file := filepath.Join(catalog, "catalog.yaml")
	require.NoError(t, os.WriteFile(file, []byte(etcd), 0o644))
	var reports []string
	store := IndexStore{Dir: dir, Report: func(err error) { reports = append(reports, err.Error()) }}
	read := func(opts Options) *Snapshot {
		t.Helper()
		s, err := IndexedFS(os.DirFS(catalog), store, opts).Load(t.Context())
		require.NoError(t, err)
		return s
	}
	indexes := func() []string {
		list, err := filepath.Glob(filepath.Join(dir, "*"))
		require.NoError(t, err)
		return list
	}

	want := written(t, read(Options{}))
	require.Len(t, indexes(), 1)
	require.Equal(t, want, written(t, read(Options{})))
	require.Empty(t, reports)

	// It is really read from there.
	index := indexes()[0]
	key, other := filepath.Base(index), load(t, faulty)
	require.NoError(t, os.WriteFile(index, encodeIndex(other, key[:len(key)-len(".index")]), 0o644))
	require.Equal(t, written(t, other), written(t, read(Options{})))

	// Damaged, or that of another catalog: it is made anew.
	for _, damaged := range [][]byte{nil, []byte("x"), want[:len(want)/2], want} {
		reports = nil
		require.NoError(t, os.WriteFile(index, damaged, 0o644))
		require.Equal(t, want, written(t, read(Options{})))
		require.Len(t, reports, 1)
		require.Equal(t, want, written(t, read(Options{})))
		require.Len(t, reports, 1)
	}

	// Other options and other contents have their own.
	read(Options{Strict: true})
	require.Len(t, indexes(), 2)
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, bytes.ReplaceAll([]byte(etcd), []byte("etcd:1"), []byte("etcd:9")), 0o644))
	require.NoError(t, os.Chtimes(file, info.ModTime(), info.ModTime()))
	s := read(Options{})
	require.Equal(t, "registry.example/etcd:9", s.Bundle(s.Named("etcd.v1")[0]).Image)
	require.Len(t, indexes(), 3)
}

func TestIndexedFSWithoutStore(t *testing.T) {
	tree := files("-- c.yaml --\n" + etcd)
	inTheWay := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(inTheWay, nil, 0o644))
	s, err := IndexedFS(tree, IndexStore{Dir: inTheWay}, Options{}).Load(t.Context())
	require.NoError(t, err)
	require.Equal(t, 4, s.Len())

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = IndexedFS(tree, IndexStore{Dir: t.TempDir()}, Options{}).Load(ctx)
	require.ErrorIs(t, err, context.Canceled)
}

// An index that can be read is the one that was written.
func FuzzReadIndex(f *testing.F) {
	for _, text := range []string{faulty, "-- c.yaml --\n" + etcd} {
		index := written(f, load(f, text))
		f.Add(index)
		f.Add(index[:len(index)/2])
		flipped := slices.Clone(index)
		flipped[len(flipped)-20] ^= 4
		f.Add(flipped)
	}
	f.Fuzz(func(t *testing.T, index []byte) {
		if s, err := readBack(context.Background(), index, constraints.Limits{}); err == nil {
			require.Equal(t, index, written(t, s))
		}
		if len(index) >= sealedHeader {
			readPayload(t, index[sealedHeader:])
		}
	})
}

// BenchmarkReadIndex reads the index of the catalog that BenchmarkLoadCommunity
// loads and asks it for a package: from memory, and from a store, where the index
// is found by the contents of the files.
func BenchmarkReadIndex(b *testing.B) {
	dir := testkit.Shared(b, "catalogs", "community")
	tree := os.DirFS(dir)
	index := written(b, loadTree(b, tree))
	read := func(b *testing.B, load func() (*Snapshot, error)) {
		b.ReportAllocs()
		for b.Loop() {
			s, err := load()
			require.NoError(b, err)
			require.NotNil(b, s.Package("grafana-operator"))
		}
	}
	b.Run("memory", func(b *testing.B) {
		read(b, func() (*Snapshot, error) { return readBack(context.Background(), index, constraints.Limits{}) })
		b.ReportMetric(float64(len(index)), "index-B")
	})
	store := IndexStore{Dir: b.TempDir()}
	b.Run("contents", func(b *testing.B) {
		source := IndexedFS(tree, store, Options{})
		_, err := source.Load(b.Context()) // which writes it
		require.NoError(b, err)
		read(b, func() (*Snapshot, error) { return source.Load(b.Context()) })
	})
}
