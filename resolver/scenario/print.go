package scenario

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/text"
)

// printer prints outcomes. Without texts it leaves out the sentences for people: these may
// change although the outcome does not.
type printer struct {
	out   *strings.Builder
	texts bool
}

func (p *printer) line(format string, args ...any) {
	fmt.Fprintf(p.out, "  "+format+"\n", args...)
}

// message prints a subject and, with texts, its message.
func (p *printer) message(what, message string) {
	if p.texts {
		what += ": " + message
	}
	p.line("%s", what)
}

func (p *printer) outcome(o *result.Outcome) {
	title := o.Scope.Name
	if o.Scope.Kind == cluster.KindExtension {
		title = "extension " + title
	}
	if o.Err != nil {
		p.failure(title, o.Err)
		if e, denied := errors.AsType[*result.Denied](o.Err); denied {
			p.resolution(e.Of(o.Scope))
		}
		return
	}
	fmt.Fprintf(p.out, "%s: %s\n", title, result.Resolved)
	p.resolution(o.Resolution)
}

func (p *printer) resolution(r *result.Resolution) {
	for i := range r.Installs {
		in := &r.Installs[i]
		line := fmt.Sprintf("install %s from %s", in.Bundle.Name, in.Bundle.Catalog)
		if in.Channel != "" {
			line += ", channel " + in.Channel
		}
		if in.Replaces != "" {
			line += ", replaces " + in.Replaces
		}
		p.line("%s%s", line, served(in.For))
	}
	for i := range r.Kept {
		p.line("keep %s%s", r.Kept[i].Bundle.Name, served(r.Kept[i].For))
	}
	for _, bundle := range r.Replaced {
		p.line("replaced %s", bundle)
	}
	if r.Manual() {
		manual := words.Mapped(r.ManualFor, func(k cluster.RequestKey) result.Obligation { return result.Obligation{Request: k} })
		p.line("approval %s%s", r.Approval, served(manual))
	}
	for _, bundle := range r.Unneeded {
		p.line("unneeded %s", bundle)
	}
	for _, l := range r.LeftOut {
		p.message("left out"+served([]result.Obligation{{Request: l.Request}}), oneLine(l.Err))
	}
	for _, w := range r.Warnings {
		p.message(fmt.Sprintf("warning %s %s", w.Kind(), w.Args().Subject), w.Message())
	}
}

func (p *printer) path(asked pathQuestion, path *result.Path, err error) {
	title := fmt.Sprintf("path of %s in %s", asked.Package, asked.Namespace)
	var none *result.NoPath
	switch {
	case errors.As(err, &none):
		fmt.Fprintf(p.out, "%s: none from %s to %s\n", title, none.From, none.To)
		for _, b := range none.Blocked {
			p.message(fmt.Sprintf("%s cannot follow %s", b.To, b.From), oneLine(b.Err))
		}
		if p.texts {
			p.line("%s", oneLine(err))
			for i := range none.Fixes {
				p.line("would help: %s", none.Fixes[i].Text(asked.Namespace))
			}
		}
	case err != nil:
		p.failure(title, err)
	default:
		fmt.Fprintf(p.out, "%s: %d steps from %s to %s\n", title, len(path.Steps), path.From, path.To)
		for _, step := range path.Steps {
			p.line("%s", step)
			if step.Channel != "" {
				continue
			}
			for i := range step.Resolution.Installs {
				if other := step.Resolution.Installs[i].Bundle.Name; other != step.Bundle {
					p.line("  with %s", other)
				}
			}
		}
	}
}

// served returns the requests and bundles whose obligations a bundle satisfies, each once.
func served(list []result.Obligation) string {
	var names []string
	for _, s := range list {
		name := s.Bundle
		if s.Namespace != "" {
			name = s.Namespace + "/" + name
		}
		switch s.Request.Kind {
		case cluster.KindSubscription:
			name = "subscription " + s.Request.Name
		case cluster.KindExtension:
			name = "extension " + s.Request.Name
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if names == nil {
		return ""
	}
	return "; for " + strings.Join(names, ", ")
}

func oneLine(err error) string {
	if err == nil {
		return ""
	}
	return strings.ReplaceAll(err.Error(), "\n", " ")
}

func (p *printer) failure(title string, err error) {
	what := result.Of(err)
	fmt.Fprintf(p.out, "%s: %s\n", title, what)
	switch what {
	case result.ResultUnsatisfied:
		e, _ := errors.AsType[*result.NotSatisfiable](err)
		for _, c := range e.Constraints {
			p.message(fmt.Sprintf("%s %s", c.Kind(), c.Args().Subject), c.Message())
		}
	case result.ResultUnhealthy:
		e, _ := errors.AsType[*result.CatalogsUnhealthy](err)
		for _, c := range e.Catalogs {
			p.message("catalog "+c.Key.String(), oneLine(c.Err))
		}
	case result.ResultInvalidInput:
		e, _ := errors.AsType[*result.InvalidInput](err)
		p.message(e.Subject, oneLine(e.Err))
	case result.ResultAmbiguous:
		e, _ := errors.AsType[*result.Ambiguous](err)
		for _, catalog := range e.Catalogs {
			p.line("catalog %s", catalog)
		}
	case result.ResultDenied:
		e, _ := errors.AsType[*result.Denied](err)
		for _, r := range e.Rules {
			p.message(fmt.Sprintf("%s %s", r.Kind(), r.Args().Subject), r.Message())
		}
	case result.ResultInternal:
		p.line("%s", oneLine(err))
	}
	// Of an error without causes, the report says more than the error if anything helps.
	if advice := text.Of(err, nil); p.texts && (what == result.ResultUnsatisfied || len(advice.Sections(text.Limits{})) > 1) {
		p.line("report:")
		for line := range strings.Lines(advice.Text(text.Limits{})) {
			p.out.WriteString(strings.TrimRight("    "+line, " \n") + "\n")
		}
	}
}
