package policy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"go.yaml.in/yaml/v4"

	"github.com/resolvent/resolvent/constraints/rules"
)

// What a policy may hold at most. Rules are written by people: a file that exceeds this is a
// mistake or an attack.
const (
	maxSize     = 1 << 20 // bytes of a policy
	maxRules    = 200
	maxCases    = 200
	maxDepth    = 20
	maxPatterns = 1000 // of one list or map
	maxNodes    = 50_000
)

// Parse reads a policy: one YAML document, as the manual describes it, of at most 1 MiB and 200
// rules. The error names the place: line and column, rule, and for a fault of CEL the place
// in the rule.
func Parse(data []byte) (*Policy, error) {
	if len(data) > maxSize {
		return nil, fmt.Errorf("the policy is %d bytes long, more than the %d allowed", len(data), maxSize)
	}
	var document yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
		return nil, errors.New("the file holds no policy")
	} else if err != nil {
		return nil, unreadable(data, err)
	}
	r := &parser{}
	var p *Policy
	if r.bounded(&document, 0) {
		p = r.policy(&document)
	}
	var second yaml.Node
	switch err := decoder.Decode(&second); {
	case r.err != nil:
		return nil, r.err
	case errors.Is(err, io.EOF):
		p.Source = string(data)
		return p, nil
	case err != nil:
		return nil, unreadable(data, err)
	}
	return nil, fmt.Errorf("line %d: a file holds one policy: write a second one into a file of its own", second.Line)
}

// unreadable returns the error for a text that is no YAML, with what helps most often.
func unreadable(data []byte, err error) error {
	fault, remedy := strings.TrimPrefix(err.Error(), "yaml: "), "put a rule into 'single quotes', or on lines of its own below deny: |-"
	var number int
	_, _ = fmt.Sscanf(fault, "line %d:", &number)
	for line := range bytes.Lines(data) {
		if number--; number == 0 && bytes.HasPrefix(bytes.TrimLeft(line, " "), []byte("\t")) {
			remedy = "YAML is indented with blanks, never with tabs"
		}
	}
	if strings.Contains(fault, "UTF-8") {
		remedy = "save the file as UTF-8"
	}
	return fmt.Errorf("%s; %s", fault, remedy)
}

// numbered is the number of the last rule.
var numbered atomic.Uint64

// parser reads a policy up to its first fault.
type parser struct {
	err   error
	nodes int
	names map[string]int // the lines of the rules
}

// fail notes a fault of a node.
func (r *parser) fail(n *yaml.Node, format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("line %d, column %d: %w", n.Line, n.Column, fmt.Errorf(format, args...))
	}
}

// bounded refuses what is too large to be read, and aliases.
func (r *parser) bounded(n *yaml.Node, depth int) bool {
	r.nodes++
	switch {
	case n.Kind == yaml.AliasNode:
		r.fail(n, "aliases are not supported: write it out")
	case depth > maxDepth:
		r.fail(n, "nested more than %d levels deep", maxDepth)
	case r.nodes > maxNodes || n.Kind == yaml.MappingNode && len(n.Content) > 2*maxPatterns:
		r.fail(n, "the policy is too large")
	}
	for _, part := range n.Content {
		if r.err == nil {
			r.bounded(part, depth+1)
		}
	}
	return r.err == nil
}

// fields has the reader of each field of a mapping.
type fields map[string]func(n *yaml.Node)

// read calls the readers of the fields that a mapping has. path is its place for people.
func (r *parser) read(n *yaml.Node, path string, known fields) {
	names := strings.Join(slices.Sorted(maps.Keys(known)), ", ")
	if n.Kind != yaml.MappingNode {
		r.fail(n, "%s: want fields, such as %s", path, names)
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content) && r.err == nil; i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		use, ok := known[key.Value]
		switch {
		case !ok:
			r.fail(key, "%s: there is no field %q; it has %s", path, key.Value, names)
		case seen[key.Value]:
			r.fail(key, "%s: the field %s is there twice", path, key.Value)
		default:
			use(value)
		}
		seen[key.Value] = true
	}
}

