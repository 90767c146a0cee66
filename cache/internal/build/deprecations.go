package build

import (
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/collect"
	"github.com/resolvent/resolvent/cache/internal/document"
)

// deprecate marks what the blobs of a package name. Several blobs are a fault,
// but what they say still counts: a warning too many does less harm than one
// that is lost.
func (b *builder) deprecate(p *catalog.Package, bundles bundleRange, blobs []*collect.Deprecations) {
	for group, alike := range collect.Groups(blobs, func(d *collect.Deprecations) string { return d.Pkg }, (*collect.Deprecations).Equal) {
		messages := map[collect.Deprecation][]string{}
		for i := range group {
			if !alike {
				f := group[i].Origin.Fault(catalog.CodeDuplicateDeprecations, "the package has several olm.deprecations blobs, and they differ: keep one")
				f.Package = p.Name
				b.faults = append(b.faults, f)
			}
			for _, d := range group[i].Entries {
				key := collect.Deprecation{Schema: d.Schema, Name: d.Name}
				messages[key] = append(messages[key], d.Message)
			}
		}
		for d, texts := range messages {
			b.mark(p, bundles, d, joinMessages(texts))
		}
	}
}

func (b *builder) mark(p *catalog.Package, bundles bundleRange, d collect.Deprecation, message string) {
	switch d.Schema {
	case document.SchemaPackage:
		p.Deprecation = message
	case document.SchemaChannel:
		if c := p.Channel(d.Name); c != nil {
			c.Deprecation = message
		}
	case document.SchemaBundle:
		if i := b.find(bundles, d.Name); i != catalog.NoBundle {
			b.bundles[i].Deprecation = message
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
