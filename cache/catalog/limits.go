package catalog

import "cmp"

// Limits bound what is read. Zero stands for the default. What passes a limit is a
// fault with code.Limit, and unusable: the file for FileBytes and Documents, whose
// faults name the packages that it mentions; the document, that is, a bundle or what
// a YAML file mentions, for DocumentBytes, Expansion and Nodes; the channel for
// Entries; the bundle for the others.
type Limits struct {
	// FileBytes is the size of a file; default 512 MiB.
	FileBytes int64
	// DocumentBytes is the size of one document, after YAML aliases are
	// followed; default 64 MiB.
	DocumentBytes int
	// Expansion is how many times as large as its text a YAML document may
	// become when its aliases are followed; default 16. What is smaller than
	// 16 KiB then is allowed in any case.
	Expansion int
	// Nodes is how many nodes a YAML document may have, which take some 300
	// bytes of memory each. They are estimated, generously, from the text before
	// it is parsed; default 1,000,000.
	Nodes int
	// Documents is the number of documents in a file; default 1,000,000.
	Documents int
	// Depth is the nesting inside a document; default 200.
	Depth int
	// Properties is the number of properties of a bundle; default 10,000.
	Properties int
	// BundleConstraints is the number of constraints of a bundle; default 1,000.
	BundleConstraints int
	// EvaluationCost is what evaluating one expression on all bundles may cost,
	// in the units of CEL; default 50,000,000, which takes some seconds. The
	// bundles beyond it count as such on which the rule failed.
	EvaluationCost int
	// Entries is the number of entries of a channel; default 100,000.
	Entries int

	// ArchiveBytes is what a download, an archive or an image may take to read and
	// to unpack, all its layers together; default 8 GiB. What passes this limit or
	// one of the next three is an error of the whole catalog.
	ArchiveBytes int64
	// ArchiveEntries is the number of entries of an archive, or of all layers of an
	// image; default 250,000.
	ArchiveEntries int
	// ArchiveRatio is how many times as large as its compressed form a stream may
	// become, beyond its first 16 MiB; default 200.
	ArchiveRatio int
	// TreeBytes is how much memory the files of the catalog in an archive or image
	// may take, with their names; default 1 GiB.
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
