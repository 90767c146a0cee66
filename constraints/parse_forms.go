package constraints

import (
	"errors"
	"io"

	"github.com/resolvent/resolvent/properties"
)

// Keys of olm.constraint, in the order in which messages name them.
const (
	keyGVK     = "gvk"
	keyPackage = "package"
	keyCEL     = "cel"
	keyAll     = "all"
	keyAny     = "any"
	keyNot     = "not"
	keyMessage = "failureMessage"

	keyConstraints  = "constraints"
	keyRule         = "rule"
	keyGroup        = "group"
	keyVersion      = "version"
	keyKind         = "kind"
	keyPackageName  = "packageName"
	keyName         = "name"
	keyVersionRange = "versionRange"
	keyLabel        = "label"
)

var exprKeys = []string{keyGVK, keyPackage, keyCEL, keyAll, keyAny, keyNot, keyMessage}

const oneOfKeys = "exactly one of gvk, package, cel, all, any and not is needed"

// property reads the whole value of a property.
func (r *reader) property(propertyType string) (e Expr, err error) {
	switch propertyType {
	case properties.TypeConstraint:
		e, err = r.expr()
	case properties.TypeGVKRequired:
		e, err = r.gvk(lenient)
	case properties.TypePackageRequired:
		e, err = r.pkg(lenient)
	case properties.TypeLabelRequired:
		e, err = r.label()
	default:
		return nil, errors.New("this type of property is not a constraint")
	}
	if err != nil {
		return nil, err
	}
	if _, err := r.json.ReadToken(); err != io.EOF {
		if err == nil {
			err = errors.New("something follows the value")
		}
		return nil, r.invalid(err)
	}
	return e, nil
}

// expr reads one level of olm.constraint.
func (r *reader) expr() (e Expr, err error) {
	var kind, message string
	err = r.object(strict, exprKeys, func(key string) (err error) {
		if key == keyMessage {
			message, err = r.text()
			return err
		}
		if kind != "" {
			return r.fail("stands beside %s: %s", kind, oneOfKeys)
		}
		kind = key
		e, err = r.body(key)
		return err
	})
	if err != nil {
		return nil, err
	}
	if kind == "" {
		return nil, r.fail("asks for nothing: %s", oneOfKeys)
	}
	return withMessage(e, message), nil
}

func (r *reader) body(key string) (Expr, error) {
	switch key {
	case keyGVK:
		return r.gvk(strict)
	case keyPackage:
		return r.pkg(strict)
	case keyCEL:
		return r.cel()
	}
	exprs, err := r.children()
	if err != nil {
		return nil, err
	}
	switch key {
	case keyAll:
		return All{Exprs: exprs}, nil
	case keyAny:
		return Any{Exprs: exprs}, nil
	default:
		return Not{Exprs: exprs}, nil
	}
}

func withMessage(e Expr, message string) Expr {
	switch e := e.(type) {
	case GVK:
		e.Message = message
		return e
	case Package:
		e.Message = message
		return e
	case CEL:
		e.Message = message
		return e
	case All:
		e.Message = message
		return e
	case Any:
		e.Message = message
		return e
	case Not:
		e.Message = message
		return e
	}
	return e
}

func (r *reader) gvk(form form) (Expr, error) {
	values, err := r.texts(form, keyGroup, keyVersion, keyKind)
	if err != nil {
		return nil, err
	}
	gvk := properties.GVK{Group: values[keyGroup], Version: values[keyVersion], Kind: values[keyKind]}
	// The group may be empty: that of the core API is.
	switch {
	case gvk.Version == "":
		return nil, r.missing(keyVersion)
	case gvk.Kind == "":
		return nil, r.missing(keyKind)
	}
	return GVK{GVK: gvk}, nil
}

func (r *reader) pkg(form form) (Expr, error) {
	values, err := r.texts(form, keyPackageName, keyName, keyVersionRange)
	if err != nil {
		return nil, err
	}
	name, ok := values[keyPackageName]
	if !ok && form == strict {
		name = values[keyName]
	}
	if name == "" {
		return nil, r.missing(keyPackageName)
	}
	versions, err := r.parser.Range(values[keyVersionRange])
	if err != nil {
		return nil, r.at(keyVersionRange, err)
	}
	return Package{Name: name, Range: versions}, nil
}

func (r *reader) label() (Expr, error) {
	values, err := r.texts(lenient, keyLabel)
	if err != nil {
		return nil, err
	}
	if values[keyLabel] == "" {
		return nil, r.missing(keyLabel)
	}
	return Label{Label: values[keyLabel]}, nil
}

func (r *reader) cel() (Expr, error) {
	values, err := r.texts(strict, keyRule)
	if err != nil {
		return nil, err
	}
	rule, err := r.parser.Rule(values[keyRule])
	if err != nil {
		return nil, r.at(keyRule, err)
	}
	return CEL{Rule: rule}, nil
}

// children reads {"constraints": [...]}.
func (r *reader) children() ([]Expr, error) {
	var exprs []Expr
	err := r.object(strict, []string{keyConstraints}, func(string) error {
		return r.list(func() error {
			e, err := r.expr()
			exprs = append(exprs, e)
			return err
		})
	})
	if err == nil && len(exprs) == 0 {
		err = r.at(keyConstraints, errors.New("is empty: at least one constraint is needed"))
	}
	return exprs, err
}
