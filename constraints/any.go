package constraints

// Any holds when one of Exprs holds, or several do.
type Any struct {
	Exprs   []Expr
	Message string
}

func (Any) name() string { return "any" }

func (Any) read(r *reader, _ form) (Expr, error) {
	parts, err := r.parts()
	return Any{Exprs: parts}, err
}

func (e Any) content() ([]field, []Expr)      { return nil, e.Exprs }
func (e Any) FailureMessage() string          { return e.Message }
func (e Any) withMessage(message string) Expr { e.Message = message; return e }
func (e Any) String() string                  { return joined("any of", "or", e.Exprs) }
func (e Any) negation() string                { return negationOfJoined(e, e.Exprs) }

func (e Any) match(m matcher) (Verdict, error) { return m.until(e.Exprs, Yes, No) }
func (e Any) normalize(negated bool, message string) Formula {
	return join(e.Exprs, negated, !negated, message)
}
func (e Any) lookup() lookup              { return lookup{by: byOneOf, parts: e.Exprs} }
func (e Any) reads() (rule, cluster bool) { return readsOf(e.Exprs) }