// text reads a text into target.
func (r *parser) text(path string, target *string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		switch {
		case n.Kind != yaml.ScalarNode:
			r.fail(n, "%s: want one text", path)
		case n.Tag != "!!str" && n.Tag != "!!timestamp":
			r.fail(n, "%s: want a text: put it into quotes", path)
		default:
			*target = n.Value
		}
	}
}

// texts reads a list of texts into target.
func (r *parser) texts(path string, target *[]string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		switch {
		case n.Kind != yaml.SequenceNode:
			r.fail(n, "%s: want a list of texts, such as [\"a\", \"b\"]", path)
			return
		case len(n.Content) > maxPatterns:
			r.fail(n, "%s: want %d texts at most", path, maxPatterns)
			return
		}
		*target = make([]string, len(n.Content))
		for i, item := range n.Content {
			r.text(fmt.Sprintf("%s[%d]", path, i), &(*target)[i])(item)
		}
	}
}

// What patterns for names of namespaces and of packages are made of.
var (
	namespacePattern = regexp.MustCompile(`^([a-z0-9*?-]|\[[^]]+\])+$`)
	packagePattern   = regexp.MustCompile(`^([A-Za-z0-9._*?-]|\[[^]]+\])+$`)
)

// globs reads a list of patterns into target.
func (r *parser) globs(place string, pattern *regexp.Regexp, to *[]string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		r.texts(place, to)(n)
		for i, glob := range *to {
			if _, err := path.Match(glob, ""); err != nil {
				r.fail(n.Content[i], "%s[%d]: %q is not a pattern such as prod-*", place, i, glob)
			} else if !pattern.MatchString(glob) {
				r.fail(n.Content[i], "%s[%d]: no name is like %q: write * for any text, and an exception in deny", place, i, glob)
			}
		}
	}
}

// pairs reads a map of texts into target.
func (r *parser) pairs(path string, target *map[string]string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n.Kind != yaml.MappingNode {
			r.fail(n, "%s: want names and values, such as tier: vendor", path)
			return
		}
		*target = map[string]string{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i].Value, ""
			if _, twice := (*target)[key]; twice {
				r.fail(n.Content[i], "%s: %s is there twice", path, key)
			}
			r.text(path+"."+key, &value)(n.Content[i+1])
			(*target)[key] = value
		}
	}
}

// items calls use for each item of a list.
func (r *parser) items(path string, use func(n *yaml.Node, path string)) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n.Kind != yaml.SequenceNode {
			r.fail(n, "%s: want a list, with a dash before each of its members", path)
			return
		}
		for i, item := range n.Content {
			use(item, fmt.Sprintf("%s[%d]", path, i))
		}
	}
}

