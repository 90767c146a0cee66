package policies

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
)

// Tested is how the cases of a policy ended.
type Tested struct {
	Policy string     `json:"policy"`
	Cases  []CaseDone `json:"cases"`
}

// CaseDone is how a case ended. Line is where the file has it.
type CaseDone struct {
	Name        string       `json:"name"`
	Line        int          `json:"line"`
	Passed      bool         `json:"passed"`
	Differences []Difference `json:"differences"`
	// Why has what the answers say, if the case did not pass: why there are none, their warnings
	// and the reasons to wait.
	Why []string `json:"why"`
}

// Difference is a field that is not as wanted.
type Difference struct {
	Of   string   `json:"of"`
	Want []string `json:"want"`
	Got  []string `json:"got"`
}

// Failed reports whether a case did not pass.
func (t *Tested) Failed() bool {
	return slices.ContainsFunc(t.Cases, func(c CaseDone) bool { return !c.Passed })
}

// RunCases runs the cases of the policy in a file. The error names the case whose inputs cannot
// be used.
func RunCases(ctx context.Context, file string, p *policy.Policy, std inputs.Streams) (*Tested, error) {
	if len(p.Cases) == 0 {
		return nil, fmt.Errorf("%s: the policy has no cases; add some, with name, objects, catalogs and want", file)
	}
	t := &Tested{Policy: p.Name}
	std.Live, std.Err = nil, io.Discard // cases are the same everywhere, and small
	for i := range p.Cases {
		c := &p.Cases[i]
		done, err := runCase(ctx, filepath.Dir(file), p, c, std)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: case %s, line %d: %w", file, c.Name, c.Line, err)
		}
		t.Cases = append(t.Cases, *done)
	}
	return t, nil
}

// results and verdicts are the words that a case may want.
var (
	results = []string{
		string(result.Resolved), string(result.ResultUnsatisfied), string(result.ResultDenied),
		string(result.ResultUnhealthy), string(result.ResultInvalidInput), string(result.ResultAmbiguous),
	}
	verdicts = []string{string(result.VerdictApprove), string(result.VerdictWait)}
)

func runCase(ctx context.Context, folder string, p *policy.Policy, c *policy.Case, std inputs.Streams) (*CaseDone, error) {
	if c.Want.Result != "" && !slices.Contains(results, c.Want.Result) {
		return nil, fmt.Errorf("want.result: unknown result %q; want %s", c.Want.Result, terminal.OneOf(results))
	}
	for _, plan := range slices.Sorted(maps.Keys(c.Want.Approvals)) {
		if verdict := c.Want.Approvals[plan]; !slices.Contains(verdicts, verdict) {
			return nil, fmt.Errorf("want.approvals: %s: unknown verdict %q; want %s", plan, verdict, terminal.OneOf(verdicts))
		}
	}
	problem, err := readCase(ctx, folder, c, std)
	if err != nil {
		return nil, err
	}
	problem.Options.Policies, problem.Options.NoFixes = []*policy.Policy{p}, true
	scopes := problem.Cluster.Scopes()
	if len(scopes) == 0 {
		return nil, errors.New("its objects have no Subscription and no ClusterExtension")
	}
	r, got := resolver.New(), found{result: result.Resolved, rules: map[string]bool{}, approvals: map[string]string{}}
	for _, o := range r.ResolveAll(ctx, problem, scopes) {
		if err := got.add(&o); err != nil {
			return nil, err
		}
	}
	plans, err := r.Approvals(ctx, problem, scopes)
	if err != nil {
		return nil, err
	}
	for _, a := range plans {
		got.approvals[a.Namespace+"/"+a.InstallPlan] = string(a.Verdict)
		for _, reason := range slices.Concat(a.Reasons, a.Warnings) {
			got.says = append(got.says, reason.Message)
			if reason.Rule != "" {
				got.rules[reason.Rule] = true
			}
		}
	}
	done := &CaseDone{c.Name, c.Line, true, got.differences(p, &c.Want), []string{}}
	if len(done.Differences) > 0 {
		done.Passed, done.Why = false, slices.Concat([]string{}, got.fails, got.says)
	}
	return done, nil
}

