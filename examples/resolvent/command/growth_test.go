package command

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/testdata/testkit"
)

// object is a manifest.
type object = map[string]any

// listOf returns of(i) for i below n.
func listOf[T any](n int, of func(i int) T) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = of(i)
	}
	return list
}

func manifestOf(kind, namespace, name string, spec, status any) object {
	version := map[string]string{
		"OperatorGroup": "operators.coreos.com/v1", "OperatorCondition": "operators.coreos.com/v2",
		"ClusterExtension": "olm.operatorframework.io/v1", "Namespace": "v1",
	}[kind]
	if version == "" {
		version = "operators.coreos.com/v1alpha1"
	}
	meta := object{"name": name}
	if namespace != "" {
		meta["namespace"] = namespace
	}
	return object{"apiVersion": version, "kind": kind, "metadata": meta, "spec": spec, "status": status}
}

// annotated adds an annotation.
func annotated(o object, name, value string) object {
	o["metadata"].(object)["annotations"] = map[string]string{name: value}
	return o
}

// stating adds properties that a ClusterServiceVersion states.
func stating(o object, properties []any) object {
	text, err := json.Marshal(object{"properties": properties})
	if err != nil {
		panic(err)
	}
	return annotated(o, "operatorframework.io/properties", string(text))
}

func subscribed(namespace, name, pkg, installed string) object {
	return manifestOf("Subscription", namespace, name,
		object{"name": pkg, "channel": "c", "source": "c", "sourceNamespace": "olm"}, object{"installedCSV": installed})
}

func running(namespace, name string) object {
	return manifestOf("ClusterServiceVersion", namespace, name, object{"version": "1.0.0"}, object{"phase": "Succeeded"})
}

func property(kind string, value any) any { return object{"type": kind, "value": value} }

func api(i int) object {
	return object{"group": "g.example.com", "version": "v1", "kind": fmt.Sprintf("K%d", i)}
}

func crd(i int) object {
	return object{"name": fmt.Sprintf("k%ds.g.example.com", i), "version": "v1", "kind": fmt.Sprintf("K%d", i)}
}

func conditions(n int) []object {
	return listOf(n, func(i int) object {
		return object{"type": fmt.Sprintf("Type%d", i), "status": "False", "reason": "Reason", "message": strings.Repeat("m", 20)}
	})
}

