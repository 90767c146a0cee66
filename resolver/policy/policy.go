package policy

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/constraints/rules"
)

// Policy is a set of rules that a person wrote in a file: what may be installed, and which
// answers are right. [Parse] returns one, with its rules compiled. It is immutable and safe
// for any number of goroutines.
type Policy struct {
	// Name is metadata.name.
	Name string
	// Candidates judge each bundle that may be newly selected, Changes each answer.
	Candidates, Changes []*Rule
	// Source is the text that Parse read.
	Source string
	// Cases are those that the file states to test its rules.
	Cases []Case
}

// Rule is one rule of a Policy.
type Rule struct {
	// Policy is the name of the policy, Name that of the rule.
	Policy, Name string
	// Deny is the CEL rule that is true for what the rule denies.
	Deny string
	// Message is a text for people, empty if the rule states none.
	Message string
	// Warn is true if the rule only warns.
	Warn bool

	line     int     // of the file
	where    []match // of the policy and of the rule
	compiled *rules.Rule
	number   uint64 // no other rule of the process has it
}

// match says where a rule applies. An empty part admits everything.
type match struct {
	namespaces, packages []string
	labels               map[string]string // of the catalog
}

// anyOf reports whether a glob matches the name, or there is none.
func anyOf(globs []string, name string) bool {
	for _, glob := range globs {
		if ok, _ := path.Match(glob, name); ok {
			return true
		}
	}
	return len(globs) == 0
}

func (m *match) admits(b *Bundle) bool {
	for name, value := range m.labels {
		if b.Labels[name] != value {
			return false
		}
	}
	return anyOf(m.packages, b.Bundle.Package)
}

// In reports whether the rule counts in a namespace.
func (r *Rule) In(namespace string) bool {
	for i := range r.where {
		if !anyOf(r.where[i].namespaces, namespace) {
			return false
		}
	}
	return true
}

// About reports whether the rule counts for a bundle.
func (r *Rule) About(b *Bundle) bool {
	for i := range r.where {
		if !r.where[i].admits(b) {
			return false
		}
	}
	return true
}

// Namespace returns a namespace in which the rule counts: the one that is asked for or, if none
// is, one whose name its patterns make. It is empty if there is none.
func (r *Rule) Namespace(asked string) string {
	names := []string{asked}
	if asked == "" {
		names = []string{"default"}
		for i := range r.where {
			for _, glob := range r.where[i].namespaces {
				names = append(names, strings.NewReplacer("*", "x", "?", "x").Replace(glob))
			}
		}
	}
	for _, name := range names {
		if r.In(name) {
			return name
		}
	}
	return ""
}

// Reads reports whether the rule may read a field of a variable, such as createdAt of bundle, or any
// if the field has no name.
func (r *Rule) Reads(variable, field string) bool {
	return field == "" && r.compiled.Uses(variable) || field != "" && r.compiled.Reads(variable, field)
}

// Where says for which packages and catalogs the rule counts, empty if for all.
func (r *Rule) Where() string {
	var list []string
	for i := range r.where {
		if m := &r.where[i]; len(m.packages) > 0 {
			list = append(list, "package "+strings.Join(m.packages, " or "))
		}
		for _, name := range slices.Sorted(maps.Keys(r.where[i].labels)) {
			list = append(list, "catalog label "+name+": "+r.where[i].labels[name])
		}
	}
	return strings.Join(list, ", ")
}

// String names the rule.
func (r *Rule) String() string { return "rule " + r.Name + " of policy " + r.Policy }

// Case is a test of a Policy: a file of objects, catalogs for it as --catalog names them, and
// what is wanted.
type Case struct {
	Name     string
	Line     int // of the file
	Objects  string
	Catalogs []string
	Date     string
	Want     Want
}

// Want is what a Case wants. An empty part is not judged.
type Want struct {
	// Result is the result of resolving the objects: of the first scope that is not
	// resolved, else resolved.
	Result string
	// Installs are the bundles that are installed, by name or all as NAMESPACE/BUNDLE, in any
	// order.
	Installs []string
	// Rules are those that the answer, its failure or the verdict on an InstallPlan names, in any
	// order.
	Rules []string
	// Approvals has the verdict of each InstallPlan that waits, by NAMESPACE/NAME.
	Approvals map[string]string
}
