package findings

import (
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/check"
)

type graphJSON struct {
	Package  string             `json:"package"`
	Catalog  string             `json:"catalog"`
	Channels []graphChannelJSON `json:"channels"`
	Findings []FindingJSON      `json:"findings"`
}

type graphChannelJSON struct {
	Channel string      `json:"channel"`
	Default bool        `json:"default,omitzero"`
	Fault   string      `json:"fault,omitempty"` // why it has no order
	Entries []entryJSON `json:"entries"`
}

// entryJSON is an entry of a channel. Depth is its place in the chain from the head, -1 beside
// it.
type entryJSON struct {
	Bundle        string   `json:"bundle"`
	Version       string   `json:"version,omitempty"` // if the catalog has the bundle
	Depth         int32    `json:"depth"`
	Replaces      string   `json:"replaces,omitempty"`
	Skips         []string `json:"skips,omitempty"`
	SkipRange     string   `json:"skipRange,omitempty"`
	Skipped       bool     `json:"skipped,omitzero"`
	Deprecated    bool     `json:"deprecated,omitzero"`
	Uninstallable bool     `json:"uninstallable,omitzero"`
}

// WriteGraphJSON prints the update graph of a package, or of one of its channels if that is
// named, with what was found about the package.
func WriteGraphJSON(page *terminal.Page, s *catalog.Snapshot, p *catalog.Package, channel string, r *check.Report) error {
	key := r.Catalogs[0].Key
	j := graphJSON{Package: p.Name, Catalog: key.String(), Channels: []graphChannelJSON{}, Findings: []FindingJSON{}}
	blocked := map[catalog.ID]bool{}
	for _, u := range r.Uninstallable {
		blocked[u.Bundle] = true
	}
	for _, c := range p.Channels {
		if channel == "" || channel == c.Name {
			entries := terminal.Mapped(c.Entries, func(e catalog.Entry) entryJSON {
				one := entryJSON{
					Bundle: e.Name, Depth: e.Depth, Replaces: e.Replaces, Skips: e.Skips, SkipRange: e.SkipRange.Text(),
					Skipped: e.Skipped, Uninstallable: blocked[e.Bundle],
				}
				if b := s.Bundle(e.Bundle); b != nil {
					one.Version, one.Deprecated = b.Version.String(), b.Deprecation != "" || b.Properties.Deprecated()
				}
				return one
			})
			j.Channels = append(j.Channels, graphChannelJSON{c.Name, c.Default, c.Fault, entries})
		}
	}
	for i := range r.Findings {
		if r.Findings[i].Package == p.Name {
			j.Findings = append(j.Findings, FindingToJSON(r.Findings[i]))
		}
	}
	return terminal.WriteJSON(page, j)
}
