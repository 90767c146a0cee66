// The program answers requests with operator-controller's own resolver. The tests build
// it inside a copy of that module, whose internal packages nobody else can import.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"os"
	"slices"

	"github.com/go-logr/logr"
	"github.com/operator-framework/operator-registry/alpha/declcfg"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"
	runtimelog "sigs.k8s.io/controller-runtime/pkg/log"

	ocv1 "github.com/operator-framework/operator-controller/api/v1"
	"github.com/operator-framework/operator-controller/internal/operator-controller/features"
	"github.com/operator-framework/operator-controller/internal/operator-controller/resolve"
)

type offered struct {
	Catalog ocv1.ClusterCatalog
	Content *declcfg.DeclarativeConfig
	Err     string
}

type request struct {
	Catalogs  []offered
	Extension *ocv1.ClusterExtension
	Installed *ocv1.BundleMetadata
}

type answer struct {
	Bundle           *declcfg.Bundle
	Version, Release string
	Deprecation      *declcfg.Deprecation
	Err              string
}

func main() {
	runtimelog.SetLogger(logr.Discard())
	if err := features.OperatorControllerFeatureGate.Set("BundleReleaseSupport=true"); err != nil {
		log.Fatal(err)
	}
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var r request
		if err := in.Decode(&r); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			log.Fatal(err)
		}
		if err := out.Encode(r.resolve()); err != nil {
			log.Fatal(err)
		}
	}
}

func (r *request) resolve() (a answer) {
	resolver := resolve.CatalogResolver{
		WalkCatalogsFunc: resolve.CatalogWalker(r.list, r.content),
		Validations:      []resolve.ValidationFunc{resolve.NoDependencyValidation},
	}
	bundle, version, deprecation, err := resolver.Resolve(context.Background(), r.Extension, r.Installed)
	if err != nil {
		return answer{Err: err.Error()}
	}
	return answer{bundle, version.Version.String(), version.Release.String(), deprecation, ""}
}

// list is what the controller's client does.
func (r *request) list(_ context.Context, options ...client.ListOption) (list []ocv1.ClusterCatalog, err error) {
	var o client.ListOptions
	o.ApplyOptions(options)
	for _, c := range r.Catalogs {
		if o.LabelSelector == nil || o.LabelSelector.Matches(labels.Set(c.Catalog.Labels)) {
			list = append(list, c.Catalog)
		}
	}
	return list, nil
}

func (r *request) content(_ context.Context, from *ocv1.ClusterCatalog, _ string) (*declcfg.DeclarativeConfig, error) {
	c := r.Catalogs[slices.IndexFunc(r.Catalogs, func(c offered) bool { return c.Catalog.Name == from.Name })]
	if c.Err != "" {
		return nil, errors.New(c.Err)
	}
	return c.Content, nil
}
