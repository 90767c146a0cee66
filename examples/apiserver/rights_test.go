package apiserver

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/yaml"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/manifest"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
)

// rightsBundle is a bundle with every kind of object that this server serves.
var rightsBundle = fstest.MapFS{
	"lantern/metadata/annotations.yaml": {Data: []byte(`
annotations:
  operators.operatorframework.io.bundle.package.v1: lantern
  operators.operatorframework.io.bundle.channels.v1: stable
  operators.operatorframework.io.bundle.channel.default.v1: stable
`)},
	"lantern/manifests/csv.yaml": {Data: []byte(`
apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata: {name: lantern.v1.0.0}
spec:
  version: 1.0.0
  installModes: [{type: OwnNamespace, supported: true}]
  install:
    strategy: deployment
    spec:
      permissions:
      - serviceAccountName: lantern
        rules:
        - {apiGroups: [""], resources: [pods, pods/log], verbs: [get, list]}
        - {apiGroups: [""], resources: [configmaps], resourceNames: [oil, wick], verbs: [get, update]}
      clusterPermissions:
      - serviceAccountName: lantern
        rules:
        - {apiGroups: [""], resources: [nodes], verbs: [get]}
        - {apiGroups: [sea.example.com], resources: ["*"], verbs: ["*"]}
        - {nonResourceURLs: [/metrics], verbs: [get]}
      deployments: [{name: lantern, spec: {}}]
  webhookdefinitions:
  - {type: ValidatingAdmissionWebhook, generateName: v.lantern, deploymentName: lantern}
`)},
	"lantern/manifests/config.yaml":  {Data: []byte("{apiVersion: v1, kind: ConfigMap, metadata: {name: oil}}")},
	"lantern/manifests/secret.yaml":  {Data: []byte("{apiVersion: v1, kind: Secret, metadata: {name: match}}")},
	"lantern/manifests/role.yaml":    {Data: []byte("{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: keeper}, rules: [{apiGroups: [\"\"], resources: [events], verbs: [create]}]}")},
	"lantern/manifests/binding.yaml": {Data: []byte("{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: keeper}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: keeper}, subjects: [{kind: ServiceAccount, name: lantern, namespace: harbor}]}")},
	"lantern/manifests/view.yaml":    {Data: []byte("{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: lantern-view}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}, subjects: [{kind: ServiceAccount, name: lantern, namespace: harbor}]}")},
}

// TestRights: what OLM does for a bundle with the account of an OperatorGroup works with the rules that
// status says are missing, and fails without any one of them, as the server judges it.
func TestRights(t *testing.T) {
	s := Start(t)
	s.Apply(t, `
{apiVersion: v1, kind: ServiceAccount, metadata: {namespace: harbor, name: mason}}
---
{apiVersion: operators.coreos.com/v1, kind: OperatorGroup, metadata: {namespace: harbor, name: og}, spec: {targetNamespaces: [harbor], serviceAccountName: mason}, status: {namespaces: [harbor], lastUpdated: "2026-01-01T00:00:00Z"}}
---
{apiVersion: operators.coreos.com/v1alpha1, kind: Subscription, metadata: {namespace: harbor, name: lantern}, spec: {name: lantern, source: c, sourceNamespace: olm}}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {namespace: harbor, name: mason}, rules: [{apiGroups: [""], resources: ["*/log"], verbs: ["*"]}]}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {namespace: harbor, name: mason}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: mason}, subjects: [{kind: ServiceAccount, namespace: harbor, name: mason}]}
`)
	admin, err := dynamic.NewForConfig(s.Config())
	require.NoError(t, err)
	await := func(what schema.GroupVersionResource, namespace, name string) {
		require.Eventually(t, func() bool {
			_, err := admin.Resource(what).Namespace(namespace).Get(t.Context(), name, metav1.GetOptions{})
			return err == nil
		}, startTimeout, 50*time.Millisecond, name)
	}
	await(rbacKind("clusterroles"), "", "view")
	await(rbacKind("roles"), "kube-system", "extension-apiserver-authentication-reader")

	fixOf := func() *result.Fix {
		saved := kubectl(t, Kubeconfig(t, s.Config()), "save")
		require.Zero(t, saved.status, saved.errors)
		objects, err := manifest.Read(t.Context(), manifest.Input{Name: "saved", Reader: strings.NewReader(saved.out)})
		require.NoError(t, err)
		snapshot, err := cache.LoadFS(t.Context(), rightsBundle, cache.Options{})
		require.NoError(t, err)
		known := cluster.NewIndex(objects)
		rows, err := resolver.New().Status(t.Context(), resolver.Problem{
			Cluster: known, Catalogs: cache.NewView([]cache.Catalog{{Key: catalog.Key{Namespace: "olm", Name: "c"}, Snapshot: snapshot}}), Options: policy.Options{},
		}, known.Scopes(), nil)
		require.NoError(t, err)
		require.Len(t, rows, 1)
		if rows[0].State != result.StateBlocked {
			assert.Equal(t, result.StateNotInstalled, rows[0].State)
			return nil
		}
		require.Len(t, rows[0].Fixes, 1)
		return &rows[0].Fixes[0]
	}
	fix := fixOf()
	require.NotNil(t, fix)
	grant := func(without func(role *cluster.Role)) (rules int) {
		for _, step := range fix.Steps() {
			made := *step.Create
			for _, roles := range []*[]cluster.Role{&made.Roles, &made.ClusterRoles} {
				*roles = slices.Clone(*roles)
				for i := range *roles {
					rules += len((*roles)[i].Rules)
					without(&(*roles)[i])
				}
			}
			text, err := manifest.Write(t.Context(), made)
			require.NoError(t, err)
			s.Apply(t, string(text))
		}
		return rules
	}
	m := newMason(t, s, admin)
	require.True(t, apierrors.IsForbidden(m.installs(t.Context())), "before")
	rules := grant(func(*cluster.Role) {})
	var last error
	require.Eventually(t, func() bool { last = m.installs(t.Context()); return last == nil }, time.Minute, 50*time.Millisecond, "with all rules: %v", &last)
	require.NoError(t, last)
	require.Greater(t, rules, 10)
	assert.Nil(t, fixOf(), "nothing is missing any more")

	for left := range rules {
		n := 0
		var gone string
		grant(func(role *cluster.Role) {
			at := left - n
			n += len(role.Rules)
			if at >= 0 && at < len(role.Rules) {
				gone = fmt.Sprint(role.Rules[at], " in ", role.Namespace)
				role.Rules = slices.Delete(slices.Clone(role.Rules), at, at+1)
			}
		})
		require.NotEmpty(t, gone)
		assert.Eventually(t, func() bool { return apierrors.IsForbidden(m.installs(t.Context())) }, 10*time.Second, 20*time.Millisecond, "without %s", gone)
		grant(func(*cluster.Role) {})
		require.Eventually(t, func() bool { return m.installs(t.Context()) == nil }, time.Minute, 20*time.Millisecond, "again with %s", gone)
	}
}

