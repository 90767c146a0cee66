package outcomes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/scenario"
)

// changedJSON is an input that differs between two answers.
type changedJSON struct {
	// Changed is catalog, cluster or request; program if none of them differs.
	Changed string `json:"changed"`
	Subject string `json:"subject"`
	Message string `json:"message"`
}

// change is one with the answers that can be others because of it.
type change struct {
	changedJSON
	concerns func(cluster.Scope) bool
}

func everything(cluster.Scope) bool { return true }

// changesOf lists how the inputs of two answers differ.
func changesOf(before, now *scenario.Identity) []change {
	var list []change
	for _, p := range paired(before.Catalogs, now.Catalogs, scenario.CatalogIdentity.Key) {
		key := cmp.Or(p.now, p.before).Key()
		concerns := func(s cluster.Scope) bool { return s.Alone() == (key.Namespace == "") }
		for _, message := range catalogMessages(p.before, p.now) {
			list = append(list, change{changedJSON{"catalog", key.String(), message}, concerns})
		}
	}
	list = append(list, objectChanges("request", before.Requests, now.Requests)...)
	if before.Choices != now.Choices {
		list = append(list, change{changedJSON{"request", "choices", "other flags were given"}, everything})
	}
	list = append(list, objectChanges("cluster", before.Cluster, now.Cluster)...)
	for _, v := range []struct{ name, was, is string }{
		{"Kubernetes version", before.KubernetesVersion, now.KubernetesVersion},
		{"OpenShift version", before.OpenShiftVersion, now.OpenShiftVersion},
	} {
		if v.was != v.is {
			list = append(list, change{changedJSON{"cluster", v.name, became(cmp.Or(v.was, "not known"), cmp.Or(v.is, "not known"))}, everything})
		}
	}
	return list
}

func became(before, now any) string { return fmt.Sprintf("was %v and is %v", before, now) }

// catalogMessages says how a catalog differs; nil stands for none.
func catalogMessages(before, now *scenario.CatalogIdentity) []string {
	if text := cameOrWent(before != nil, now != nil); text != "" {
		return []string{text}
	}
	var messages []string
	if before.Health != now.Health {
		return []string{"it " + became(before.Health, now.Health)}
	}
	if before.Content != now.Content {
		messages = append(messages, "its content differs")
	}
	if before.Priority != now.Priority {
		messages = append(messages, "its priority "+became(before.Priority, now.Priority))
	}
	if !slices.Equal(before.Labels, now.Labels) {
		messages = append(messages, "its labels differ")
	}
	return messages
}

// cameOrWent says that something is new or gone, nothing if it is neither.
func cameOrWent(before, now bool) string {
	switch {
	case !before:
		return "it is new"
	case !now:
		return "it is gone"
	}
	return ""
}

// objectChanges lists how objects differ.
func objectChanges(changed string, before, now []scenario.ObjectIdentity) []change {
	var list []change
	grouped := slices.ContainsFunc(slices.Concat(before, now), func(o scenario.ObjectIdentity) bool { return o.Kind == "OperatorGroup" })
	for _, p := range paired(before, now, func(o scenario.ObjectIdentity) scenario.ObjectIdentity { o.Digest = ""; return o }) {
		if p.before != nil && p.now != nil && p.before.Digest == p.now.Digest {
			continue
		}
		o := cmp.Or(p.now, p.before)
		message := cmp.Or(cameOrWent(p.before != nil, p.now != nil), "it differs")
		if changed == "cluster" && (o.Kind == "Subscription" || o.Kind == "ClusterExtension") {
			message = "its installed version differs"
		}
		subject := o.Kind + " " + strings.TrimPrefix(o.Namespace+"/"+o.Name, "/")
		list = append(list, change{changedJSON{changed, subject, message}, func(s cluster.Scope) bool { return concernedBy(o, s, grouped) }})
	}
	return list
}

// concernedBy reports whether the answer can be another one because of the object. What an
// OperatorGroup has installed, others that intersect it cannot have.
func concernedBy(o *scenario.ObjectIdentity, s cluster.Scope, grouped bool) bool {
	switch o.Kind {
	case "ClusterExtension":
		return s == cluster.OfExtension(o.Name)
	case "Subscription":
		return s == cluster.InNamespace(o.Namespace)
	case "ClusterServiceVersion":
		return grouped || s.Alone() || s.Name == o.Namespace
	case "OperatorCondition":
		return s.Alone() || s.Name == o.Namespace
	}
	return !s.Alone()
}

// pair is something before and now, nil where it is missing.
type pair[T any] struct{ before, now *T }

// paired brings together the elements of two lists by their keys: those of now in their
// order, then those that are gone.
func paired[T any, K comparable](before, now []T, key func(T) K) []pair[T] {
	gone := map[K]*T{}
	for i := range before {
		gone[key(before[i])] = &before[i]
	}
	var list []pair[T]
	for i := range now {
		k := key(now[i])
		list = append(list, pair[T]{gone[k], &now[i]})
		delete(gone, k)
	}
	for i := range before {
		if gone[key(before[i])] == &before[i] {
			list = append(list, pair[T]{&before[i], nil})
		}
	}
	return list
}
