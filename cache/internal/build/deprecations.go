package build

import (
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/code"
	"github.com/resolvent/resolvent/cache/internal/document"
)

// deprecate sets the deprecations of a package. Blobs that differ are a fault, but still
// count: an additional warning does less harm than a lost one.
func (b *builder) deprecate(p *catalog.Package, bundles bundleRange, blobs []*deprecations) {
	messages := map[deprecation][]string{}
	for group, alike := range groups(blobs) {
		for _, blob := range group {
			if !alike {
				b.fault(blob.Origin, code.DuplicateDeprecations, catalog.Fault{Package: p.Name}, "the package has several olm.deprecations blobs, and they differ: keep one")
			}
			for _, d := range blob.entries {
				key := deprecation{schema: d.schema, name: d.name}
				messages[key] = append(messages[key], d.message)
			}
		}
	}
	for d, texts := range messages {
		b.mark(p, bundles, d, joinMessages(texts))
	}
}

func (b *builder) mark(p *catalog.Package, bundles bundleRange, d deprecation, message string) {
	switch d.schema {
	case document.SchemaPackage:
		p.Deprecation = message
	case document.SchemaChannel:
		if c := p.Channel(d.name); c != nil {
			c.Deprecation = message
		}
	case document.SchemaBundle:
		if i := b.find(bundles, d.name); i != catalog.NoBundle {
			b.bundles[i].deprecation = message
		}
	}
}

func joinMessages(texts []string) string {
	slices.Sort(texts)
	texts = slices.DeleteFunc(slices.Compact(texts), func(text string) bool { return strings.TrimSpace(text) == "" })
	if len(texts) == 0 {
		return "deprecated, without a reason given"
	}
	return strings.Join(texts, "; ")
}