// grown has, by what grows, the objects beside those of a small healthy namespace.
var grown = map[string]func(n int) []object{
	"Subscriptions of one package": func(n int) []object {
		return listOf(n, func(i int) object { return subscribed("n", fmt.Sprint("s", i), "p", "") })
	},
	"Subscriptions of unknown packages": func(n int) []object {
		return listOf(n, func(i int) object { return subscribed("n", fmt.Sprint("s", i), fmt.Sprint("q", i), "") })
	},
	"Subscriptions that share a ClusterServiceVersion": func(n int) []object {
		return listOf(n, func(i int) object { return subscribed("n", fmt.Sprint("s", i), "p", "b0") })
	},
	"ClusterServiceVersions": func(n int) []object {
		return listOf(n, func(i int) object {
			return stating(running("n", fmt.Sprint("x", i)), []any{property("olm.package", object{"packageName": fmt.Sprint("x", i), "version": "1.0.0"}), property("olm.gvk", api(i))})
		})
	},
	"ClusterServiceVersions of one package": func(n int) []object {
		return listOf(n, func(i int) object {
			return stating(running("n", fmt.Sprint("x", i)), []any{property("olm.package", object{"packageName": "x", "version": "1.0.0"}), property("olm.gvk", api(0))})
		})
	},
	"ClusterServiceVersions that require each other": func(n int) []object {
		return listOf(n, func(i int) object {
			return stating(running("n", fmt.Sprint("x", i)), []any{property("olm.gvk", api(i)), property("olm.gvk.required", api((i+1)%n))})
		})
	},
	"ClusterServiceVersions that require what is missing": func(n int) []object {
		return listOf(n, func(i int) object {
			return stating(running("n", fmt.Sprint("x", i)), []any{property("olm.gvk.required", api(i))})
		})
	},
	"ClusterServiceVersions that replace each other": func(n int) []object {
		return listOf(n, func(i int) object {
			o := running("n", fmt.Sprint("x", i))
			o["spec"].(object)["replaces"], o["status"].(object)["phase"] = fmt.Sprint("x", i+1), "Replacing"
			return o
		})
	},
	"OperatorGroups": func(n int) []object {
		return listOf(n, func(i int) object { return manifestOf("OperatorGroup", "n", fmt.Sprint("g", i), object{}, nil) })
	},
	"OperatorGroups of a namespace with many APIs": func(n int) []object {
		c := stating(running("n", "x"), listOf(n, func(i int) any { return property("olm.gvk", api(i)) }))
		return append(listOf(n, func(i int) object { return manifestOf("OperatorGroup", "n", fmt.Sprint("g", i), object{}, nil) }), c)
	},
	"OperatorConditions": func(n int) []object {
		return listOf(n, func(i int) object {
			return manifestOf("OperatorCondition", "n", fmt.Sprint("o", i), object{"conditions": conditions(1)}, nil)
		})
	},
	"InstallPlans": func(n int) []object {
		return listOf(n, func(i int) object {
			return manifestOf("InstallPlan", "n", fmt.Sprint("i", i), object{"clusterServiceVersionNames": []string{"b1"}, "approval": "Manual", "approved": false}, object{"phase": "RequiresApproval"})
		})
	},
	"names in an InstallPlan": func(n int) []object {
		return []object{manifestOf("InstallPlan", "n", "i", object{"clusterServiceVersionNames": listOf(n, func(i int) string { return fmt.Sprint("b", i) }), "approval": "Manual", "approved": false}, object{"phase": "RequiresApproval"})}
	},
	"ClusterExtensions": func(n int) []object {
		return listOf(n, func(i int) object {
			return manifestOf("ClusterExtension", "", fmt.Sprint("e", i), object{"namespace": "n", "source": object{"sourceType": "Catalog", "catalog": object{"packageName": "p"}}}, nil)
		})
	},
	"channels of a ClusterExtension": func(n int) []object {
		return []object{manifestOf("ClusterExtension", "", "e", object{"namespace": "n", "source": object{"sourceType": "Catalog", "catalog": object{"packageName": "p", "channels": listOf(n, func(i int) string { return fmt.Sprint("c", i) })}}}, nil)}
	},
	"namespaces": func(n int) []object {
		var list []object
		for i := range n {
			name := fmt.Sprint("n", i)
			list = append(list, subscribed(name, "s", "p", "b0"), running(name, "b0"), manifestOf("OperatorGroup", name, "g", object{"targetNamespaces": []string{name}}, nil))
		}
		return list
	},
	"labels of a Namespace": func(n int) []object {
		o := manifestOf("Namespace", "", "n", object{}, nil)
		labels := map[string]string{}
		for i := range n {
			labels[fmt.Sprint("l", i)] = "v"
		}
		o["metadata"].(object)["labels"] = labels
		return []object{o, manifestOf("OperatorGroup", "other", "g", object{"selector": object{"matchLabels": labels}}, nil)}
	},
	"targetNamespaces": func(n int) []object {
		return []object{manifestOf("OperatorGroup", "other", "g", object{"targetNamespaces": listOf(n, func(i int) string { return fmt.Sprint("n", i) })}, nil)}
	},
	"olm.providedAPIs": func(n int) []object {
		return []object{annotated(manifestOf("OperatorGroup", "other", "g", object{}, nil), "olm.providedAPIs",
			strings.Join(listOf(n, func(i int) string { return fmt.Sprintf("K%d.v1.g.example.com", i) }), ","))}
	},
	"owned APIs": func(n int) []object {
		o := running("n", "x")
		o["spec"].(object)["customresourcedefinitions"] = object{"owned": listOf(n, crd)}
		return []object{o}
	},
	"required APIs": func(n int) []object {
		o := running("n", "x")
		o["spec"].(object)["customresourcedefinitions"] = object{"required": listOf(n, crd)}
		return []object{o}
	},
	"conditions of a Subscription": func(n int) []object {
		o := subscribed("n", "t", "q", "")
		o["status"].(object)["conditions"] = conditions(n)
		return []object{o}
	},
	"overrides": func(n int) []object {
		return []object{manifestOf("OperatorCondition", "n", "b0", object{"overrides": conditions(n), "conditions": conditions(n)}, nil)}
	},
	"a message": func(n int) []object {
		o := running("n", "x")
		o["status"].(object)["phase"], o["status"].(object)["message"] = "Failed", strings.Repeat("why ", n)
		return []object{o, subscribed("n", "t", "q", "x")}
	},
	"annotations": func(n int) []object {
		o := running("n", "x")
		annotations := map[string]string{}
		for i := range n {
			annotations[fmt.Sprint("a", i)] = "v"
		}
		o["metadata"].(object)["annotations"] = annotations
		return []object{o}
	},
	"properties: APIs": func(n int) []object {
		return []object{stating(running("n", "x"), listOf(n, func(i int) any { return property("olm.gvk", api(i)) }))}
	},
	"properties: required APIs": func(n int) []object {
		return []object{stating(running("n", "x"), listOf(n, func(i int) any { return property("olm.gvk.required", api(i)) }))}
	},
	"properties: rules": func(n int) []object {
		return []object{stating(running("n", "x"), listOf(n, func(i int) any {
			return property("olm.constraint", object{"failureMessage": "f", "cel": object{"rule": fmt.Sprintf("properties.exists(p, p.type == '%d')", i)}})
		}))}
	},
	"properties: others": func(n int) []object {
		return []object{stating(running("n", "x"), listOf(n, func(i int) any { return property(fmt.Sprint("t", i), object{"a": i}) }))}
	},
	"properties: depth": func(n int) []object {
		return []object{annotated(running("n", "x"), "operatorframework.io/properties", `{"properties":[{"type":"t","value":`+strings.Repeat("[", n)+strings.Repeat("]", n)+`}]}`)}
	},
	"an any of many": func(n int) []object {
		return []object{stating(running("n", "x"), []any{property("olm.constraint", object{"any": object{"constraints": listOf(n, func(i int) any { return object{"gvk": api(i)} })}})})}
	},
}

