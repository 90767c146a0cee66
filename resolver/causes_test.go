package resolver_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/text"
)

// failing resolves n Subscriptions of a catalog of packages p0, p1, ... each of which
// requires the next one; behind the last one nothing is there.
func failing(t *testing.T, packages, n int, change func(i int, s *cluster.Subscription)) *result.NotSatisfiable {
	t.Helper()
	text := ""
	for i := range packages {
		text += fmt.Sprintf(`{"schema":"olm.package","name":"p%[1]d","defaultChannel":"c"}{"schema":"olm.channel","package":"p%[1]d","name":"c","entries":[{"name":"p%[1]d.v1"}]}
			{"schema":"olm.bundle","package":"p%[1]d","name":"p%[1]d.v1","image":"i","properties":[{"type":"olm.package","value":{"packageName":"p%[1]d","version":"1.0.0"}},
			{"type":"olm.package.required","value":{"packageName":"p%[2]d","versionRange":">=1.0.0"}}]}`, i, i+1)
	}
	snapshot, err := cache.Parse(t.Context(), []byte(text), cache.Options{})
	require.NoError(t, err)
	objects := cluster.Objects{CatalogSources: []cluster.CatalogSource{{Key: catalog.Key{Namespace: "olm", Name: "c"}}}}
	for i := range n {
		s := cluster.Subscription{Namespace: "n", Name: fmt.Sprintf("s%04d", i), Package: "p0", CatalogNamespace: "olm", Catalog: "c"}
		change(i, &s)
		objects.Subscriptions = append(objects.Subscriptions, s)
	}
	_, err = resolver.New().Resolve(t.Context(), resolver.Problem{
		Cluster:  cluster.NewIndex(objects),
		Catalogs: cache.NewView([]cache.Catalog{{Key: catalog.Key{Namespace: "olm", Name: "c"}, Snapshot: snapshot}}),
		Options:  policy.Options{NoFixes: true},
	}, cluster.InNamespace("n"))
	failure, ok := errors.AsType[*result.NotSatisfiable](err)
	require.True(t, ok, "%v", err)
	return failure
}

// causesInWhole returns the causes as they are told in whole.
func causesInWhole(failure error) (texts []string) {
	for _, s := range text.Of(failure, nil).Sections(text.Limits{}) {
		for _, line := range s.Lines {
			switch {
			case s.Title != "Why" && s.Title != "Also":
			case line.Follows:
				texts[len(texts)-1] += "\n" + line.Text
			default:
				texts = append(texts, line.Text)
			}
		}
	}
	return texts
}

// What keeps many requests out is one cause of them all.
func TestOneCauseOfMany(t *testing.T) {
	failure := failing(t, 1, 2000, func(_ int, s *cluster.Subscription) { s.Catalog = "gone" })
	require.Len(t, failure.Causes, 1)
	assert.Len(t, failure.Causes[0].Requests, 2000)
	assert.Len(t, causesInWhole(failure), 1)
	assert.Contains(t, failure.Error(), "s0000 (package p0) cannot be satisfied in namespace n, likewise s0001 (package p0), s0002 (package p0), s0003 (package p0) and 1996 more: ")
}

// At most 100 causes are derived and 21 printed, the others counted.
func TestManyCauses(t *testing.T) {
	failure := failing(t, 1, 130, func(i int, s *cluster.Subscription) { s.Package = fmt.Sprint("absent", i) })
	assert.Len(t, failure.Causes, 100)
	assert.Equal(t, 30, failure.MoreCauses)
	for i, c := range failure.Causes {
		assert.Equal(t, i+1, c.Group, "they have nothing in common")
	}
	texts := causesInWhole(failure)
	require.Len(t, texts, 22)
	assert.Contains(t, texts[20], "absent20")
	assert.Equal(t, "and 109 further causes", texts[21])
	assert.Contains(t, text.All(failure), "\n  - and 109 further causes\n")
}

// The first cause has 20 lines at most, a further one 8.
func TestLongCauses(t *testing.T) {
	failure := failing(t, 40, 2, func(i int, s *cluster.Subscription) { s.Package = fmt.Sprint("p", i) })
	texts := causesInWhole(failure)
	require.Len(t, texts, 2)
	assert.Len(t, strings.Split(texts[0], "\n"), 20)
	assert.Len(t, strings.Split(texts[1], "\n"), 8)
	assert.Regexp(t, `\n  \.\.\. and \d+ more lines$`, texts[0])
	assert.Regexp(t, `\n  \.\.\. and \d+ more lines$`, texts[1])
}
