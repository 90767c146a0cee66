package outcomes

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/properties/jsonfield"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/scenario"
)

// maxExpected is how large an earlier answer may be. That of a cluster with a thousand
// Subscriptions has some megabytes.
const maxExpected = 256 << 20

// Expected is an earlier answer: of what WriteJSON wrote, the part that is compared.
type Expected struct {
	Namespaces        []answerJSON       `json:"namespaces"`
	ClusterExtensions []answerJSON       `json:"clusterExtensions"`
	Inputs            *scenario.Identity `json:"inputs"`
}

// answerJSON is what is read of an outcomeJSON.
type answerJSON struct {
	Namespace string        `json:"namespace"`
	Name      string        `json:"name"`
	Result    result.Result `json:"result"`
	result.Resolution
	LeftOut  []servedJSON   `json:"leftOut"`
	Warnings jsontext.Value `json:"warnings"` // no part of what is compared
	Error    struct {
		Message string `json:"message"`
	} `json:"error"`
}

// ReadExpected reads what WriteJSON wrote into the file of that name.
func ReadExpected(name string, file io.Reader) (*Expected, error) {
	data, err := io.ReadAll(io.LimitReader(file, maxExpected+1))
	if err != nil {
		return nil, err
	}
	var e Expected
	if len(data) > maxExpected {
		err = fmt.Errorf("larger than the allowed %d MiB", maxExpected>>20)
	} else {
		err = jsonfield.Decode(data, &e, "")
	}
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		at := min(max(int(syntax.ByteOffset), 0), len(data))
		err = fmt.Errorf("line %d: %w", 1+bytes.Count(data[:at], []byte("\n")), syntax.Err)
	}
	if err == nil && e.Inputs == nil {
		err = errors.New("it has no inputs, so it cannot be compared")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w; use a file that 'resolvent resolve -o json' wrote", name, err)
	}
	return &e, nil
}

// Comparison is what differs between an earlier answer and another one.
type Comparison struct {
	differences []differenceJSON
	now         []result.Outcome
}

func (c *Comparison) Any() bool { return len(c.differences) > 0 }

// differenceJSON is what differs for a namespace or ClusterExtension.
type differenceJSON struct {
	Namespace string     `json:"namespace,omitempty"`
	Name      string     `json:"name,omitempty"` // of a ClusterExtension
	Parts     []partJSON `json:"parts"`
	// Reasons are the changes that it can come from.
	Reasons []changedJSON `json:"reasons"`
	title   string
}

// partJSON is one part of an answer, before and now; empty if it is in only one of them.
type partJSON struct {
	Subject string `json:"subject"`
	Before  string `json:"before"`
	Now     string `json:"now"`
}

// Compare says what differs from an answer to what was expected. Without apart, what is
// chosen for one namespace can depend on others.
func (e *Expected) Compare(now []result.Outcome, made *scenario.Identity, apart bool) *Comparison {
	changes := changesOf(e.Inputs, made)
	before, after := map[cluster.Scope]parts{}, map[cluster.Scope]parts{}
	for _, o := range e.Namespaces {
		before[cluster.InNamespace(o.Namespace)] = o.parts()
	}
	for _, o := range e.ClusterExtensions {
		before[cluster.OfExtension(o.Name)] = o.parts()
	}
	for _, o := range now {
		message := ""
		if o.Err != nil {
			message = o.Err.Error()
		}
		after[o.Scope] = partsOf(o.Result(), message, o.Resolution)
	}
	c := &Comparison{differences: []differenceJSON{}, now: now}
	for _, scope := range slices.SortedFunc(maps.Keys(union(before, after)), cluster.Scope.Compare) {
		was, is := before[scope], after[scope]
		if list := was.differences(is); len(list) > 0 {
			why := reasons(changes, scope, was, is, apart)
			c.differences = append(c.differences, differenceJSON{scope.Namespace(), scope.Extension(), list, why, Title(scope)})
		}
	}
	return c
}

// reasons are the changes that a difference can come from: those that concern what was
// resolved, unless what is chosen depends on more, else all.
func reasons(changes []change, scope cluster.Scope, was, is parts, apart bool) []changedJSON {
	asked := cameOrWent(was != nil, is != nil)
	var list []changedJSON
	for _, c := range changes {
		concerned := c.concerns(scope)
		if !apart || concerned {
			list = append(list, c.changedJSON)
		}
		if concerned && c.Changed == "request" && c.Message == asked {
			asked = "" // its requests say so
		}
	}
	if asked != "" {
		list = append(list, changedJSON{"request", Title(scope), asked})
	}
	if len(list) == 0 {
		list = terminal.Mapped(changes, func(c change) changedJSON { return c.changedJSON })
	}
	if len(list) == 0 {
		list = []changedJSON{{"program", "resolvent", "no input differs, so the program or its time limit does"}}
	}
	return list
}

