package overview

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/text"
)

// Call is how the program was called, for texts on what to call next. The zero Call names resolvent
// and no flags.
type Call struct {
	// Program is its name, and Repeat the flags that a further call needs as well.
	Program, Repeat string
	// Loaded is true if it read a saved problem, beside which no namespace is chosen.
	Loaded bool
	// Given is where catalogs were read from, as the flags say.
	Given map[catalog.Key]string
}

// Command is a command of the program, without the flags to repeat.
func (c Call) Command(words ...string) string {
	return terminal.Command(append(strings.Fields(cmp.Or(c.Program, "resolvent")), words...)...)
}

// With says which flags of this call the commands before it need, too.
func (c Call) With() string {
	if c.Repeat == "" {
		return ""
	}
	return " (with " + c.Repeat + ")"
}

// OptionTexts says what options of the program would do about a failure.
func (c Call) OptionTexts(help *result.Help, err error) []string {
	var list []string
	if len(help.Elsewhere) > 0 {
		list = append(list, help.OptionTexts()[0]+": --catalog "+terminal.Word(help.Elsewhere[0].String())+"=FROM")
	}
	if unhealthy, ok := errors.AsType[*result.CatalogsUnhealthy](err); ok {
		for _, u := range unhealthy.Catalogs {
			if u.NotGiven() {
				give := c.give(&u, unhealthy.Scope)
				if len(list) > 0 {
					give = strings.TrimSuffix(give, c.fromIs())
				}
				list = append(list, give)
			}
		}
	}
	for i := range help.Options {
		said := help.Options[i].Text(help.Home)
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
			said = "with " + strings.Join(flags, " ") + ": " + help.Options[i].Then.Text()
		}
		list = append(list, said)
	}
	return list
}

// give says how to give the content of a catalog that a request of a scope takes.
func (c Call) give(u *result.UnhealthyCatalog, of cluster.Scope) string {
	k := u.Key
	if k.Namespace == "" && !of.Alone() {
		k.Namespace = "NAMESPACE"
	}
	if from := c.Given[u.GivenAs()]; from != "" {
		return "if it is the one you passed as " + u.GivenAs().String() + ", pass it by the cluster's name for it: --catalog " + terminal.Word(k.String()) + "=" + terminal.Word(from)
	}
	return "pass catalog " + u.Key.String() + " with " + c.giveFlag(k.String())
}

func (c Call) giveFlag(catalog string) string {
	return "--catalog " + terminal.Word(catalog) + "=FROM" + c.fromIs()
}

// fromIs explains FROM, once in a list.
func (c Call) fromIs() string {
	return " ('opm render IMAGE -o json' prints one; see '" + c.Command("help", "catalogs") + "')"
}

// GiveOrLeave says how to have catalogs of the cluster judged.
func (c Call) GiveOrLeave(catalogs []catalog.Key) string {
	first := catalogs[0].String()
	return "pass " + terminal.Verb(len(catalogs), "it", "each, as") + " with " + c.giveFlag(first) + ", or leave it out with --exclude-catalog " + terminal.Word(first)
}

// NotGivenTexts say which catalogs of the cluster may have what is missing, and how to give them.
func (c Call) NotGivenTexts(help *result.Help) []string {
	if len(help.NotGiven) == 0 {
		return nil
	}
	return terminal.Mapped(text.OfHelp(help).NotGiven, func(said string) string { return said + "; " + c.GiveOrLeave(help.NotGiven) })
}

// RiskyText says where the fixes of rows are that are at a risk: of several, in general. Without a
// head there is no bundle to ask about. It says that nothing has to be done at once if that holds for
// all of them.
func (c Call) RiskyText(rows []*Row) string {
	command := func(r *Row) string { return c.riskyCommand(r, r.Package, r.Request.Namespace) }
	first, leave := command(rows[0]), "No immediate action needed: what is installed keeps running. "
	if slices.ContainsFunc(rows, func(r *Row) bool {
		wait, _ := r.help().WaitFor()
		return wait != "" || len(r.help().Runs) == 0
	}) {
		leave = ""
	}
	if !slices.ContainsFunc(rows, func(r *Row) bool { return command(r) != first }) {
		return "No safe fix. " + leave + "For riskier options, run " + first + c.With()
	}
	var commands []string // for rows with a head, and for those without
	for _, headless := range []bool{false, true} {
		at := slices.IndexFunc(rows, func(r *Row) bool { return (r.Head == "") == headless })
		if at >= 0 {
			namespace := map[bool]string{true: "NAMESPACE"}[rows[at].Request.Namespace != ""]
			commands = append(commands, c.riskyCommand(rows[at], "PACKAGE", namespace))
		}
	}
	said := leave + "If there is no safe fix, run " + commands[0] + " for riskier options"
	if len(commands) > 1 {
		said += "; if no channel offers the package, " + commands[1]
	}
	return said + c.With()
}

// help is what helps the request now.
func (r *Row) help() *result.Help {
	if r.Err != nil {
		return result.HelpOf(r.Err)
	}
	return &r.Help
}

// riskyCommand is the command that lists fixes at a risk. A package that is a flag, or that no shell can
// be given, is left to the reader.
func (c Call) riskyCommand(r *Row, pkg, namespace string) string {
	if strings.HasPrefix(pkg, "-") || terminal.Plain(pkg) != pkg {
		pkg = "PACKAGE"
	}
	ask := []string{"why-not", pkg}
	if r.Head == "" {
		ask = []string{"resolve"}
	}
	if namespace != "" && !c.Loaded {
		ask = append(ask, "-n", namespace)
	}
	return c.Command(ask...)
}

// FixText is the best of what helps a request, if anything is known.
func (c Call) FixText(r *result.Status) string {
	if text := r.FixText(); text != "" {
		return text
	}
	if list := slices.Concat(c.NotGivenTexts(&r.Help), c.OptionTexts(result.HelpOf(r.Err), r.Err)); len(list) > 0 {
		return list[0]
	}
	return text.OfHelp(&r.Help).CutOff
}
