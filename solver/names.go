package solver

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Named names what a Problem consists of. A [Problem] may implement it as well; its
// errors then print the names in place of the caller's handles. An empty name leaves
// the handle.
//
// Nothing asks for a name before an error is printed, which may happen at any time
// and on any goroutine. So the error keeps the problem, and the methods must be safe
// for concurrent use. Names may hold anything: a text shows them on one line, and
// clips them after 300 bytes.
type Named interface {
	// VarName returns the name of v, such as "db 3".
	VarName(v Var) string

	// RuleName returns the sentence that a rule of owner stands for, such as "web 2
	// needs db at least 3". If owner is None, it is the sentence of a root.
	RuleName(owner Var, rule int) string

	// GroupName returns the name of g as it follows "at most one of".
	GroupName(g Group) string
}

// noNames stands for the names of a problem that has none.
var noNames Named = new(Model)

// namesOf returns the names of p, nil if it has none.
func namesOf(p Problem) Named {
	names, _ := p.(Named)
	return names
}

func varText(names Named, v Var) string {
	return cmp.Or(oneLine(names.VarName(v)), fmt.Sprintf("variable %d", v))
}

// ruleText describes a rule of owner, or a root if owner is None.
func ruleText(names Named, owner Var, rule int) string {
	if name := oneLine(names.RuleName(owner, rule)); name != "" {
		return name
	}
	if owner == None {
		return fmt.Sprintf("root %d", rule)
	}
	return fmt.Sprintf("rule %d of %s", rule, varText(names, owner))
}

func groupText(names Named, g Group) string {
	return cmp.Or(oneLine(names.GroupName(g)), fmt.Sprintf("group %d", g))
}

// maxName bounds a name in a text, in bytes.
const maxName = 300

// oneLine returns a name as valid UTF-8 without line breaks and other control
// characters, clipped to maxName.
func oneLine(name string) string {
	name = strings.ToValidUTF8(name, "\uFFFD")
	words := strings.FieldsFunc(name, func(c rune) bool { return unicode.IsSpace(c) || unicode.IsControl(c) })
	name = strings.Join(words, " ")
	if len(name) <= maxName {
		return name
	}
	const mark = "..."
	end := maxName - len(mark)
	for !utf8.RuneStart(name[end]) {
		end--
	}
	return name[:end] + mark
}