// policy reads the document.
func (r *parser) policy(document *yaml.Node) *Policy {
	p := &Policy{}
	var everywhere match
	r.names = map[string]int{}
	if len(document.Content) == 0 {
		r.fail(document, "the file holds no policy")
		return nil
	}
	root := document.Content[0]
	// First of all: the fields of something else would not be known.
	if apiVersion, kind := member(root, "apiVersion"), member(root, "kind"); root.Kind == yaml.MappingNode && (apiVersion != "resolvent/v1" || kind != "Policy") {
		r.fail(root, "want apiVersion: resolvent/v1 and kind: Policy, not %q and %q", apiVersion, kind)
	}
	known := func(*yaml.Node) {}
	r.read(root, "the policy", fields{
		"apiVersion": known,
		"kind":       known,
		"metadata": func(n *yaml.Node) {
			r.read(n, "metadata", fields{"name": r.text("metadata.name", &p.Name)})
		},
		"match": r.match("match", &everywhere),
		"candidates": r.items("candidates", func(n *yaml.Node, path string) {
			r.rule(n, path, candidateRules, below("changes", changeVariables, candidateVariables), &p.Candidates)
		}),
		"changes": r.items("changes", func(n *yaml.Node, path string) {
			r.rule(n, path, changeRules, below("candidates", candidateVariables, changeVariables), &p.Changes)
		}),
		"cases": r.items("cases", func(n *yaml.Node, path string) {
			r.testCase(n, path, &p.Cases)
		}),
	})
	switch {
	case p.Name == "":
		r.fail(root, "metadata.name is missing: answers name the policy by it")
	case len(p.Candidates)+len(p.Changes) == 0:
		r.fail(root, "the policy has no rule: write one below candidates or changes")
	}
	for _, c := range p.Cases {
		for _, name := range c.Want.Rules {
			if _, ok := r.names[name]; !ok && r.err == nil {
				r.err = fmt.Errorf("line %d: case %s wants rule %s, which the policy does not have", c.Line, c.Name, name)
			}
		}
	}
	for _, rule := range slices.Concat(p.Candidates, p.Changes) {
		rule.Policy, rule.where = p.Name, append([]match{everywhere}, rule.where...)
	}
	return p
}

// member returns the text of a field of a mapping, empty if there is none.
func member(n *yaml.Node, name string) string {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name && n.Content[i+1].Kind == yaml.ScalarNode {
			return n.Content[i+1].Value
		}
	}
	return ""
}

// match reads where rules apply.
func (r *parser) match(path string, target *match) func(*yaml.Node) {
	return func(n *yaml.Node) {
		r.read(n, path, fields{
			"namespaces": r.globs(path+".namespaces", namespacePattern, &target.namespaces),
			"packages":   r.globs(path+".packages", packagePattern, &target.packages),
			"catalogs": func(n *yaml.Node) {
				if member(n, "name") != "" || n.Kind != yaml.MappingNode {
					r.fail(n, "%s.catalogs: want matchLabels; for a name write bundle.catalog.name == \"...\" in deny", path)
					return
				}
				r.read(n, path+".catalogs", fields{"matchLabels": r.pairs(path+".catalogs.matchLabels", &target.labels)})
			},
		})
	}
}

// rule reads one rule and appends it to list.
func (r *parser) rule(n *yaml.Node, path string, environment func() (*rules.Environment, error), others string, list *[]*Rule) {
	rule, severity, where := &Rule{}, "deny", match{}
	source := n
	r.read(n, path, fields{
		"name":    r.text(path+".name", &rule.Name),
		"message": r.text(path+".message", &rule.Message),
		"severity": func(n *yaml.Node) {
			if r.text(path+".severity", &severity)(n); severity != "deny" && severity != "warn" {
				r.fail(n, "%s.severity: %q: want deny or warn", path, severity)
			}
		},
		"match": r.match(path+".match", &where),
		"deny": func(n *yaml.Node) {
			source, rule.line = n, n.Line
			switch n.Tag {
			case "!!bool": // deny: true
				rule.Deny = n.Value
				return
			case "!!null":
				return
			}
			r.text(path+".deny", &rule.Deny)(n)
		},
	})
	first, twice := r.names[rule.Name]
	switch {
	case r.err != nil:
	case rule.Name == "":
		r.fail(n, "%s: the rule has no name", path)
	case twice:
		r.fail(n, "%s: there is a rule %s on line %d already", path, rule.Name, first)
	case rule.Deny == "":
		r.fail(n, "%s: rule %s has no deny: write what it denies in CEL", path, rule.Name)
	case len(r.names) == maxRules:
		r.fail(n, "%s: a policy has at most %d rules", path, maxRules)
	default:
		e, err := environment()
		if err == nil {
			rule.compiled, err = e.Rule(rule.Deny)
		}
		if err != nil {
			if undeclared := new(interface{ Undeclared() }); !errors.As(err, undeclared) {
				others = ""
			}
			r.fail(source, "%s.deny (rule %s): %w%s", path, rule.Name, err, others)
		}
	}
	r.names[rule.Name] = n.Line
	rule.Warn, rule.where, rule.number = severity == "warn", []match{where}, numbered.Add(1)
	*list = append(*list, rule)
}

