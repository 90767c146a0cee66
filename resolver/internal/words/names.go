package words

import (
	"fmt"
	"hash/fnv"
	"regexp"
	"strconv"
	"strings"
)

const (
	maxLabel     = 63
	maxSubdomain = 253
	// maxAnnotations is the limit on all keys and values of an object, in bytes.
	maxAnnotations = 256 << 10
)

// AsksFor says what labels a selector asks for, and which ones namespaces have instead.
func AsksFor(selector string, instead []string) string {
	if len(instead) == 0 {
		return "it asks for " + selector
	}
	return "it asks for " + selector + ", but " + Listed(instead, MaxNamed)
}

// HaveLabel says that namespaces have a label, or that no known one has it.
func HaveLabel(namespaces []string, label string) string {
	if len(namespaces) == 0 {
		return "no known namespace has label " + label
	}
	return "namespace" + Plural(len(namespaces)) + " " + Listed(namespaces, MaxNamed) + " " + Verb(len(namespaces), "has", "have") + " " + label
}

// GroupProvides names an OperatorGroup with the APIs that it provides.
func GroupProvides(namespace, name string, apis []string) string {
	return "OperatorGroup " + namespace + "/" + name + ", which provides " + Listed(apis, MaxNamed) + ","
}

// CheckLabel returns a fault of the name of a namespace: a DNS label.
func CheckLabel(name string) error {
	if !IsLabel(name) {
		return wrong("", name, "want at most 63 lower-case letters, digits and '-', with a letter or digit at both ends")
	}
	return nil
}

// IsLabel reports whether a name can be that of a namespace.
func IsLabel(name string) bool { return len(name) <= maxLabel && dnsLabel(name) }

// CheckSubdomain returns a fault of the name of any other object: a DNS subdomain.
func CheckSubdomain(name string) error {
	if !isSubdomain(name) {
		return wrong("", name, "want at most 253 lower-case letters, digits, '-' and '.', with a letter or digit at both ends of what stands between dots")
	}
	return nil
}

// CheckSegment returns a fault of the name of a role or of its binding: a segment of a path.
func CheckSegment(name string) error {
	if name == "." || name == ".." || strings.ContainsAny(name, "/%") {
		return wrong("", name, "want no '/' and no '%'")
	}
	return nil
}

// Subdomain returns the name of an object that stands for a text: the text itself if it is a DNS
// subdomain, else its letters and digits and a hash, so that different texts have different names.
func Subdomain(text string) string {
	if isSubdomain(text) {
		return text
	}
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(text)) // never fails
	end := fmt.Sprintf("-%08x", hash.Sum32())
	kept := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
			return c
		}
		return '-'
	}, strings.ToLower(text))
	kept = strings.Trim(kept, "-")
	return strings.TrimLeft(kept[:min(len(kept), maxSubdomain-len(end))]+end, "-")
}

// CheckKey returns a fault of the key of a label.
func CheckKey(key string) error {
	prefix, name, found := strings.Cut(key, "/")
	switch {
	case !found:
		name = key
	case !isSubdomain(prefix):
		return wrong("key ", key, "what stands before the slash must be a DNS subdomain")
	}
	if name == "" || !isLabelValue(name) {
		return wrong("key ", key, "the name must be 1 to 63 letters, digits, '-', '_' or '.', with a letter or digit at both ends")
	}
	return nil
}

// CheckValue returns a fault of the value of a label.
func CheckValue(value string) error {
	if !isLabelValue(value) {
		return wrong("value ", value, "want at most 63 letters, digits, '-', '_' or '.', with a letter or digit at both ends")
	}
	return nil
}

// CheckLabels returns a fault of the labels of an object, the first by key.
func CheckLabels(labels map[string]string) error {
	return first(labels, func(key, value string) error {
		err := CheckKey(key)
		if wrong := CheckValue(value); err == nil && wrong != nil {
			err = fmt.Errorf("%s: %w", key, wrong)
		}
		return err
	})
}

// CheckAnnotations returns a fault of the annotations of an object, the first by key. Their
// values can be any text, but together they have a limit.
func CheckAnnotations(annotations map[string]string) error {
	size := 0
	err := first(annotations, func(key, value string) error {
		size += len(key) + len(value)
		return CheckKey(strings.ToLower(key))
	})
	if err == nil && size > maxAnnotations {
		return fmt.Errorf("%d bytes of keys and values: no API server accepts this; want at most %d", size, maxAnnotations)
	}
	return err
}

// first returns the fault of the entry that has the lowest key of those that have one.
func first(entries map[string]string, check func(key, value string) error) (fault error) {
	lowest := ""
	for key, value := range entries {
		if err := check(key, value); err != nil && (fault == nil || key < lowest) {
			fault, lowest = err, key
		}
	}
	return fault
}

func wrong(what, text, want string) error {
	return fmt.Errorf("%s%s: no API server accepts this; %s", what, Clip(strconv.Quote(text), MaxQuoted), want)
}

// isSubdomain reports whether a name is DNS labels with dots between them.
func isSubdomain(name string) bool {
	if len(name) > maxSubdomain {
		return false
	}
	for label := range strings.SplitSeq(name, ".") {
		if !dnsLabel(label) {
			return false
		}
	}
	return true
}

// dnsLabel reports whether a text has the characters of a DNS label, whatever its length.
func dnsLabel(text string) bool { return text != "" && word(text, "-", false) }

func isLabelValue(text string) bool {
	return text == "" || len(text) <= maxLabel && word(text, "-_.", true)
}

// word reports whether a text has letters and digits at both ends, and between them these
// and others.
func word(text, others string, upper bool) bool {
	for i := range len(text) {
		c := text[i]
		switch {
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || upper && c >= 'A' && c <= 'Z':
		case i == 0 || i == len(text)-1 || strings.IndexByte(others, c) < 0:
			return false
		}
	}
	return true
}

// plain matches what Kubernetes takes as a name, and every shell as a word.
var plain = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$`)

// IsPlain reports whether Kubernetes takes a text as a name, and every shell as a word.
func IsPlain(name string) bool { return plain.MatchString(name) }
