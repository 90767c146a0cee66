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
)

// collector gathers the objects of all inputs.
type collector struct {
	ctx     context.Context
	limits  Limits
	objects cluster.Objects
	seen    map[identity]sighting
}

// identity names an object. The API group is not part of it: no two groups
// that are read share a kind.
type identity struct{ kind, namespace, name string }

// sighting is an object that was read, and where.
type sighting struct {
	object any
	at     place
}

// place is where an object stands.
type place struct {
	source   string
	document int
	item     int // index in a List, -1 outside
}

func (p place) String() string {
	e := Error{Source: p.source, Document: p.document, Item: p.item, Err: errors.New("")}
	return strings.TrimSuffix(e.Error(), ": ")
}

// fault wraps what is wrong with an object at this place.
func (p place) fault(id identity, err error) error {
	e := &Error{Source: p.source, Document: p.document, Item: p.item,
		Kind: id.kind, Namespace: id.namespace, Name: id.name, Err: err}
	var field *jsonfield.Error
	if errors.As(err, &field) {
		e.Path, e.Err = field.Path, field.Err
	}
	return e
}

func (c *collector) read(source string, data []byte) error {
	err := eachDocument(c.ctx, c.limits, data, func(number int, raw jsontext.Value) error {
		return c.document(place{source: source, document: number, item: -1}, raw)
	})
	var placed *Error
	if err == nil || errors.As(err, &placed) {
		return err
	}
	var document *documentError
	if errors.As(err, &document) {
		return &Error{Source: source, Document: document.number, Item: -1, Err: document.err}
	}
	return &Error{Source: source, Item: -1, Err: err}
}

// head is what tells how to read an object.
type head struct {
	APIVersion string         `json:"apiVersion"`
	Kind       string         `json:"kind"`
	Metadata   jsontext.Value `json:"metadata"`
	Items      jsontext.Value `json:"items"`
}

// metadata is an object's, as far as resolution reads it.
type metadata struct {
	Namespace   string            `json:"namespace"`
	Name        string            `json:"name"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

// document reads one document: an object or a List of objects.
func (c *collector) document(at place, raw jsontext.Value) error {
	h, err := readHead(at, raw)
	if err != nil {
		return err
	}
	of, isList := strings.CutSuffix(h.Kind, "List")
	if !isList || h.Items.Kind() != '[' {
		return c.object(at, h, raw)
	}
	var items []jsontext.Value
	if err := jsonfield.Decode(h.Items, &items, "items"); err != nil {
		return at.fault(identity{kind: h.Kind}, err)
	}
	for i, item := range items {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		at.item = i
		ih, err := readHead(at, item)
		if err != nil {
			return err
		}
		// The items of a typed list, such as a SubscriptionList, need not repeat
		// what they are.
		if ih.Kind == "" && of != "" {
			ih.Kind, ih.APIVersion = of, h.APIVersion
		}
		if err := c.object(at, ih, item); err != nil {
			return err
		}
	}
	return nil
}

func readHead(at place, raw jsontext.Value) (head, error) {
	var h head
	if raw.Kind() != '{' {
		return h, at.fault(identity{}, fmt.Errorf("want a Kubernetes object, got %s", jsonfield.KindName(raw.Kind())))
	}
	if err := jsonfield.Decode(raw, &h, ""); err != nil {
		return h, at.fault(identity{}, err)
	}
	return h, nil
}

// object reads one object, if it is of a kind that matters.
func (c *collector) object(at place, h head, raw jsontext.Value) error {
	id := identity{kind: h.Kind}
	switch h.Kind {
	case "":
		return at.fault(id, errors.New("no kind: this is not a Kubernetes object"))
	case "List":
		if at.item >= 0 {
			return at.fault(id, errors.New("a List inside of a List"))
		}
		return at.fault(id, faultAt("items", errors.New("want a list")))
	}
	k, ok := kinds[h.Kind]
	if !ok || h.APIVersion != "" && !k.has(group(h.APIVersion)) {
		return nil
	}
	var meta metadata
	if h.Metadata != nil {
		if err := jsonfield.Decode(h.Metadata, &meta, "metadata"); err != nil {
			return at.fault(id, err)
		}
	}
	id, object, add, err := k.object(at, id, meta, func(fields any) error { return jsonfield.Decode(raw, fields, "") })
	if err != nil {
		return err
	}
	if first, ok := c.seen[id]; ok {
		if !reflect.DeepEqual(first.object, object) {
			return at.fault(id, fmt.Errorf("differs from the object of that name in %s", first.at))
		}
		return nil
	}
	c.seen[id] = sighting{object, at}
	add(&c.objects)
	return nil
}

// object reads the fields of one object, after its metadata, and completes the
// identity. One without namespaces is in none, whatever it says.
func (k kind) object(at place, id identity, meta metadata, decode decoder) (identity, any, func(*cluster.Objects), error) {
	id.namespace, id.name = meta.Namespace, meta.Name
	if meta.Name == "" {
		return id, nil, nil, at.fault(id, faultAt("metadata.name", errMissing))
	}
	if k.namespaced && meta.Namespace == "" {
		return id, nil, nil, at.fault(id, faultAt("metadata.namespace", errMissing))
	}
	if !k.namespaced {
		id.namespace, meta.Namespace = "", ""
	}
	object, add, err := k.read(decode, meta)
	if err != nil {
		return id, nil, nil, at.fault(id, err)
	}
	return id, object, add, nil
}

var errMissing = errors.New("missing")

// group returns the API group of an apiVersion, "" for the core group.
func group(apiVersion string) string {
	g, _, found := strings.Cut(apiVersion, "/")
	if !found {
		return ""
	}
	return g
}
