package migrate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// Change is a change that makes a check pass.
type Change struct {
	// Check is the ID of the check.
	Check string `json:"check"`
	Text  string `json:"text"`
	// Risk is the word of a result.Risk.
	Risk string `json:"risk"`
	// Object is the object to change, wait for or create. Field is the field to remove or
	// set.
	Object *result.Object `json:"object,omitempty"`
	Field  string         `json:"field,omitempty"`
	// Others is true if only others, such as the publisher, can make the change.
	Others bool `json:"others,omitzero"`
	// Acknowledge is true if the change is to acknowledge that the check fails.
	Acknowledge bool `json:"acknowledge,omitzero"`
}

// object returns the Subscription.
func (o *operator) object() *result.Object {
	return &result.Object{Kind: words.ObjectSubscription, Namespace: o.sub.Namespace, Name: o.sub.Name}
}

// help returns the changes for an operator, in the order of the checks that block it. It
// offers to acknowledge a soft check only if no hard check blocks: before, that changes
// nothing.
func help(o *operator, judged []Check) []Change {
	list := []Change{}
	hard := slices.ContainsFunc(judged, func(c Check) bool { return c.Hard && c.blocks() })
	for i, c := range judged {
		if !c.blocks() {
			continue
		}
		if of := checks[i].help; of != nil {
			list = append(list, of(o)...)
		}
		if !hard && !c.Hard && (c.ID != "C8" || o.csv != nil) {
			list = append(list, Change{Text: "acknowledge it with --acknowledge " + c.ID + ", if " + checks[i].means, Acknowledge: true})
		}
		for k := range list {
			if list[k].Check == "" {
				list[k].Check, list[k].Risk = c.ID, cmp.Or(list[k].Risk, result.RiskNone.String())
			}
		}
	}
	return list
}

// watchAll lets the operator watch all namespaces. It does not if the operator does not
// support that, or if another operator of the package would then watch one of them, too: OLM
// v0 fails the ClusterServiceVersion for either.
func watchAll(o *operator) []Change {
	if can, _ := allNamespaces(o); can == Fails {
		return nil
	}
	if len(o.samePackage()) > 0 {
		return nil // keepOne comes first
	}
	g, c := o.group, Change{Risk: result.RiskWidens.String(), Field: "spec.targetNamespaces"}
	if len(g.TargetNamespaces) == 0 {
		c.Field = "spec.selector"
	}
	c.Object = &result.Object{Kind: words.ObjectOperatorGroup, Namespace: g.Namespace, Name: g.Name}
	c.Text = fmt.Sprintf("remove %s from OperatorGroup %s of namespace %s: all operators of the namespace watch all namespaces then", c.Field, g.Name, g.Namespace)
	return []Change{c}
}

// laterVersion finds a version that OLM v1 would take over: the lowest above the installed
// one in the channels of the ClusterExtension. What OLM v1 takes next from there counts, too.
func laterVersion(o *operator) []Change {
	var found, refused *catalog.Bundle
	for b := range o.listed {
		if o.bundle != nil && b.Version.LE(o.bundle.Version) || found != nil && b.Version.GE(found.Version) || o.refuses(b) {
			continue
		}
		if o.sub.Manual || !o.refuses(o.after(b, o.channels()...)) {
			found = b
		} else if refused == nil || b.Version.LT(refused.Version) {
			refused = b
		}
	}
	if found != nil {
		return []Change{{Text: fmt.Sprintf("update it with OLM v0 to %s, which OLM v1 would install, and judge again", found.Name)}}
	}
	if c := o.otherChannel(); c != nil {
		return []Change{*c}
	}
	text := fmt.Sprintf("ask the publisher of %s for a version that OLM v1 installs: its channel has no later one", o.sub.Package)
	if refused != nil {
		text = fmt.Sprintf("ask the publisher of %s for a head that OLM v1 installs: from %s it would go on to %s, which it refuses", o.sub.Package, refused.Name, o.after(refused, o.channels()...).Name)
	}
	return []Change{{Others: true, Text: text}}
}

// otherChannel returns the change to another channel that updates what is installed to a version that OLM v1
// would install, the lowest one of those that are not deprecated, if there are any; nil if there is none.
func (o *operator) otherChannel() *Change {
	pkg := o.pkg()
	if pkg == nil || o.bundle == nil {
		return nil
	}
	var least *catalog.Bundle
	var from *catalog.Channel
	for _, channel := range pkg.Channels {
		if slices.Contains(o.extension.Channels, channel.Name) {
			continue
		}
		for i := range channel.Entries {
			e := &channel.Entries[i]
			b := o.offered(e.Name)
			if b == nil || b.Version.LE(o.bundle.Version) || !e.Updates(o.bundle.Name, &o.bundle.Version) || o.refuses(b) || !o.sub.Manual && o.refuses(o.after(b, channel)) {
				continue
			}
			if least == nil || cmp.Or(cmp.Compare(deprecated(b, channel), deprecated(least, from)), b.Version.Compare(least.Version)) < 0 {
				least, from = b, channel
			}
		}
	}
	if least == nil {
		return nil
	}
	return &Change{
		Object: o.object(), Field: words.FieldChannel,
		Text: fmt.Sprintf("set %s of Subscription %s to %s, so that OLM v0 updates it to %s, which OLM v1 would install; then judge again", words.FieldChannel, o.sub.Name, from.Name, least.Name),
	}
}

// deprecated counts what is deprecated of a bundle and its channel.
func deprecated(b *catalog.Bundle, channel *catalog.Channel) (n int) {
	for _, message := range []string{b.Deprecation, channel.Deprecation} {
		if message != "" {
			n++
		}
	}
	return n
}

