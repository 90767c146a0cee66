package outcome

import (
	"regexp"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/request"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/internal/world"
	"github.com/resolvent/resolvent/resolver/result"
)

// repairOfExtension returns what ends the state of a fact about a ClusterExtension, nil if OLM does not say it.
func (f *fact) repairOfExtension(known *cluster.Index) *result.Repair {
	r := &result.Repair{Kind: f.row.Way, Object: f.object, Namespace: f.object.Namespace}
	if m := unsafe.FindStringSubmatch(f.message); m != nil {
		r.Kind, r.Name = words.RepairDefinition, m[1]
		if of := refusedVersion.FindStringSubmatch(f.message); of != nil {
			r.Said = of[1]
		}
		if gone := removed.FindStringSubmatch(f.message); gone != nil { // an API server refuses it, too
			r = request.StoredGone(known, m[1], gone[1])
			r.Object = f.object
		}
	}
	if r.Kind == "" {
		return nil
	}
	return r
}

// granting returns the repair of what OLM states and, if that is a right that the account with which OLM
// installs has not, all that is missing, which the repair then states. That is nil if what was given
// does not bear out what OLM states.
func (o *observed) granting(r *result.Repair, stated string) (*result.Repair, *request.Rights) {
	m := forbidden.FindStringSubmatch(stated)
	if r == nil || r.Kind != words.RepairRights || m == nil {
		return r, nil
	}
	refused := cluster.Right{APIGroups: []string{m[4]}, Resources: []string{m[3]}, Verbs: []string{m[2]}}
	missing, all := o.missing(), *r
	if account := inventory.AccountOf(o.known, o.request.Namespace); missing == nil && account != nil && account.Known && account.User() == m[1] && account.May(m[6], &refused) {
		all.Kind = words.RepairRightsThere // what OLM states is old
		return &all, nil
	}
	if missing == nil || missing.Account.User() != m[1] || !missing.Has(&refused) {
		return r, nil
	}
	if all.Said = strings.Join(words.Texts(missing.Missing), "; "); !missing.Partly {
		all.Kind = words.RepairAllRights
	}
	return &all, missing
}

// forbidden is how an API server refuses a user, and immutable how it refuses another Deployment;
// unsafe is how OLM v1 refuses another version of a CustomResourceDefinition, removed one without a version
// that is stored.
// refusedVersion is how OLM v1 names the version that it refuses.
// converting is how an API server says that a conversion webhook does not answer, and service names its Service.
// quota is how an API server refuses what a ResourceQuota has no room for.
// dataLoss is how OLM v0 refuses a CustomResourceDefinition without a version that is stored.
// noAccount is how OLM says that the account of an OperatorGroup is missing.
// restrictive is how OLM v0 refuses a schema that a resource, the first that it finds, does not satisfy.
var (
	restrictive    = regexp.MustCompile(`error validating \S*, Kind=(\S+) "([^"]+)": updated validation is too restrictive: (.+)`)
	quota          = regexp.MustCompile(`exceeded quota: ([a-z0-9.-]+),`)
	noAccount      = regexp.MustCompile(`service account exists\. sa=(\S+) operatorgroup=\S+/(\S+)`)
	dataLoss       = regexp.MustCompile(`risk of data loss updating "([^"]+)": new CRD removes version (\S+) that is listed as a stored version`)
	unsafe         = regexp.MustCompile(`upgrade for CRD "([^"]+)"`)
	removed        = regexp.MustCompile(`stored version "([^"]+)" removed`)
	converting     = regexp.MustCompile(`(?:schema for "([^"]+)".*)?conversion webhook for (\S+), Kind=(\S+) failed: (.+)`)
	refusedVersion = regexp.MustCompile(`resolved bundle "[^"]+" with version "([^"]+)"`)
	service        = regexp.MustCompile(`https://([a-z0-9-]+)\.([a-z0-9-]+)\.svc\b`)
	forbidden      = regexp.MustCompile(`User "([^"]+)" cannot (\w+) resource "([^"]+)" in API group "([^"]*)" (at the cluster scope|in the namespace "([^"]+)")`)
	immutable      = regexp.MustCompile(`Deployment\.apps "([^"]+)" is invalid: .*field is immutable`)
)

