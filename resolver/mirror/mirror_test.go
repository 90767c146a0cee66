package mirror_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/oracle"
	"github.com/resolvent/resolvent/resolver/internal/oracle/random"
	"github.com/resolvent/resolvent/resolver/mirror"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/scenario"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// generators make the problems of the random tests, of all kinds.
var generators = []func(uint64) oracle.Joint{
	func(seed uint64) oracle.Joint { return oracle.Joint{random.Problem(seed)} },
	func(seed uint64) oracle.Joint { return oracle.Joint{random.Extension(seed)} },
	func(seed uint64) oracle.Joint { return oracle.Joint{random.Path(seed).Problem} },
	func(seed uint64) oracle.Joint { return oracle.Joint{random.ExtensionPath(seed).Problem} },
	random.Joint,
}

// mostSteps is more than nearly any random problem takes.
const mostSteps = 10

// TestRandom mirrors random problems and applies the image set, as oc-mirror documents
// it, to the catalogs as they are written: each step on the way is the same, and
// without any one bundle of the mirror it is not.
func TestRandom(t *testing.T) {
	var mirrored, bundles, kept, refused atomic.Int64
	for g, generate := range generators {
		for seed := range testkit.Seeds(t, testkit.Scale(35, 1500)) {
			j := generate(seed)
			of := func(blobs map[catalog.Key][]string) *scenario.Question {
				in := inputs(t, j, blobs)
				in.Problem.Options.Jointly, in.Problem.Options.Partial = len(j) > 1 && seed%4 < 2, seed%3 == 0
				return in
			}
			in := of(random.BlobsOf(j[0]))
			m, err := mirror.Find(t.Context(), in.Problem, in.Scopes, mirror.Options{})
			if refuses(err) {
				refused.Add(1)
				continue
			}
			require.NoError(t, err, "generator %d, seed %d", g, seed)
			mirrored.Add(1)
			want := steps(t, *in, mostSteps)
			cut := cutDown(t, j[0], m, catalog.BundleKey{})
			require.Equal(t, want, steps(t, *of(cut), len(want)), "generator %d, seed %d", g, seed)
			installed := fmt.Sprint(want)
			for _, c := range m.Catalogs {
				for _, name := range c.Names() {
					bundles.Add(1)
					if !strings.Contains(installed, "install "+name.Name+" from "+c.Key.String()) {
						kept.Add(1)
						continue
					}
					without := steps(t, *of(cutDown(t, j[0], m, name)), len(want))
					require.NotEqual(t, want, without, "generator %d, seed %d: without %v", g, seed, name)
				}
			}
		}
	}
	assert.Less(t, refused.Load(), mirrored.Load()/10)
	t.Logf("%d mirrors of %d bundles, %d of them kept or named; %d refused", mirrored.Load(), bundles.Load(), kept.Load(), refused.Load())
}

// refuses reports whether there is no mirror, because only the whole catalogs have the
// same answers.
func refuses(err error) bool {
	_, unranged := errors.AsType[*mirror.NoRangeError](err)
	_, different := errors.AsType[*mirror.DifferentError](err)
	_, invalid := errors.AsType[*mirror.InvalidError](err)
	return unranged || different || invalid
}

// inputs are a problem with other blobs in its catalogs.
func inputs(t *testing.T, j oracle.Joint, blobs map[catalog.Key][]string) *scenario.Question {
	objects, catalogs, options, err := random.Inputs(t.Context(), j, blobs)
	require.NoError(t, err)
	known := cluster.NewIndex(objects)
	return &scenario.Question{Problem: resolver.Problem{Cluster: known, Catalogs: catalogs, Options: options}, Scopes: known.Scopes()}
}

// steps are the answers to the requests, and those that follow when they have been carried
// out, until one fails: as many as there are or as given.
func steps(t *testing.T, in scenario.Question, most int) []string {
	in.Problem.Options.NoFixes = true
	r := resolver.New()
	var list []string
	for len(list) < most {
		text := ""
		for _, o := range r.ResolveAll(t.Context(), in.Problem, in.Scopes) {
			if o.Err != nil {
				return list
			}
			text += describe(o.Resolution) + "\n"
			in.Problem = in.Problem.After(o.Resolution)
		}
		list = append(list, text)
	}
	return list
}

func describe(r *result.Resolution) string {
	text := r.Scope.Name + ":"
	for _, i := range r.Installs {
		text += fmt.Sprintf(" install %s from %s,", i.Bundle.Name, i.Bundle.Catalog)
	}
	for _, k := range r.Kept {
		text += " keep " + k.Bundle.Name + ","
	}
	for _, l := range r.LeftOut {
		text += " leave out " + l.Request.Name + ","
	}
	return text + fmt.Sprint(" replace ", r.Replaced)
}

// imageSet is an ImageSetConfiguration as oc-mirror documents it.
type imageSet struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string
	Mirror     struct {
		Operators []struct {
			Catalog  string
			Packages []struct {
				Name           string
				DefaultChannel string `yaml:"defaultChannel"`
				Channels       []struct {
					Name       string
					MinVersion string `yaml:"minVersion"`
					MaxVersion string `yaml:"maxVersion"`
				}
			}
		}
	}
}

