package cluster

import (
	"fmt"
	"strings"
)

// Kubernetes' limits on the parts of a label.
const (
	maxLabelName   = 63
	maxLabelPrefix = 253
)

// validLabelKey checks [prefix/]name as Kubernetes does.
func validLabelKey(key string) error {
	prefix, name, found := strings.Cut(key, "/")
	if !found {
		prefix, name = "", key
	}
	if found && !validSubdomain(prefix) {
		return fmt.Errorf("label key %q: the prefix is not a DNS subdomain", key)
	}
	if name == "" || !validLabelName(name) {
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

func validLabelName(s string) bool {
	if len(s) > maxLabelName || !alphanumeric(s[0]) || !alphanumeric(s[len(s)-1]) {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !alphanumeric(c) && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return true
}

func validSubdomain(s string) bool {
	if s == "" || len(s) > maxLabelPrefix {
		return false
	}
	for part := range strings.SplitSeq(s, ".") {
		if part == "" || part[0] == '-' || part[len(part)-1] == '-' {
			return false
		}
		for i := range len(part) {
			if c := part[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
				return false
			}
		}
	}
	return true
}

func alphanumeric(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
