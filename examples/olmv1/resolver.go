// Package olmv1 puts the library behind the interface through which OLM v1's
// operator-controller resolves: a drop-in for its CatalogResolver, whose failures
// explain themselves. [Resolver] chooses; catalogs.go reads what the controller's own
// client returns; bundle.go finds the choice in it again.
//
// What OLM v1 refuses to install is a failure here already: a bundle that depends on
// others, does not run in the namespaces that it is to watch, or owns API services. Permissions, images and objects in the cluster are the controller's part.
package olmv1

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	ocv1 "github.com/operator-framework/operator-controller/api/v1"
	"github.com/operator-framework/operator-registry/alpha/declcfg"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/text"
)

// Resolver resolves ClusterExtensions. It is safe for any number of goroutines if its
// Catalogs are.
type Resolver struct {
	catalogs Catalogs
	options  policy.Options
}

// New returns a Resolver for the catalogs. The options may add a SystemConstraint, pins
// and bounds; what OLM v1 refuses is rejected, and the request is never left out, whatever they
// say. The slices in them must not change afterwards.
func New(catalogs Catalogs, options policy.Options) *Resolver {
	options.AsOLMv1, options.Partial = true, false
	return &Resolver{catalogs, options}
}

// Resolve returns the bundle that the ClusterExtension should have, its version and
// release, and what the bundle's catalog says of deprecations in its package, nil if
// that is nothing. The installed bundle is nil before the first installation.
//
// The error is one of those of [resolver.Resolver.Resolve]. A
// *result.NotSatisfiable is inside of one whose text is the whole report.
func (r *Resolver) Resolve(ctx context.Context, ext *ocv1.ClusterExtension, installed *ocv1.BundleMetadata) (*declcfg.Bundle, *declcfg.VersionRelease, *declcfg.Deprecation, error) {
	request, err := requestOf(ext, installed)
	if err != nil {
		return nil, nil, nil, err
	}
	packages, view, catalogs, err := r.catalogs.read(ctx, request.Package)
	if err != nil {
		return nil, nil, nil, err
	}
	known := cluster.NewIndex(cluster.Objects{ClusterExtensions: []cluster.ClusterExtension{request}, ClusterCatalogs: catalogs})
	problem := resolver.Problem{Cluster: known, Catalogs: view, Options: r.options}
	// What a Resolver keeps of catalogs is of no use to the next call, which reads them anew.
	resolution, err := resolver.New().Resolve(ctx, problem, request.Key().Scope())
	if unsatisfied, ok := errors.AsType[*result.NotSatisfiable](err); ok {
		return nil, nil, nil, explained{unsatisfied}
	}
	if err != nil {
		return nil, nil, nil, err
	}
	return chosen(resolution, installed, packages, r.options.OLMv1 == cluster.ProfileExperimental)
}

// explained is a failure whose text is the derivation and what would help.
type explained struct{ failure *result.NotSatisfiable }

func (e explained) Error() string { return text.Brief(e.failure) }

// Unwrap returns the failure as data.
func (e explained) Unwrap() error { return e.failure }

// requestOf returns the parts of a ClusterExtension that a resolution reads. What is
// installed is the controller's to say: the status may be older.
func requestOf(ext *ocv1.ClusterExtension, installed *ocv1.BundleMetadata) (cluster.ClusterExtension, error) {
	filter := ext.Spec.Source.Catalog
	if filter == nil {
		return cluster.ClusterExtension{}, &result.InvalidInput{
			Subject: "ClusterExtension " + ext.Name,
			Err:     errors.New("spec.source.catalog is missing; name a package there"),
		}
	}
	request := cluster.ClusterExtension{
		Name:          ext.Name,
		Namespace:     ext.Spec.Namespace,
		Package:       filter.PackageName,
		Channels:      filter.Channels,
		Version:       filter.Version,
		Selector:      selectorOf(filter.Selector),
		SelfCertified: filter.UpgradeConstraintPolicy == ocv1.UpgradeConstraintPolicySelfCertified,
	}
	if config := ext.Spec.Config; config != nil && config.Inline != nil {
		var inline struct {
			WatchNamespace *string `json:"watchNamespace"`
		}
		if err := json.Unmarshal(config.Inline.Raw, &inline); err != nil {
			return request, &result.InvalidInput{Subject: "ClusterExtension " + ext.Name, Err: fmt.Errorf("spec.config.inline: %w", err)}
		}
		request.WatchNamespace = inline.WatchNamespace
	}
	if installed != nil {
		request.Installed = &cluster.InstalledExtension{Name: installed.Name, Version: installed.Version}
		if installed.Release != nil {
			request.Installed.Release, request.Installed.HasRelease = *installed.Release, true
		}
	}
	return request, nil
}

func selectorOf(from *metav1.LabelSelector) *cluster.Selector {
	if from == nil {
		return nil
	}
	selector := &cluster.Selector{MatchLabels: from.MatchLabels}
	for _, e := range from.MatchExpressions {
		selector.MatchExpressions = append(selector.MatchExpressions, cluster.SelectorTerm{Key: e.Key, Operator: string(e.Operator), Values: e.Values})
	}
	return selector
}
