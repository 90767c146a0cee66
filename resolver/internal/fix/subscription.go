package fix

import (
	"slices"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/fixes"
	"github.com/resolvent/resolvent/resolver/internal/missing"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// subscriptionChanges lists what may be changed about a Subscription.
func subscriptionChanges(p *model.Part, r *request.Request, wish request.Subscription) []change {
	var list []change
	s := wish.Object
	object := objectOf(fixes.ObjectSubscription, p.Namespace, s.Name)
	set := func(size int, field fixes.Field, from, to string, edit func(s *cluster.Subscription)) change {
		return change{
			steps: []fixes.Step{{Object: object, Field: field, From: value(from), To: value(to)}},
			size:  size,
			apply: func(in *model.Inputs) { editSubscription(in, p.Namespace, s.Name, edit) },
		}
	}
	if r.Fault != nil && r.Fault.Kind == request.FaultPackage {
		for _, name := range missing.Nearest(s.Package, missing.PackageNames(p, r.Fault.Catalogs)) {
			list = append(list, set(sizeName, fixes.FieldPackage, s.Package, name, func(s *cluster.Subscription) { s.Package = name }))
		}
	}
	if s.StartingCSV != "" && r.Current < 0 {
		start := func(size int, name string) change {
			return set(size, fixes.FieldStartingCSV, s.StartingCSV, name, func(s *cluster.Subscription) { s.StartingCSV = name })
		}
		if r.Fault != nil && r.Fault.Kind == request.FaultStartingCSV {
			for _, name := range missing.Nearest(s.StartingCSV, p.Pace.Stepping(missing.EntryNames(p, r.Fault.Catalogs, s.Package, s.Channel))) {
				list = append(list, start(sizeName, name))
			}
		}
		removed := start(sizeField, "")
		removed.closer = func(o *outcome) (less []change) {
			for _, b := range closest(o, p, s.Name, startingVersion(p, s)) {
				less = append(less, start(sizeField, b.Name))
			}
			return less
		}
		list = append(list, removed)
	}
	for _, channel := range otherChannels(p, r, wish) {
		list = append(list, inChannel(p, r, channel))
	}
	for _, k := range otherCatalogs(p, s) {
		c := set(sizeCatalog, fixes.FieldSource, s.Catalog, k.Name, func(s *cluster.Subscription) { s.Catalog, s.CatalogNamespace = k.Name, k.Namespace })
		if k.Namespace != s.CatalogNamespace {
			namespace := fixes.Step{Object: object, Field: fixes.FieldSourceNamespace, From: value(s.CatalogNamespace), To: value(k.Namespace)}
			if c.steps = append(c.steps, namespace); k.Name == s.Catalog {
				c.steps = c.steps[1:]
			}
		}
		list = append(list, c)
	}
	for _, c := range missing.UncountedCatalogs(p) {
		if c.Snapshot.Package(s.Package) != nil && wish.Takes(c.Key) {
			list = append(list, makeVisible(p, c))
		}
	}
	if r.Current >= 0 && p.Installed[r.Current].Held() != nil {
		list = append(list, override(p, &p.Installed[r.Current]))
	}
	return append(list, dropRequest(p, r))
}

// value is that of a field, nil if it is empty.
func value(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// values is that of a field that holds several, nil if it is empty.
func values[T any](list []T) any {
	if len(list) == 0 {
		return nil
	}
	return list
}

// override overrides what an operator says of its updates.
func override(p *model.Part, b *model.InstalledBundle) change {
	name := b.Name()
	var stated []cluster.Condition
	for _, o := range p.In.Cluster.Objects().OperatorConditions {
		if o.Namespace == p.Namespace && o.Name == name {
			stated = o.Overrides
		}
	}
	overrides := without(stated, func(c cluster.Condition) bool { return c.Type == cluster.ConditionUpgradeable })
	allowed := cluster.Condition{Type: cluster.ConditionUpgradeable, Status: "True", Reason: "Overridden", Message: "An administrator allows the update."}
	return change{
		steps: []fixes.Step{{
			Object: objectOf(fixes.ObjectCondition, p.Namespace, name), Field: fixes.FieldOverrides,
			From: values(stated), To: append(overrides, allowed), Refused: b.Held().Why(),
		}},
		risk: fixes.RiskOverrides,
		size: sizeHold,
		apply: func(in *model.Inputs) {
			editNamespace(in, p.Namespace, func(n *cluster.NamespaceObjects) {
				n.Conditions = without(n.Conditions, func(c cluster.OperatorCondition) bool { return c.Name == name })
			})
		},
	}
}

// dropRequest deletes a request, and what it alone has installed. That stays where no
// catalog has what the request names: a wrong catalog may have been given, and the
// operator runs.
func dropRequest(p *model.Part, r *request.Request) change {
	name, csv := r.Key().Name, ""
	made := change{steps: []fixes.Step{{Object: objectOf(fixes.ObjectSubscription, p.Namespace, name)}}, size: sizeDrop}
	stays := r.Fault != nil && r.Fault.Kind.InCatalogs()
	if r.Current >= 0 && len(p.Installed[r.Current].Subscriptions) == 1 && !stays {
		b := &p.Installed[r.Current]
		csv = b.Name()
		made.steps = append(made.steps, fixes.Step{Object: objectOf(fixes.ObjectCSV, p.Namespace, csv)})
		made.risk, made.removes = fixes.RiskRemoves, []fixes.Version{versionOf(b)}
	}
	made.apply = deleting(p.Namespace, csv, func(s cluster.Subscription) bool { return s.Name == name })
	return made
}

// startingVersion is the version that startingCSV names, nil if no catalog has it.
func startingVersion(p *model.Part, s *cluster.Subscription) *semver.Version {
	for c := range p.Catalogs {
		for _, id := range p.Catalogs[c].Snapshot.Named(s.StartingCSV) {
			if b := p.Catalogs[c].Snapshot.Bundle(id); b.Package == s.Package {
				return &b.Version
			}
		}
	}
	return nil
}

// otherChannels lists the channels that a Subscription could name instead: the
// nearest names, then the others in their order.
func otherChannels(p *model.Part, r *request.Request, wish request.Subscription) []string {
	s := wish.Object
	if s.Channel == "" {
		return nil
	}
	names := missing.ChannelNames(p, wish.NamedCatalogs(p), s.Package)
	if r.Fault != nil && r.Fault.Kind == request.FaultChannel {
		names = append(missing.Nearest(s.Channel, p.Pace.Stepping(slices.Values(names))), names...)
	}
	names = slices.DeleteFunc(words.Distinct(names), func(name string) bool { return name == s.Channel })
	return names[:min(len(names), maxAlternatives)]
}

// otherCatalogs lists the visible catalogs that have the package and that the
// Subscription does not name.
func otherCatalogs(p *model.Part, s *cluster.Subscription) []catalog.Key {
	var keys []catalog.Key
	for i := range p.Catalogs {
		c := &p.Catalogs[i]
		if s.Catalog != "" && !s.Names(c.Key) && c.Snapshot.Package(s.Package) != nil {
			keys = append(keys, c.Key)
		}
	}
	return keys[:min(len(keys), maxAlternatives)]
}
