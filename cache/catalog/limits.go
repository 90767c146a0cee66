package catalog

import "cmp"

// Limits bound the reading of a catalog. Zero means the default. Exceeding a limit is a
// fault with the code limit, and makes its subject unusable:
//
//   - FileBytes, Documents: the file, and the packages that it mentions;
//   - DocumentBytes, Expansion, Nodes: the document, which is a bundle or all packages
//     that a YAML file mentions;
//   - Entries: the channel;
//   - Depth, Properties, BundleConstraints: the bundle.
type Limits struct {
	// FileBytes is the size of a file; default 512 MiB.
	FileBytes int64
	// DocumentBytes is the size of one document, after YAML aliases are
	// followed; default 64 MiB.
	DocumentBytes int
	// Expansion is how many times as large as its text a YAML document may become when
	// its aliases are followed; default 16. Up to 16 KiB are always allowed.
	Expansion int
	// Nodes is how many nodes a YAML document may have; default 1,000,000. A node takes
	// some 300 bytes of memory. The number is an upper bound from the text, before it is
	// parsed.
	Nodes int
	// Documents is the number of documents in a file; default 1,000,000.
	Documents int
	// Depth is the nesting inside a document; default 200.
	Depth int
	// Properties is the number of properties of a bundle; default 10,000.
	Properties int
	// BundleConstraints is the number of constraints of a bundle; default 1,000.
	BundleConstraints int
	// EvaluationCost is the cost of evaluating one expression on all bundles, in units of
	// constraints.Limits.RuleCost; default 50,000,000, which takes some seconds. On
	// bundles beyond it the rule counts as failed.
	EvaluationCost int
	// Entries is the number of entries of a channel; default 100,000.
	Entries int

	// ArchiveBytes is the size of a download, an archive or all layers of an image, packed
	// and unpacked together; default 8 GiB. Exceeding this limit or one of the next three
	// is an error of the whole catalog.
	ArchiveBytes int64
	// ArchiveEntries is the number of entries of an archive, or of all layers of an
	// image; default 250,000.
	ArchiveEntries int
	// ArchiveRatio is how many times as large as its compressed form a stream may be,
	// beyond its first 16 MiB; default 200.
	ArchiveRatio int
	// TreeBytes is the memory for the files of the catalog in an archive or image, with
	// their names; default 1 GiB.
	TreeBytes int64
}

// WithDefaults returns the limits with the defaults in place of zero.
func (l Limits) WithDefaults() Limits {
	l.FileBytes = cmp.Or(max(l.FileBytes, 0), 512<<20)
	l.DocumentBytes = cmp.Or(max(l.DocumentBytes, 0), 64<<20)
	l.Expansion = cmp.Or(max(l.Expansion, 0), 16)
	l.Nodes = cmp.Or(max(l.Nodes, 0), 1_000_000)
	l.Documents = cmp.Or(max(l.Documents, 0), 1_000_000)
	l.Depth = cmp.Or(max(l.Depth, 0), 200)
	l.Properties = cmp.Or(max(l.Properties, 0), 10_000)
	l.BundleConstraints = cmp.Or(max(l.BundleConstraints, 0), 1_000)
	l.EvaluationCost = cmp.Or(max(l.EvaluationCost, 0), 50_000_000)
	l.Entries = cmp.Or(max(l.Entries, 0), 100_000)
	l.ArchiveBytes = cmp.Or(max(l.ArchiveBytes, 0), 8<<30)
	l.ArchiveEntries = cmp.Or(max(l.ArchiveEntries, 0), 250_000)
	l.ArchiveRatio = cmp.Or(max(l.ArchiveRatio, 0), 200)
	l.TreeBytes = cmp.Or(max(l.TreeBytes, 0), 1<<30)
	return l
}