// parts say what an answer does, by subject. What it warns of, and what its bundles are
// for, is no part of it.
type parts map[string]string

// theResult is the subject that says whether there is an answer, and why not.
const theResult = "result"

func (a *answerJSON) parts() parts {
	whole := a.Resolution
	for _, l := range a.LeftOut {
		whole.LeftOut = append(whole.LeftOut, result.LeftOut{Request: cluster.RequestKey{Name: l.Subscription}})
	}
	return partsOf(a.Result, a.Error.Message, &whole)
}

// partsOf returns the parts of an answer, with the message of a failure.
func partsOf(of result.Result, message string, r *result.Resolution) parts {
	parts := parts{theResult: strings.TrimSuffix(string(of)+": "+message, ": ")}
	if message != "" {
		return parts
	}
	for _, i := range r.Installs {
		text := "install " + i.Bundle.Name
		if i.Channel != "" {
			text += " from channel " + i.Channel
		}
		text += " of catalog " + i.Bundle.Catalog.String()
		if i.Release != "" {
			text += ", release " + i.Release
		}
		parts["package "+i.Bundle.Package] = text
		parts["image of "+i.Bundle.Name] = i.Image
	}
	for _, k := range r.Kept {
		parts["package "+cmp.Or(k.Bundle.Package, "of "+k.Bundle.Name)] = "keep " + k.Bundle.Name
	}
	for _, name := range r.Replaced {
		parts["bundle "+name] = "replaced"
	}
	for _, name := range r.Unneeded {
		parts["need of "+name] = "no longer needed"
	}
	for _, l := range r.LeftOut {
		parts["Subscription "+l.Request.Name] = "left out"
	}
	parts["approval"] = r.Approval
	return parts
}

// differences compares the parts of two answers.
func (before parts) differences(now parts) []partJSON {
	var list []partJSON
	if before[theResult] != now[theResult] {
		return []partJSON{{theResult, before[theResult], now[theResult]}}
	}
	for _, subject := range slices.Sorted(maps.Keys(union(before, now))) {
		was, is := before[subject], now[subject]
		// The images of different bundles are no news.
		if was != is && (was != "" && is != "" || !strings.HasPrefix(subject, "image of ")) {
			list = append(list, partJSON{subject, was, is})
		}
	}
	return list
}

// union has the entries of both maps.
func union[K comparable, V any](a, b map[K]V) map[K]V {
	all := map[K]V{}
	maps.Copy(all, a)
	maps.Copy(all, b)
	return all
}

// asExpected says so, and how much cannot be resolved as before.
func (c *Comparison) asExpected() string {
	failed, list := map[bool]int{}, []string{}
	for _, o := range c.now {
		if Unresolved(o) {
			failed[o.Scope.Alone()]++
		}
	}
	for i, thing := range []string{"namespace", "ClusterExtension"} {
		if n := failed[i == 1]; n > 0 {
			list = append(list, terminal.Count(n, thing))
		}
	}
	if len(list) == 0 {
		return "the answer is as expected\n"
	}
	return "as expected: " + strings.Join(list, " and ") + " cannot be resolved\n"
}

// WriteComparison prints what differs, for people.
func WriteComparison(p *terminal.Page, c *Comparison) {
	if !c.Any() {
		p.WriteString(c.asExpected())
	}
	p.Each(len(c.differences), "difference", func(i int) bool {
		w, d := &p.Buffer, &c.differences[i]
		if i > 0 {
			w.WriteByte('\n')
		}
		terminal.Printf(w, "%s %s from what was expected\n", p.Bold(d.title+":"), terminal.Count(len(d.Parts), "difference"))
		terminal.Section(w, p.Bold("Now"), terminal.Mapped(d.Parts, func(p partJSON) terminal.Lines {
			line := func(s string) string { return terminal.Plain(terminal.Flat(cmp.Or(s, "nothing"))) }
			return terminal.Lines(terminal.Plain(p.Subject) + ": " + line(p.Now) + "\nbefore: " + line(p.Before))
		}))
		terminal.Section(w, p.Bold("What changed"), terminal.Mapped(d.Reasons, func(r changedJSON) string {
			return r.Changed + " " + r.Subject + ": " + r.Message
		}))
		return true
	})
}