// smallCatalog has a package with three versions.
const smallCatalog = `{"schema":"olm.package","name":"p","defaultChannel":"c"}
{"schema":"olm.channel","package":"p","name":"c","entries":[{"name":"b0"},{"name":"b1","replaces":"b0"},{"name":"b2","replaces":"b1"}]}
{"schema":"olm.bundle","package":"p","name":"b0","image":"i","properties":[{"type":"olm.package","value":{"packageName":"p","version":"1.0.0"}}]}
{"schema":"olm.bundle","package":"p","name":"b1","image":"i","properties":[{"type":"olm.package","value":{"packageName":"p","version":"1.0.1"}}]}
{"schema":"olm.bundle","package":"p","name":"b2","image":"i","properties":[{"type":"olm.package","value":{"packageName":"p","version":"1.0.2"}}]}
`

// entriesOf is a catalog whose package p has a bundle per entry, or fewer.
func entriesOf(n, bundles int, entry func(i int) object) string {
	var b strings.Builder
	write := func(v any) {
		if err := json.NewEncoder(&b).Encode(v); err != nil {
			panic(err)
		}
	}
	write(object{"schema": "olm.package", "name": "p", "defaultChannel": "c"})
	write(object{"schema": "olm.channel", "package": "p", "name": "c", "entries": listOf(n, entry)})
	for i := range bundles {
		write(bundleOf(i))
	}
	return b.String()
}

func bundleOf(i int) object {
	return object{"schema": "olm.bundle", "package": "p", "name": fmt.Sprint("b", i), "image": "i",
		"properties": []any{property("olm.package", object{"packageName": "p", "version": fmt.Sprintf("1.0.%d", i)})}}
}

func b(i int) string { return fmt.Sprint("b", i) }

