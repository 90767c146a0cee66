package cluster

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/resolver/internal/words"
)

// Selector is a Kubernetes label selector. Without terms it matches everything.
type Selector struct {
	MatchExpressions []SelectorTerm    `json:"matchExpressions,omitempty"`
	MatchLabels      map[string]string `json:"matchLabels,omitempty"`
}

// SelectorTerm is one expression of a Selector.
type SelectorTerm struct {
	Key string `json:"key"`
	// Operator is In, NotIn, Exists or DoesNotExist.
	Operator string   `json:"operator"`
	Values   []string `json:"values"`
}

// Empty reports whether the selector has no terms.
func (s *Selector) Empty() bool {
	return s == nil || len(s.MatchLabels) == 0 && len(s.MatchExpressions) == 0
}

// String returns the terms as kubectl takes them: "a=b,c in (d,e),!f".
func (s *Selector) String() string {
	var terms []string
	if s != nil {
		for _, key := range slices.Sorted(maps.Keys(s.MatchLabels)) {
			terms = append(terms, key+"="+s.MatchLabels[key])
		}
		for _, t := range s.MatchExpressions {
			terms = append(terms, t.String())
		}
	}
	return strings.Join(terms, ",")
}

// String returns the expression as kubectl takes it.
func (t SelectorTerm) String() string {
	switch t.Operator {
	case "Exists":
		return t.Key
	case "DoesNotExist":
		return "!" + t.Key
	}
	return t.Key + " " + strings.ToLower(t.Operator) + " (" + strings.Join(t.Values, ",") + ")"
}

// Matches reports whether every term holds for the labels. A nil selector
// matches everything.
func (s *Selector) Matches(labels map[string]string) bool {
	if s == nil {
		return true
	}
	for k, v := range s.MatchLabels {
		if got, ok := labels[k]; !ok || got != v {
			return false
		}
	}
	return !slices.ContainsFunc(s.MatchExpressions, func(t SelectorTerm) bool { return !t.matches(labels) })
}

func (t SelectorTerm) matches(labels map[string]string) bool {
	value, ok := labels[t.Key]
	switch t.Operator {
	case "In":
		return ok && slices.Contains(t.Values, value)
	case "NotIn":
		return !ok || !slices.Contains(t.Values, value)
	case "Exists":
		return ok
	case "DoesNotExist":
		return !ok
	}
	return false
}

// Validate returns an error for the first term that Kubernetes would refuse.
func (s *Selector) Validate() error {
	if s == nil {
		return nil
	}
	for _, k := range slices.Sorted(maps.Keys(s.MatchLabels)) {
		if err := words.CheckKey(k); err != nil {
			return fmt.Errorf("matchLabels: %w", err)
		}
		if err := words.CheckValue(s.MatchLabels[k]); err != nil {
			return fmt.Errorf("matchLabels[%q]: %w", k, err)
		}
	}
	for i, t := range s.MatchExpressions {
		if err := t.validate(); err != nil {
			return fmt.Errorf("matchExpressions[%d]: %w", i, err)
		}
	}
	return nil
}

func (t SelectorTerm) validate() error {
	if err := words.CheckKey(t.Key); err != nil {
		return err
	}
	switch t.Operator {
	case "In", "NotIn":
		if len(t.Values) == 0 {
			return fmt.Errorf("operator %s needs values", t.Operator)
		}
		for _, v := range t.Values {
			if err := words.CheckValue(v); err != nil {
				return err
			}
		}
	case "Exists", "DoesNotExist":
		if len(t.Values) > 0 {
			return fmt.Errorf("operator %s takes no values", t.Operator)
		}
	default:
		return fmt.Errorf("unknown operator %q; want In, NotIn, Exists or DoesNotExist", t.Operator)
	}
	return nil
}
