// Package crdsafety judges updates of CustomResourceDefinitions as the CRD upgrade safety of
// OLM v1 does before operator-controller installs a bundle: with the rules of crdify, which it
// links, and the configuration that it has there.
package crdsafety

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/crdify/pkg/config"
	"sigs.k8s.io/crdify/pkg/runner"
	"sigs.k8s.io/crdify/pkg/validations/property"

	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/check"
)

const (
	// maxText bounds a definition, in bytes. etcd stores no object of more than 1.5 MiB.
	maxText = 4 << 20
	// maxDepth bounds how deep a schema nests.
	maxDepth = 200
	// maxCopies bounds the schemas that crdify copies at once: for each schema of a version, also
	// those in it, and of each some 700 bytes.
	maxCopies = 400_000
	// maxKept bounds what it compares as a whole: of each schema that has more than fields and items,
	// the rest. Its report of a difference takes the longest of all.
	maxKept = 5_000
	// maxWork bounds those that it copies for one update: it compares each pair of served versions.
	maxWork = 8 * maxCopies
)

// Judge judges updates. It remembers what it said of definitions that many bundles share. It is
// safe for concurrent use.
type Judge struct {
	rules *runner.Runner
	mu    sync.Mutex
	known map[[sha256.Size]byte]check.Unsafe
}

// New returns a Judge.
func New() *Judge {
	rules, err := runner.New(controllerConfig(), runner.DefaultRegistry())
	if err != nil {
		panic(err) // the configuration is a constant
	}
	return &Judge{rules: rules, known: map[[sha256.Size]byte]check.Unsafe{}}
}

// controllerConfig is defaultConfig of operator-controller's package crdupgradesafety.
func controllerConfig() *config.Config {
	return &config.Config{
		Conversion:           config.ConversionPolicyIgnore,
		UnhandledEnforcement: config.EnforcementPolicyError,
		Validations: []config.ValidationConfig{
			{Name: "description", Enforcement: config.EnforcementPolicyNone},
			{Name: "enum", Enforcement: config.EnforcementPolicyError, Configuration: map[string]any{"additionPolicy": property.AdditionPolicyAllow}},
		},
	}
}

// Judge implements check.Safety.
func (j *Judge) Judge(ctx context.Context, from, to *properties.Objects) []check.Unsafe {
	var list []check.Unsafe
	if from == nil || to == nil {
		return nil
	}
	webhooks := converted(to.ServiceVersion)
	for i := range to.Definitions {
		next, old := &to.Definitions[i], from.Definition(to.Definitions[i].Name())
		if ctx.Err() != nil || old == nil || old.Text == nil || next.Text == nil || to.Definition(next.Name()) != next {
			continue
		}
		if one := j.compare(old.Text, next.Text, slices.Contains(webhooks, next.Name())); one.Unjudged != "" || len(one.Changes) > 0 {
			one.Definition = next.Name()
			list = append(list, one)
		}
	}
	slices.SortFunc(list, func(a, b check.Unsafe) int { return strings.Compare(a.Definition, b.Definition) })
	return list
}

// converted returns the names of the definitions whose resources a webhook of the bundle converts.
// OLM v1 sets spec.conversion of these.
func converted(serviceVersion []byte) (names []string) {
	var csv struct {
		Spec struct {
			Webhooks []struct {
				Type           string   `json:"type"`
				ConversionCRDs []string `json:"conversionCRDs"`
			} `json:"webhookdefinitions"`
		} `json:"spec"`
	}
	if json.Unmarshal(serviceVersion, &csv) != nil {
		return nil
	}
	for _, w := range csv.Spec.Webhooks {
		if w.Type == "ConversionWebhook" {
			names = append(names, w.ConversionCRDs...)
		}
	}
	return names
}

// compare judges the update of one definition to the next, with or without a conversion webhook
// of the bundle.
func (j *Judge) compare(from, to []byte, webhook bool) check.Unsafe {
	hash := sha256.New()
	fmt.Fprintf(hash, "%d %t ", len(from), webhook)
	hash.Write(from)
	hash.Write(to)
	key := [sha256.Size]byte(hash.Sum(nil))
	j.mu.Lock()
	known, found := j.known[key]
	j.mu.Unlock()
	if found {
		return known
	}
	one := j.judge(from, to, webhook)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.known[key] = one
	return one
}

