package constraints

// All holds when each of Exprs holds.
type All struct {
	Exprs   []Expr
	Message string
}

func (All) name() string { return "all" }

func (All) read(r *reader, _ form) (Expr, error) {
	parts, err := r.parts()
	return All{Exprs: parts}, err
}

func (e All) content() ([]field, []Expr)      { return nil, e.Exprs }
func (e All) FailureMessage() string          { return e.Message }
func (e All) withMessage(message string) Expr { e.Message = message; return e }
func (e All) String() string                  { return joined("all of", "and", e.Exprs) }
func (e All) negation() string                { return negationOfJoined(e, e.Exprs) }

func (e All) match(m matcher) (Verdict, error) { return m.until(e.Exprs, No, Yes) }
func (e All) normalize(negated bool, message string) Formula {
	return join(e.Exprs, negated, negated, message)
}
func (e All) lookup() lookup              { return lookup{by: byEach, parts: e.Exprs} }
func (e All) reads() (rule, cluster bool) { return readsOf(e.Exprs) }
