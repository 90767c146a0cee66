package rules_test

import "github.com/resolvent/resolvent/constraints/rules"

func newReader() *rules.Reader { return rules.NewReader(rules.Limits{}) }