func (j *Judge) judge(from, to []byte, webhook bool) (one check.Unsafe) {
	old, err := read(from)
	if err != nil || old == nil {
		return check.Unsafe{} // no cluster that OLM v1 runs on has it
	}
	next, err := read(to)
	if err != nil {
		return check.Unsafe{Unjudged: err.Error()}
	}
	if next == nil {
		return check.Unsafe{}
	}
	if webhook {
		next.Spec.Conversion = &apiextensionsv1.CustomResourceConversion{Strategy: apiextensionsv1.WebhookConverter}
	}
	// The cluster has stored resources in the version that the definition says.
	for _, v := range old.Spec.Versions {
		if v.Storage && !slices.Contains(old.Status.StoredVersions, v.Name) {
			old.Status.StoredVersions = append(old.Status.StoredVersions, v.Name)
		}
	}
	if why := tooLarge(old, next); why != "" {
		return check.Unsafe{Unjudged: why}
	}
	defer func() {
		if p := recover(); p != nil {
			one = check.Unsafe{Unjudged: "the rules of OLM v1 cannot read its schema"}
		}
	}()
	found := j.rules.Run(old, next)
	settle(found, old, next)
	return check.Unsafe{Changes: phrase(found, old, next)}
}

// read reads a definition as the API server gives it to operator-controller, so that equal values
// have equal texts. It returns nil for one of an API that OLM v1 does not judge, which no API
// server has any more.
func read(text []byte) (*apiextensionsv1.CustomResourceDefinition, error) {
	if len(text) > maxText {
		return nil, fmt.Errorf("it has %d bytes, more than the %d allowed", len(text), maxText)
	}
	var object map[string]any
	if err := utiljson.Unmarshal(text, &object); err != nil {
		return nil, fmt.Errorf("it is not JSON")
	}
	if object["apiVersion"] != apiextensionsv1.SchemeGroupVersion.String() {
		return nil, nil
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object, crd); err != nil {
		return nil, fmt.Errorf("it cannot be read: %s", legible(err.Error()))
	}
	for _, v := range crd.Spec.Versions {
		if v.Schema == nil {
			return nil, fmt.Errorf("version %s has no schema, so no API server accepts it", legible(v.Name))
		}
	}
	return crd, nil
}

// tooLarge returns why judging an update would cost too much, empty if it would not.
func tooLarge(old, next *apiextensionsv1.CustomResourceDefinition) string {
	work := 0
	for _, crd := range []*apiextensionsv1.CustomResourceDefinition{old, next} {
		served := 0
		for _, v := range crd.Spec.Versions {
			if v.Served {
				served++
			}
		}
		for _, v := range crd.Spec.Versions {
			size := measure(v.Schema.OpenAPIV3Schema)
			switch {
			case size.depth > maxDepth:
				return fmt.Sprintf("the schema of version %s nests more than %d levels deep", legible(v.Name), maxDepth)
			case size.copies > maxCopies, size.kept > maxKept:
				return fmt.Sprintf("the schema of version %s is too large", legible(v.Name))
			}
			work += size.copies
			if v.Served {
				work += (served - 1) * size.copies
			}
		}
	}
	if work > maxWork {
		return "it has too many versions with large schemas"
	}
	return ""
}

// size is what comparing a schema costs.
type size struct {
	// schemas are those in it, and as much as one of other parts.
	schemas int
	// copies are the schemas copied if each of them is copied with those in it.
	copies, depth int
	// kept are the parts of all schemas that are compared as a whole, counted at each level above.
	kept int
}

func measure(s *apiextensionsv1.JSONSchemaProps) size {
	if s == nil {
		return size{}
	}
	const small = 50 // parts that cost a fiftieth
	own := 1 + len(s.XValidations) + (len(s.Enum)+len(s.Required))/small
	sum := size{schemas: own, kept: own - 1}
	for child, field := range children(s) {
		of := measure(child)
		sum.schemas, sum.copies, sum.depth, sum.kept = sum.schemas+of.schemas, sum.copies+of.copies, max(sum.depth, of.depth), sum.kept+of.kept
		if !field {
			sum.kept += of.schemas
		}
	}
	sum.copies, sum.depth = sum.copies+sum.schemas, sum.depth+1
	return sum
}
