package request

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/inventory"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/reason"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// Brought is what OLM v0 makes for a bundle.
type Brought struct {
	Bundle string
	// Installation is how it installs the bundle, nil if that is not known.
	Installation *properties.Installation
	// Steps are the objects that its InstallPlan makes. Those that follow from the Installation may be
	// missing.
	Steps []cluster.PlanStep
	// Updates is true if the bundle replaces one whose objects have the same names.
	Updates bool
}

// Rights are those that an account needs to install bundles, and has not.
type Rights struct {
	Account *inventory.Account
	Missing []Grant
	// Bundles are those that need them. Partly is true if not all that they make is known.
	Bundles []string
	Partly  bool
}

// Grant is a right in a namespace, in the whole cluster if that is empty.
type Grant struct {
	Namespace string
	Right     cluster.Right
}

// String says what it permits, and where.
func (g Grant) String() string {
	if g.Namespace == "" {
		return g.Right.String() + " in the whole cluster"
	}
	return g.Right.String() + " in namespace " + g.Namespace
}

// PlannedBy returns what an InstallPlan makes.
func PlannedBy(known *cluster.Index, plan *cluster.InstallPlan) (list []Brought) {
	n := known.In(plan.Namespace)
	for _, name := range words.Distinct(slices.Clone(plan.CSVs)) {
		b := Brought{Bundle: name}
		if v := inventory.CSV(n, name); v != nil {
			b.Installation, b.Updates = v.Installation, inventory.CSV(n, v.Replaces) != nil
		}
		b.Updates = b.Updates || slices.ContainsFunc(n.Subscriptions, func(s cluster.Subscription) bool {
			return s.Observed.CurrentCSV == name && s.InstalledCSV != "" && s.InstalledCSV != name
		})
		for _, step := range plan.Steps {
			if step.CSV == name {
				b.Steps = append(b.Steps, step)
			}
			if step.CSV == name && step.Name == name && step.Installation != nil {
				b.Installation = step.Installation
			}
		}
		list = append(list, b)
	}
	return list
}

// BroughtBy returns what OLM makes for a new bundle of a catalog, as far as its objects are known.
func BroughtBy(p *model.Part, v solver.Var) *Brought {
	b, offered := &Brought{Bundle: p.NameOf(v)}, p.Bundle(v)
	b.Updates = slices.ContainsFunc(p.Installed, func(i model.InstalledBundle) bool { return !i.Foreign && i.PackageName() == offered.Package })
	if !slices.ContainsFunc(p.State.Subscriptions, func(s cluster.Subscription) bool { return s.Package == offered.Package }) {
		b.Steps = append(b.Steps, cluster.PlanStep{Kind: words.ObjectSubscription}) // OLM makes one
	}
	objects := offered.Properties.Objects()
	if objects == nil {
		return cmp.Or(planned(p, b.Bundle), b)
	}
	for _, o := range objects.Others {
		switch o.Kind {
		case words.ObjectCSV:
			b.Installation = o.Installation
			continue
		case "Secret":
			o.Kind = "BundleSecret" // as OLM calls it
		}
		b.Steps = append(b.Steps, cluster.PlanStep{Kind: o.Kind, Name: o.Name, Rights: o.Rules, Role: o.Role})
	}
	return b
}

// planned returns what an InstallPlan makes for a bundle, nil if none that was given says that.
func planned(p *model.Part, bundle string) *Brought {
	for i := range p.State.InstallPlans {
		for _, b := range PlannedBy(p.In.Cluster, &p.State.InstallPlans[i]) {
			if b.Bundle == bundle && (b.Installation != nil || len(b.Steps) > 0) {
				return &b
			}
		}
	}
	return nil
}

