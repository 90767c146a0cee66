// Package catalogcheck judges catalogs for their publishers.
//
// [Run] joins the findings of a strict reading ([cache.Options]) with those that need
// all bundles together: bundles that no selection can contain, and updates that
// lead nowhere. [Graph] is the update graph of a package. [Diff] reports what
// a change of a catalog means to its users, and [Difference.Cluster] what it means to
// a cluster.
//
// New bundle directories are judged as parts of the catalog that they are to be added to
// ([cache.Checked.AddedTo]): what is about them, or comes by them.
//
// One cause is one [Finding], with all its places: a mistake that is copied from version
// to version and from channel to channel, everything behind one obstacle, and everything
// that follows from one missing API. A catalog with old faults is judged with a
// [baseline.Set], which knows each by its [baseline.Identity]: only what is new is
// reported.
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
//	property,              a property, constraint or skipRange that cannot be read;
//	propertyType,          a warning if only a limit is lost
//	nullValue, constraint,
//	skipRange
//	name, image,           a name that Kubernetes refuses, a missing image, a
//	deprecation, schema,   deprecation of nothing or without message, a document
//	field                  without schema, a field of the wrong form
//	syntax, damagedFile,   a file that cannot be read, or exceeds a limit
//	unreadableFile, limit
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
//	trap                   a range or constraint that hardly means what it seems to
//	undefined              a schema or property type that begins with "olm." and is none
//	                       of those that OLM defines: a typing error has no effect
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
// # Beside other tools
//
// Which faults "opm validate" (operator-registry v1.73.0) finds in a catalog, which
// the libraries behind "operator-sdk bundle validate" (operator-framework/api v0.45.0,
// pkg/lib/bundle of operator-registry) find in a bundle directory, and the code that
// they have here. Each line was tried: "-" is a fault that passes, nothing one that
// the tool is not for.
//
//	fault                                            opm  sdk  here
//
//	a file that is no JSON or YAML                   yes  yes  syntax, damagedFile
//	a document without schema, a field of wrong form yes       schema, field
//	no package blob, channel or bundle               yes       packageMissing, noChannel, noBundle
//	default channel missing or unknown               yes  -    defaultChannel
//	a bundle in no channel, an entry without bundle  yes       noChannel, entry
//	the same stated twice, differently               yes       duplicatePackage, ...
//	several heads, none, a circle, stranded entries  yes       severalHeads, noHead, cycle, stranded
//	a skipRange that cannot be read                  yes  -    skipRange
//	a wrong version or olm.package property          yes  -    version, packageProperty, packageMismatch
//	two bundles of one version                       yes       sameVersion
//	no image                                         yes       image
//	a package name that Kubernetes refuses           yes  -    name
//	a deprecation of nothing, or without message     yes       deprecation
//	not exactly one CSV, no annotations, no channel       yes  clusterServiceVersion, annotations, bundleChannel
//	an owned CRD that is missing                          yes  ownedCRD
//
//	a requirement that nothing can satisfy           -    -    uninstallable
//	updates that do not lead to the head             -         headUnreachable, updateBlocked
//	an older bundle that would update a newer one    -         skipRangeDowngrade
//	edges to nothing, users that are left behind     -         danglingEdge, hiddenBySkips, leftBehind
//	an update that drops a version of an API         -         droppedVersion
//	a range that hardly means what it seems to       -         trap
//	olm.deprecated on the head of a channel          -         deprecatedBundle
//	a constraint with a wrong range, rule or key     -    (1)  constraint
//	a range with an empty alternative, "a || || b"   -    -    skipRange, constraint
//	an API with a name that Kubernetes refuses       -    (2)  name
//	a property without type or value                 -    -    propertyType, nullValue
//	a schema or type such as olm.gvk.require         -    -    undefined
//	olm.maxOpenShiftVersion that cannot be read      -    -    property
//	properties or dependencies that are no YAML           -    syntax
//
//	the same stated twice, alike                     yes       - (counts once)
//	two deprecations of the same thing               yes       -
//	an empty name in skips                           yes       -
//	a key in two spellings, name and Name            yes       -
//	a file that is no catalog, such as README.md     yes       - (passed over)
//	an image or related image that is no reference   yes  yes  -
//	a bundle name that does not fit its release      yes  yes  -
//	a CSV with a field missing or of a wrong type         yes  -
//	a CSV with a wrong name, replaces, minKubeVersion     yes  -
//	a CSV without supported install mode                  yes  -
//	examples that are no JSON, or of other APIs           yes  -
//	a CRD that is invalid, not owned, or there twice      yes  -
//	a kind that OLM does not install                      yes  -
//	a service account that the CSV names as well          yes  -
//	more than 1 MiB, compressed                           yes  -
//	wrong media type                                      yes  mediaType
//	wrong case of olm.skipRange                           yes  -
//	what --select-optional adds: OperatorHub's rules,     yes  -
//	removed APIs, good practices, architectures
//
// (1) In dependencies.yaml a range or rule, not two keys. (2) Of owned APIs only.
//
// The catalogs of community operators that were tried, four with up to 6,466 bundles,
// pass opm validate, and 30 bundle directories of theirs pass the defaults of the other.
// Here 9 packages of these catalogs have errors, all of them heads that cannot be
// installed, and 12 more have warnings; two of the three packages of bundle directories
// have errors, one of them a channel with two heads.
//
// A catalog of 6,466 bundles takes less than 0.1 s after reading, and 12 MB of
// temporary memory (two cores).
package catalogcheck