// listed iterates over the bundles in the channels of the ClusterExtension.
func (o *operator) listed(yield func(*catalog.Bundle) bool) {
	for _, channel := range o.channels() {
		for i := range channel.Entries {
			if b := o.offered(channel.Entries[i].Name); b != nil && !yield(b) {
				return
			}
		}
	}
}

// refuses reports whether OLM v1 would not install a bundle.
func (o *operator) refuses(b *catalog.Bundle) bool {
	return len(request.Refusals(o.profile(), &cluster.ClusterExtension{Namespace: o.sub.Namespace}, b.Name, b.Properties, b.Constraints)) > 0
}

// after returns the bundle that OLM v1 would choose from channels with a bundle installed: the highest that
// updates it and is not deprecated, else itself.
func (o *operator) after(b *catalog.Bundle, channels ...*catalog.Channel) *catalog.Bundle {
	best := b
	for _, channel := range channels {
		for i := range channel.Entries {
			e := &channel.Entries[i]
			next := o.offered(e.Name)
			if next != nil && next.Deprecation == "" && next.Version.GT(best.Version) && e.Updates(b.Name, &b.Version) {
				best = next
			}
		}
	}
	return best
}

func keepRequest(o *operator) []Change {
	if list := o.dependents(); len(list) > 0 {
		return []Change{{Text: "leave it with OLM v0 while " + strings.Join(list, ", ") + words.Verb(len(list), " stays", " stay") + " there: " + words.Verb(len(list), "it requires", "they require") + " it"}}
	}
	return []Change{{
		Object: o.object(), Field: "metadata.annotations[" + words.AnnotationGeneratedBy + "]",
		Text: fmt.Sprintf("remove annotation %s from Subscription %s, if it is to stay without what required it", words.AnnotationGeneratedBy, o.sub.Name),
	}}
}

func waitSteady(o *operator) []Change {
	if o.csv == nil {
		return []Change{{Text: "install it with OLM v1 at once: nothing is installed that would have to move"}}
	}
	csv := &result.Object{Kind: words.ObjectCSV, Namespace: o.csv.Namespace, Name: o.csv.Name}
	if o.csv.Phase == "Failed" {
		said := words.OneLine(o.csv.Message)
		if said != "" {
			said = " (" + said + ")"
		}
		return []Change{{Object: csv, Text: "find out why ClusterServiceVersion " + o.csv.Name + " is Failed" + said + ", and fix that: waiting does not help"}}
	}
	return []Change{{Object: csv, Text: "wait until ClusterServiceVersion " + o.csv.Name + " is Succeeded with reason " + installSucceeded + " and the Subscription AtLatestKnown"}}
}

func otherCatalog(o *operator) []Change {
	for _, k := range o.keys {
		s := o.sources[k]
		content := o.problem.Catalogs.Catalog(k)
		if s.created != nil && content != nil && content.Snapshot != nil && content.Snapshot.Package(o.sub.Package) != nil && !s.assumed {
			return []Change{{Object: &result.Object{Kind: words.ObjectClusterCatalog, Name: s.name}, Text: "create ClusterCatalog " + s.name + " for CatalogSource " + k.String()}}
		}
	}
	_, _, help := o.inCatalogs()
	return []Change{help}
}

// keepOne leaves one request of the package, which then manages all custom resources. A ClusterExtension
// that has installed nothing is never that one: OLM v1 refuses the definitions of what runs with OLM v0.
func keepOne(o *operator) []Change {
	var list []Change
	others := o.samePackage()
	for _, name := range others {
		if e := o.problem.Cluster.Extension(name); e != nil && e.Installed == nil {
			list = append(list, Change{Object: &result.Object{Kind: words.ObjectExtension, Name: name},
				Text: "delete ClusterExtension " + name + ", which has installed nothing; migrating creates another one"})
		}
	}
	if len(list) == len(others) {
		return list
	}
	return append(list, Change{Risk: result.RiskRemoves.String(), Text: fmt.Sprintf(
		"keep one of the Subscriptions to %s, for all namespaces, to manage the custom resources of all (none if a ClusterExtension has installed the package): delete the others with their ClusterServiceVersions, except those whose OperatorCondition says that they are not upgradeable now",
		o.sub.Package)})
}

func createGroup(o *operator) []Change {
	return []Change{{Object: &result.Object{Kind: words.ObjectOperatorGroup, Namespace: o.sub.Namespace, Name: o.sub.Namespace}, Text: fmt.Sprintf(
		"create an OperatorGroup in namespace %s, without spec.targetNamespaces: OLM v0 needs one as well", o.sub.Namespace)}}
}

func givenImage(o *operator) []Change {
	switch s, _ := o.stays(); {
	case s != o.source:
		return []Change{{Text: "update it once more with OLM v0, from CatalogSource " + o.source.key.String() + ", which can become a ClusterCatalog"}}
	case s.object == nil:
		return []Change{{Object: o.object(), Field: "spec.source",
			Text: "name a CatalogSource that exists in spec.source of Subscription " + o.sub.Name}}
	}
	return []Change{{Others: true, Text: "publish the catalog as an image, and name it in spec.image of CatalogSource " + o.source.key.String() + " of type grpc"}}
}

// withoutRefusal finds a version that OLM v1 does not refuse, and what to do about a
// configuration that it does not take over.
func withoutRefusal(o *operator) (list []Change) {
	if len(o.refused()) > 0 {
		list = laterVersion(o)
	}
	if o.losesConfig() {
		list = append(list, Change{
			Object: o.object(), Field: "spec.config",
			Text: fmt.Sprintf("remove spec.config from Subscription %s, if its operator does without what that sets; or install OLM v1 with its experimental manifests", o.sub.Name),
		})
	}
	return list
}
