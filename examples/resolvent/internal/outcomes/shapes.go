package outcomes

import (
	"reflect"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Documents are the types of what is written for programs, by command.
var Documents = map[string][]any{
	"resolve": {reportJSON{}},
	"path":    {pathJSON{}},
	"why":     {explanationsJSON{}},
	"why-not": {explanationsJSON{}},
	"status":  {statusRowsJSON{}, statusJSON{}, withoutListJSON{}},
}

// shape is what stands in JSON for a type of the library, with the texts and the names that
// only JSON has.
type shape struct {
	from, to reflect.Type
	marshal  *json.Marshalers
}

var shapes = []shape{
	shaped(servedToJSON), shaped(reasonToJSON), shaped(leftOutToJSON), shaped(nodeToJSON), shaped(createdToJSON), shaped(approvalToJSON), shaped(repairToJSON),
}

// Shapes have JSON written in the shapes of this package.
var Shapes = json.WithMarshalers(json.JoinMarshalers(marshallers()...))

func marshallers() (list []*json.Marshalers) {
	for _, s := range shapes {
		list = append(list, s.marshal)
	}
	return list
}

func shaped[From, To any](to func(From) To) shape {
	return shape{reflect.TypeFor[From](), reflect.TypeFor[To](), json.MarshalToFunc(func(e *jsontext.Encoder, from From) error {
		return json.MarshalEncode(e, to(from))
	})}
}

// ShapeOf returns what stands in JSON for a type, or for a pointer to it; nil if that is the
// type itself.
func ShapeOf(t reflect.Type) reflect.Type {
	for _, s := range shapes {
		if s.from == t || s.from == reflect.PointerTo(t) {
			return s.to
		}
	}
	return nil
}
