package manifest

import (
	"slices"

	"github.com/resolvent/resolvent/resolver/cluster"
)

// kind says how objects of one kind are read.
type kind struct {
	groups     []string
	namespaced bool
	// read returns the object and how to add it to the others.
	read func(decode decoder, meta metadata) (object any, add func(*cluster.Objects), err error)
}

func (k kind) has(group string) bool { return slices.Contains(k.groups, group) }

var (
	v0Groups   = []string{"operators.coreos.com"}
	v1Groups   = []string{"olm.operatorframework.io"}
	coreGroups = []string{""}
)

// decoder fills a struct with the fields of one object, by their json tags.
type decoder func(fields any) error

// kinds are the kinds that are read. Each is a struct of the fields that matter
// and knows how to turn itself into the resolver's type.
var kinds = map[string]kind{
	"Subscription": {v0Groups, true, reads[subscription](
		func(o *cluster.Objects) *[]cluster.Subscription { return &o.Subscriptions })},
	"ClusterServiceVersion": {v0Groups, true, reads[clusterServiceVersion](
		func(o *cluster.Objects) *[]cluster.ClusterServiceVersion { return &o.CSVs })},
	"CatalogSource": {v0Groups, true, reads[catalogSource](
		func(o *cluster.Objects) *[]cluster.CatalogSource { return &o.CatalogSources })},
	"OperatorGroup": {v0Groups, true, reads[operatorGroup](
		func(o *cluster.Objects) *[]cluster.OperatorGroup { return &o.OperatorGroups })},
	"OperatorCondition": {v0Groups, true, reads[operatorCondition](
		func(o *cluster.Objects) *[]cluster.OperatorCondition { return &o.OperatorConditions })},
	"ClusterExtension": {v1Groups, false, reads[clusterExtension](
		func(o *cluster.Objects) *[]cluster.ClusterExtension { return &o.ClusterExtensions })},
	// ClusterCatalogs began in a group of their own.
	"ClusterCatalog": {append([]string{"catalogd.operatorframework.io"}, v1Groups...), false, reads[clusterCatalog](
		func(o *cluster.Objects) *[]cluster.ClusterCatalog { return &o.ClusterCatalogs })},
	"Namespace": {coreGroups, false, reads[namespace](
		func(o *cluster.Objects) *[]cluster.Namespace { return &o.Namespaces })},
}

// fields are the fields of one kind that resolution reads.
type fields[Object any] interface {
	// object turns them into the resolver's type. A fault is a *jsonfield.Error.
	object(meta metadata) (Object, error)
}

// reads makes the read function of the kind whose fields are F and whose
// objects belong into the given slice.
func reads[F fields[Object], Object any](slot func(*cluster.Objects) *[]Object) func(decoder, metadata) (any, func(*cluster.Objects), error) {
	return func(decode decoder, meta metadata) (any, func(*cluster.Objects), error) {
		var f F
		if err := decode(&f); err != nil {
			return nil, nil, err
		}
		object, err := f.object(meta)
		if err != nil {
			return nil, nil, err
		}
		return object, func(all *cluster.Objects) {
			list := slot(all)
			*list = append(*list, object)
		}, nil
	}
}
