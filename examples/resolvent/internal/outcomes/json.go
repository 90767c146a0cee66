package outcomes

import (
	"errors"
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/resolvent/internal/overview"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/scenario"
	"github.com/resolvent/resolvent/resolver/text"
)

// The types of this file are the frame of the JSON output. What they embed of result, fixes and
// catalog belongs to it, too: a json tag there is a public key. Keys are never renamed; new ones
// may come.

type reportJSON struct {
	Namespaces        terminal.List[outcomeJSON] `json:"namespaces"`
	ClusterExtensions terminal.List[outcomeJSON] `json:"clusterExtensions"`
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

type outcomeJSON struct {
	Namespace string        `json:"namespace,omitempty"`
	Name      string        `json:"name,omitempty"` // of a ClusterExtension
	Result    result.Result `json:"result"`
	*result.Resolution
	Why   []result.Justification `json:"why,omitempty"`
	Lifts []liftJSON             `json:"lifts,omitempty"`
	Error *errorJSON             `json:"error,omitempty"`
}

type servedJSON struct {
	Subscription string `json:"subscription,omitempty"`
	Extension    string `json:"clusterExtension,omitempty"`
	Namespace    string `json:"namespace,omitempty"` // of what is named, where it is another one, or one of several
	Bundle       string `json:"bundle,omitempty"`
	Constraint   string `json:"constraint,omitempty"`
}

type leftOutJSON struct {
	servedJSON
	Message string `json:"message"`
}

type errorJSON struct {
	Message     string          `json:"message"`
	Constraints []result.Reason `json:"constraints"`
	Explanation string          `json:"explanation"`
	// Causes are all causes, the first again, and MoreCauses are not listed.
	Causes     []CauseJSON `json:"causes,omitempty"`
	MoreCauses int         `json:"moreCauses,omitzero"`
	// CausesCutOff says what ended the search for further causes early.
	CausesCutOff string `json:"causesCutOff,omitempty"`
	// Missing names what no catalog has.
	Missing []string `json:"missing,omitempty"`
	// Catalogs are those that cannot be used.
	Catalogs []catalogJSON `json:"catalogs,omitempty"`
	// Derivation is the explanation as data.
	Derivation *result.Explanation `json:"derivation,omitempty"`
	HelpJSON
	// Blocking are the requests without which those of Proceeding could proceed.
	Blocking   []servedJSON `json:"blocking"`
	Proceeding []servedJSON `json:"proceeding"`
}

type catalogJSON struct {
	Catalog          string `json:"catalog"`
	CatalogNamespace string `json:"catalogNamespace"`
	// NotGiven: nothing is known of it but that a request takes it.
	NotGiven bool   `json:"notGiven"`
	Message  string `json:"message"`
}

// HelpJSON is what would help.
type HelpJSON struct {
	// NotGiven are catalogs of the cluster whose content was not given, and that may have what is
	// missing. Nothing is advised for that.
	NotGiven []catalog.Key `json:"notGiven,omitempty"`
	// WaitFor says for what one could wait before any of Fixes, which are the texts of
	// Changes. These have the order of the text.
	WaitFor string       `json:"waitFor,omitempty"`
	Fixes   []string     `json:"fixes"`
	Changes []changeJSON `json:"changes"`
	// CutOff says what cut the search for Fixes off: limit or canceled.
	CutOff string `json:"searchCutOff,omitempty"`
	// Others is what only others can change.
	Others []otherJSON `json:"others,omitempty"`
	// Options are what options of the tool could allow.
	Options []string `json:"options,omitempty"`
	// Conditions are what OLM states of the requests.
	Conditions []result.Condition `json:"conditions,omitempty"`
	Repair     *result.Repair     `json:"repair,omitempty"`
	// KeepsRunning is what is installed and works, so that nothing has to be done at once.
	KeepsRunning []string `json:"keepsRunning,omitempty"`
}

type otherJSON struct {
	Text string `json:"text"`
	result.Other
}

// HelpToJSON is the JSON of what would help, with what options do against an error.
func HelpToJSON(help *result.Help, err error) HelpJSON {
	advice := text.OfHelp(help)
	j := HelpJSON{WaitFor: help.WaitText(), NotGiven: help.NotGiven, Changes: []changeJSON{}, Options: overview.Call{}.OptionTexts(help, err), Conditions: help.Conditions, Repair: help.Repair, KeepsRunning: help.Runs}
	if advice.CutOff != "" {
		j.CutOff = help.Search
	}
	for i, f := range help.Fixes {
		change := changeToJSON(f, help.Home)
		change.Number = i + 1
		j.Changes = append(j.Changes, change)
	}
	j.Others = terminal.Mapped(help.Others, func(o result.Other) otherJSON { return otherJSON{o.Text(help.Home), o} })
	j.Fixes = terminal.Mapped(j.Changes, func(c changeJSON) string { return c.Text })
	return j
}

// repairJSON is what to do by hand, before all else.
type repairJSON struct {
	Kind    string   `json:"kind"`
	Steps   []string `json:"steps"`
	Then    string   `json:"then"`
	Careful []string `json:"careful,omitempty"`
}

func repairToJSON(r result.Repair) repairJSON {
	return repairJSON{r.Kind, r.Steps(), r.Then(), r.Careful()}
}

type CauseJSON struct {
	result.Cause
	Message     string `json:"message"`
	Explanation string `json:"explanation"`
}

type reasonJSON struct {
	Kind      result.ReasonKind `json:"kind"`
	Namespace string            `json:"namespace,omitempty"` // with --jointly
	Subject   string            `json:"subject"`
	Message   string            `json:"message"`
}

// WriteJSON prints everything about the outcomes, with reasons and lifts unless justify is nil.
func WriteJSON(p *terminal.Page, outcomes []result.Outcome, justify Justify, lifts Lifts, made *scenario.Identity) error {
	var report reportJSON
	if made != nil {
		same := func(o scenario.ObjectIdentity) scenario.ObjectIdentity { return o }
		requests, cluster := terminal.ListOf(p, "input", made.Requests, same), terminal.ListOf(p, "input", made.Cluster, same)
		report.Inputs = &inputsJSON{made.Catalogs, requests, made.Choices, cluster, made.KubernetesVersion, made.OpenShiftVersion}
	}
	toJSON := func(o result.Outcome) outcomeJSON {
		j := outcomeToJSON(o)
		if justify != nil {
			j.Why, _ = justify(&o)
			j.Lifts = terminal.Mapped(lifts.Of(&o), liftToJSON)
		}
		return j
	}
	of := func(alone bool) terminal.List[outcomeJSON] {
		return terminal.ListOf(p, "result", slices.DeleteFunc(slices.Clone(outcomes), func(o result.Outcome) bool { return o.Scope.Alone() != alone }), toJSON)
	}
	report.Namespaces, report.ClusterExtensions = of(false), of(true)
	return terminal.WriteJSON(p, report, Shapes)
}

func outcomeToJSON(o result.Outcome) outcomeJSON {
	j := outcomeJSON{Namespace: o.Scope.Namespace(), Name: o.Scope.Extension(), Result: o.Result()}
	if j.Resolution = o.Resolution; o.Err != nil {
		j.Error = errorToJSON(o.Err)
	}
	if denied, ok := errors.AsType[*result.Denied](o.Err); ok {
		j.Resolution = denied.Of(o.Scope)
	}
	return j
}

func leftOutToJSON(l result.LeftOut) leftOutJSON {
	return leftOutJSON{requestToJSON(l.Request, false), l.Err.Error()}
}

func servedToJSON(o result.Obligation) servedJSON {
	if o.Request.Name != "" {
		return requestToJSON(o.Request, false)
	}
	return servedJSON{Namespace: o.Namespace, Bundle: o.Bundle, Constraint: o.Constraint}
}

// requestToJSON names a request, and its namespace if that is one of several.
func requestToJSON(k cluster.RequestKey, several bool) servedJSON {
	j := servedJSON{Extension: k.Scope().Extension()}
	if !k.Scope().Alone() {
		j.Subscription = k.Name
	}
	if several {
		j.Namespace = k.Namespace
	}
	return j
}

func errorToJSON(err error) *errorJSON {
	j := &errorJSON{Message: err.Error(), HelpJSON: HelpToJSON(result.HelpOf(err), err)}
	j.Causes = CausesToJSON(err)
	if e, ok := errors.AsType[*result.NotSatisfiable](err); ok {
		j.Constraints, j.MoreCauses = e.Constraints, e.MoreCauses
		if e.CutOff != nil {
			j.CausesCutOff = e.CutOff.Error()
		}
		if e.Explanation != nil {
			j.Explanation, j.Derivation = e.Explanation.String(), e.Explanation
		}
		j.Missing = e.MissingTexts()
		request := func(k cluster.RequestKey) servedJSON { return requestToJSON(k, len(e.Scopes) > 1) }
		j.Blocking, j.Proceeding = terminal.Mapped(e.Blocking, request), terminal.Mapped(e.Proceeding, request)
	}
	if e, ok := errors.AsType[*result.Denied](err); ok {
		j.Constraints = e.Rules
	}
	if e, ok := errors.AsType[*result.CatalogsUnhealthy](err); ok {
		j.Catalogs = terminal.Mapped(e.Catalogs, func(c result.UnhealthyCatalog) catalogJSON {
			return catalogJSON{c.Key.Name, c.Key.Namespace, c.NotGiven(), c.Err.Error()}
		})
	}
	return j
}

func reasonToJSON(r result.Reason) reasonJSON {
	return reasonJSON{r.Kind(), r.Args().Namespace, r.Args().Subject, r.Message()}
}

// CausesToJSON returns the causes of a failure, if it has any.
func CausesToJSON(err error) []CauseJSON {
	causes := result.FurtherOf(err).Uncovered
	if e, ok := unsatisfied(err); ok {
		causes = slices.Concat(e.Causes, causes)
	}
	return terminal.Mapped(causes, func(c result.Cause) CauseJSON {
		return CauseJSON{c, c.Message(), c.Explanation.String()}
	})
}