// shapes has, by name, catalogs of the package p that grow.
var shapes = map[string]func(n int) string{
	"a ring": func(n int) string {
		return entriesOf(n, n, func(i int) object { return object{"name": b(i), "replaces": b((i + 1) % n)} })
	},
	"a ring of virtual entries": func(n int) string {
		return entriesOf(n, n/2, func(i int) object { return object{"name": b(i), "replaces": b((i + 1) % n)} })
	},
	"a star": func(n int) string {
		return entriesOf(n, n, func(i int) object {
			if i == 0 {
				return object{"name": b(0)}
			}
			return object{"name": b(i), "replaces": b(0)}
		})
	},
	"a chain": func(n int) string {
		return entriesOf(n, n, func(i int) object {
			if i == 0 {
				return object{"name": b(0)}
			}
			return object{"name": b(i), "replaces": b(i - 1)}
		})
	},
	"a chain of skipRanges": func(n int) string {
		return entriesOf(n, n, func(i int) object {
			if i == 0 {
				return object{"name": b(0)}
			}
			return object{"name": b(i), "replaces": b(i - 1), "skipRange": fmt.Sprintf(">=0.0.1 <1.0.%d", i)}
		})
	},
	"a head that skips all": func(n int) string {
		return entriesOf(n, n, func(i int) object {
			if i < n-1 {
				return object{"name": b(i)}
			}
			return object{"name": b(i), "skips": listOf(n-1, b)}
		})
	},
	"many heads": func(n int) string {
		return entriesOf(n, n, func(i int) object { return object{"name": b(i)} })
	},
	"many heads with skipRanges": func(n int) string {
		return entriesOf(n, n, func(i int) object { return object{"name": b(i), "skipRange": ">=0.0.1 <9.0.0"} })
	},
	"many channels": func(n int) string {
		var out strings.Builder
		write := func(v any) { _ = json.NewEncoder(&out).Encode(v) }
		write(object{"schema": "olm.package", "name": "p", "defaultChannel": "c0"})
		for i := range n {
			entry := object{"name": b(i)}
			if i > 0 {
				entry["skipRange"] = fmt.Sprintf("<1.0.%d", i)
			}
			write(object{"schema": "olm.channel", "package": "p", "name": fmt.Sprint("c", i), "entries": []any{entry}})
			write(bundleOf(i))
		}
		write(object{"schema": "olm.channel", "package": "p", "name": "c", "entries": []any{object{"name": "b0"}}})
		return out.String()
	},
	"many channels of one bundle": func(n int) string {
		var out strings.Builder
		write := func(v any) { _ = json.NewEncoder(&out).Encode(v) }
		write(object{"schema": "olm.package", "name": "p", "defaultChannel": "c"})
		for i := range n {
			write(object{"schema": "olm.channel", "package": "p", "name": fmt.Sprint("c", i), "entries": []any{object{"name": "b0"}, object{"name": "b1", "replaces": "b0"}}})
		}
		write(object{"schema": "olm.channel", "package": "p", "name": "c", "entries": []any{object{"name": "b0"}}})
		write(bundleOf(0))
		write(bundleOf(1))
		return out.String()
	},
	"many packages": func(n int) string {
		var out strings.Builder
		write := func(v any) { _ = json.NewEncoder(&out).Encode(v) }
		for i := range n {
			name := "p"
			if i > 0 {
				name = fmt.Sprint("p", i)
			}
			write(object{"schema": "olm.package", "name": name, "defaultChannel": "c"})
			write(object{"schema": "olm.channel", "package": name, "name": "c", "entries": []any{object{"name": b(i)}}})
			write(object{"schema": "olm.bundle", "package": name, "name": b(i), "image": "i", "properties": []any{property("olm.package", object{"packageName": name, "version": "1.0.0"}), property("olm.gvk", api(0))}})
		}
		return out.String()
	},
}

// catalogCommands and clusterCommands are the commands whose time depends on catalogs. C is
// the catalog, K stands for the flags with cluster and catalog.
var (
	catalogCommands = []string{"list olm/c=C", "list p --catalog olm/c=C", "show p --catalog olm/c=C", "check olm/c=C", "graph olm/c=C", "graph p --catalog olm/c=C", "diff C C"}
	clusterCommands = []string{"resolve K", "status K", "why p K", "why-not p K", "why-not p@1.0.3 K", "path p K", "migrate K", "mirror K"}
)

