package mirrors

import (
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/mirror"
	"github.com/resolvent/resolvent/resolver/result"
)

var Documents = map[string][]any{"mirror": {mirrorJSON{}}}

type mirrorJSON struct {
	Catalogs []catalogJSON `json:"catalogs"`
	Images   []string      `json:"images"`
	// Failed are the requests of which nothing is mirrored.
	Failed []failureJSON `json:"failed,omitempty"`
}

type catalogJSON struct {
	Catalog  string           `json:"catalog"`
	Image    string           `json:"image"`
	Packages []mirror.Package `json:"packages"`
}

type failureJSON struct {
	Namespace string        `json:"namespace"`
	Extension string        `json:"extension"`
	Result    result.Result `json:"result"`
	Message   string        `json:"message"`
	// Causes are all causes of which Message states the first.
	Causes []result.Cause `json:"causes,omitempty"`
}

// WriteJSON prints everything as data. Own is the image of each catalog.
func WriteJSON(p *terminal.Page, m *mirror.Mirror, own func(catalog.Key) string, images []string) error {
	j := mirrorJSON{Images: images}
	j.Catalogs = terminal.Mapped(m.Catalogs, func(c mirror.Catalog) catalogJSON {
		return catalogJSON{c.Key.String(), own(c.Key), c.Packages}
	})
	for i := range m.Outcomes {
		if o := &m.Outcomes[i]; o.Err != nil {
			j.Failed = append(j.Failed, failureJSON{o.Scope.Namespace(), o.Scope.Extension(), o.Result(), o.Err.Error(), o.Causes()})
		}
	}
	return terminal.WriteJSON(p, j)
}
