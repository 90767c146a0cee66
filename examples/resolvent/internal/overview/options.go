package overview

import (
	"errors"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/fixes"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/updates"
)

// Given is where catalogs were read from, as the flags say.
type Given map[catalog.Key]string

// OptionTexts says what options of the program would do about a failure.
func OptionTexts(help *fixes.Help, err error, given Given) []string {
	var list []string
	if unhealthy, ok := errors.AsType[*result.CatalogsUnhealthy](err); ok {
		for _, c := range unhealthy.Catalogs {
			if c.NotGiven() {
				text := given.text(&c, unhealthy.Scope)
				if len(list) > 0 {
					text = strings.TrimSuffix(text, fromIs)
				}
				list = append(list, text)
			}
		}
	}
	for i, text := range help.OptionTexts() {
		var flags []string
		for _, s := range help.Options[i].Steps() {
			switch {
			case s.Field == "lenientHealth":
				flags = append(flags, "--lenient-health")
			case s.Field == "excludeCatalogs" && s.To != nil:
				flags = append(flags, "--exclude-catalog "+terminal.Word(strings.TrimPrefix(s.Object.Namespace+"/"+s.Object.Name, "/")))
			}
		}
		if len(flags) == len(help.Options[i].Steps()) {
			text = "with " + strings.Join(flags, " ") + " the answer is: " + help.Options[i].Then.Text()
		}
		list = append(list, text)
	}
	return list
}

// text says how to give the content of a catalog that a request of a scope takes.
func (g Given) text(c *result.UnhealthyCatalog, of cluster.Scope) string {
	k := c.Key
	if k.Namespace == "" && !of.Alone() {
		k.Namespace = "NAMESPACE"
	}
	if from := g[c.GivenAs()]; from != "" {
		return "if it is what was given as " + c.GivenAs().String() + ", give it as what the cluster calls it: --catalog " + terminal.Word(k.String()) + "=" + terminal.Word(from)
	}
	return "give the content of catalog " + c.Key.String() + ": " + giveFlag(k.String())
}

func giveFlag(catalog string) string { return "--catalog " + terminal.Word(catalog) + "=FROM" + fromIs }

// fromIs explains FROM, once in a list.
const fromIs = " ('opm render IMAGE -o json' prints one; 'resolvent help catalogs' says what else FROM can be)"

// GiveOrLeave says how to have catalogs of the cluster judged.
func GiveOrLeave(catalogs []catalog.Key) string {
	first := catalogs[0].String()
	return "give " + terminal.Verb(len(catalogs), "it", "each, as") + " with " + giveFlag(first) + ", or leave it out with --exclude-catalog " + terminal.Word(first)
}

func notGivenNames(help *fixes.Help) string {
	return "catalog" + terminal.Verb(len(help.NotGiven), "", "s") + " " + terminal.Few(terminal.Mapped(help.NotGiven, catalog.Key.String))
}

// NotGivenTexts say which catalogs of the cluster may have what is missing, and how to give them.
func NotGivenTexts(help *fixes.Help) []string {
	if _, text := help.NotGivenText(); text != "" {
		return []string{text + "; " + GiveOrLeave(help.NotGiven)}
	}
	return nil
}

// RiskyText says where the fixes of rows are that are at a risk: of several, in general. Without a
// head there is no bundle to ask about. It says that nothing has to be done at once if that holds for
// all of them.
func RiskyText(rows []*Row) string {
	command := func(r *Row) string { return r.riskyCommand(r.Package, r.Request.Namespace) }
	first, leave, of := command(rows[0]), ", nothing has to be done at once, as what is installed keeps running", ": "
	if slices.ContainsFunc(rows, func(r *Row) bool { return r.help().LeaveText() == "" }) {
		leave, of = "", ", "
	}
	if !slices.ContainsFunc(rows, func(r *Row) bool { return command(r) != first }) {
		return "No safe fix" + leave + ": " + first + " lists those at a risk"
	}
	var commands []string // for rows with a head, and for those without
	for _, headless := range []bool{false, true} {
		at := slices.IndexFunc(rows, func(r *Row) bool { return (r.Head == "") == headless })
		if at >= 0 {
			namespace := map[bool]string{true: "NAMESPACE"}[rows[at].Request.Namespace != ""]
			commands = append(commands, rows[at].riskyCommand("PACKAGE", namespace))
		}
	}
	text := "Where there is no safe fix" + leave + of + commands[0] + " lists those at a risk"
	if len(commands) > 1 {
		text += "; where no channel offers the package, " + commands[1] + " lists them"
	}
	return text
}

// help is what helps the request now.
func (r *Row) help() *fixes.Help {
	if r.Err != nil {
		return fixes.HelpOf(r.Err)
	}
	return &r.Help
}

// riskyCommand is the command that lists fixes at a risk. A package that is a flag, or that no shell can
// be given, is left to the reader.
func (r *Row) riskyCommand(pkg, namespace string) string {
	if strings.HasPrefix(pkg, "-") || terminal.Plain(pkg) != pkg {
		pkg = "PACKAGE"
	}
	ask := []string{"resolvent", "why-not", pkg}
	if r.Head == "" {
		ask = []string{"resolvent", "resolve"}
	}
	if namespace != "" {
		ask = append(ask, "-n", namespace)
	}
	return terminal.Command(ask...)
}

// FixText is the best of what helps a request, if anything is known.
func FixText(r *updates.Status, given Given) string {
	if r.Why == nil { // the reason is another than what OLM states
		own := *r
		own.Repair, r = nil, &own
	}
	if r.Repair != nil && len(r.Repair.Steps()) > 0 {
		return strings.Join(r.Repair.Steps(), ", then ") + ": " + r.Repair.Then()
	}
	if wait := r.WaitText(); wait != "" {
		return wait
	}
	if len(r.Fixes) > 0 {
		return Risk(&r.Fixes[0]) + r.Fixes[0].Text(r.Request.Namespace)
	}
	if list := slices.Concat(NotGivenTexts(&r.Help), OptionTexts(fixes.HelpOf(r.Err), r.Err, given)); len(list) > 0 {
		return list[0]
	}
	return r.SearchText()
}

// Risk is what stands before a fix that gives up requests, or that is at a risk.
func Risk(f *fixes.Fix) string {
	switch f.Class {
	case fixes.ClassGivesUp, fixes.ClassAbandons:
		return "to give up: "
	case fixes.ClassRemoves, fixes.ClassOverrides:
		return "at a risk: "
	}
	return ""
}