// repair returns what ends the state of a fact, with the objects that it takes.
func (o *observed) repair(f fact) *result.Repair {
	m := &mending{o: o, fact: &f, v: o.csv(f.object)}
	m.r = result.Repair{Kind: f.row.Way, Object: f.object, Namespace: f.object.Namespace, Is: f.is, Stated: words.Shortened(words.OneLine(f.said()), words.MaxQuoted)}
	m.planned()
	for _, applies := range byReason {
		if applies(m) {
			break
		}
	}
	for _, refine := range byMessage {
		refine(m)
	}
	if m.r.Kind == "" {
		return nil
	}
	return &m.r
}

// mending is the repair r of a fact while it is made. v is the ClusterServiceVersion of the fact, nil if
// that is about another object.
type mending struct {
	o    *observed
	fact *fact
	v    *cluster.ClusterServiceVersion
	r    result.Repair
}

// A repair begins as the one of its reason ([WrittenStates]). The first of byReason that applies says more,
// by the objects or by what is refused; then all of byMessage look at the message, which decides.
var (
	byReason = []func(*mending) bool{
		(*mending).waitsForItself, (*mending).waitsForFailed, (*mending).waitsForUnmet, (*mending).group, (*mending).shared, (*mending).unmet, (*mending).held,
		(*mending).silent, (*mending).refused, (*mending).unpacked,
	}
	byMessage = []func(*mending){
		(*mending).account, (*mending).severalGroups, (*mending).selector, (*mending).restrictive, (*mending).conversion, (*mending).quota, (*mending).catalog,
	}
)

// planned names the InstallPlan that failed, and whether OLM has to carry it out again.
func (m *mending) planned() {
	if m.fact.object.Kind != words.ObjectCSV && m.o.plan != nil && m.o.plan.Phase == phaseFailed {
		m.r.Plan, m.r.Again = m.o.plan.Name, slices.ContainsFunc(m.o.plan.CSVs, m.isThere)
	} else if m.r.Kind == words.RepairNewPlan && len(m.o.namespace.InstallPlans) == 0 { // OLM states that it failed, whatever was given
		m.r.Plan, m.r.Again = m.o.request.Observed.InstallPlan, m.isThere(m.o.request.Observed.CurrentCSV)
	}
}

// isThere reports whether a ClusterServiceVersion is there, and no copy.
func (m *mending) isThere(name string) bool {
	v := inventory.CSV(m.o.namespace, name)
	return v != nil && !inventory.Copied(v)
}

func (m *mending) waitsForItself() bool {
	itself := m.v != nil && m.v.Phase == phasePending && m.v.Replaces == m.v.Name
	if itself {
		m.r.Kind = words.RepairReplacesItself
	}
	return itself
}

func (m *mending) waitsForFailed() bool {
	if m.v == nil || m.v.Phase != phasePending || m.o.phaseOf(m.v.Replaces) != phaseFailed {
		return false
	}
	failed := inventory.CSV(m.o.namespace, m.v.Replaces)
	m.r.Kind, m.r.Name, m.r.Said = words.RepairReplacesFailed, m.v.Replaces, said(failed.Reason, failed.Message)
	if len(m.o.namespace.Groups) == 1 && m.o.namespace.Groups[0].FailForward || inventory.FitsNow(m.o.known, failed) {
		m.r.Kind = words.RepairGoesOn
	}
	return true
}

// waitsForUnmet is about a bundle that waits for one that it replaces, as that lacks what it requires: OLM goes on
// with the bundle only once its predecessor is in phase Replacing, or gone. What the bundle itself lacks, and an
// operator that refuses updates, come first.
func (m *mending) waitsForUnmet() bool {
	if m.v == nil || m.v.Phase != phasePending || len(m.v.Unmet) > 0 || m.r.Kind == words.RepairOnceUpgradeable {
		return false
	}
	waiting := inventory.CSV(m.o.namespace, m.v.Replaces)
	for range maxChain {
		if waiting == nil || waiting.Phase != phasePending || len(waiting.Unmet) > 0 {
			break
		}
		waiting = inventory.CSV(m.o.namespace, waiting.Replaces)
	}
	if waiting == nil || waiting.Phase != phasePending || len(waiting.Unmet) == 0 {
		return false
	}
	m.r.Kind, m.r.Name, m.r.Said = words.RepairReplacesUnmet, waiting.Name, words.Listed(words.Texts(waiting.Unmet), words.MaxNamed)
	served := func(u cluster.Requirement) bool {
		return u.Kind != words.ObjectDefinition || !strings.Contains(u.Message, "not served")
	}
	if !slices.ContainsFunc(waiting.Unmet, served) { // OLM does not say which of its versions
		names := words.Mapped(waiting.Unmet, func(u cluster.Requirement) string { return u.Kind + " " + u.Name })
		m.r.By = words.Listed(words.Distinct(names), words.MaxNamed)
	}
	return true
}

