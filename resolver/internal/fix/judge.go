package fix

import (
	"cmp"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/answer"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// proposal is a fix and what decides whether it is listed, and where.
type proposal struct {
	fix   result.Fix
	node  *node
	edits []request.Edit
	// apart is the closeness of the fix: how far the changed requests end from what they
	// meant.
	apart int
	// newest is the newest version that they get.
	newest semver.Version
	// channels is the worst of the channels that the fix sets: 0 is the default one, 2 one of
	// versions that are not finished, a second copy of what runs, or targets that leave an operator
	// failed. stepsLeft is 1 if a changed request does not get its head.
	channels, stepsLeft int
	fields              []field
	kinds               []request.EditKind
	// never is set if nobody is to be advised to: a new request gets what nobody means who asked for
	// it, an older major version or what shares no API group with what was meant, or OLM fails what
	// works now.
	never bool
}

// proposalOf returns the fix of a set that helps, with its consequences.
func (s *search) proposalOf(n *node) proposal {
	c := proposal{node: n, edits: n.edits, fields: fieldsOf(n.edits), fix: result.Fix{Group: s.group, Changes: changesOf(n.edits), Waiting: s.waiting}}
	for i := range n.edits {
		e := &n.edits[i]
		c.kinds = append(c.kinds, e.Kind)
		s.judgeEdit(&c, n, e)
	}
	slices.Sort(c.kinds)
	was := answer.EffectOf(s.given.Problem, answer.ChangeSet{List: c.fix.Changes, GivesUp: c.fix.GivesUp, Scopes: n.try.In.Scopes}, n.answers())
	c.fix.Then = was.Then
	c.fix.Risk = max(c.fix.Risk, was.Risk)
	for _, u := range c.fix.Then.Updates { // also of what others require
		if from, to := u.From.Version, u.To.Version; from != nil && to != nil && to.Major > from.Major {
			c.caution(result.RiskNone, words.CautionMajor, u.To.Bundle.Package+" "+to.String())
		}
	}
	deletes := slices.ContainsFunc(c.fix.Cautions, func(c result.Caution) bool { return c.Kind == words.CautionDeletes })
	for _, caution := range was.Cautions {
		if !deletes || caution.Kind != words.CautionUnprovided { // a ClusterExtension takes its custom resources along
			c.add(result.RiskNone, caution)
		}
	}
	for _, t := range n.answers() {
		s.judgeRequests(&c, t, n)
		for _, of := range t.Problem.Scopes {
			c.fix.Approval = c.fix.Approval || inventory.Manual(of.Part.State)
		}
	}
	c.fix.Class = s.classOf(&c.fix)
	return c
}

// changesOf groups edits by object. An object that is created anew gets its fields at once.
func changesOf(edits []request.Edit) []result.Change {
	var list []result.Change
	for i := range edits {
		e := &edits[i]
		if e.Kind == request.EditRights {
			for _, step := range e.Steps {
				list = append(list, result.Change{Object: step.Object, Steps: []result.Step{step}})
			}
			continue
		}
		if len(list) == 0 || list[len(list)-1].Object != e.Object {
			list = append(list, result.Change{Object: e.Object})
		}
		c := &list[len(list)-1]
		for _, step := range e.Steps {
			at := slices.IndexFunc(c.Steps, func(made result.Step) bool { return made.Create != nil && made.Object == step.Object })
			if at < 0 || step.Field == "" {
				c.Steps = append(c.Steps, step)
				continue
			}
			x, err := result.Apply(cluster.NewIndex(*c.Steps[at].Create), cluster.Scope{}, []result.Step{step})
			if err != nil {
				continue // it was tried, and applies
			}
			made := x.Objects()
			c.Steps[at].Create = &made
			c.With = append(c.With, step)
		}
	}
	return list
}

func (c *proposal) caution(risk result.Risk, kind result.CautionKind, names ...string) {
	c.add(risk, result.Caution{Kind: kind, Names: names})
}

// add adds a caution. It extends one that states the same, if there is one.
func (c *proposal) add(risk result.Risk, made result.Caution) {
	c.fix.Risk = max(c.fix.Risk, risk)
	for i := range c.fix.Cautions {
		if known := &c.fix.Cautions[i]; known.Kind == made.Kind && known.Said == made.Said {
			known.Names = words.Distinct(append(known.Names, made.Names...))
			return
		}
	}
	c.fix.Cautions = append(c.fix.Cautions, made)
}

// judgeEdit adds the cautions of an edit that hold whatever it leads to.
func (s *search) judgeEdit(c *proposal, n *node, e *request.Edit) {
	if e.Caution != nil {
		c.add(result.RiskWidens, *e.Caution)
	}
	switch e.Kind {
	case request.EditGiveUp:
		for _, step := range e.Steps {
			if key := requestOf(step.Object); request.Known(key) {
				c.fix.GivesUp = append(c.fix.GivesUp, key)
			}
		}
		given, ok := s.givenRequest(requestOf(e.Object), n)
		if ok && given.r.Current < 0 && e.Object.Kind == words.ObjectSubscription {
			if names := given.serving(s.given.In.Cluster); len(names) > 0 {
				c.caution(result.RiskNone, words.CautionServes, names...)
			}
			if names := given.orphans(); len(names) > 0 {
				c.caution(result.RiskNone, words.CautionRunsAlone, names...)
			}
		}
		if ok && given.r.Current < 0 && e.Object.Kind == words.ObjectExtension {
			if e.Runs != "" {
				c.caution(result.RiskNone, words.CautionRunsOn, e.Runs)
			}
			if e.Serves != "" {
				c.caution(result.RiskNone, words.CautionServes, e.Serves)
			}
		} else if e.Object.Kind == words.ObjectExtension {
			c.caution(result.RiskRemoves, words.CautionDeletes, e.Object.Name)
		} else if name := s.installedBy(e.Object); name != "" && !answer.Deletes(c.fix.Changes, e.Object.Namespace, name) {
			c.caution(result.RiskNone, words.CautionRunsAlone, name)
		}
	case request.EditGoesAlong, request.EditDelete, request.EditReinstall:
		// The effect tells whether an orphan that is deleted is installed anew, if nothing waits.
		managed := len(s.given.Problem.Model.In.Cluster.In(e.Object.Namespace).Installers[e.Object.Name]) > 0
		if e.Kind != request.EditDelete || managed || len(s.waiting) > 0 {
			c.fix.Risk = max(c.fix.Risk, result.RiskRemoves)
		}
		for _, step := range e.Steps {
			if step.Object.Kind == words.ObjectCSV {
				s.cautionHeld(c, step.Object)
			}
		}
	case request.EditMove:
		for _, step := range e.Steps {
			if step.Create != nil && len(step.Create.OperatorGroups) > 0 && len(step.Create.OperatorGroups[0].TargetNamespaces) == 0 {
				c.fix.Risk = max(c.fix.Risk, result.RiskWidens)
			}
		}
		s.judgeSecond(c, n)
	case request.EditForward:
		c.add(result.RiskOverrides, FailedIn(s.in.In.Cluster.In(e.Object.Namespace)))
	case request.EditHold:
		c.fix.Risk = result.RiskOverrides
		s.cautionHeld(c, e.Object)
	case request.EditCreateGroup, request.EditTargets:
		s.judgeTargets(c, n, e)
	case request.EditDeleteGroup:
		s.judgeGroups(c, n, e.Object)
	case request.EditDeleteSource:
		c.caution(result.RiskNone, words.CautionUnused, e.Object.String())
		all := cluster.OperatorHub{DisableAll: true}
		if all.Disables(catalog.Key{Namespace: e.Object.Namespace, Name: e.Object.Name}) { // a default one of OpenShift
			c.caution(result.RiskNone, words.CautionMadeAgain, e.Object.String())
		}
	case request.EditExclude:
		c.caution(result.RiskWidens, words.CautionCatalogs)
	case request.EditStored:
		from, to := e.Steps[0].From.([]string), e.Steps[0].To.([]string)
		c.caution(result.RiskNone, words.CautionStored, slices.DeleteFunc(slices.Clone(from), func(v string) bool { return slices.Contains(to, v) })...)
	case request.EditAvailability:
		kind := result.CautionKind(words.CautionOffered)
		if e.Steps[0].To == "Unavailable" {
			kind = words.CautionWithdrawn
		}
		c.caution(result.RiskWidens, kind, e.Object.Name)
	case request.EditPriority:
		c.caution(result.RiskWidens, words.CautionPreferred, e.Object.Name)
	case request.EditPolicy:
		c.caution(result.RiskWidens, words.CautionUncertain)
	case request.EditOption:
		c.fix.Risk = max(c.fix.Risk, result.RiskWidens)
	}
}

// judgeSecond adds which operators a move installs that run in another namespace already: what
// provides the same kinds, or is of the same package where it provides none.
func (s *search) judgeSecond(c *proposal, n *node) {
	if n.moved == nil || n.moved.Problem == nil || n.moved.Solution == nil {
		return
	}
	p, after := n.moved.Problem.Scopes[0].Part, n.moved.In.Cluster
	var found []inventory.KindProvider
	for _, sel := range n.moved.Solution.Selected {
		if p.AsInstalled(sel.Var) != nil {
			continue
		}
		kinds := inventory.VersionsOf(p.PropertiesOf(sel.Var).GVKs())
		for kind := range kinds {
			found = append(found, inventory.ProvidersIn(after).Of(kind)...)
		}
		if len(kinds) == 0 {
			found = append(found, installedOf(after, p.Ref(sel.Var).Bundle.Package)...)
		}
	}
	slices.SortFunc(found, func(a, b inventory.KindProvider) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Bundle, b.Bundle))
	})
	var names []string
	for _, other := range found {
		if other.Namespace != p.Namespace {
			names = append(names, other.Namespace+"/"+other.Bundle)
		}
	}
	if len(names) > 0 {
		c.channels = 2 // what it shares with the first copy may break that
		c.caution(result.RiskWidens, words.CautionSecond, slices.Compact(names)...)
	}
}

