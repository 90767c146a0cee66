package policy

import (
	"cmp"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
)

// annotationCreatedAt states when a bundle was made.
const annotationCreatedAt = "createdAt"

// Listed returns a bundle of a catalog as rules read it.
func Listed(key catalog.Key, priority int, labels map[string]string, s *catalog.Snapshot, b *catalog.Bundle) *Bundle {
	facts := &Bundle{
		Bundle: b.Key(key), Version: b.Version, Image: b.Image, Properties: b.Properties,
		Priority: priority, Labels: labels, Deprecated: b.Deprecation != "", CreatedAt: createdAt(b.Properties),
	}
	pkg := s.Package(b.Package)
	if pkg == nil {
		return facts
	}
	facts.Deprecated = facts.Deprecated || pkg.Deprecation != ""
	for _, channel := range pkg.Channels {
		if channel.Entry(b.Name) != nil {
			facts.Channels = append(facts.Channels, channel.Name)
		}
	}
	if l := pkg.Lifecycle(b.Version); l != nil {
		for _, phase := range l.Phases {
			facts.SupportEnds = max(facts.SupportEnds, phase.End)
		}
	}
	return facts
}

// Date sets the days that an installed bundle states.
func (b *Bundle) Date(csv *cluster.ClusterServiceVersion) {
	b.CreatedAt = cmp.Or(day(csv.Annotations[annotationCreatedAt]), b.CreatedAt)
	b.InstalledAt = day(csv.Created)
}

// createdAt returns the day on which a bundle was made, empty if it is not stated.
func createdAt(set *properties.Set) string {
	if m := set.Metadata(); m != nil {
		for name, value := range m.Annotations() {
			if name == annotationCreatedAt {
				return day(value)
			}
		}
	}
	return ""
}