// cutDown writes the mirror as an image set, reads that, and applies it to the blobs of
// the catalogs. One bundle can be left out.
func cutDown(t *testing.T, p *oracle.Problem, m *mirror.Mirror, without catalog.BundleKey) map[catalog.Key][]string {
	images := map[catalog.Key]string{}
	for _, c := range m.Catalogs {
		images[c.Key] = c.Key.String()
	}
	text, err := m.ImageSet(images)
	require.NoError(t, err)
	var set imageSet
	require.NoError(t, yaml.Load(text, &set))
	require.Equal(t, "ImageSetConfiguration mirror.openshift.io/v2alpha1", set.Kind+" "+set.APIVersion)
	cut := map[catalog.Key][]string{}
	for key, lines := range random.BlobsOf(p) {
		for _, operator := range set.Mirror.Operators {
			if operator.Catalog != key.String() {
				continue
			}
			for _, p := range operator.Packages {
				ranges := map[string][2]semver.Version{}
				for _, c := range p.Channels {
					ranges[c.Name] = [2]semver.Version{semver.MustParse(c.MinVersion), semver.MustParse(c.MaxVersion)}
				}
				cut[key] = append(cut[key], filtered(t, parse(t, lines), p.Name, p.DefaultChannel, ranges, without)...)
			}
		}
	}
	return cut
}

// blob is what a filter has to read of one.
type blob struct {
	Schema, Name, Package, DefaultChannel string

	Entries []struct {
		Name, Replaces string
		Reference      struct{ Schema, Name string }
	}
	Properties []struct {
		Type  string
		Value json.RawMessage
	}
	all map[string]any
}

func parse(t *testing.T, lines []string) []blob {
	var list []blob
	for _, line := range lines {
		var b blob
		require.NoError(t, json.Unmarshal([]byte(line), &b))
		require.NoError(t, json.Unmarshal([]byte(line), &b.all))
		list = append(list, b)
	}
	return list
}

func (b *blob) version(t *testing.T) semver.Version {
	for _, p := range b.Properties {
		if p.Type == "olm.package" {
			var value struct{ Version string }
			require.NoError(t, json.Unmarshal(p.Value, &value))
			return semver.MustParse(value.Version)
		}
	}
	t.Fatal("no version")
	return semver.Version{}
}

// filtered are the blobs of a package that oc-mirror keeps.
func filtered(t *testing.T, blobs []blob, pkg, defaultChannel string, ranges map[string][2]semver.Version, without catalog.BundleKey) []string {
	versions := map[string]semver.Version{}
	for _, b := range blobs {
		if b.Schema == "olm.bundle" && b.Package == pkg {
			versions[b.Name] = b.version(t)
		}
	}
	stays := map[string]bool{}
	var lines []string
	write := func(b blob) {
		text, err := json.Marshal(b.all)
		require.NoError(t, err)
		lines = append(lines, string(text))
	}
	for _, b := range blobs {
		limits, named := ranges[b.Name]
		switch {
		case b.Schema == "olm.package" && b.Name == pkg:
			if defaultChannel != "" {
				b.all["defaultChannel"] = defaultChannel
			} else if _, there := ranges[b.DefaultChannel]; !there {
				t.Fatalf("package %s: its default channel is not named", pkg)
			}
			write(b)
		case b.Schema == "olm.channel" && b.Package == pkg && named:
			listed := map[string]bool{}
			for _, e := range b.Entries {
				if v, ok := versions[e.Name]; ok && v.GE(limits[0]) && v.LE(limits[1]) && e.Name != without.Name {
					stays[e.Name], listed[e.Name] = true, true
				}
			}
			adjoin(b, versions, listed)
			var entries []any
			for i, e := range b.Entries {
				if listed[e.Name] {
					entries = append(entries, b.all["entries"].([]any)[i])
				}
			}
			b.all["entries"] = entries
			write(b)
		}
	}
	for _, b := range blobs {
		switch {
		case b.Schema == "olm.bundle" && b.Package == pkg && stays[b.Name]:
			write(b)
		case b.Schema == "olm.deprecations" && b.Package == pkg:
			var entries []any
			for i, e := range b.Entries {
				if _, channel := ranges[e.Reference.Name]; e.Reference.Schema == "olm.package" || stays[e.Reference.Name] || channel {
					entries = append(entries, b.all["entries"].([]any)[i])
				}
			}
			b.all["entries"] = entries
			write(b)
		}
	}
	return lines
}

// adjoin adds the entries without bundle that replace one that stays, or are replaced by
// one.
func adjoin(channel blob, versions map[string]semver.Version, listed map[string]bool) {
	virtual := map[string]bool{}
	for _, e := range channel.Entries {
		_, bundle := versions[e.Name]
		virtual[e.Name] = !bundle
	}
	for range channel.Entries {
		for _, e := range channel.Entries {
			if virtual[e.Name] && listed[e.Replaces] {
				listed[e.Name] = true
			}
			if virtual[e.Replaces] && listed[e.Name] {
				listed[e.Replaces] = true
			}
		}
	}
}