// installedOf returns the bundles that Subscriptions for a package installed, by namespace.
func installedOf(c *cluster.Index, pkg string) (list []inventory.KindProvider) {
	for _, namespace := range c.Namespaces() {
		for _, s := range c.In(namespace).Subscriptions {
			if s.Package == pkg && inventory.Counted(c.In(namespace), s.InstalledCSV) != nil {
				list = append(list, inventory.KindProvider{Namespace: namespace, Bundle: s.InstalledCSV})
			}
		}
	}
	return list
}

// orphans returns what is installed of the package of a request, and has no Subscription.
func (g *givenRequest) orphans() (names []string) {
	for i := range g.part.Installed {
		if b := &g.part.Installed[i]; !b.Foreign && len(b.Subscriptions) == 0 && b.PackageName() == g.r.PackageName() {
			names = append(names, b.Name())
		}
	}
	return names
}

// serving returns the bundles of the package of a request that run for all namespaces, outside of its
// own, and are what it asks for. It finds those that provide a kind of what may come.
func (g *givenRequest) serving(c *cluster.Index) (names []string) {
	for _, v := range g.r.List.Candidates[:min(1, len(g.r.List.Candidates))] {
		for kind := range inventory.VersionsOf(g.part.PropertiesOf(v).GVKs()) {
			for _, provider := range inventory.ProvidersIn(c).Of(kind) {
				n, group := c.In(provider.Namespace), inventory.GroupOf(c, provider.Namespace)
				csv := inventory.Counted(n, provider.Bundle)
				if provider.Namespace != g.part.Namespace && csv != nil && csv.Phase == world.PhaseSucceeded && group != nil && group.Everywhere() && slices.Contains(inventory.SubscribedPackages(n, provider.Bundle), g.r.PackageName()) && g.asksFor(csv) {
					names = append(names, provider.Namespace+"/"+provider.Bundle)
				}
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// asksFor reports whether a bundle of the package is what a request asks for: it is not older than what
// that means, or one of its channels lists it.
func (g *givenRequest) asksFor(v *cluster.ClusterServiceVersion) bool {
	version, err := semver.Parse(v.Version)
	if err != nil {
		return false
	}
	pkg, stated := g.r.PackageName(), g.r.Stated(g.part, g.r)
	if meant := g.r.Meant(g.part, pkg, nil, version); meant == nil || version.GE(*meant) {
		return true
	}
	return stated.StartingCSV == "" && slices.ContainsFunc(g.part.Catalogs, func(c model.Catalog) bool {
		p := c.Snapshot.Package(pkg)
		return p != nil && model.FirstPlace(p, v.Name, stated.Channels...).Channel != nil
	})
}

// FailedIn warns of moving on from what is in phase Failed in a namespace.
func FailedIn(n *cluster.NamespaceObjects) result.Caution {
	caution := result.Caution{Kind: words.CautionForward}
	var said []string
	for i := range n.CSVs {
		if v := &n.CSVs[i]; v.Phase == "Failed" && !inventory.Copied(v) {
			caution.Names = append(caution.Names, v.Name)
			if text := SaidBy(&cluster.Condition{Reason: v.Reason, Message: v.Message}); text != "" {
				said = append(said, text)
			}
		}
	}
	caution.Said = words.Listed(words.Distinct(said), words.MaxNamed)
	return caution
}

// cautionHeld adds that an operator refuses updates, if it does. The object has its name.
func (s *search) cautionHeld(c *proposal, o result.Object) {
	condition := s.in.In.Cluster.In(o.Namespace).Upgradeable(o.Name)
	if condition == nil || condition.Status != "False" {
		return
	}
	c.add(result.RiskNone, result.Caution{Kind: words.CautionHeld, Names: []string{o.Name}, Said: SaidBy(condition)})
}

// SaidBy returns what an operator says in its condition.
func SaidBy(c *cluster.Condition) string {
	return strings.TrimSuffix(words.Clip(strings.TrimPrefix(c.Reason+": "+c.Message, ": "), words.MaxQuoted), ": ")
}

// judgeTargets adds which operators watch more, or less, with a new OperatorGroup or other targets,
// and which OLM fails then.
func (s *search) judgeTargets(c *proposal, n *node, e *request.Edit) {
	namespace := e.Object.Namespace
	before, after := inventory.GroupOf(s.given.In.Cluster, namespace), inventory.GroupOf(n.try.In.Cluster, namespace)
	if after == nil {
		return
	}
	var watching, then []string
	counting := inventory.Counting(s.in.In.Cluster.In(namespace))
	for _, csv := range counting {
		if before == nil || before.Lacks(csv.Metadata) == "" { // else OLM has failed it, and it watches nothing
			watching = append(watching, csv.Name)
			c.cautionFails(csv, after)
			c.never = c.never || before != nil && after.Lacks(csv.Metadata) != "" // OLM fails what works now
		}
		if after.Lacks(csv.Metadata) == "" {
			then = append(then, csv.Name)
		} else {
			c.channels = 2 // other targets would let it run, and undo this
		}
	}
	if before == nil {
		if after.Everywhere() {
			c.fix.Risk = max(c.fix.Risk, result.RiskWidens)
		}
		return
	}
	caution := result.Caution{Kind: words.CautionTargets, Names: then, Said: after.Targets()}
	risk, more := result.RiskNone, after.WatchesMore(before)
	if more {
		risk = result.RiskWidens
	}
	if before.WatchesMore(after) && len(watching) > 0 {
		caution.Kind, caution.Names, risk = words.CautionNarrowed, watching, result.RiskRemoves // what they managed elsewhere has no operator then
	} else if !more {
		return
	}
	if c.fix.Risk = max(c.fix.Risk, risk); len(caution.Names) > 0 || len(counting) == 0 {
		c.add(risk, caution)
	}
}

// cautionFails notes that OLM fails what is installed if an OperatorGroup needs an install mode
// that it lacks.
func (c *proposal) cautionFails(csv *cluster.ClusterServiceVersion, g *inventory.Group) {
	if mode := g.Lacks(csv.Metadata); mode != "" {
		c.add(result.RiskRemoves, result.Caution{Kind: words.CautionFails, Names: []string{csv.Name}, Said: string(mode)})
	}
}

// annotationGroup is the annotation with the OperatorGroup of a ClusterServiceVersion.
const annotationGroup = "olm.operatorGroup"

// judgeGroups adds which operators belong to another OperatorGroup once one of several is
// deleted, or that none did. An operator whose annotation names no existing group may belong
// to the deleted one.
func (s *search) judgeGroups(c *proposal, n *node, o result.Object) {
	groups := s.in.In.Cluster.In(o.Namespace).Groups
	installed := inventory.Counting(s.in.In.Cluster.In(o.Namespace))
	after := inventory.GroupOf(n.try.In.Cluster, o.Namespace)
	var moved []string
	for _, csv := range installed {
		of := csv.Annotations[annotationGroup]
		if of == o.Name || !slices.ContainsFunc(groups, func(g cluster.OperatorGroup) bool { return g.Name == of }) {
			moved = append(moved, csv.Name)
			if after != nil {
				c.cautionFails(csv, after)
			}
		}
	}
	switch {
	case len(installed) > 0 && len(moved) == 0:
		c.caution(result.RiskNone, words.CautionUnusedGroup, o.String())
	case len(moved) > 0 && after != nil:
		c.add(result.RiskWidens, result.Caution{Kind: words.CautionRegrouped, Names: moved, Said: after.OperatorGroup.Name + ", which watches " + after.Targets()})
	}
}

// judgeRequests adds closeness and risk of what the changed requests get.
func (s *search) judgeRequests(c *proposal, t *world.Try, n *node) {
	selected := map[solver.Var]bool{}
	for _, sel := range t.Solution.Selected {
		selected[sel.Var] = true
	}
	for i := range t.Problem.Model.Demands {
		part, r := t.Problem.Root(i)
		given, ok := s.givenRequest(r.Key(), n)
		if !ok || !s.changed(n, part, r) {
			continue
		}
		at := slices.IndexFunc(r.List.Candidates, func(v solver.Var) bool { return selected[v] })
		if at >= 0 {
			s.judgeChoice(c, part, r, given, r.List.Candidates[at])
		}
	}
}

// givenRequest is a request before the changes.
type givenRequest struct {
	part *model.Part
	r    *request.Request
}

func (g *givenRequest) installed() *semver.Version {
	if g.r.Current < 0 {
		return nil
	}
	return &g.part.Installed[g.r.Current].Version
}

// runs reports whether a bundle of a package is installed in the namespace: what the request gets
// is an update of that.
func (g *givenRequest) runs(pkg string) bool {
	return slices.ContainsFunc(g.part.Installed, func(b model.InstalledBundle) bool { return !b.Foreign && b.PackageName() == pkg })
}

// meaning states what version a request meant, nil if that is not known, and how another one
// differs from it: places apart, a newer major version, a prerelease.
type meaning struct {
	meant      *semver.Version
	apart      int
	major, pre bool
}

// meaning compares a version that a request would get with what the unchanged one means.
func (g *givenRequest) meaning(p *model.Part, r *request.Request, version semver.Version) (m meaning) {
	pkg := r.PackageName()
	m.pre = len(version.Pre) > 0
	// A range that admits a major version means it, too.
	admitted := g.r.Admits(version)
	if meant := g.r.Meant(p, pkg, g.installed(), version); meant != nil {
		m.meant = meant
		m.apart = request.Apart(p.Universe.VersionsOf(pkg), version, *meant)
		m.major = version.Major > meant.Major && !admitted
		m.pre = m.pre && len(meant.Pre) == 0
	}
	return m
}

// givenRequest returns the unchanged request that has this key after the changes.
func (s *search) givenRequest(key cluster.RequestKey, n *node) (givenRequest, bool) {
	for i := range n.edits {
		if e := &n.edits[i]; e.Kind == request.EditMove && objectOf(key) == e.Steps[len(e.Steps)-1].Object {
			key.Namespace = e.Object.Namespace
		}
	}
	root := s.given.Problem.RootOf(key)
	if root < 0 {
		return givenRequest{}, false
	}
	p, r := s.given.Problem.Root(root)
	return givenRequest{p, r}, true
}

// changed reports whether the edits change a request or its installed bundle.
func (s *search) changed(n *node, p *model.Part, r *request.Request) bool {
	if n.changes(objectOf(r.Key())) || n.moved != nil && p.Model == n.moved.Problem.Model {
		return true
	}
	return r.Current >= 0 && n.changes(result.Object{Kind: words.ObjectCondition, Namespace: p.Namespace, Name: p.Installed[r.Current].Name()})
}

// judgeChoice compares the version that a request gets with what it meant.
func (s *search) judgeChoice(c *proposal, p *model.Part, r *request.Request, given givenRequest, v solver.Var) {
	version := versionIn(p, v)
	if version.GT(c.newest) {
		c.newest = version
	}
	pkg := r.PackageName()
	name := pkg + " " + version.String()
	m := given.meaning(p, r, version)
	c.apart += m.apart
	stays := p.AsInstalled(v) != nil
	c.never = c.never || m.meant != nil && given.r.Current < 0 && !given.runs(pkg) && !stays && s.meansVersion() &&
		(version.Major < m.meant.Major || apart(p.PropertiesOf(v), meantBundles(p, pkg, *m.meant)))
	pinned := given.r.Current < 0 && given.r.Stated(given.part, given.r).StartingCSV != "" && m.meant != nil && m.meant.EQ(version) // a startingCSV that was meant is no step left out
	if !request.AtHead(p, r, v) && !pinned {
		c.stepsLeft = 1
	}
	if m.major && !stays {
		c.caution(result.RiskWidens, words.CautionMajor, name)
	}
	if m.pre && !stays {
		c.caution(result.RiskWidens, words.CautionPrerelease, name)
	}
	before, after := given.r.Stated(given.part, given.r).Channels, r.Stated(p, r).Channels
	for _, channel := range after {
		switch {
		case slices.Contains(before, channel) || isDefault(p, pkg, channel):
		case Unfinished(channel):
			c.caution(result.RiskWidens, words.CautionChannel, channel)
			c.channels = max(c.channels, 2)
		default:
			c.channels = max(c.channels, 1)
		}
	}
	if installed := given.installed(); installed != nil && version.LT(*installed) && !stays {
		c.fix.Risk = max(c.fix.Risk, result.RiskRemoves)
	}
}

// meansVersion reports whether a request means a version of its own. A goal that names a bundle
// means that one.
func (s *search) meansVersion() bool {
	switch s.goal.(type) {
	case Selected, Reaches:
		return false
	}
	return true
}

// meantBundles returns what the bundles of a version of a package state.
func meantBundles(p *model.Part, pkg string, version semver.Version) (list []*properties.Set) {
	for c := range p.Catalogs {
		snapshot := p.Catalogs[c].Snapshot
		found := snapshot.Package(pkg)
		for i := 0; found != nil && i < len(found.Bundles); i++ {
			if b := snapshot.Bundle(found.Bundles[i]); b.Version.EQ(version) {
				list = append(list, b.Properties)
			}
		}
	}
	return list
}

// apart reports whether a bundle provides APIs, and so do all others, but none of a group in
// common.
func apart(set *properties.Set, others []*properties.Set) bool {
	return len(set.GVKs()) > 0 && len(others) > 0 && !slices.ContainsFunc(others, func(other *properties.Set) bool {
		return len(other.GVKs()) == 0 || slices.ContainsFunc(other.GVKs(), func(api properties.GVK) bool {
			return slices.ContainsFunc(set.GVKs(), func(own properties.GVK) bool { return own.Group == api.Group })
		})
	})
}

func versionIn(p *model.Part, v solver.Var) semver.Version {
	if b := p.AsInstalled(v); b != nil {
		return b.Version
	}
	return p.Bundle(v).Version
}

// unfinished are words in names of channels whose versions are not finished.
var unfinished = []string{"alpha", "beta", "candidate", "preview", "dev", "edge", "nightly", "next", "rc"}

// Unfinished reports whether a channel offers versions that may not be finished, by its name.
func Unfinished(channel string) bool {
	for word := range strings.FieldsFuncSeq(strings.ToLower(channel), func(r rune) bool { return r < 'a' || r > 'z' }) {
		if slices.Contains(unfinished, word) {
			return true
		}
	}
	return false
}

func isDefault(p *model.Part, pkg, channel string) bool {
	for c := range p.Catalogs {
		if found := p.Catalogs[c].Snapshot.Package(pkg); found != nil && found.DefaultChannel == channel {
			return true
		}
	}
	return false
}
