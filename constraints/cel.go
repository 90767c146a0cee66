package constraints

import "github.com/resolvent/resolvent/constraints/rules"

// CEL requires a bundle for whose properties a rule is true.
type CEL struct {
	Rule    *rules.Rule
	Message string
}

func (CEL) name() string { return "cel" }

func (CEL) read(r *reader, form form) (Expr, error) {
	texts, err := r.texts(form, nil, "rule")
	if err != nil {
		return nil, err
	}
	rule, err := r.parser.Rule(texts["rule"])
	if err != nil {
		return nil, r.at("rule", err)
	}
	return CEL{Rule: rule}, nil
}

func (e CEL) content() ([]field, []Expr)      { return []field{{"rule", e.Rule.Source()}}, nil }
func (e CEL) FailureMessage() string          { return e.Message }
func (e CEL) withMessage(message string) Expr { e.Message = message; return e }
func (e CEL) String() string                  { return "an " + e.noun() }
func (e CEL) negation() string                { return "no " + e.noun() }

func (e CEL) noun() string {
	return "operator for which this holds: " + e.Rule.Shown()
}

func (e CEL) match(m matcher) (rules.Verdict, error) { return m.rule(e.Rule) }
func (CEL) normalize(bool) Expr                      { return nil }
func (e CEL) reads() (rule, cluster bool)            { return true, e.Rule.ReadsCluster() }

func (e CEL) lookup() lookup {
	if e.Rule.Package() == "" {
		return lookup{}
	}
	return lookup{by: byPackage, text: e.Rule.Package()}
}