// MissingRights returns what the account with which OLM installs in a namespace needs for bundles and
// has not. It is nil if nothing is missing, if OLM installs with its own rights, or if it is not known
// what the account may do or what the bundles make.
func MissingRights(known *cluster.Index, namespace string, bundles ...Brought) *Rights {
	account := inventory.AccountOf(known, namespace)
	if account == nil || !account.Known && !account.Gone || len(bundles) == 0 {
		return nil
	}
	if !account.Known {
		return &Rights{Account: account, Partly: true}
	}
	n := &needs{known: known, account: account, missing: map[string][]cluster.Right{}}
	r := &Rights{Account: account}
	for i := range bundles {
		b := &bundles[i]
		r.Bundles = append(r.Bundles, b.Bundle)
		if b.Installation == nil && len(b.Steps) == 0 {
			continue // nothing is known
		}
		r.Partly = r.Partly || b.Installation == nil
		n.bundle(b)
	}
	if n.tooMany {
		return nil
	}
	if r.Missing = n.smallest(); len(r.Missing) == 0 && !account.Gone {
		return nil
	}
	return r
}

// Has reports whether a verb on a resource is among what is missing.
func (r *Rights) Has(right *cluster.Right) bool {
	return slices.ContainsFunc(r.Missing, func(g Grant) bool {
		return slices.Contains(g.Right.Verbs, right.Verbs[0]) && slices.Contains(g.Right.Resources, right.Resources[0]) && slices.Contains(g.Right.APIGroups, right.APIGroups[0])
	})
}

// Refused returns why OLM would not install the bundle.
func (r *Rights) Refused(bundle string) result.Reason {
	missing := words.Texts(r.Missing)
	if r.Account.Gone {
		return reason.RefusedAccount(bundle, r.Account.Name, missing)
	}
	return reason.RefusedRights(bundle, r.Account.Name, missing)
}

// Fix returns the fix that grants what is missing: the smallest roles, and their bindings.
func (r *Rights) Fix(known *cluster.Index, bundle string) result.Fix {
	e := r.Edit(known, bundle)
	fix := result.Fix{Class: result.ClassWidens, Risk: result.RiskWidens}
	if len(r.Missing) > 0 {
		fix.Cautions = []result.Caution{*e.Caution}
	}
	for _, step := range e.Steps {
		fix.Changes = append(fix.Changes, result.Change{Object: step.Object, Steps: []result.Step{step}})
	}
	return fix
}

// Roles returns the objects that [Rights.Fix] creates.
func (r *Rights) Roles(known *cluster.Index, bundle string) (o cluster.Objects) {
	for _, step := range r.Edit(known, bundle).Steps {
		o.Append(*step.Create)
	}
	return o
}

// Edit is [Rights.Fix] as an edit.
func (r *Rights) Edit(known *cluster.Index, bundle string) Edit {
	e, name := Edit{Kind: EditRights, Reaches: true}, r.unused(known, bundle)
	create := func(kind, namespace string, o cluster.Objects) {
		e.Steps = append(e.Steps, result.Step{Object: result.Object{Kind: kind, Namespace: namespace, Name: name}, Create: &o})
	}
	if a := r.Account; a.Gone {
		object := result.Object{Kind: words.ObjectAccount, Namespace: a.Namespace, Name: a.Name}
		made := &cluster.Objects{ServiceAccounts: []cluster.ServiceAccount{{Namespace: a.Namespace, Name: a.Name}}}
		e.Steps = append(e.Steps, result.Step{Object: object, Create: made})
	}
	in := map[string][]cluster.Right{}
	var wide []string
	for _, g := range r.Missing {
		if in[g.Namespace] = append(in[g.Namespace], g.Right); g.wide() {
			wide = append(wide, g.String())
		}
	}
	e.Caution = &result.Caution{Kind: words.CautionRights, Names: []string{r.Account.Name}, Said: words.Listed(wide, words.MaxNamed)}
	for _, namespace := range slices.Sorted(maps.Keys(in)) {
		roles := []cluster.Role{{Namespace: namespace, Name: name, Rules: in[namespace]}}
		bindings := []cluster.Binding{{
			Namespace: namespace, Name: name, Role: properties.RoleRef{Kind: words.ObjectRole, Name: name},
			Subjects: []cluster.Subject{{Kind: words.ObjectAccount, Name: r.Account.Name, Namespace: r.Account.Namespace}},
		}}
		if namespace == "" {
			bindings[0].Role.Kind = words.ObjectClusterRole
			create(words.ObjectClusterRole, "", cluster.Objects{ClusterRoles: roles})
			create(words.ObjectClusterBinding, "", cluster.Objects{ClusterRoleBindings: bindings})
			continue
		}
		create(words.ObjectRole, namespace, cluster.Objects{Roles: roles})
		create(words.ObjectRoleBinding, namespace, cluster.Objects{RoleBindings: bindings})
	}
	e.Object = e.Steps[0].Object
	return e
}