func parseOne(text string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &u.Object); err != nil {
		panic(err)
	}
	return u
}

func rbacKind(name string) schema.GroupVersionResource {
	return resource("rbac.authorization.k8s.io", "v1", name)
}

// mason installs as OLM does, with an account.
type mason struct {
	client, admin dynamic.Interface
	kube          kubernetes.Interface
	undo          []func()
}

func newMason(t *testing.T, s *Server, admin dynamic.Interface) *mason {
	config := s.ServiceAccount(t, "harbor", "mason")
	client, err := dynamic.NewForConfig(config)
	require.NoError(t, err)
	kube, err := kubernetes.NewForConfig(config)
	require.NoError(t, err)
	return &mason{client: client, admin: admin, kube: kube}
}

// installs makes everything, and deletes it again. The error is the first refusal.
func (m *mason) installs(ctx context.Context) (err error) {
	defer func() {
		for _, undo := range m.undo {
			undo()
		}
		m.undo = nil
	}()
	const home, system = "harbor", "kube-system"
	core := func(name string) schema.GroupVersionResource { return resource("", "v1", name) }
	text := func(name string) string { return string(rightsBundle["lantern/manifests/"+name].Data) }
	do := func(step func() error) {
		if err == nil {
			err = step()
		}
	}
	create := func(kind schema.GroupVersionResource, namespace, manifest string) {
		do(func() error {
			u := parseOne(manifest)
			u.SetNamespace(namespace)
			made, err := m.client.Resource(kind).Namespace(namespace).Create(ctx, u, metav1.CreateOptions{})
			if err == nil {
				m.undo = append(m.undo, func() {
					_ = m.admin.Resource(kind).Namespace(namespace).Delete(context.Background(), made.GetName(), metav1.DeleteOptions{})
				})
			}
			return err
		})
	}
	change := func(kind schema.GroupVersionResource, namespace, name string) {
		do(func() error {
			if _, err := m.client.Resource(kind).Namespace(namespace).Get(ctx, name, metav1.GetOptions{}); err != nil {
				return err
			}
			_, err := m.client.Resource(kind).Namespace(namespace).Patch(ctx, name, types.MergePatchType, []byte(`{"metadata":{"labels":{"a":"b"}}}`), metav1.PatchOptions{})
			return err
		})
	}
	apply := func(kind schema.GroupVersionResource, namespace, manifest string) {
		do(func() error {
			u := parseOne(manifest)
			u.SetNamespace(namespace)
			_, err := m.client.Resource(kind).Namespace(namespace).Apply(ctx, u.GetName(), u, options)
			m.undo = append(m.undo, func() {
				_ = m.admin.Resource(kind).Namespace(namespace).Delete(context.Background(), u.GetName(), metav1.DeleteOptions{})
			})
			return err
		})
	}
	// may asks of what this server does not serve.
	may := func(group, kind, name string, verbs ...string) {
		for _, verb := range verbs {
			do(func() error {
				review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &authorizationv1.ResourceAttributes{
					Namespace: home, Verb: verb, Group: group, Resource: kind, Name: name,
				}}}
				review, err := m.kube.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
				if err == nil && !review.Status.Allowed {
					err = apierrors.NewForbidden(schema.GroupResource{Group: group, Resource: kind}, name, nil)
				}
				return err
			})
		}
	}
	role := func(kind, name, rules string) string {
		return fmt.Sprintf(`{apiVersion: rbac.authorization.k8s.io/v1, kind: %s, metadata: {name: %q}, rules: [%s]}`, kind, name, rules)
	}
	binding := func(kind, name, of, role string) string {
		return fmt.Sprintf(`{apiVersion: rbac.authorization.k8s.io/v1, kind: %s, metadata: {name: %q}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: %s, name: %q}, subjects: [{kind: ServiceAccount, name: lantern, namespace: harbor}]}`, kind, name, of, role)
	}
	// What the InstallPlan makes.
	create(csvs, home, `{apiVersion: operators.coreos.com/v1alpha1, kind: ClusterServiceVersion, metadata: {name: lantern.v1.0.0}, spec: {displayName: Lantern, install: {strategy: deployment}}}`)
	create(core("configmaps"), home, text("config.yaml"))
	create(core("secrets"), home, text("secret.yaml"))
	create(rbacKind("roles"), home, text("role.yaml"))
	create(rbacKind("rolebindings"), home, text("binding.yaml"))
	create(rbacKind("clusterrolebindings"), "", text("view.yaml"))
	create(core("serviceaccounts"), home, `{apiVersion: v1, kind: ServiceAccount, metadata: {name: lantern}}`)
	create(rbacKind("roles"), home, role("Role", "lantern.v1.0.0-x", `{apiGroups: [""], resources: [pods, pods/log], verbs: [get, list]}, {apiGroups: [""], resources: [configmaps], resourceNames: [oil, wick], verbs: [get, update]}`))
	create(rbacKind("rolebindings"), home, binding("RoleBinding", "lantern.v1.0.0-x", "Role", "lantern.v1.0.0-x"))
	create(rbacKind("clusterroles"), "", role("ClusterRole", "lantern.v1.0.0-y", `{apiGroups: [""], resources: [nodes], verbs: [get]}, {apiGroups: [sea.example.com], resources: ["*"], verbs: ["*"]}, {nonResourceURLs: [/metrics], verbs: [get]}`))
	create(rbacKind("clusterrolebindings"), "", binding("ClusterRoleBinding", "lantern.v1.0.0-y", "ClusterRole", "lantern.v1.0.0-y"))
	// What follows from the ClusterServiceVersion.
	may("", "services", "", "create")
	may("", "services", "lantern-service", "patch")
	create(core("secrets"), home, `{apiVersion: v1, kind: Secret, metadata: {name: lantern-service-cert}}`)
	change(core("secrets"), home, "lantern-service-cert")
	create(rbacKind("roles"), home, role("Role", "lantern-service-cert", `{apiGroups: [""], resources: [secrets], resourceNames: [lantern-service-cert], verbs: [get]}`))
	change(rbacKind("roles"), home, "lantern-service-cert")
	create(rbacKind("rolebindings"), home, binding("RoleBinding", "lantern-service-cert", "Role", "lantern-service-cert"))
	change(rbacKind("rolebindings"), home, "lantern-service-cert")
	apply(rbacKind("clusterrolebindings"), "", binding("ClusterRoleBinding", "lantern-service-system:auth-delegator", "ClusterRole", "system:auth-delegator"))
	apply(rbacKind("rolebindings"), system, binding("RoleBinding", "lantern-service-auth-reader", "Role", "extension-apiserver-authentication-reader"))
	may("apps", "deployments", "", "create")
	may("apps", "deployments", "lantern", "get", "update")
	webhooks := resource("admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations")
	do(func() error { _, err := m.client.Resource(webhooks).List(ctx, metav1.ListOptions{}); return err })
	create(webhooks, "", `{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: lantern}}`)
	do(func() error {
		u, err := m.admin.Resource(webhooks).Get(ctx, "lantern", metav1.GetOptions{})
		if err == nil {
			_, err = m.client.Resource(webhooks).Update(ctx, u, metav1.UpdateOptions{})
		}
		return err
	})
	return err
}