// group is about an OperatorGroup that does not fit. If one fits by now, what OLM states of it is old.
func (m *mending) group() bool {
	if m.r.Kind != words.RepairOnceGroupFits {
		return false
	}
	groups := m.o.namespace.Groups
	switch {
	case m.v == nil && len(groups) == 1 || m.v != nil && inventory.FitsNow(m.o.known, m.v):
		m.r.Kind = words.RepairGoesOn
	case len(groups) > 1:
		m.r.Said = words.Listed(words.Mapped(groups, func(g cluster.OperatorGroup) string { return g.Name }), words.MaxNamed)
	default:
		return false
	}
	return true
}

// shared names who else provides the APIs of a failed bundle.
func (m *mending) shared() bool {
	if m.v == nil || m.r.Kind != words.RepairOnceSoleOwner {
		return false
	}
	other, group := inventory.OwnerBeside(m.o.known, m.v)
	if other != nil {
		m.r.Name = other.Name + words.InNamespace(other.Namespace)
	}
	if group == nil {
		return true
	}
	m.r.Said = group.Namespace + "/" + group.Name
	switch provides, label := inventory.Beside(m.o.known, m.v, group); {
	case label != "":
		m.r.Kind, m.r.Name, m.r.Said = words.RepairGroupLabel, label, provides
	case other == nil:
		m.r.Said = provides
	}
	return true
}

// unmet is about what a bundle requires: a version of Kubernetes, or its own definition.
func (m *mending) unmet() bool {
	if m.v == nil || m.r.Kind != words.RepairOnceMet {
		return false
	}
	lost := ownCRD(m.v)
	switch {
	case m.v.Metadata.KubeFault() != nil:
		m.r.Kind = words.RepairOnlyPublisher
	case m.v.Phase == phasePending && oldKubernetes(m.v):
		m.r.Kind, m.r.Name = words.RepairNewerKubernetes, m.v.Metadata.MinKubeVersion
	case lost != "" && (m.o.plan == nil || m.o.plan.Phase == "Complete"):
		m.r.Kind, m.r.Name = words.RepairOwnCRD, lost
	default:
		return false
	}
	return true
}

// held names the operator that has to allow its update.
func (m *mending) held() bool {
	if m.r.Kind != words.RepairOnceUpgradeable {
		return false
	}
	if condition, known := m.o.upgradeable(m.v.Replaces); known && (condition == nil || condition.Status != "False") {
		m.r.Name = m.v.Replaces
	}
	return true
}

// silent is about what failed without a reason.
func (m *mending) silent() bool {
	silent := m.v != nil && m.v.Phase == phaseFailed && m.v.Reason == "" && m.v.Message == ""
	if silent {
		m.r.Kind = words.RepairNoReason
	}
	return silent
}

// refused is about what the API server, or OLM in its name, refuses: a right, a field that cannot change,
// or a definition without a version that is stored.
func (m *mending) refused() bool {
	if m.fact.row.State != result.StateUnhealthy {
		return true
	}
	if found := forbidden.FindStringSubmatch(m.fact.message); found != nil {
		m.r.Kind, m.r.Name, m.r.Said = words.RepairRights, found[1], found[2]+" "+strings.TrimSuffix(found[3]+"."+found[4], ".")+" "+found[5]
		m.r.Again = m.r.Plan != ""
		return true
	}
	if found := immutable.FindStringSubmatch(m.fact.message); found != nil && m.v != nil {
		m.r.Kind, m.r.Name = words.RepairDeployment, found[1]
		return true
	}
	found := dataLoss.FindStringSubmatch(m.fact.message)
	if found == nil || m.r.Kind != words.RepairNewPlan {
		return false
	}
	stored := request.StoredGone(m.o.known, found[1], found[2])
	if v := m.o.providing(found[1], found[2]); v != nil {
		stored = &result.Repair{Kind: words.RepairStoredAhead, Name: found[1], Said: found[2], By: v.Name, ByNamespace: v.Namespace}
	}
	stored.Object, stored.Plan, stored.Again, stored.Is, stored.Stated = m.r.Object, m.r.Plan, m.r.Again, m.r.Is, m.r.Stated
	m.r = *stored
	return true
}

