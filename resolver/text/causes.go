package text

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// head returns the demands that cannot hold together, and why, a line each.
func head(c *result.Cause) []string {
	text := c.Explanation.Text()
	if len(c.After) > 0 {
		text = c.Explanation.Cause()
	}
	if len(c.Likewise) > 0 {
		text += words.Unbroken("; likewise " + words.Listed(c.Likewise, words.MaxLikewise))
	}
	return strings.Split(text, "\n")
}

// derivation returns the lines of the derivation below its head.
func derivation(c *result.Cause) []string {
	lines := tree(c)
	return lines[min(len(lines), strings.Count(c.Explanation.Text(), "\n")+1):]
}

// tree returns the derivation of a cause, its head first.
func tree(c *result.Cause) []string {
	return strings.Split(strings.TrimSpace(c.Explanation.String()), "\n")
}

// inWhole returns the causes with their derivations, as far as these are not too long.
func (a *Advice) inWhole() (list [][]string) {
	e, ok := errors.AsType[*result.NotSatisfiable](a.err)
	if !ok || len(e.Causes) == 0 {
		for _, c := range a.Why {
			if !c.after {
				list = append(list, c.Lines)
			}
		}
		return append(list, uncovered(a.err)...)
	}
	most, more := maxLines, e.MoreCauses
	for _, c := range e.News() {
		if len(list) > maxFurther {
			more++
			continue
		}
		lines := tree(&c)
		if n := len(lines) - most; n > 0 {
			lines = append(lines[:most-1], fmt.Sprintf("  ... and %d more lines", n+1))
		}
		list, most = append(list, lines), maxFurtherLines
	}
	list = append(list, uncovered(e)...)
	if more > 0 {
		list = append(list, []string{"and " + words.Count(more, "further cause")})
	}
	if e.CutOff != nil {
		list = append(list, []string{fmt.Sprintf("The search for further causes was cut off: %v.", e.CutOff)})
	}
	return list
}

// uncovered returns the first causes behind those that an error states, each with the changes after
// which it is one.
func uncovered(err error) [][]string {
	causes, home := result.FurtherOf(err).Uncovered, result.HelpOf(err).Home
	return words.Mapped(causes[:min(maxUncovered, len(causes))], func(c result.Cause) []string {
		once := "Once you " + (&result.Fix{Changes: c.After}).Do(home) + ":"
		return slices.Concat([]string{once}, strings.Split(c.Explanation.Text(), "\n"))
	})
}

// proceed returns how many requests wait, and without which of them the others could proceed, empty
// if none could.
func proceed(e *result.NotSatisfiable) string {
	if len(e.Blocking) == 0 || len(e.Proceeding) == 0 {
		return ""
	}
	named := func(list []cluster.RequestKey) string {
		names := words.Mapped(list, func(k cluster.RequestKey) string { return k.Name + words.InOther(k.Namespace, e.Home) })
		return "Subscription" + words.Plural(len(list)) + " " + words.Listed(names, words.MaxNamed)
	}
	return words.Unbroken(fmt.Sprintf("None of the %d Subscriptions proceeds until this is solved. Without %s, %s can proceed.",
		len(e.Blocking)+len(e.Proceeding), named(e.Blocking), named(e.Proceeding)))
}
