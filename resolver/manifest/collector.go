package manifest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/resolvent/resolvent/properties/jsonfield"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// collector gathers the objects of all inputs.
type collector struct {
	ctx     context.Context
	limits  limits
	objects cluster.Objects
	seen    map[identity]sighting
}

// identity identifies an object. It needs no API group: no two groups that are read have a
// kind in common.
type identity struct{ kind, namespace, name string }

// sighting is an object and where it was read.
type sighting struct {
	object         any
	source         string
	document, item int
}

// head has the fields that decide how to read an object.
type head struct {
	APIVersion string         `json:"apiVersion"`
	Kind       string         `json:"kind"`
	Metadata   jsontext.Value `json:"metadata"`
	Items      jsontext.Value `json:"items"`
	Schema     jsontext.Value `json:"schema"` // of blobs of catalogs
}

// document reads one document: an object or a List of objects.
func (c *collector) document(at Error, raw jsontext.Value) error {
	h, err := readHead(at, raw)
	if err != nil {
		return err
	}
	kind, isList := strings.CutSuffix(h.Kind, "List")
	if !isList || h.Items.Kind() != '[' {
		return c.object(at, h, raw)
	}
	var items []jsontext.Value
	if err := jsonfield.Decode(h.Items, &items, "items"); err != nil {
		at.Kind = h.Kind
		return at.fault(err)
	}
	for i, item := range items {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		at.Item = i
		ih, err := readHead(at, item)
		if err != nil {
			return err
		}
		// The items of a typed list, such as a SubscriptionList, need not state their kind.
		if ih.Kind == "" && kind != "" {
			ih.Kind, ih.APIVersion = kind, h.APIVersion
		}
		if err := c.object(at, ih, item); err != nil {
			return err
		}
	}
	return nil
}

func readHead(at Error, raw jsontext.Value) (head, error) {
	var h head
	if raw.Kind() != '{' {
		return h, at.fault(fmt.Errorf("want a Kubernetes object, got %s", jsonfield.KindName(byte(raw.Kind()))))
	}
	if err := jsonfield.Decode(raw, &h, ""); err != nil {
		return h, at.fault(err)
	}
	return h, nil
}

// parsed is an object that was read, and how to keep it.
type parsed struct {
	at    Error
	value any
	add   func(*cluster.Objects)
}

// parse reads one object. It returns nil if its kind is not read.
func parse(at Error, h head, raw jsontext.Value) (*parsed, error) {
	at.Kind = h.Kind
	switch {
	case h.Kind == "" && h.Schema != nil:
		return nil, at.fault(errors.New("no kind: this is a part of a catalog, not a Kubernetes object; give it as a catalog"))
	case h.Kind == "":
		return nil, at.fault(errors.New("no kind: this is not a Kubernetes object"))
	case h.Kind == "List" && at.Item >= 0:
		return nil, at.fault(errors.New("a List inside of a List"))
	case h.Kind == "List":
		return nil, at.fault(faultAt("items", errors.New("want a list")))
	}
	k, ok := kindNamed(h.Kind)
	if !ok || h.APIVersion != "" && !k.has(h.APIVersion) {
		return nil, nil
	}
	var meta metadata
	if h.Metadata != nil {
		if err := jsonfield.Decode(h.Metadata, &meta, "metadata"); err != nil {
			return nil, at.fault(err)
		}
	}
	value, add, err := k.object(&at, meta, func(fields any) error { return jsonfield.Decode(raw, fields, "") })
	if err != nil {
		return nil, err
	}
	return &parsed{at, value, add}, nil
}

// object reads and keeps one object.
func (c *collector) object(at Error, h head, raw jsontext.Value) error {
	o, err := parse(at, h, raw)
	if err != nil || o == nil {
		return err
	}
	return c.keep(o)
}

func (c *collector) keep(o *parsed) error {
	id := identity{o.at.Kind, o.at.Namespace, o.at.Name}
	if first, ok := c.seen[id]; ok {
		if !reflect.DeepEqual(first.object, o.value) {
			there := Error{Source: first.source, Document: first.document, Item: first.item}
			return o.at.fault(fmt.Errorf("differs from the object of that name in %s", strings.Join(there.place(), ": ")))
		}
		return nil
	}
	c.seen[id] = sighting{o.value, o.at.Source, o.at.Document, o.at.Item}
	o.add(&c.objects)
	return nil
}

// object reads the fields of one object, after its metadata, and completes the identity in
// at. A namespace that an object of a kind without namespaces states does not count.
func (k objectKind) object(at *Error, meta metadata, decode decoder) (any, func(*cluster.Objects), error) {
	if !k.namespaced {
		meta.Namespace = ""
	}
	at.Namespace = meta.Namespace
	if err := k.checkName(meta.Name); err != nil {
		return nil, nil, at.fault(faultAt("metadata.name", err))
	}
	at.Name, at.Namespace = meta.Name, ""
	if err := words.CheckLabel(meta.Namespace); k.namespaced && err != nil {
		if meta.Namespace == "" {
			err = errMissing
		}
		return nil, nil, at.fault(faultAt("metadata.namespace", err))
	}
	at.Namespace = meta.Namespace
	if err := words.CheckLabels(meta.Labels); err != nil {
		return nil, nil, at.fault(faultAt("metadata.labels", err))
	}
	if err := words.CheckAnnotations(meta.Annotations); err != nil {
		return nil, nil, at.fault(faultAt("metadata.annotations", err))
	}
	object, add, err := k.read(decode, meta)
	if err != nil {
		return nil, nil, at.fault(err)
	}
	return object, add, nil
}

// checkName returns a fault of the name of an object of the kind.
func (k objectKind) checkName(name string) error {
	switch {
	case name == "":
		return errMissing
	case k.name == "Namespace":
		return words.CheckLabel(name)
	case group(k.apiVersion) == groupRights:
		return words.CheckSegment(name)
	}
	return words.CheckSubdomain(name)
}

var errMissing = errors.New("missing")