// readCase reads what a case names, as the flags of commands do.
func readCase(ctx context.Context, folder string, c *policy.Case, std inputs.Streams) (problem resolver.Problem, err error) {
	var flags inputs.Flags
	var choice inputs.ChoiceFlags
	set := pflag.NewFlagSet("case", pflag.ContinueOnError)
	flags.Register(set)
	choice.Register(set)
	give := func(field, flag, value string) {
		if fault := set.Set(flag, value); err == nil && fault != nil {
			err = fmt.Errorf("%s: %s: %w", field, value, errors.Unwrap(fault))
		}
	}
	give("objects", "filename", inputs.Below(folder, c.Objects))
	for _, text := range c.Catalogs {
		give("catalogs", "catalog", text)
	}
	if c.Date != "" {
		give("date", "date", c.Date)
	}
	if err == nil {
		err = flags.CatalogsBelow(folder)
	}
	if err != nil {
		return problem, err
	}
	problem, err = inputs.Open(ctx, &flags, &choice, std)
	if err != nil {
		return problem, err
	}
	problem.Cluster = inputs.Planned(choice.Policies.On(problem.Cluster), problem.Catalogs, std.Err)
	return problem, nil
}

// found is what the answers to a case are.
type found struct {
	result    result.Result
	installs  []string        // NAMESPACE/BUNDLE
	rules     map[string]bool // by their names for people
	approvals map[string]string
	// fails say why there is no answer, says what answers say beside it.
	fails, says []string
}

// add adds an outcome. The error is one that is no answer.
func (f *found) add(o *result.Outcome) error {
	kind := o.Result()
	if kind.Ended() {
		return o.Err
	}
	if f.result == result.Resolved {
		f.result = kind
	}
	if o.Err != nil {
		f.fails = append(f.fails, o.Err.Error())
	}
	answer := o.Resolution
	switch err := o.Err.(type) {
	case *result.Denied:
		answer = err.Of(o.Scope)
		f.reasons(err.Rules)
	case *result.NotSatisfiable:
		f.reasons(err.Constraints)
		for i := range err.Causes {
			f.reasons(err.Causes[i].Constraints)
		}
	}
	if answer != nil {
		for _, i := range answer.Installs {
			f.installs = append(f.installs, o.Scope.Name+"/"+i.Bundle.Name)
		}
		for i := range answer.Warnings {
			f.says = append(f.says, answer.Warnings[i].Message())
		}
		f.reasons(answer.Warnings)
	}
	return nil
}

// reasons notes the rules that reasons name.
func (f *found) reasons(list []result.Reason) {
	for i := range list {
		for _, name := range list[i].Rules() {
			f.rules[name] = true
		}
		f.reasons(list[i].Because())
	}
}

// differences compares what was found with what is wanted.
func (f *found) differences(p *policy.Policy, want *policy.Want) []Difference {
	list := []Difference{}
	differ := func(of string, want, got []string) {
		want, got = slices.Sorted(slices.Values(want)), slices.Sorted(slices.Values(got))
		if !slices.Equal(want, got) {
			list = append(list, Difference{of, append([]string{}, want...), append([]string{}, got...)})
		}
	}
	if want.Result != "" {
		differ("result", []string{want.Result}, []string{string(f.result)})
	}
	if want.Installs != nil {
		if !slices.ContainsFunc(want.Installs, func(name string) bool { return strings.Contains(name, "/") }) {
			for i, name := range f.installs {
				_, f.installs[i], _ = strings.Cut(name, "/")
			}
		}
		differ("installs", want.Installs, f.installs)
	}
	if want.Rules != nil {
		var names []string
		for _, rule := range slices.Concat(p.Candidates, p.Changes) {
			if f.rules[rule.String()] {
				names = append(names, rule.Name)
			}
		}
		differ("rules", want.Rules, names)
	}
	if want.Approvals != nil {
		pairs := func(of map[string]string) (list []string) {
			for name := range maps.Keys(of) {
				list = append(list, name+": "+of[name])
			}
			return list
		}
		differ("approvals", pairs(want.Approvals), pairs(f.approvals))
	}
	return list
}
