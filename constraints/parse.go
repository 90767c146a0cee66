package constraints

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/resolvent/resolvent/constraints/rules"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/properties/jsonfield"
)

// Parser reads constraints, and caches their ranges and rules. It is safe for
// concurrent use.
type Parser struct {
	limits Limits
	*rules.Reader
}

// NewParser returns a Parser.
func NewParser(limits Limits) *Parser {
	limits = limits.withDefaults()
	return &Parser{limits, rules.NewReader(limits.Limits)}
}

// ParseError is the error of a constraint that cannot be read.
type ParseError struct {
	// Index and Type are those of the property.
	Index int
	Type  string
	// Path is the place inside the value, such as
	// "any.constraints[2].package.versionRange". It is empty for the whole value.
	Path string
	Err  error
}

func (e *ParseError) Error() string {
	at := &placedError{e.Path, e.Err}
	return fmt.Sprintf("property %d (%s): %v", e.Index, e.Type, at)
}

func (e *ParseError) Unwrap() error { return e.Err }

// ParseSet reads all constraints of a bundle, in the stated order. The first result has
// those that can be read, the second the errors of the others.
func (p *Parser) ParseSet(set *properties.Set) ([]Constraint, []*ParseError) {
	var list []Constraint
	var faults []*ParseError
	for index, prop := range set.Constraints() {
		c, err := p.Parse(index, prop)
		if fault, ok := errors.AsType[*ParseError](err); ok {
			faults = append(faults, fault)
		} else {
			list = append(list, c)
		}
	}
	return list, faults
}

// Parse reads one property, the index-th of its bundle. Its type is olm.constraint,
// olm.package.required, olm.gvk.required or olm.label.required. An error is always a
// *[ParseError].
//
// In olm.constraint an unknown or repeated key is an error. In the older types unknown
// keys are ignored.
func (p *Parser) Parse(index int, prop properties.Property) (Constraint, error) {
	e, err := p.expr(prop)
	if err != nil {
		at := &placedError{err: err}
		errors.As(err, &at)
		return Constraint{}, &ParseError{index, prop.Type, at.path, at.err}
	}
	return Constraint{index, prop.Type, e}, nil
}

func (p *Parser) expr(prop properties.Property) (Expr, error) {
	if err := p.checkSize(prop.Value); err != nil {
		return nil, err
	}
	// The reader finds repeated keys itself, to name their places.
	r := &reader{parser: p, json: jsontext.NewDecoder(bytes.NewBuffer(prop.Value), jsontext.AllowDuplicateNames(true))}
	return r.property(prop.Type)
}

// checkSize refuses a value that is too large or too deep, before it is decoded.
func (p *Parser) checkSize(value []byte) error {
	if len(value) > p.limits.Size {
		return &rules.LimitError{Limit: "Size", Text: fmt.Sprintf("the constraint is %d bytes long, more than the %d allowed", len(value), p.limits.Size)}
	}
	// A level of constraints is three levels of JSON, {"all":{"constraints":[ ,
	// and a simple constraint is at most two. So deeper JSON nests constraints too
	// deep, or is no constraint.
	if jsonfield.Nesting(value) > 3*p.limits.Depth {
		return &rules.LimitError{Limit: "Depth", Text: fmt.Sprintf("the constraint nests deeper than the %d levels allowed", p.limits.Depth)}
	}
	return nil
}