// unused returns a name that no role and no binding has: one for all bundles that need the same roles.
func (r *Rights) unused(known *cluster.Index, bundle string) string {
	if len(words.Distinct(r.Bundles)) > 1 {
		bundle = "operators"
	}
	all, base := known.ClusterScoped(), words.Subdomain(r.Account.Name+"-"+bundle)
	taken := func(name string) bool {
		return slices.ContainsFunc(slices.Concat(all.Roles, all.ClusterRoles), func(o cluster.Role) bool { return o.Name == name }) ||
			slices.ContainsFunc(slices.Concat(all.RoleBindings, all.ClusterRoleBindings), func(o cluster.Binding) bool { return o.Name == name })
	}
	name := base
	for i := 2; taken(name); i++ {
		name = fmt.Sprintf("%s-%d", base, i)
	}
	return name
}

// wide reports whether whoever has a right may take others, or everything of a kind: what somebody
// who grants it should look at first.
func (g Grant) wide() bool {
	has := func(list []string, texts ...string) bool {
		return slices.ContainsFunc(list, func(text string) bool { return slices.Contains(texts, text) })
	}
	r := &g.Right
	return has(r.Verbs, "*", "escalate", "bind", "impersonate") || has(r.APIGroups, "*") || has(r.Resources, "*") ||
		g.Namespace == "" && len(r.ResourceNames) == 0 && has(r.APIGroups, "") && has(r.Resources, "secrets")
}

// needs collects what an account needs and has not.
type needs struct {
	known   *cluster.Index
	account *inventory.Account
	// missing has single things by namespace, those in the whole cluster with none.
	missing map[string][]cluster.Right
	count   int
	tooMany bool
}

// need adds what a permission permits and the account may not.
func (n *needs) need(namespace string, right cluster.Right) {
	singles, ok := inventory.Single(&right)
	n.tooMany = n.tooMany || !ok
	for i := range singles {
		if n.tooMany || n.account.May(namespace, &singles[i]) {
			continue
		}
		n.missing[namespace] = append(n.missing[namespace], singles[i])
		n.count++
		n.tooMany = n.count > maxNeeds
	}
}

// act adds verbs on a resource, on all objects of it if no name is given.
func (n *needs) act(namespace, group, resource string, verbs []string, names ...string) {
	n.need(namespace, cluster.Right{APIGroups: []string{group}, Resources: []string{resource}, ResourceNames: names, Verbs: verbs})
}

// anew is what a client of OLM needs to change an object that it finds.
var anew = []string{"get", "patch"}

// made has the kinds of objects that OLM makes with the account of an OperatorGroup, and how it changes
// one that is there already. It makes CustomResourceDefinitions with its own rights.
var made = map[string]struct {
	group, resource string
	cluster         bool
	changes         []string
}{
	words.ObjectCSV:            {words.GroupV0, "clusterserviceversions", false, nil},
	words.ObjectSubscription:   {words.GroupV0, "subscriptions", false, nil},
	words.ObjectAccount:        {"", "serviceaccounts", false, anew},
	"Service":                  {"", "services", false, anew},
	"ConfigMap":                {"", "configmaps", false, anew},
	"BundleSecret":             {"", "secrets", false, anew},
	"Secret":                   {"", "secrets", false, nil},
	words.ObjectRole:           {groupRights, "roles", false, anew},
	words.ObjectRoleBinding:    {groupRights, "rolebindings", false, anew},
	words.ObjectClusterRole:    {groupRights, "clusterroles", true, anew},
	words.ObjectClusterBinding: {groupRights, "clusterrolebindings", true, anew},
	"PrometheusRule":           {"monitoring.coreos.com", "prometheusrules", false, replaced},
	"ServiceMonitor":           {"monitoring.coreos.com", "servicemonitors", false, replaced},
	"PodDisruptionBudget":      {"policy", "poddisruptionbudgets", false, replaced},
	"PriorityClass":            {"scheduling.k8s.io", "priorityclasses", true, replaced},
	"VerticalPodAutoscaler":    {"autoscaling.k8s.io", "verticalpodautoscalers", false, replaced},
	"ConsoleYAMLSample":        {"console.openshift.io", "consoleyamlsamples", true, replaced},
	"ConsoleQuickStart":        {"console.openshift.io", "consolequickstarts", true, replaced},
	"ConsoleCLIDownload":       {"console.openshift.io", "consoleclidownloads", true, replaced},
	"ConsoleLink":              {"console.openshift.io", "consolelinks", true, replaced},
	"ConsolePlugin":            {"console.openshift.io", "consoleplugins", true, replaced},
	"NetworkPolicy":            {"networking.k8s.io", "networkpolicies", false, replaced},
}

