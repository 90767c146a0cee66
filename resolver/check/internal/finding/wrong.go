package finding

import (
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/check/internal/edit"
)

// Wrong is a finding while repairs of it are tried.
type Wrong struct {
	Pkg      string
	Snapshot *catalog.Snapshot // before
	// Background has the other catalogs.
	Background []*catalog.Snapshot
	Places     []catalog.Fault
	// Moved returns the places of a part as they are now.
	Moved func(Identity) []catalog.Fault
	// Directories: the files are bundle directories.
	Directories bool
	// Meant are the right names of those that are misspelt, which need no way to the head.
	Meant map[string]string
}

func (s *Wrong) bundleNames() (names []string) {
	if p := s.Snapshot.Package(s.Pkg); p != nil {
		for _, id := range p.Bundles {
			names = append(names, s.Snapshot.Bundle(id).Name)
		}
	}
	return names
}

// misspeltOnly has nothing to add to what is misspelt.
func misspeltOnly(*Wrong, *edit.Draft, Identity) []*edit.Draft { return nil }
