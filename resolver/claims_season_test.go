package resolver_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/scenario"
)

type object = map[string]any

// season adds to a random problem what the oracle knows nothing of.
func season(s *scenario.Scenario, seed uint64) {
	g := &seasoner{Rand: rand.New(rand.NewPCG(seed, 9)), Scenario: s, extension: bytes.Contains(s.Cluster, []byte("ClusterExtension"))}
	g.options()
	if seed%2 == 0 {
		s.Options.OLMv1 = cluster.ProfileExperimental
	}
	for i := range s.Files {
		s.Files[i].Data = g.lines(s.Files[i].Data, g.blob)
	}
	s.Cluster = g.lines(s.Cluster, g.object)
	for _, name := range g.named {
		g.add(object{
			"apiVersion": "operators.coreos.com/v1alpha1", "kind": "Subscription", "metadata": object{"name": "of-" + name, "namespace": "operators"},
			"spec": object{"name": name[:1]}, "status": object{"installedCSV": name},
		})
	}
}

func (g *seasoner) add(o object) {
	text, _ := json.Marshal(o)
	g.Cluster = append(append(g.Cluster, text...), '\n')
}

type seasoner struct {
	*rand.Rand
	*scenario.Scenario
	extension bool
	named     []string // what Subscriptions have installed beside an extension
}

func (g *seasoner) chance(p float64) bool { return g.Float64() < p }

func (g *seasoner) options() {
	o := &g.Options
	if g.chance(0.5) {
		o.KubernetesVersion, o.OpenShiftVersion = "1.28.0", "4.15.3"
	}
	if g.chance(0.08) {
		o.Pins = append(o.Pins, policy.Pin{Package: string("abc"[g.IntN(3)]), Version: []string{"", "1.0.0", "2.0.0"}[g.IntN(3)]})
	}
	if g.chance(0.06) {
		o.Exclude = []string{strings.TrimSuffix(strings.TrimPrefix(g.Files[0].Name, "catalogs/"), "/catalog.json")}
		if !strings.HasPrefix(g.Files[0].Name, "catalogs/") {
			o.Exclude = []string{"cat0"}
		}
	}
	if g.chance(0.05) {
		o.LenientHealth, o.Unhealthy = true, map[string]string{"olm/dead": "gone away"}
	}
	o.RejectDependencies, o.AsOLMv1 = g.chance(0.1), g.chance(0.2)
	if g.chance(0.15) {
		o.SingleOwner, o.SameVersions = g.chance(0.5), g.chance(0.5)
		g.beside()
	}
}

// beside installs something in another namespace.
func (g *seasoner) beside() {
	api := object{"group": "example.com", "version": fmt.Sprintf("v%d", 1+g.IntN(2)), "kind": "K" + string("abc"[g.IntN(3)])}
	stated, _ := json.Marshal(object{"properties": []object{{"type": "olm.gvk", "value": api}}})
	g.add(object{
		"apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion", "spec": object{"version": "1.0.0"},
		"metadata": object{"name": "z.v1.0.0", "namespace": "beside", "annotations": object{"operatorframework.io/properties": string(stated)}},
	})
	if !g.extension {
		return
	}
	g.add(object{
		"apiVersion": "olm.operatorframework.io/v1", "kind": "ClusterExtension", "metadata": object{"name": "other"},
		"spec":   object{"namespace": "default", "source": object{"sourceType": "Catalog", "catalog": object{"packageName": "b"}}},
		"status": object{"install": object{"bundle": object{"name": "b.v1.0.0", "version": "1.0.0"}}},
	})
}

func (g *seasoner) lines(data []byte, change func(o object)) []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	for line := range bytes.Lines(data) {
		var o object
		if json.Unmarshal(line, &o) != nil {
			continue
		}
		change(o)
		if e.Encode(o) != nil {
			panic("a seasoned object is plain data")
		}
	}
	return out.Bytes()
}

func (g *seasoner) blob(o object) {
	switch o["schema"] {
	case "olm.package":
		if g.chance(0.02) {
			delete(o, "name")
		}
	case "olm.bundle":
		list := o["properties"].([]any)
		metadata := false
		for _, p := range list {
			g.property(p.(object))
			metadata = metadata || p.(object)["type"] == "olm.csv.metadata"
		}
		if g.chance(0.06) {
			list = append(list, object{"type": "olm.maxOpenShiftVersion", "value": []string{"4.14", "4.16"}[g.IntN(2)]})
		}
		if g.chance(0.06) && !metadata {
			list = append(list, object{"type": "olm.csv.metadata", "value": object{"minKubeVersion": []string{"1.27.0", "1.29.0"}[g.IntN(2)]}})
		} else if !metadata && g.extension {
			list = append(list, object{"type": "olm.csv.metadata", "value": g.metadata()})
		}
		if g.chance(0.04) {
			list = append(list, object{"type": "olm.constraint", "value": object{"bogus": object{}}})
		}
		o["properties"] = list
	}
}

// metadata states what OLM v1 looks at when it installs.
func (g *seasoner) metadata() object {
	m := object{}
	if g.chance(0.5) {
		modes := []object{}
		for _, mode := range []string{"OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"} {
			modes = append(modes, object{"type": mode, "supported": g.chance(0.6)})
		}
		m["installModes"] = modes
	}
	if g.chance(0.1) {
		m["apiServiceDefinitions"] = object{"owned": []object{{"group": "example.com", "version": "v1", "kind": "Ka", "name": "v1.example.com"}}}
	}
	return m
}

// property gives some APIs another version, and some constraints a message.
func (g *seasoner) property(p object) {
	value, _ := p["value"].(object)
	switch p["type"] {
	case "olm.gvk":
		if g.chance(0.06) {
			value["version"] = "v2"
		}
	case "olm.constraint":
		if g.chance(0.1) {
			value["failureMessage"] = fmt.Sprintf("message %d", g.IntN(3))
		}
	}
}

func (g *seasoner) object(o object) {
	spec, _ := o["spec"].(object)
	switch o["kind"] {
	case "Subscription":
		for _, key := range []string{"name", "channel", "source", "startingCSV"} {
			if text, ok := spec[key].(string); ok && g.chance(0.03) {
				spec[key] = text + "x"
			}
		}
	case "ClusterServiceVersion":
		if meta := o["metadata"].(object); g.extension && meta["namespace"] == "operators" && g.chance(0.3) {
			g.named = append(g.named, meta["name"].(string))
		}
	case "OperatorCondition":
		condition := spec["conditions"].([]any)[0].(object)
		condition["reason"], condition["message"] = "Busy", "a migration runs"
	case "ClusterExtension":
		filter := spec["source"].(object)["catalog"].(object)
		if o["metadata"].(object)["name"] == "other" {
			return
		}
		if g.chance(0.4) {
			spec["config"] = object{"inline": object{"watchNamespace": []string{"default", "other"}[g.IntN(2)]}}
		}
		if g.chance(0.03) {
			filter["packageName"] = "x"
		}
		if g.chance(0.15) {
			filter["version"] = []string{"1.x", "~1.1", ">=1.0.0 <=2.0.0", "^2"}[g.IntN(4)]
		}
		if g.chance(0.08) {
			filter["selector"] = object{"matchLabels": object{"olm.operatorframework.io/metadata.name": fmt.Sprintf("cat%d", g.IntN(3))}}
		}
	}
}
