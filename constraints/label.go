package constraints

import "github.com/resolvent/resolvent/constraints/rules"

// Label requires a bundle with a label.
type Label struct {
	Label   string
	Message string
}

func (Label) name() string { return "label" }

func (Label) read(r *reader, form form) (Expr, error) {
	texts, err := r.texts(form, []string{"label"}, "label")
	return Label{Label: texts["label"]}, err
}

func (e Label) content() ([]field, []Expr)      { return []field{{"label", e.Label}}, nil }
func (e Label) FailureMessage() string          { return e.Message }
func (e Label) withMessage(message string) Expr { e.Message = message; return e }
func (e Label) String() string                  { return "an operator labeled " + e.Label }
func (e Label) negation() string                { return "no operator labeled " + e.Label }

func (e Label) match(m matcher) (rules.Verdict, error) {
	return verdictOf(m.set.HasLabel(e.Label)), nil
}
func (Label) normalize(bool) Expr         { return nil }
func (e Label) lookup() lookup            { return lookup{by: byLabel, text: e.Label, exact: true} }
func (Label) reads() (rule, cluster bool) { return false, false }
