package resolver_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/oracle/random"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/text"
)

// Words of OLM v0 say nothing to users of v1: where nothing of v0 is installed, nothing that
// is said of a ClusterExtension has them.
func TestWordsOfExtensions(t *testing.T) {
	eachSeed(t, *problems/3, func(seed uint64) error {
		p := random.Extension(seed)
		p.Installed = nil
		in, err := asScenario(nil, p).Question(t.Context())
		if err != nil {
			return err
		}
		var said []string
		r := resolver.New()
		resolution, err := r.Resolve(t.Context(), in.Problem, cluster.OfExtension(random.ExtensionName))
		if err != nil {
			said = append(said, err.Error())
		}
		if failure, ok := errors.AsType[*result.NotSatisfiable](err); ok {
			said = append(said, text.All(failure))
		}
		if resolution != nil {
			for _, w := range resolution.Warnings {
				said = append(said, w.Message())
			}
		}
		if p.Extension.Installed != "" {
			if _, err := r.Path(t.Context(), in.Problem, cluster.RequestKey{Kind: cluster.KindExtension, Name: random.ExtensionName}, ""); err != nil {
				said = append(said, err.Error())
			}
		}
		in.Problem.Options.NoFixes = true // what follows says nothing of them
		for _, c := range p.Catalogs {
			for _, b := range c.Bundles {
				if b.Package != p.Extension.Package {
					continue
				}
				if why, err := r.WhyNot(t.Context(), in.Problem, cluster.OfExtension(random.ExtensionName), b.Name); err == nil {
					said = append(said, why.Why.String())
				}
			}
		}
		rows, err := r.Status(t.Context(), in.Problem, in.Scopes, nil)
		if err != nil {
			return err
		}
		said = append(said, rows[0].Reason())
		for _, text := range said {
			for _, word := range []string{"Subscription", "CatalogSource", "OperatorGroup", "startingCSV", "the head of channel"} {
				if strings.Contains(text, word) {
					return fmt.Errorf("%q in\n%s\n%s", word, text, writeFinding(p, seed))
				}
			}
		}
		return nil
	})
}
