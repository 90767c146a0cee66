package constraints

import (
	"bytes"
	"errors"
	"fmt"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/resolvent/resolvent/constraints/versionrange"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/properties/jsonfield"
)

// Bounds of the caches of a Parser. A rule takes far more memory than its text.
const (
	maxRangesKept     = 1 << 14
	maxRangeBytesKept = 1 << 20
	maxRulesKept      = 1 << 10
	maxRuleBytesKept  = 1 << 18
)

// Parser reads constraints, and caches their ranges and rules. It is safe for
// concurrent use.
type Parser struct {
	limits Limits
	rules  *memo[*Rule]
	ranges *memo[versionrange.Range]
	// compiler is made for the first rule: preparing CEL takes longer than all else that
	// a short process does.
	compiler func() (*compiler, error)
}

// NewParser returns a Parser. If CEL cannot be prepared, every rule has that error.
func NewParser(limits Limits) *Parser {
	limits = limits.withDefaults()
	p := &Parser{
		limits: limits,
		rules:  newMemo[*Rule](maxRulesKept, maxRuleBytesKept),
		ranges: newMemo[versionrange.Range](maxRangesKept, maxRangeBytesKept),
	}
	p.compiler = sync.OnceValues(func() (*compiler, error) { return newCompiler(limits, p.Range, bundleVariables()...) })
	return p
}

// Rule compiles a CEL rule. Its error shows the place in the source.
func (p *Parser) Rule(source string) (*Rule, error) {
	return p.rules.get(source, func(source string) (*Rule, error) {
		c, err := p.compiler()
		if err != nil {
			return nil, err
		}
		return c.compile(source, source)
	})
}

// Range reads a version range.
func (p *Parser) Range(text string) (versionrange.Range, error) {
	return p.ranges.get(text, func(text string) (versionrange.Range, error) {
		if len(text) > p.limits.RangeLength {
			return versionrange.Range{}, overLimit("RangeLength", "the version range is %d bytes long, more than the %d allowed", len(text), p.limits.RangeLength)
		}
		return versionrange.Parse(text)
	})
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
		return overLimit("Size", "the constraint is %d bytes long, more than the %d allowed", len(value), p.limits.Size)
	}
	// A level of constraints is three levels of JSON, {"all":{"constraints":[ ,
	// and a simple constraint is at most two. So deeper JSON nests constraints too
	// deep, or is no constraint.
	if jsonfield.Nesting(value) > 3*p.limits.Depth {
		return overLimit("Depth", "the constraint nests deeper than the %d levels allowed", p.limits.Depth)
	}
	return nil
}
