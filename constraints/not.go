package constraints

// Not holds when none of Exprs holds.
type Not struct {
	Exprs   []Expr
	Message string
}

func (Not) name() string { return "not" }

func (Not) read(r *reader, _ form) (Expr, error) {
	parts, err := r.parts()
	return Not{Exprs: parts}, err
}

func (e Not) content() ([]field, []Expr)      { return nil, e.Exprs }
func (e Not) FailureMessage() string          { return e.Message }
func (e Not) withMessage(message string) Expr { e.Message = message; return e }
func (e Not) negation() string                { return "not (" + e.String() + ")" }

func (e Not) String() string {
	if len(e.Exprs) == 1 {
		return negationOf(e.Exprs[0])
	}
	return listed("none of", "or", e.Exprs)
}

func (e Not) match(m matcher) (Verdict, error) {
	verdict, err := m.until(e.Exprs, Yes, No)
	switch verdict {
	case Yes:
		return No, nil
	case No, Failed:
		return Yes, nil
	}
	return verdict, err
}

// normalize cancels out two negations only if each is of one part.
func (e Not) normalize(negated bool, message string) Formula {
	if len(e.Exprs) != 1 {
		return join(e.Exprs, !negated, negated, message)
	}
	if negated {
		message = messageOf(e.Exprs[0])
	}
	return normalize(e.Exprs[0], !negated, message)
}

func (Not) lookup() lookup                { return lookup{} }
func (e Not) reads() (rule, cluster bool) { return readsOf(e.Exprs) }
