// Package catalogcheck checks catalogs for their publishers.
//
// [Run] joins the findings of a strict reading ([cache.Options]) with those that need all
// bundles together: bundles that no selection contains, and updates that lead nowhere.
// [Graph] is the update graph of a package. [Diff] reports what a change of a catalog means
// to its users, and [Difference.Cluster] what it means to a cluster.
//
// New bundle directories are judged as parts of the catalog that they are added to
// ([cache.Checked.AddedTo]). Then only findings that they have or cause are reported.
//
// One cause is one [Finding] with all its places: a mistake that was copied from version to
// version and from channel to channel, all bundles behind one obstacle, and all that need one
// missing API. It has its reasons as data ([Reason]) and says whom it stops ([Stop]); of one
// severity, what stops most users comes first. A [Baseline] has old findings by their
// [Identity]: only new ones are reported.
//
// # Codes
//
// Errors, unless another severity is given:
//
//	uninstallable          no selection from the given catalogs can contain these
//	                       bundles; a warning unless one is the head of a channel
//	unjudged               the rules of the catalogs cost too much to find out which
//	                       bundles can be installed
//	severalHeads, noHead,  the channel has no order, so neither Subscriptions nor
//	cycle                  dependencies can use it
//	stranded               no way from the head leads to this entry, or no update
//	                       leads on from it
//	entry                  a channel entry without bundle
//	packageMissing,        a package without its blob, default channel, channels or
//	defaultChannel,        bundles; a bundle in no channel
//	noChannel, noBundle
//	duplicatePackage,      the same thing is stated twice, and differently: neither
//	duplicateChannel,      is used
//	duplicateBundle,
//	duplicateEntry,
//	duplicateDeprecations,
//	duplicateLifecycles
//	packageProperty,       not exactly one olm.package property, one of another
//	packageMismatch,       package, no semantic version, or the version of another
//	version, sameVersion   bundle
//	property,              a property, constraint or skipRange that cannot be read, or a
//	propertyType,          minKubeVersion with which OLM never installs the bundle; a
//	nullValue, constraint, warning if it is only a limit
//	skipRange
//	name, image,           a name that Kubernetes refuses, an image that is missing or
//	deprecation, schema,   no pull spec, a deprecation of nothing or without message, a document
//	field                  without schema, a field of the wrong form
//	syntax, damagedFile,   a file that cannot be read, or exceeds a limit
//	unreadableFile, limit
//	template               opm renders no catalog from the template, or passes over a part
//	                       of it
//	passedOver             a file of a catalog that is not read, as bundle directories
//	                       are beside it
//	clusterServiceVersion, in bundle directories: not exactly one
//	annotations,           ClusterServiceVersion, no package, no channel, a missing
//	bundleChannel,         CRD that the bundle owns, another media type than
//	ownedCRD, mediaType    registry+v1, which is not judged
//
// Warnings:
//
//	headUnreachable        no updates lead from these bundles to the head
//	updateBlocked          the way to the head leads through a bundle that cannot
//	                       be installed
//	skipRangeDowngrade     a skipRange covers an entry closer to the head: an older
//	                       bundle would update a newer one
//	skipsUpwards           an entry skips one closer to the head, which hides a
//	                       newer bundle
//	trap                   a range, a constraint or a number that hardly means what it
//	                       seems to
//	undefined              a schema or property type that begins with "olm." and is none
//	                       of those that OLM defines, or an annotation that looks like
//	                       one of OLM: a typing error has no effect
//	lifecycle              phases of support that are not in order, or not contiguous; a
//	                       version that no bundle has
//	supportEnded           the head of a channel is of a version that is not supported
//	                       any more, on the day that is given
//	deprecatedBundle       olm.deprecated prevents new installs of these bundles; a
//	                       note unless one is the head of a channel
//
// Notes:
//
//	danglingEdge           replaces or skips names an entry that no channel of the
//	                       package lists
//	hiddenBySkips          skipped entries, which only startingCSV reaches
//	droppedVersion         updates take a version of an API away, of which custom resources
//	                       may be stored
//	leftBehind             no other channel lists or updates the head of this one, which
//	                       is not the default: its users cannot change the channel
//
// A catalog of 6,466 bundles takes less than 0.1 s after reading, and 12 MB of
// temporary memory (two cores).
package catalogcheck