func (m *mending) unpacked() bool {
	unpacks := m.r.Kind == words.RepairNewPlan && strings.Contains(m.fact.message, "unpack")
	if unpacks {
		m.r.Kind = words.RepairUnpackAgain
	}
	return unpacks
}

// account is about the account with which OLM installs, which is missing or was not found.
func (m *mending) account() {
	switch found := noAccount.FindStringSubmatch(m.fact.message); {
	case found != nil:
		m.r.Kind, m.r.Name, m.r.Said, m.r.Namespace = words.RepairAccount, found[1], found[2], m.o.request.Namespace
	case m.fact.object.Kind == words.ObjectOperatorGroup && m.r.Kind == words.RepairAccount:
		if m.r.Name, m.r.Said = m.o.groupNamed(m.fact.object.Name).ServiceAccount, m.fact.object.Name; m.r.Name == "" { // it named one before
			m.r.Kind = words.RepairGoesOn
		}
	case strings.Contains(m.fact.message, "more than one operator group") && m.attenuated():
		m.r.Kind = words.RepairOneGroup
	case m.attenuated():
		m.r.Kind = words.RepairOnceGroupFits
	}
}

// severalGroups is about an OperatorGroup that states that there are others.
func (m *mending) severalGroups() {
	if m.fact.object.Kind == words.ObjectOperatorGroup && m.r.Kind == words.RepairOnceGroupFits {
		m.r.Kind = words.RepairOneGroup
	}
}

func (m *mending) attenuated() bool {
	return strings.Contains(m.fact.message, "attenuated service account query failed")
}

// selector is about a selector that matches no namespace. OLM does not say what it asks for.
func (m *mending) selector() {
	unmanaged := strings.Contains(m.fact.message, "no operator group found that is managing this namespace")
	if unmanaged {
		m.r.Kind = words.RepairOnceGroupFits
	}
	if !unmanaged && m.fact.reason != "NoTargetNamespaces" || len(m.o.namespace.Groups) != 1 {
		return
	}
	if unmatched := inventory.Unmatched(m.o.known, m.o.request.Namespace); unmatched != "" {
		m.r.Kind, m.r.Name, m.r.Said = words.RepairSelector, m.o.namespace.Groups[0].Name, unmatched
	} else { // it has targets, and OLM has yet to see that
		m.r.Kind = words.RepairGoesOn
	}
}

// restrictive names the resource that a new schema does not allow.
func (m *mending) restrictive() {
	found := restrictive.FindStringSubmatch(words.OneLine(m.fact.message))
	if found == nil || m.r.Kind != words.RepairNewPlan && m.r.Kind != words.RepairTriesAgain {
		return
	}
	namespace, name, namespaced := strings.Cut(found[2], "/")
	if !namespaced {
		namespace, name = "", found[2]
	}
	m.r.Kind, m.r.Namespace, m.r.Name = words.RepairRestrictive, namespace, found[1]+" "+name+words.InNamespace(namespace)
	m.r.Said = words.Shortened(strings.ReplaceAll(found[3], "[].", ""), words.MaxQuoted)
}

// quota names the ResourceQuotas that have no room for what OLM makes: for the Job that unpacks, where the catalog is.
func (m *mending) quota() {
	var names []string
	for _, found := range quota.FindAllStringSubmatch(m.fact.message, -1) {
		names = append(names, found[1])
	}
	switch {
	case len(names) == 0:
		return
	case m.r.Kind == words.RepairTriesAgain, m.r.Kind == words.RepairNewPlan:
		m.r.Said = m.o.request.Namespace
	case m.r.Kind == words.RepairUnpackAgain:
		m.r.Said = m.o.request.CatalogNamespace
	default:
		return
	}
	m.r.Kind, m.r.Name = words.RepairQuota, words.Listed(words.Distinct(names), words.MaxNamed)
}