// growthOf are the exponents that are allowed beyond linear, by what grows or by command; "" is that of
// all others.
var growthOf = map[string]float64{
	"": 1.25,
	// A path is searched over all edges, and there may be one from each bundle to each other.
	// Each of its steps is resolved. Why a bundle is not selected says a way that leads there.
	"path p K": 2.1, "why p K": 2.1, "why-not p K": 2.1, "why-not p@1.0.3 K": 2.1,
	// Each of the Subscriptions is refused by the others: why is sought among all of them.
	"Subscriptions of one package": 1.7,
}

// grows runs a command line on input of growing size. It fails if the allocated memory grows
// faster than the size to the power of allowed, or if a canceled run goes on.
func grows(t *testing.T, size int, allowed float64, args func(n int) []string) {
	t.Helper()
	allocated := func(args []string) float64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		Run(t.Context(), args, strings.NewReader(""), io.Discard, io.Discard)
		runtime.ReadMemStats(&after)
		return float64(after.TotalAlloc - before.TotalAlloc)
	}
	small, large := args(size/10), args(size)
	allocated(small) // what the process allocates once
	few := allocated(small)
	start := time.Now()
	many := allocated(large)
	whole := time.Since(start)
	exponent := math.Log10(many / few)
	assert.LessOrEqual(t, exponent, allowed, "%.1f MB to %.1f MB: %v", few/1e6, many/1e6, small)
	// A busy machine makes one of several tries late, and what is deaf to its context all of them.
	late := time.Hour
	for try := 0; try < 5 && late > testkit.AllowedLatency(); try++ {
		of, _ := testkit.CancelAfter(t.Context(), whole/2, func(ctx context.Context) error {
			Run(ctx, large, strings.NewReader(""), io.Discard, io.Discard)
			return nil
		})
		late = min(late, of)
	}
	assert.LessOrEqual(t, late, testkit.AllowedLatency(), "after its context ended: %v", large)
}

func writeInput(t *testing.T, name, text string) string {
	file := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

func writeObjects(t *testing.T, objects []object) string {
	text, err := json.Marshal(object{"apiVersion": "v1", "kind": "List", "items": objects})
	require.NoError(t, err)
	return writeInput(t, "k.json", string(text))
}

// TestTenantsGrow: each list that a tenant of the cluster can make long costs memory in
// proportion to its length, and the command ends with its context.
func TestTenantsGrow(t *testing.T) {
	small := writeInput(t, "c.json", smallCatalog)
	for i, name := range slices.Sorted(maps.Keys(grown)) {
		if !testkit.Today(i, 2) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			for _, command := range []string{"resolve", "status"} {
				grows(t, testkit.Scale(400, 5000), max(growthOf[""], growthOf[name]), func(n int) []string {
					file := writeObjects(t, append(grown[name](n), subscribed("n", "s", "p", "b0"), running("n", "b0")))
					return []string{command, "-f", file, "--catalog", "olm/c=" + small, "--catalog", "c=" + small}
				})
			}
		})
	}
}

// TestCatalogsGrow: each command costs memory in proportion to the catalog, whatever shape its
// channels have, and ends with its context.
func TestCatalogsGrow(t *testing.T) {
	objects := writeObjects(t, []object{subscribed("n", "s", "p", "b0"), running("n", "b0")})
	for i, name := range slices.Sorted(maps.Keys(shapes)) {
		if !testkit.Today(i, 2) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			for _, command := range slices.Concat(catalogCommands, clusterCommands) {
				allowed := max(growthOf[""], growthOf[name], growthOf[command])
				grows(t, testkit.Scale(200, 4000), allowed, func(n int) []string {
					file := writeInput(t, "c.json", shapes[name](n))
					return strings.Fields(strings.NewReplacer("C", file, "K", "-f "+objects+" --catalog olm/c="+file).Replace(command))
				})
			}
		})
	}
}
