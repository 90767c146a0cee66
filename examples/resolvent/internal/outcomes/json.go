package outcomes

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/resolvent/resolvent/examples/resolvent/internal/overview"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/scenario"
)

// Documents are the types of what is written for programs, by command. They are the results of the
// library, with what this program adds and the frame around them. A json tag is a public key. Keys are
// never renamed; new ones may come.
var Documents = map[string][]any{
	"resolve": {reportJSON{}},
	"path":    {pathWith{}, result.NoPath{}, pathErrorJSON{}},
	"why":     {explanationsJSON{}},
	"why-not": {explanationsJSON{}},
	"status":  {statusRowsJSON{}, statusJSON{}, withoutListJSON{}},
}

type reportJSON struct {
	Namespaces        terminal.List[outcomeWith] `json:"namespaces"`
	ClusterExtensions terminal.List[outcomeWith] `json:"clusterExtensions"`
	// Inputs are what this was made from.
	Inputs *inputsJSON `json:"inputs"`
}

// inputsJSON is a scenario.Identity.
type inputsJSON struct {
	Catalogs          []scenario.CatalogIdentity             `json:"catalogs"`
	Requests          terminal.List[scenario.ObjectIdentity] `json:"requests"`
	Choices           string                                 `json:"choices"`
	Cluster           terminal.List[scenario.ObjectIdentity] `json:"cluster"`
	KubernetesVersion string                                 `json:"kubernetesVersion"`
	OpenShiftVersion  string                                 `json:"openshiftVersion"`
}

type outcomeWith = terminal.With[result.Outcome, outcomeJSON]

type outcomeJSON struct {
	Why   []result.Justification                 `json:"why,omitempty"`
	Lifts []terminal.With[result.Lift, helpJSON] `json:"lifts,omitempty"`
	Error *helpJSON                              `json:"error,omitempty"`
}

// helpJSON is what options of the program do, in place of those of the library, and the numbers of fixes in
// the whole answer.
type helpJSON struct {
	Options []string     `json:"options,omitempty"`
	Changes []numberJSON `json:"changes,omitempty"`
}

func (n numbering) json(help *result.Help, err error) helpJSON {
	j := helpJSON{Options: overview.Call{}.OptionTexts(help, err)}
	for i := range help.Fixes {
		j.Changes = append(j.Changes, numberJSON{n[help] + i + 1})
	}
	return j
}

// errorWith is an error as an outcome has it.
type errorWith = terminal.With[failure, helpJSON]

type failure struct{ error }

func (f failure) MarshalJSON() ([]byte, error) {
	var outcome struct {
		Error json.RawMessage `json:"error"`
	}
	text, err := json.Marshal(result.Outcome{Err: f.error})
	return outcome.Error, errors.Join(err, json.Unmarshal(text, &outcome))
}

// JSONSchemaAlias is a type of the same members.
func (failure) JSONSchemaAlias() any { return &result.NotSatisfiable{} }

func (n numbering) error(err error) *errorWith {
	if err == nil {
		return nil
	}
	return &errorWith{Of: failure{err}, More: n.json(result.HelpOf(err), err)}
}

// WriteJSON prints everything about the outcomes, with reasons and lifts unless justify is nil.
func WriteJSON(p *terminal.Page, outcomes []result.Outcome, justify Justify, lifts Lifts, made *scenario.Identity) error {
	var report reportJSON
	numbers := numbersOf(Helps(outcomes))
	if made != nil {
		requests, cluster := terminal.ListOf(p, "input", made.Requests, terminal.AsIs), terminal.ListOf(p, "input", made.Cluster, terminal.AsIs)
		report.Inputs = &inputsJSON{made.Catalogs, requests, made.Choices, cluster, made.KubernetesVersion, made.OpenShiftVersion}
	}
	toJSON := func(o result.Outcome) outcomeWith {
		j := outcomeWith{Of: o}
		if o.Err != nil {
			options := numbers.json(result.HelpOf(o.Err), o.Err)
			j.More.Error = &options
		}
		if justify != nil {
			j.More.Why, _ = justify(&o)
			j.More.Lifts = terminal.Mapped(lifts.Of(&o), func(l result.Lift) terminal.With[result.Lift, helpJSON] {
				return terminal.With[result.Lift, helpJSON]{Of: l, More: numbering{}.json(&l.Help, nil)}
			})
		}
		return j
	}
	of := func(alone bool) terminal.List[outcomeWith] {
		return terminal.ListOf(p, "result", slices.DeleteFunc(slices.Clone(outcomes), func(o result.Outcome) bool { return o.Scope.Alone() != alone }), toJSON)
	}
	report.Namespaces, report.ClusterExtensions = of(false), of(true)
	return terminal.WriteJSON(p, report)
}
