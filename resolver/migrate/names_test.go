package migrate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/cache/catalog"
)

// Subscriptions of one name become ClusterExtensions with their namespaces in the name, and with
// a number where that name is taken, too. A version that only the CSV's properties state counts.
func TestNamesOfExtensions(t *testing.T) {
	manifests := []string{
		`{apiVersion: operators.coreos.com/v1alpha1, kind: CatalogSource, metadata: {name: shop, namespace: olm}, spec: {sourceType: grpc, image: q.io/shop}}`,
		`{apiVersion: olm.operatorframework.io/v1, kind: ClusterExtension, metadata: {name: op-west}, spec: {namespace: other, source: {sourceType: Catalog, catalog: {packageName: d}}}}`,
	}
	for _, s := range []struct{ namespace, name, pkg, version string }{
		{"east", "op", "a", "version: 1.0.0, "}, {"west", "op", "b", ""}, {"north", "op-east", "c", ""},
	} {
		properties := fmt.Sprintf(`{"properties":[{"type":"olm.package","value":{"packageName":"%s","version":"1.0.0"}}]}`, s.pkg)
		manifests = append(manifests,
			fmt.Sprintf(`{apiVersion: operators.coreos.com/v1alpha1, kind: Subscription, metadata: {name: %s, namespace: %s}, spec: {name: %s, channel: stable, source: shop, sourceNamespace: olm, installPlanApproval: Manual}, status: {installedCSV: %s.v1, state: AtLatestKnown}}`, s.name, s.namespace, s.pkg, s.pkg),
			fmt.Sprintf(`{apiVersion: operators.coreos.com/v1alpha1, kind: ClusterServiceVersion, metadata: {name: %s.v1, namespace: %s, annotations: {operatorframework.io/properties: %q}}, spec: {%sinstallModes: [{type: AllNamespaces, supported: true}]}, status: {phase: Succeeded, reason: InstallSucceeded}}`, s.pkg, s.namespace, properties, s.version),
			fmt.Sprintf(`{apiVersion: operators.coreos.com/v1, kind: OperatorGroup, metadata: {name: all, namespace: %s}, spec: {}}`, s.namespace))
	}
	plan := judged(t, strings.Join(manifests, "\n---\n"), chain("a", "A")+"\n"+chain("b", "A")+"\n"+chain("c", "A")+"\n"+chain("d", "A"), catalog.Key{Namespace: "olm", Name: "shop"})
	var names, versions []string
	for _, e := range plan.Objects.ClusterExtensions {
		names, versions = append(names, e.Name), append(versions, e.Version)
	}
	slices.Sort(names)
	assert.Equal(t, []string{"op-east", "op-east-2", "op-west-2"}, names)
	assert.Equal(t, []string{"1.0.0", "1.0.0", "1.0.0"}, versions)
}