var replaced = []string{"get", "update"}

const groupRights = "rbac.authorization.k8s.io"

// bundle adds what OLM does for a bundle: what its InstallPlan makes, then what follows from the
// ClusterServiceVersion.
func (n *needs) bundle(b *Brought) {
	home := n.account.Namespace
	for i := range b.Steps {
		n.step(b, &b.Steps[i])
	}
	if b.Installation == nil || b.Installation.Install == nil {
		return
	}
	n.act(home, words.GroupV0, "clusterserviceversions", []string{"create"})
	strategy := &b.Installation.Install.Spec
	for _, p := range strategy.Permissions {
		n.permission(home, words.ObjectRole, words.ObjectRoleBinding, b, p)
	}
	for _, p := range strategy.ClusterPermissions {
		n.permission("", words.ObjectClusterRole, words.ObjectClusterBinding, b, p)
	}
	var names []string
	for _, d := range strategy.Deployments {
		names = append(names, d.Name)
		n.serves(b.Installation, d.Name)
	}
	if len(names) > 0 { // OLM sets one right that somebody changed
		n.act(home, "apps", "deployments", []string{"create"})
		n.act(home, "apps", "deployments", replaced, names...)
	}
	for _, w := range b.Installation.Webhooks {
		switch w.Type {
		case "ValidatingAdmissionWebhook":
			n.act("", "admissionregistration.k8s.io", "validatingwebhookconfigurations", []string{"create", "list", "update"})
		case "MutatingAdmissionWebhook":
			n.act("", "admissionregistration.k8s.io", "mutatingwebhookconfigurations", []string{"create", "list", "update"})
		case "ConversionWebhook":
			if len(w.Definitions) > 0 {
				n.act("", "apiextensions.k8s.io", "customresourcedefinitions", replaced, w.Definitions...)
			}
		}
	}
	for _, api := range b.Installation.APIServices.Owned {
		n.apiService(api)
	}
}

// step adds what it takes to make one object.
func (n *needs) step(b *Brought, s *cluster.PlanStep) {
	kind, known := made[s.Kind]
	if !known {
		return
	}
	namespace := n.account.Namespace
	if kind.cluster {
		namespace = ""
	}
	n.act(namespace, kind.group, kind.resource, []string{"create"})
	if kind.changes != nil && n.there(b, s.Kind, namespace, s.Name) {
		n.act(namespace, kind.group, kind.resource, kind.changes, s.Name)
	}
	switch s.Kind {
	case "Secret": // a copy of a pull secret of the global catalogs
		n.act(n.globals(), "", "secrets", []string{"get"}, s.Name)
	case words.ObjectRole, words.ObjectClusterRole:
		if !n.free(namespace, kind.resource, "escalate") {
			n.rules(namespace, s.Rights)
		}
	case words.ObjectRoleBinding, words.ObjectClusterBinding:
		n.binds(b, namespace, s.Role)
	}
}

// globals returns the namespace of OLM's global catalogs, empty if no object tells it.
func (n *needs) globals() string {
	for _, c := range n.known.ClusterScoped().CatalogSources {
		if slices.Contains(new(policy.Options).Globals(), c.Key.Namespace) {
			return c.Key.Namespace
		}
	}
	return ""
}

