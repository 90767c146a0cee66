package cache

import (
	"slices"
	"strings"
)

// deprecate marks what the blobs of a package name. Several blobs are a fault,
// but what they say still counts: a warning too many does less harm than one
// that is lost.
func (b *builder) deprecate(p *Package, bundles bundleRange, blobs []*deprecationsBlob) {
	for group, alike := range unify(blobs, func(d *deprecationsBlob) string { return d.pkg }, (*deprecationsBlob).equal) {
		messages := map[deprecation][]string{}
		for i := range group {
			if !alike {
				f := group[i].origin.fault(CodeDuplicateDeprecations, "the package has several olm.deprecations blobs, and they differ: keep one")
				f.Package = p.Name
				b.faults = append(b.faults, f)
			}
			for _, d := range group[i].entries {
				key := deprecation{schema: d.schema, name: d.name}
				messages[key] = append(messages[key], d.message)
			}
		}
		for d, texts := range messages {
			b.mark(p, bundles, d, joinMessages(texts))
		}
	}
}

func (b *builder) mark(p *Package, bundles bundleRange, d deprecation, message string) {
	switch d.schema {
	case schemaPackage:
		p.Deprecation = message
	case schemaChannel:
		if c := p.Channel(d.name); c != nil {
			c.Deprecation = message
		}
	case schemaBundle:
		if i := b.find(bundles, d.name); i != NoBundle {
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
