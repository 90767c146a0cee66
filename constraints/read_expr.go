package constraints

import (
	"errors"
	"io"

	"github.com/resolvent/resolvent/properties"
)

// Keys of olm.constraint other than the names of the kinds.
const (
	keyMessage = "failureMessage"
	keyParts   = "constraints"
)

var (
	exprKeys  = append(genericNames(), keyMessage)
	oneOfKeys = "exactly one of " + enumerated("and", genericNames()) + " is needed"
)

// genericNames returns the keys of olm.constraint that state a constraint.
func genericNames() []string {
	var names []string
	for _, k := range kinds {
		if k.generic {
			names = append(names, k.zero.name())
		}
	}
	return names
}

// property reads the whole value of a property.
func (r *reader) property(propertyType string) (e Expr, err error) {
	if propertyType == properties.TypeConstraint {
		e, err = r.expr()
	} else if k, ok := kindOf("", propertyType); ok {
		e, err = k.zero.read(r, lenient)
	} else {
		err = errors.New("this type of property is not a constraint")
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
	var stated, message string
	err = r.object(strict, exprKeys, func(key string) (err error) {
		if key == keyMessage {
			message, err = r.text()
			return err
		}
		if stated != "" {
			return r.fail("stands beside %s: %s", stated, oneOfKeys)
		}
		stated = key
		k, _ := kindOf(key, "")
		e, err = k.zero.read(r, strict)
		return err
	})
	if err != nil {
		return nil, err
	}
	if stated == "" {
		return nil, r.fail("requires nothing: %s", oneOfKeys)
	}
	return e.withMessage(message), nil
}

// compound reads {"constraints": [...]} and returns the expression that join makes of them.
func (r *reader) compound(join func(parts []Expr) Expr) (Expr, error) {
	var parts []Expr
	err := r.object(strict, []string{keyParts}, func(string) error {
		return r.list(func() error {
			e, err := r.expr()
			parts = append(parts, e)
			return err
		})
	})
	if err == nil && len(parts) == 0 {
		err = r.at(keyParts, errors.New("is empty: at least one constraint is needed"))
	}
	return join(parts), err
}
