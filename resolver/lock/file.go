package lock

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// The head of the file.
const (
	apiVersion = "resolvent/v1"
	kind       = "Lock"
)

// What a lock may hold at most. A thousand clusters of fifty operators have half of it.
const (
	maxSize  = 64 << 20 // bytes
	maxDepth = 8
	maxText  = 4096 // bytes of one value
)

// Read reads a lock. It refuses what no lock has, with its line: unknown fields, values that are
// no names, two blocks for one package.
func Read(data []byte) (*Lock, error) {
	if len(data) > maxSize {
		return nil, fmt.Errorf("the lock is larger than the allowed %d MiB", maxSize>>20)
	}
	var document yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
		return nil, errors.New("the file holds no lock")
	} else if err != nil {
		return nil, unreadable(err)
	}
	var second yaml.Node
	if err := decoder.Decode(&second); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("line %d: a file holds one lock", second.Line)
	}
	if err := bounded(&document, 0); err != nil {
		return nil, err
	}
	var l Lock
	if err := document.Load(&l, yaml.WithKnownFields()); err != nil {
		return nil, unreadable(err)
	}
	if l.APIVersion != apiVersion || l.Kind != kind {
		return nil, fmt.Errorf("line 1: want apiVersion: %s and kind: %s, not %q and %q", apiVersion, kind, l.APIVersion, l.Kind)
	}
	if err := l.validate(); err != nil {
		return nil, err
	}
	return &l, nil
}

// Errors of the YAML library, in its own words.
var (
	constructed  = regexp.MustCompile(`^go-yaml load error in \w+ at L(\d+)\.C\d+: (.*)`)
	unknownField = regexp.MustCompile(`^field (.*) not found in type .*`)
	otherType    = regexp.MustCompile("^cannot construct .*")
)

// unreadable returns an error of the YAML library in one line that begins with its place.
func unreadable(err error) error {
	text := err.Error()
	if load, ok := errors.AsType[*yaml.LoadErrors](err); ok && len(load.Errors) > 0 {
		text = load.Errors[0].Error()
	}
	text = strings.Join(strings.Fields(strings.TrimPrefix(text, "yaml: ")), " ")
	if parts := constructed.FindStringSubmatch(text); parts != nil {
		fault := unknownField.ReplaceAllString(parts[2], "there is no field $1")
		text = "line " + parts[1] + ": " + otherType.ReplaceAllString(fault, "the value has another type than a lock has here")
	}
	return errors.New(text)
}

