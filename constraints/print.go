package constraints

import "strings"

// joined lists expressions in a sentence. A single one stands for itself.
func joined(quantifier, conjunction string, exprs []Expr) string {
	if len(exprs) == 1 {
		return textOf(exprs[0])
	}
	return listed(quantifier, conjunction, exprs)
}

// negationOfJoined returns the negation of an expression whose String is joined.
func negationOfJoined(e Expr, exprs []Expr) string {
	if len(exprs) == 1 {
		return negationOf(exprs[0])
	}
	return "not (" + e.String() + ")"
}

func listed(quantifier, conjunction string, exprs []Expr) string {
	texts := make([]string, len(exprs))
	for i, e := range exprs {
		texts[i] = textOf(e)
	}
	return quantifier + " (" + enumerated(conjunction, texts) + ")"
}

// enumerated lists texts in a sentence: "a, b and c". It overwrites the slice.
func enumerated(conjunction string, texts []string) string {
	if last := len(texts) - 1; last > 0 {
		texts = append(texts[:last-1], texts[last-1]+" "+conjunction+" "+texts[last])
	}
	return strings.Join(texts, ", ")
}

func negationOf(e Expr) string {
	if e == nil {
		return "not (nothing)"
	}
	return e.negation()
}

func textOf(e Expr) string {
	if e == nil {
		return "nothing"
	}
	return e.String()
}