// conversion names the definition whose conversion webhook does not answer, and the Service of that.
func (m *mending) conversion() {
	found := converting.FindStringSubmatch(words.OneLine(m.fact.message))
	if found == nil || m.r.Kind != words.RepairNewPlan && m.r.Kind != words.RepairTriesAgain {
		return
	}
	m.r.Kind, m.r.Name, m.r.Said = words.RepairConversion, found[1], ""
	if m.r.Name == "" {
		m.r.Name = found[3] + " (" + found[2] + ")"
	}
	if at := service.FindStringSubmatch(found[4]); at != nil {
		m.r.Said = "Service " + at[1] + words.InNamespace(at[2])
	}
}

// catalog says where images are pulled and unpacked.
func (m *mending) catalog() {
	if m.r.Kind != words.RepairPull && m.r.Kind != words.RepairUnpackAgain {
		return
	}
	m.r.Namespace = m.o.request.CatalogNamespace
	for _, p := range m.o.namespace.InstallPlans {
		if m.r.Kind == words.RepairUnpackAgain && p.Waits() {
			m.r.Waiting = p.Name
		}
	}
}

// providing returns a bundle of another namespace that runs and provides a version of a definition, nil if
// there is none. A definition is named "PLURAL.GROUP".
func (o *observed) providing(definition, version string) *cluster.ClusterServiceVersion {
	plural, group, _ := strings.Cut(definition, ".")
	provides := func(api properties.GVK) bool {
		kind := strings.ToLower(api.Kind)
		stem := kind[:max(0, len(kind)-1)] // the last letter may change: "policies"
		return api.Group == group && api.Version == version && strings.HasPrefix(plural, stem) && len(plural) <= len(kind)+len("es")
	}
	for _, namespace := range o.known.Namespaces() {
		for i := range o.known.In(namespace).CSVs {
			v := &o.known.In(namespace).CSVs[i]
			if namespace != o.request.Namespace && !inventory.Copied(v) && v.Phase == world.PhaseSucceeded && slices.ContainsFunc(v.Provides, provides) {
				return v
			}
		}
	}
	return nil
}

// oldKubernetes reports whether all that OLM states as not met is the version of Kubernetes.
func oldKubernetes(v *cluster.ClusterServiceVersion) bool {
	return v.Metadata != nil && v.Metadata.MinKubeVersion != "" && len(v.Unmet) > 0 &&
		!slices.ContainsFunc(v.Unmet, func(u cluster.Requirement) bool { return !strings.Contains(u.Message, "minKubeVersion") })
}

// ownCRD returns a definition that is missing and that the ClusterServiceVersion owns itself, empty
// if there is none. It is recognized by its plural.
func ownCRD(v *cluster.ClusterServiceVersion) string {
	if v == nil {
		return ""
	}
	for _, u := range v.Unmet {
		plural, group, _ := strings.Cut(u.Name, ".")
		defines := func(api properties.GVK) bool {
			kind := strings.ToLower(api.Kind)
			return api.Group == group && kind != "" && strings.HasPrefix(plural, kind[:len(kind)-1])
		}
		if u.Kind == "CustomResourceDefinition" && slices.ContainsFunc(v.Provides, defines) && !slices.ContainsFunc(v.Requires, defines) {
			return u.Kind + " " + u.Name
		}
	}
	return ""
}

// Repair returns what to do in a namespace in which both bundles of an update count, as it failed
// or is not done; nil if there is none.
func Repair(known *cluster.Index, namespace string) *result.Repair {
	n := known.In(namespace)
	counts := func(name string) bool {
		return slices.ContainsFunc(inventory.Counting(n), func(v *cluster.ClusterServiceVersion) bool { return v.Name == name })
	}
	for _, s := range n.Subscriptions {
		o := observe(known, s.Key())
		if o == nil {
			continue
		}
		o.plan = nil
		f, ok := first(slices.DeleteFunc(o.facts(), func(f fact) bool { return f.object.Kind != words.ObjectCSV }))
		if v := o.csv(f.object); ok && v != nil && counts(v.Name) && (v.Replaces != v.Name && counts(v.Replaces) || counts(inventory.ReplacedBy(n, v.Name))) {
			return o.repair(f)
		}
	}
	return nil
}