// bounded refuses aliases, what nests too deeply, and values that are no names.
func bounded(n *yaml.Node, depth int) error {
	fault := ""
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		fault = "a lock has no anchors and aliases"
	case depth > maxDepth:
		fault = fmt.Sprintf("nested more than %d levels deep", maxDepth)
	case n.Kind == yaml.ScalarNode && len(n.Value) > maxText:
		fault = fmt.Sprintf("longer than the allowed %d bytes", maxText)
	case n.Kind == yaml.ScalarNode && (!utf8.ValidString(n.Value) || strings.ContainsFunc(n.Value, unprintable)):
		fault = fmt.Sprintf("%q has characters that no name has", n.Value)
	}
	if fault != "" {
		return fmt.Errorf("line %d: %s", n.Line, fault)
	}
	for _, part := range n.Content {
		if err := bounded(part, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }

// validate refuses a lock that says two things, or nothing, of one place.
func (l *Lock) validate() error {
	seen := map[string]bool{}
	for i, w := range l.Waves {
		if w.Name == "" || seen[w.Name] {
			return fmt.Errorf("waves[%d]: %q: each wave needs a name of its own", i, w.Name)
		}
		seen[w.Name] = true
		for j, c := range w.Clusters {
			if seen["cluster "+c] {
				return fmt.Errorf("waves[%d].clusters[%d]: cluster %q is in two waves", i, j, c)
			}
			seen["cluster "+c] = true
		}
	}
	for i := range l.Scopes {
		s := &l.Scopes[i]
		at := fmt.Sprintf("scopes[%d]", i)
		switch {
		case (s.Namespace == "") == (s.Extension == ""):
			return fmt.Errorf("%s: want either a namespace or a clusterExtension", at)
		case seen["scope "+s.String()]:
			return fmt.Errorf("%s: %s is there twice", at, s)
		}
		seen["scope "+s.String()] = true
		packages := map[string]bool{}
		for j := range s.Bundles {
			b := &s.Bundles[j]
			switch {
			case b.Package == "" || b.Name == "":
				return fmt.Errorf("%s.bundles[%d]: want a package and a bundle", at, j)
			case packages[b.Package]:
				return fmt.Errorf("%s.bundles[%d]: package %s is there twice", at, j, b.Package)
			}
			packages[b.Package] = true
			for k, n := range b.Newer {
				if _, err := day(n.FirstSeen); err != nil || n.Name == "" {
					return fmt.Errorf("%s.bundles[%d].newer[%d]: want a bundle and firstSeen as YYYY-MM-DD", at, j, k)
				}
			}
		}
		slices.SortFunc(s.Bundles, func(a, b Bundle) int { return strings.Compare(a.Package, b.Package) })
	}
	l.sort()
	return nil
}

// Text returns the lock as the file operators.lock. Equal locks have equal bytes. It writes YAML
// itself: a fleet has some hundred thousand lines, for which the library takes ten times as long.
func (l *Lock) Text() ([]byte, error) {
	w := &writer{unquoted: map[string]bool{}}
	w.field("", "apiVersion", apiVersion)
	w.field("", "kind", kind)
	if len(l.Policies) > 0 {
		w.WriteString("policies:\n")
	}
	for _, p := range l.Policies {
		w.field("- ", "name", p.Name)
		w.field("  ", "digest", p.Digest)
	}
	if len(l.Waves) > 0 {
		w.WriteString("waves:\n")
	}
	for _, wave := range l.Waves {
		w.field("- ", "name", wave.Name)
		w.list("  ", "clusters", wave.Clusters, true)
	}
	if w.WriteString("scopes:"); len(l.Scopes) == 0 {
		w.WriteString(" []")
	}
	w.WriteByte('\n')
	for i := range l.Scopes {
		w.scope(&l.Scopes[i])
	}
	return w.Bytes(), w.err
}

// writer writes YAML.
type writer struct {
	bytes.Buffer
	err error
	// unquoted has whether a text stands without quotes: clusters have the same ones.
	unquoted map[string]bool
}

func (w *writer) scope(s *Scope) {
	first := "- "
	for _, f := range [][2]string{{"cluster", s.Cluster}, {"namespace", s.Namespace}, {"clusterExtension", s.Extension}} {
		if f[1] != "" {
			w.field(first, f[0], f[1])
			first = "  "
		}
	}
	if w.WriteString("  requests:"); len(s.Requests) == 0 {
		w.WriteString(" []")
	}
	w.WriteByte('\n')
	for _, r := range s.Requests {
		w.field("  - ", "name", r.Name)
		w.field("    ", "package", r.Package)
		w.optional("channel", r.Channel)
		w.list("    ", "channels", r.Channels, false)
		w.optional("version", r.Version)
		w.optional("catalog", r.Catalog)
		w.optional("startingCSV", r.StartingCSV)
	}
	if w.WriteString("  bundles:"); len(s.Bundles) == 0 {
		w.WriteString(" []")
	}
	w.WriteByte('\n')
	for i := range s.Bundles {
		w.bundle(&s.Bundles[i])
	}
}

func (w *writer) bundle(b *Bundle) {
	w.field("  - ", "package", b.Package)
	w.field("    ", "bundle", b.Name)
	w.field("    ", "version", b.Version)
	w.optional("channel", b.Channel)
	w.optional("catalog", b.Catalog)
	w.optional("image", b.Image)
	w.optional("replaces", b.Replaces)
	w.field("    ", "request", b.Request)
	w.list("    ", "for", b.For, false)
	w.list("    ", "way", b.Way, false)
	if b.ByItself != nil {
		fmt.Fprintf(w, "    byItself: %t\n", *b.ByItself)
	}
	w.optional("planned", b.Planned)
	w.optional("digest", b.Digest)
	w.optional("packageDigest", b.PackageDigest)
	if len(b.Newer) > 0 {
		w.WriteString("    newer:\n")
	}
	for _, n := range b.Newer {
		w.field("    - ", "bundle", n.Name)
		w.field("      ", "firstSeen", n.FirstSeen)
	}
}

func (w *writer) field(indent, name, value string) {
	w.WriteString(indent)
	w.WriteString(name)
	w.WriteString(": ")
	w.value(value)
}

// optional writes a field of a request or a bundle, unless it is empty.
func (w *writer) optional(name, value string) {
	if value != "" {
		w.field("    ", name, value)
	}
}

// list writes a list, an empty one only if it is asked for.
func (w *writer) list(indent, name string, values []string, empty bool) {
	switch {
	case len(values) > 0:
		w.WriteString(indent + name + ":\n")
	case empty:
		w.WriteString(indent + name + ": []\n")
	}
	for _, v := range values {
		w.WriteString(indent + "- ")
		w.value(v)
	}
}

// plain are values that YAML reads as the texts that they are, without quotes, but for words.
var (
	plain = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9._/@+:-]*|[0-9]+\.[0-9]+\.[0-9]+([-+][A-Za-z0-9.+-]*)?|(Subscription|ClusterExtension|package) [a-z][a-z0-9.-]*)$`)
	words = regexp.MustCompile(`(?i)^(true|false|null|yes|no|on|off|y|n|.*:)$`)
)

// value writes a text. What YAML could read otherwise stands in quotes.
func (w *writer) value(text string) {
	unquoted, known := w.unquoted[text]
	if !known {
		unquoted = plain.MatchString(text) && !words.MatchString(text)
		w.unquoted[text] = unquoted
	}
	switch {
	case unquoted:
		w.WriteString(text)
	case strings.ContainsFunc(text, unprintable):
		quoted, err := yaml.Dump(text, yaml.WithLineWidth(-1))
		w.err = cmp.Or(w.err, err)
		w.Write(bytes.TrimSuffix(quoted, []byte("\n")))
	default:
		w.WriteByte('\'')
		w.WriteString(strings.ReplaceAll(text, "'", "''"))
		w.WriteByte('\'')
	}
	w.WriteByte('\n')
}