// there reports whether an object exists, or may exist for all that is known.
func (n *needs) there(b *Brought, kind, namespace, name string) bool {
	all := n.known.ClusterScoped()
	role := func(o cluster.Role) bool { return o.Namespace == namespace && o.Name == name }
	binding := func(o cluster.Binding) bool { return o.Namespace == namespace && o.Name == name }
	switch kind {
	case words.ObjectRole:
		return slices.ContainsFunc(all.Roles, role)
	case words.ObjectClusterRole:
		return slices.ContainsFunc(all.ClusterRoles, role)
	case words.ObjectRoleBinding:
		return slices.ContainsFunc(all.RoleBindings, binding)
	case words.ObjectClusterBinding:
		return slices.ContainsFunc(all.ClusterRoleBindings, binding)
	case words.ObjectAccount:
		if len(all.ServiceAccounts) > 0 {
			return slices.Contains(all.ServiceAccounts, cluster.ServiceAccount{Namespace: namespace, Name: name})
		}
	}
	return b.Updates
}

// rules adds what a role permits: nobody may make one that permits more than they may.
func (n *needs) rules(namespace string, rules []cluster.Right) {
	for _, r := range rules {
		if namespace != "" {
			r.NonResourceURLs = nil // which hold in the whole cluster alone
		}
		n.need(namespace, r)
	}
}

// free reports whether the account may escalate or bind all roles of a resource.
func (n *needs) free(namespace, resource, verb string) bool {
	return n.account.May(namespace, &cluster.Right{APIGroups: []string{groupRights}, Resources: []string{resource}, Verbs: []string{verb}})
}

// binds adds what it takes to bind a role: all that it permits, or the verb bind. Of roles that are not
// the bundle's own the verb is asked for, as they may change.
func (n *needs) binds(b *Brought, namespace string, role properties.RoleRef) {
	if role.Name == "" {
		return // not known
	}
	resource := "roles"
	if role.Kind == words.ObjectClusterRole {
		resource = "clusterroles"
	}
	bind := cluster.Right{APIGroups: []string{groupRights}, Resources: []string{resource}, ResourceNames: []string{role.Name}, Verbs: []string{"bind"}}
	if n.account.May(namespace, &bind) {
		return
	}
	if own := slices.IndexFunc(b.Steps, func(s cluster.PlanStep) bool { return s.Kind == role.Kind && s.Name == role.Name }); own >= 0 {
		n.rules(namespace, b.Steps[own].Rights)
		return
	}
	is, _ := inventory.RoleOf(n.known, &cluster.Binding{Namespace: namespace, Role: role})
	if is == nil || slices.ContainsFunc(is.Rules, func(r cluster.Right) bool { return !n.account.May(namespace, &r) }) {
		n.need(namespace, bind)
	}
}

// permission adds what it takes to give a ServiceAccount of the bundle a permission: the account, a role
// and its binding, of which nobody has the name before.
func (n *needs) permission(namespace, role, binding string, b *Brought, p properties.Permission) {
	if p.ServiceAccount != "default" {
		n.step(b, &cluster.PlanStep{Kind: words.ObjectAccount, Name: p.ServiceAccount})
	}
	n.act(namespace, groupRights, made[role].resource, []string{"create"})
	n.act(namespace, groupRights, made[binding].resource, []string{"create"})
	if !n.free(namespace, made[role].resource, "escalate") || !n.free(namespace, made[role].resource, "bind") {
		n.rules(namespace, p.Rules)
	}
}

// serves adds what it takes to give a Deployment a certificate, if it answers webhooks or serves APIs.
func (n *needs) serves(i *properties.Installation, deployment string) {
	if !slices.ContainsFunc(i.Webhooks, func(w properties.Webhook) bool { return w.Deployment == deployment }) &&
		!slices.ContainsFunc(i.APIServices.Owned, func(api properties.APIService) bool { return api.Deployment == deployment }) {
		return
	}
	const system = "kube-system"
	home, service := n.account.Namespace, deployment+"-service"
	secret := service + "-cert"
	n.applied(home, "", "services", service)
	for _, of := range []struct{ group, resource string }{{"", "secrets"}, {groupRights, "roles"}, {groupRights, "rolebindings"}} {
		n.act(home, of.group, of.resource, []string{"create"})
		n.act(home, of.group, of.resource, anew, secret)
	}
	n.applied("", groupRights, "clusterrolebindings", service+"-system:auth-delegator")
	n.binds(&Brought{}, "", properties.RoleRef{Kind: words.ObjectClusterRole, Name: "system:auth-delegator"})
	n.applied(system, groupRights, "rolebindings", service+"-auth-reader")
	n.binds(&Brought{}, system, properties.RoleRef{Kind: words.ObjectRole, Name: "extension-apiserver-authentication-reader"})
}

