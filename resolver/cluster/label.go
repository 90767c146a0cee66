package cluster

import (
	"fmt"
	"regexp"
	"strings"
)

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
