package result

import (
	"fmt"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// What a request names that is not there, or cannot be used.
type (
	// NoSuchCatalog: no catalog has the name; or one has, but the caller excludes it,
	// or the Namespace does not see it: its OperatorGroup Group, if any, leaves global
	// catalogs out.
	NoSuchCatalog struct {
		Request   *Request
		Nearest   []string
		Excluded  bool
		Namespace string
		Group     string
	}
	// CatalogUnhealthy: unhealthy catalogs could serve the request.
	CatalogUnhealthy struct{ Catalogs []UnhealthyCatalog }
	// NoChannel: the package has other channels.
	NoChannel struct {
		Request  *Request
		Channels []string
	}
	// ChannelUnusable: channels have no order, or there is none.
	ChannelUnusable struct {
		Request  *Request
		Channels []Unlisted
	}
	// NoStartingCSV: no usable bundle has the name; Listed says that a channel
	// lists it.
	NoStartingCSV struct {
		Request *Request
		Listed  bool
		Nearest []string
		Faults  []catalog.Fault
	}
	// NoBundles: the request names no package; or package and channel are there, without a usable bundle or, for a
	// ClusterExtension with a range, with these sorted versions, none of which is in it.
	NoBundles struct {
		Request  *Request
		Versions []semver.Version
		Faults   []catalog.Fault
	}
	// NoSuccessor: nothing in range succeeds the installed bundle; OutOfRange, by name,
	// do. The installed one is not in range, or Unlisted by the channels, or Gone from
	// all catalogs.
	NoSuccessor struct {
		Request    *Request
		OutOfRange []string
		Unlisted   bool
		Gone       bool
		Faults     []catalog.Fault
	}
	// HasDependencies: the best bundle requires others, which the caller rejects.
	HasDependencies struct {
		Bundle   string
		Requires constraints.Expr
	}
)

func (d NoSuchCatalog) words(*Reason, subject) string {
	catalog := "catalog " + d.Request.Catalog
	switch {
	case d.Excluded:
		return catalog + " is excluded by the caller"
	case d.Group != "":
		return fmt.Sprintf("%s exists, but %s", catalog, leavesOut(d.Group, d.Namespace))
	case d.Namespace != "":
		return fmt.Sprintf("%s exists, but namespace %s does not see it: it is neither in that namespace nor in a global one", catalog, d.Namespace)
	}
	return catalog + " is not known here" + words.Suggestion(d.Nearest)
}

func (d CatalogUnhealthy) words(*Reason, subject) string {
	return "it could be served by a catalog that is unhealthy: " + strings.Join(words.Texts(d.Catalogs), ", ")
}

func (d NoChannel) words(*Reason, subject) string {
	asked := "channel " + strings.Join(d.Request.Channels, ", ")
	if d.Request.Key.Kind == cluster.KindExtension {
		asked = "such channels (" + strings.Join(d.Request.Channels, ", ") + ")"
	}
	return fmt.Sprintf("package %s has no %s; its channels are %s", d.Request.Package, asked, strings.Join(d.Channels, ", "))
}

func (d ChannelUnusable) words(*Reason, subject) string {
	if len(d.Channels) == 0 {
		return "package " + d.Request.Package + " has no channel"
	}
	return strings.Join(mapped(d.Channels, func(c Unlisted) string {
		return fmt.Sprintf("channel %s of package %s cannot be used: %s", c.Channel, d.Request.Package, c.Fault)
	}), "; ")
}

func (d NoStartingCSV) words(*Reason, subject) string {
	if d.Listed {
		return fmt.Sprintf("%s lists the startingCSV %s, but no usable bundle has that name%s", d.Request.place(), d.Request.StartingCSV, leftOut(d.Faults))
	}
	return fmt.Sprintf("%s has no startingCSV %s%s", d.Request.place(), d.Request.StartingCSV, words.Suggestion(d.Nearest))
}

func (d NoBundles) words(*Reason, subject) string {
	text := d.Request.place() + " offers no bundle" + d.Request.inChannels()
	switch {
	case d.Request.Package == "":
		return "it names no package; set spec.name"
	case d.Request.Version != "":
		text = fmt.Sprintf("package %s has no bundle with a version in %q%s; %s",
			d.Request.Package, d.Request.Version, d.Request.inChannels(), words.Versions(d.Versions))
	}
	return text + leftOut(d.Faults)
}

func (d NoSuccessor) words(*Reason, subject) string {
	text := fmt.Sprintf("no bundle of package %s%s", d.Request.Package, d.Request.inChannels())
	if len(d.OutOfRange) > 0 {
		text += fmt.Sprintf(" in %q", d.Request.Version)
	}
	text += " succeeds the installed " + d.Request.Installed
	if n := len(d.OutOfRange); n > 0 {
		text += fmt.Sprintf(" (%s %s, out of range)", words.Listed(d.OutOfRange, words.MaxNamed), words.Verb(n, "does", "do"))
	}
	text += ", and that one is not "
	switch {
	case d.Gone:
		return text + "offered any more" + leftOut(d.Faults)
	case d.Unlisted:
		return text + "in channels " + strings.Join(d.Request.Channels, ", ")
	}
	return text + fmt.Sprintf("in %q", d.Request.Version)
}

func (d HasDependencies) words(*Reason, subject) string {
	return fmt.Sprintf("its best bundle %s has dependencies, which the caller rejects: it requires %s", d.Bundle, d.Requires)
}

// maxFaults is how many bytes of the faults of a package a sentence shows.
const maxFaults = 1 << 10

// leftOut ends a sentence with the faults that removed parts of a package.
func leftOut(faults []catalog.Fault) string {
	if len(faults) == 0 {
		return ""
	}
	var messages []string
	size := 0
	for i := 0; i < len(faults) && size < maxFaults; i++ {
		messages = append(messages, faults[i].Error())
		size += len(messages[i])
	}
	return "; left out for faults of the catalog: " + words.Clip(strings.Join(messages, "; "), maxFaults)
}
