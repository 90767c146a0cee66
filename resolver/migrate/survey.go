package migrate

import (
	"context"
	"slices"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// Surveyed states how far OLM v1 could serve a package of a catalog.
type Surveyed struct {
	Catalog string `json:"catalog"`
	Package string `json:"package"`
	// Head is the head of the default channel or, if that has none, the highest version.
	Head string `json:"head"`
	// Served is true if OLM v1 would install Head. Refusals are why not.
	Served   bool      `json:"served"`
	Refusals []Refusal `json:"refusals"`
	// Channels are the channels whose head OLM v1 would install.
	Channels []string `json:"channels"`
	// Serving is the highest version that OLM v1 would install, empty if there is none or if
	// Served is true.
	Serving string `json:"serving"`
	// Watching is true if OLM v1 would install Head once watchNamespace is set.
	Watching bool `json:"watching"`
}

// Refusal is a reason for which OLM v1 would not install a bundle.
type Refusal struct {
	// Kind is dependency, watchNamespace or apiService. Types are the types of the properties
	// that state a dependency, Modes the install modes that are supported where these are why.
	Kind    result.ReasonKind        `json:"kind"`
	Types   []string                 `json:"types,omitempty"`
	Modes   []properties.InstallMode `json:"modes,omitempty"`
	Message string                   `json:"message"`
}

// Survey judges the packages of all catalogs, sorted by catalog and name, for a
// ClusterExtension without configuration in a profile of OLM v1. The empty one is standard. The
// error is an *Incomplete.
func Survey(ctx context.Context, catalogs *cache.View, profile cluster.Profile) ([]Surveyed, error) {
	list := []Surveyed{}
	refusals := func(b *catalog.Bundle) []result.Reason {
		return request.Refusals(profile, &cluster.ClusterExtension{}, b.Name, b.Properties, b.Constraints)
	}
	for c := range catalogs.Catalogs() {
		if c.Snapshot == nil {
			continue
		}
		for pkg := range c.Snapshot.Packages() {
			s := Surveyed{Catalog: c.Key.String(), Package: pkg.Name, Refusals: []Refusal{}, Channels: []string{}}
			head, best := (*catalog.Bundle)(nil), (*catalog.Bundle)(nil)
			for _, id := range pkg.Bundles {
				if err := ctx.Err(); err != nil {
					return nil, &result.Incomplete{Phase: "judging packages", Err: err}
				}
				b := c.Snapshot.Bundle(id)
				if head == nil || b.Version.GT(head.Version) {
					head = b
				}
				if (best == nil || b.Version.GT(best.Version)) && len(refusals(b)) == 0 {
					best = b
				}
			}
			for _, channel := range pkg.Channels {
				e := channel.Head()
				if e == nil || e.Bundle == catalog.NoBundle {
					continue
				}
				b := c.Snapshot.Bundle(e.Bundle)
				if channel.Default {
					head = b
				}
				if len(refusals(b)) == 0 {
					s.Channels = append(s.Channels, channel.Name)
				}
			}
			if head == nil {
				continue
			}
			s.judge(head, refusals(head), request.GateWatchNamespace.On(profile))
			if best != nil && !s.Served {
				s.Serving = best.Name
			}
			list = append(list, s)
		}
	}
	return list, nil
}

// judge judges the head by its refusals. watching is true where watchNamespace can be set.
func (s *Surveyed) judge(head *catalog.Bundle, list []result.Reason, watching bool) {
	s.Head = head.Name
	s.Served = len(list) == 0
	m := head.Properties.Metadata()
	for _, r := range list {
		refusal := Refusal{Kind: r.Kind(), Message: r.Message()}
		if r.Kind() == words.KindWatchNamespace {
			refusal.Modes = m.Supported()
		}
		for _, c := range head.Constraints {
			if r.Kind() == words.KindDependency && c.Type != properties.TypeLabelRequired && !slices.Contains(refusal.Types, c.Type) {
				refusal.Types = append(refusal.Types, c.Type)
			}
		}
		s.Refusals = append(s.Refusals, refusal)
	}
	s.Watching = watching && len(list) == 1 && list[0].Kind() == words.KindWatchNamespace &&
		(m.Supports(properties.OwnNamespace) || m.Supports(properties.SingleNamespace))
}
