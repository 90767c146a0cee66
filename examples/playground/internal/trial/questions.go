package trial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/resolvent/resolvent/resolver/graph"
	"github.com/resolvent/resolvent/resolver/migrate"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/text"
)

// nothing is the answer without requests.
const nothing = "There is no Subscription and no ClusterExtension.\n"

func askResolve(ctx context.Context, p *problem, a *Answer) error {
	var said strings.Builder
	drawing := &graph.Drawing{}
	a.Table = append(a.Table, []string{"Bundle", "Package", "Version", "Channel", "For"})
	for i, o := range p.resolver.ResolveAll(ctx, p.Problem, p.scopes) {
		if i > 0 {
			said.WriteByte('\n')
		}
		var unsatisfied *result.NotSatisfiable
		var denied *result.Denied
		switch title := o.Scope.String(); {
		case o.Err == nil:
			said.WriteString(title + ": resolved\n" + a.resolved(o.Resolution))
			drawing.AddAnswer(title, o.Resolution)
		case errors.As(o.Err, &unsatisfied):
			said.WriteString(title + ": cannot be resolved\n" + a.add(text.Of(o.Err, nil), &unsatisfied.Help))
			for _, c := range unsatisfied.Causes {
				drawing.AddExplanation(title, c.Explanation)
			}
		case errors.As(o.Err, &denied):
			resolution := denied.Of(o.Scope)
			said.WriteString(title + ": " + denied.Error() + "\n" + a.resolved(resolution) + a.add(text.OfHelp(&denied.Help), &denied.Help))
			drawing.AddAnswer(title, resolution)
		default:
			said.WriteString(title + ": not resolved\n" + a.add(text.Of(o.Err, nil), result.HelpOf(o.Err)))
			drawing.AddNote(title, o.Err.Error())
		}
	}
	a.Text = cmp.Or(said.String(), nothing)
	if len(p.scopes) > 0 {
		a.draw(drawing)
	}
	return nil
}

// resolved adds the bundles of a resolution to the table, and returns its lines.
func (a *Answer) resolved(r *result.Resolution) string {
	var text strings.Builder
	for _, i := range r.Installs {
		served := ""
		if len(i.For) > 0 {
			if served = i.For[0].Bundle; i.For[0].Request.Name != "" {
				served = i.For[0].Request.String()
			}
		}
		a.Table = append(a.Table, []string{i.Bundle.Name, i.Bundle.Package, i.Version.String(), i.Channel, served})
		text.WriteString("  install " + i.Bundle.Name + " for " + served)
		if slices.Contains(r.Replaced, i.Replaces) {
			text.WriteString(", replacing " + i.Replaces)
		}
		text.WriteByte('\n')
	}
	for _, k := range r.Kept {
		text.WriteString("  keep " + k.Bundle.Name + "\n")
	}
	for _, name := range r.Unneeded {
		text.WriteString("  nothing needs " + name + " any more\n")
	}
	for _, w := range r.Warnings {
		said := w.Message()
		if subject := w.Args().Subject; !strings.HasPrefix(said, subject) {
			said = subject + ": " + said
		}
		text.WriteString("  warning: " + said + "\n")
	}
	return text.String()
}

func askStatus(ctx context.Context, p *problem, a *Answer) error {
	rows, err := p.resolver.Status(ctx, p.Problem, slices.Concat(p.scopes, p.Cluster.Forgotten()), nil)
	if err != nil {
		return err
	}
	var said strings.Builder
	drawing := &graph.Drawing{}
	a.Table = append(a.Table, []string{"Request", "Channel", "Installed", "Next", "Head", "Steps", "State"})
	seen := map[string]bool{} // what several requests say stands once
	for i := range rows {
		row := &rows[i]
		steps := ""
		if row.Steps > 0 {
			steps = strconv.Itoa(row.Steps)
		}
		name := row.Request.String()
		if row.Request.Name == "" {
			name = row.Installed // of no Subscription
		}
		a.Table = append(a.Table, []string{name, row.Channel, row.Installed, row.Next, row.Head, steps, string(row.State)})
		fmt.Fprintf(&said, "%s: %s\n", name, row.State)
		if reason := row.Reason(); reason != "" {
			said.WriteString("  " + reason + "\n")
		}
		if row.Why != nil {
			drawing.AddExplanation(row.Request.String(), row.Why)
		}
		before := len(a.Fixes)
		rest := a.add(text.OfHelp(&row.Help), &row.Help)
		if key := fmt.Sprint(a.Fixes[before:], rest); seen[key] {
			a.Fixes, a.fixes = a.Fixes[:before], a.fixes[:before]
		} else if seen[key] = true; rest != "" {
			said.WriteString("  " + strings.ReplaceAll(strings.Trim(rest, "\n"), "\n", "\n  ") + "\n")
		}
	}
	a.Text = cmp.Or(said.String(), nothing)
	if slices.ContainsFunc(rows, func(s result.Status) bool { return s.Why != nil }) {
		a.draw(drawing)
	}
	return nil
}

func askMigrate(ctx context.Context, p *problem, a *Answer) error {
	plan, err := migrate.Judge(ctx, p.resolver, p.Problem)
	if err != nil {
		return err
	}
	var text strings.Builder
	a.Table = append(a.Table, []string{"Subscription", "Installed", "State", "Order", "OLM v0 next", "OLM v1 next"})
	for i := range plan.Rows {
		row := &plan.Rows[i]
		order := ""
		if row.Order > 0 {
			order = strconv.Itoa(row.Order)
		}
		name := row.Namespace + "/" + row.Subscription
		a.Table = append(a.Table, []string{name, row.Installed, string(row.State), order, row.Next.V0, row.Next.V1})
		fmt.Fprintf(&text, "%s: %s\n", name, row.State)
		for _, c := range row.Checks {
			if c.Result == migrate.Fails {
				text.WriteString("  " + c.ID + " fails: " + c.Message + "\n")
			}
		}
		if row.Next.Why != "" {
			text.WriteString("  " + row.Next.Why + "\n")
		}
		if len(row.Dependents) > 0 {
			text.WriteString("  " + strings.Join(row.Dependents, ", ") + " stays with OLM v0 and depends on it\n")
		}
		for _, c := range row.Changes {
			text.WriteString("  to change: " + c.Text + "\n")
		}
	}
	if len(plan.Rows) == 0 {
		text.WriteString("There is no Subscription.\n")
	}
	objects, err := manifests(ctx, plan.Objects)
	if err != nil {
		return err
	}
	if len(objects) > 0 {
		text.WriteString("\nTo apply:\n\n")
	}
	for i, o := range objects {
		if i > 0 {
			text.WriteString("---\n")
		}
		text.WriteString(o.text)
	}
	a.Text = text.String()
	return nil
}
