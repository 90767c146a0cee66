package constraints

import (
	"github.com/resolvent/resolvent/constraints/rules"
	"github.com/resolvent/resolvent/properties"
)

// GVK requires a provider of an API.
type GVK struct {
	properties.GVK
	Message string
}

func (GVK) name() string { return "gvk" }

func (GVK) read(r *reader, form form) (Expr, error) {
	// The group of the core API is empty.
	texts, err := r.texts(form, []string{"version", "kind"}, "group", "version", "kind")
	return GVK{GVK: properties.GVK{Group: texts["group"], Version: texts["version"], Kind: texts["kind"]}}, err
}

func (e GVK) content() ([]field, []Expr) {
	return []field{{"group", e.Group}, {"version", e.Version}, {"kind", e.Kind}}, nil
}

func (e GVK) FailureMessage() string          { return e.Message }
func (e GVK) withMessage(message string) Expr { e.Message = message; return e }
func (e GVK) String() string                  { return "an operator providing " + e.Describe() }
func (e GVK) negation() string                { return "no operator providing " + e.Describe() }

func (e GVK) match(m matcher) (rules.Verdict, error) {
	return verdictOf(m.set.Provides(e.GVK)), nil
}
func (GVK) normalize(bool) Expr         { return nil }
func (e GVK) lookup() lookup            { return lookup{by: byAPI, api: e.GVK, exact: true} }
func (GVK) reads() (rule, cluster bool) { return false, false }
