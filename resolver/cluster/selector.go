package cluster

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
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
		if err := validLabelKey(k); err != nil {
			return fmt.Errorf("matchLabels: %w", err)
		}
		if err := validLabelValue(s.MatchLabels[k]); err != nil {
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
	if err := validLabelKey(t.Key); err != nil {
		return err
	}
	switch t.Operator {
	case "In", "NotIn":
		if len(t.Values) == 0 {
			return fmt.Errorf("operator %s needs values", t.Operator)
		}
		for _, v := range t.Values {
			if err := validLabelValue(v); err != nil {
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

// Kubernetes' limits on the parts of a label.
const (
	maxLabelName   = 63
	maxLabelPrefix = 253
)

var (
	labelName = regexp.MustCompile(`^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$`)
	subdomain = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
)

// validLabelKey checks [prefix/]name as Kubernetes does.
func validLabelKey(key string) error {
	prefix, name, found := strings.Cut(key, "/")
	if !found {
		prefix, name = "", key
	}
	if found && (len(prefix) > maxLabelPrefix || !subdomain.MatchString(prefix)) {
		return fmt.Errorf("label key %q: the prefix is not a DNS subdomain", key)
	}
	if !validLabelName(name) {
		return fmt.Errorf("label key %q: the name must be 1 to %d letters, digits, '-', '_' or '.', with a letter or digit at both ends", key, maxLabelName)
	}
	return nil
}

// validLabelValue checks a label's value as Kubernetes does; empty is legal.
func validLabelValue(value string) error {
	if value != "" && !validLabelName(value) {
		return fmt.Errorf("label value %q: want at most %d letters, digits, '-', '_' or '.', with a letter or digit at both ends", value, maxLabelName)
	}
	return nil
}

func validLabelName(s string) bool { return len(s) <= maxLabelName && labelName.MatchString(s) }