// below names the variables that only rules below a field have.
func below(field string, variables, other map[string]string) string {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(variables)), func(name string) bool {
		_, ok := other[name]
		return ok
	})
	return fmt.Sprintf("; %s are for rules below %s:", strings.Join(names, ", "), field)
}

// testCase reads a case and appends it to list.
func (r *parser) testCase(n *yaml.Node, path string, list *[]Case) {
	c := Case{Name: path, Line: n.Line}
	known := map[string]bool{}
	for _, other := range *list {
		known[other.Name] = true
	}
	r.read(n, path, fields{
		"name":     r.text(path+".name", &c.Name),
		"objects":  r.text(path+".objects", &c.Objects),
		"catalogs": r.texts(path+".catalogs", &c.Catalogs),
		"date":     r.text(path+".date", &c.Date),
		"want": func(n *yaml.Node) {
			r.read(n, path+".want", fields{
				"result":    r.text(path+".want.result", &c.Want.Result),
				"installs":  r.texts(path+".want.installs", &c.Want.Installs),
				"rules":     r.texts(path+".want.rules", &c.Want.Rules),
				"approvals": r.pairs(path+".want.approvals", &c.Want.Approvals),
			})
		},
	})
	if c.Objects == "" || c.Want.Result == "" && c.Want.Installs == nil && c.Want.Rules == nil && c.Want.Approvals == nil {
		r.fail(n, "%s: a case has objects, and wants something", path)
	}
	switch {
	case known[c.Name]:
		r.fail(n, "%s: there is a case %s already", path, c.Name)
	case len(*list) == maxCases:
		r.fail(n, "%s: a policy has at most %d cases", path, maxCases)
	}
	*list = append(*list, c)
}

// objectTypes are the types of what rules read.
var objectTypes = map[string]map[string]string{
	"Catalog": {"namespace": "text", "name": "text", "priority": "number", "labels": "map[]text"},
	"Bundle": {
		"name": "text", "package": "text", "version": "exact version", "channels": "[]text", "catalog": "Catalog", "deprecated": "truth",
		"image": "text", "properties": "[]any", "supportEnds": "day", "createdAt": "day", "installedAt": "day",
	},
	"Namespace": {"name": "text", "labels": "map[]text"},
	"Cluster":   {"kubernetesVersion": "version", "openshiftVersion": "version", "namespace": "text", "labels": "map[]text", "today": "day"},
	"Change": {
		"kind": "install|update|downgrade|remove", "from": "Bundle", "to": "Bundle",
		"requested": "truth", "dependency": "truth", "requiredBy": "[]Bundle",
	},
	"Plan": {"name": "text", "pinned": "[]text", "foreign": "[]text", "widens": "[]text", "drops": "[]text"},
}

// What the two sorts of rules know.
var (
	candidateVariables = map[string]string{
		"bundle": "Bundle", "installed": "Bundle", "namespace": "Namespace", "cluster": "Cluster", "properties": "[]any",
	}
	changeVariables = map[string]string{"changes": "[]Change", "plan": "Plan", "namespace": "Namespace", "cluster": "Cluster"}
)

// The environments of the two sorts of rules. Each is made once: that takes longer than
// compiling dozens of rules.
var (
	candidateRules = sync.OnceValues(func() (*rules.Environment, error) {
		return rules.NewEnvironment(rules.Limits{}, candidateVariables, objectTypes)
	})
	changeRules = sync.OnceValues(func() (*rules.Environment, error) {
		return rules.NewEnvironment(rules.Limits{}, changeVariables, objectTypes)
	})
)