// applied adds what it takes to apply an object on the server's side.
func (n *needs) applied(namespace, group, resource, name string) {
	n.act(namespace, group, resource, []string{"create"})
	n.act(namespace, group, resource, []string{"patch"}, name)
}

// apiService adds what it takes to make an APIService, and to look for what OLM made for it under the
// names of old.
func (n *needs) apiService(api properties.APIService) {
	home, name := n.account.Namespace, api.Version+"."+api.Group
	n.act("", "apiregistration.k8s.io", "apiservices", []string{"create"})
	n.act("", "apiregistration.k8s.io", "apiservices", anew, name)
	old := strings.ReplaceAll(name, ".", "-")
	if old == api.Deployment+"-service" {
		return
	}
	get := []string{"get"}
	n.act(home, "", "services", get, old)
	for _, of := range []struct{ group, resource string }{{"", "secrets"}, {groupRights, "roles"}, {groupRights, "rolebindings"}} {
		n.act(home, of.group, of.resource, get, name+"-cert")
	}
	n.act("", groupRights, "clusterrolebindings", get, name+"-system:auth-delegator")
	n.act("kube-system", groupRights, "rolebindings", get, name+"-auth-reader")
}

// smallest returns what is missing in as few rules as say just that, wide ones first.
func (n *needs) smallest() (list []Grant) {
	for _, namespace := range slices.Sorted(maps.Keys(n.missing)) {
		var rules []cluster.Right
		for i := range n.missing[namespace] {
			one := &n.missing[namespace][i]
			redundant := namespace != "" && slices.ContainsFunc(n.missing[""], func(other cluster.Right) bool { return inventory.Covers(&other, one) })
			for k := range n.missing[namespace] {
				other := &n.missing[namespace][k]
				redundant = redundant || k != i && inventory.Covers(other, one) && (k < i || !inventory.Covers(one, other))
			}
			if !redundant {
				rules = append(rules, *one)
			}
		}
		for _, field := range []func(*cluster.Right) *[]string{
			func(r *cluster.Right) *[]string { return &r.Verbs },
			func(r *cluster.Right) *[]string { return &r.ResourceNames },
			func(r *cluster.Right) *[]string { return &r.Resources },
			func(r *cluster.Right) *[]string { return &r.NonResourceURLs },
			func(r *cluster.Right) *[]string { return &r.APIGroups },
		} {
			rules = joined(rules, field)
		}
		for _, r := range rules {
			list = append(list, Grant{namespace, r})
		}
	}
	slices.SortStableFunc(list, func(a, b Grant) int { return cmp.Compare(rank(a), rank(b)) })
	return list
}

// rank sorts wide rights first.
func rank(g Grant) int {
	if g.wide() {
		return 0
	}
	return 1
}

// joined joins rules that differ in one field alone.
func joined(rules []cluster.Right, field func(*cluster.Right) *[]string) (list []cluster.Right) {
	at := map[string]int{}
	for _, r := range rules {
		values := *field(&r)
		*field(&r) = nil
		key := key(&r)
		*field(&r) = slices.Clone(values)
		i, found := at[key]
		if !found || len(values) == 0 || len(*field(&list[i])) == 0 {
			at[key] = len(list)
			list = append(list, r)
			continue
		}
		of := field(&list[i])
		*of = slices.Compact(slices.Sorted(slices.Values(append(*of, values...))))
	}
	slices.SortStableFunc(list, func(a, b cluster.Right) int { return cmp.Compare(key(&a), key(&b)) })
	return list
}

func key(r *cluster.Right) string {
	var parts []string
	for _, list := range [][]string{r.APIGroups, r.Resources, r.NonResourceURLs, r.ResourceNames, r.Verbs} {
		parts = append(parts, strings.Join(list, "\x01"))
	}
	return strings.Join(parts, "\x00")
}
