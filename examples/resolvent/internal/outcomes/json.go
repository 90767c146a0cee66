package outcomes

import (
	"errors"
	"slices"

	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/fixes"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/scenario"
)

// The types of this file are the JSON output. Keys are never renamed; new ones
// may come.

type reportJSON struct {
	Namespaces        terminal.List[outcomeJSON] `json:"namespaces"`
	ClusterExtensions terminal.List[outcomeJSON] `json:"clusterExtensions"`
	// Inputs are what this was made from; Differences are those from an earlier answer.
	Inputs      *inputsJSON      `json:"inputs"`
	Differences []differenceJSON `json:"differences,omitzero"`
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
	*resolutionJSON
	Why   []justificationJSON `json:"why,omitempty"`
	Error *errorJSON          `json:"error,omitempty"`
}

type resolutionJSON struct {
	Installs []InstallJSON   `json:"installs"`
	Kept     []keptJSON      `json:"kept"`
	Replaced []string        `json:"replaced"`
	Warnings []warningJSON   `json:"warnings"`
	Approval result.Approval `json:"approval"`
	Unneeded []string        `json:"unneeded"`
	LeftOut  []leftOutJSON   `json:"leftOut"`
}

// InstallJSON is a bundle to install.
type InstallJSON struct {
	Bundle           string       `json:"bundle"`
	Package          string       `json:"package"`
	Version          string       `json:"version"`
	Release          string       `json:"release,omitempty"`
	Channel          string       `json:"channel"`
	Catalog          string       `json:"catalog"`
	CatalogNamespace string       `json:"catalogNamespace"`
	Image            string       `json:"image"`
	Replaces         string       `json:"replaces"`
	For              []servedJSON `json:"for"`
	Place            int          `json:"place"`
}

type keptJSON struct {
	Bundle  string       `json:"bundle"`
	Package string       `json:"package"`
	Version string       `json:"version"`
	For     []servedJSON `json:"for"`
}

type servedJSON struct {
	Subscription string `json:"subscription,omitempty"`
	Extension    string `json:"clusterExtension,omitempty"`
	Namespace    string `json:"namespace,omitempty"` // of what is named, where it is another one, or one of several
	Bundle       string `json:"bundle,omitempty"`
	Constraint   string `json:"constraint,omitempty"`
}

type warningJSON struct {
	Kind    result.ReasonKind `json:"kind"`
	Subject string            `json:"subject"`
	Message string            `json:"message"`
}

type leftOutJSON struct {
	servedJSON
	Message string `json:"message"`
}

type errorJSON struct {
	Message     string       `json:"message"`
	Constraints []reasonJSON `json:"constraints"`
	Explanation string       `json:"explanation"`
	// Causes are all causes, the first again, and MoreCauses are not listed.
	Causes     []CauseJSON `json:"causes,omitempty"`
	MoreCauses int         `json:"moreCauses,omitzero"`
	// CausesCutOff says what ended the search for further causes early.
	CausesCutOff string `json:"causesCutOff,omitempty"`
	// Missing names what no catalog has.
	Missing []string `json:"missing,omitempty"`
	// Derivation is the explanation as data.
	Derivation *nodeJSON `json:"derivation,omitempty"`
	HelpJSON
	// Blocking are the requests without which those of Proceeding could proceed.
	Blocking   []servedJSON `json:"blocking"`
	Proceeding []servedJSON `json:"proceeding"`
}

// HelpJSON is what would help.
type HelpJSON struct {
	// WaitFor says for what one could wait before any of Fixes, which are the texts of
	// Changes.
	WaitFor string       `json:"waitFor,omitempty"`
	Fixes   []string     `json:"fixes"`
	Changes []changeJSON `json:"changes"`
	// CutOff says what cut the search for Fixes off: limit or canceled.
	CutOff fixes.SearchEnd `json:"searchCutOff,omitempty"`
	// Options are what options of the tool could allow.
	Options []string `json:"options,omitempty"`
}

// HelpToJSON is the JSON of what would help. The namespace home is not named.
func HelpToJSON(help *fixes.Help, home string) HelpJSON {
	j := HelpJSON{WaitFor: fixes.Wait(help.Fixes), Options: fixes.Texts(help.Options, home)}
	if help.Search.CutOff() != "" {
		j.CutOff = help.Search
	}
	j.Changes = terminal.Mapped(help.Fixes, func(f fixes.Fix) changeJSON { return changeToJSON(f, home) })
	j.Fixes = terminal.Mapped(j.Changes, func(c changeJSON) string { return c.Text })
	return j
}

// CauseJSON is a cause of a failure.
type CauseJSON struct {
	Group       int           `json:"group"`
	Requests    []requestJSON `json:"requests"`
	Message     string        `json:"message"`
	Constraints []reasonJSON  `json:"constraints"`
	Explanation string        `json:"explanation"`
}

type requestJSON struct {
	Kind      cluster.RequestKind `json:"kind"`
	Namespace string              `json:"namespace,omitempty"`
	Name      string              `json:"name"`
}

type reasonJSON struct {
	Kind      result.ReasonKind `json:"kind"`
	Namespace string            `json:"namespace,omitempty"` // with --jointly
	Subject   string            `json:"subject"`
	Message   string            `json:"message"`
}

// WriteJSON prints everything about the outcomes, with reasons unless justify is nil, and
// how they differ from what was expected, unless that is nil.
func WriteJSON(p *terminal.Page, outcomes []result.Outcome, justify Justify, made *scenario.Identity, c *Comparison) error {
	var report reportJSON
	if made != nil {
		same := func(o scenario.ObjectIdentity) scenario.ObjectIdentity { return o }
		requests, cluster := terminal.ListOf(p, "input", made.Requests, same), terminal.ListOf(p, "input", made.Cluster, same)
		report.Inputs = &inputsJSON{made.Catalogs, requests, made.Choices, cluster, made.KubernetesVersion, made.OpenShiftVersion}
	}
	if c != nil {
		report.Differences = c.differences
	}
	toJSON := func(o result.Outcome) outcomeJSON {
		j := outcomeToJSON(o)
		if justify != nil {
			list, _ := justify(&o)
			j.Why = terminal.Mapped(list, justificationToJSON)
		}
		return j
	}
	of := func(kind cluster.RequestKind) terminal.List[outcomeJSON] {
		return terminal.ListOf(p, "result", slices.DeleteFunc(slices.Clone(outcomes), func(o result.Outcome) bool { return o.Scope.Kind != kind }), toJSON)
	}
	report.Namespaces, report.ClusterExtensions = of(cluster.KindSubscription), of(cluster.KindExtension)
	return p.JSON(report)
}

func outcomeToJSON(o result.Outcome) outcomeJSON {
	j := outcomeJSON{Namespace: o.Scope.Namespace(), Name: o.Scope.Extension(), Result: o.Result()}
	if o.Err != nil {
		j.Error = errorToJSON(o.Err)
		return j
	}
	r := o.Resolution
	j.resolutionJSON = &resolutionJSON{
		Installs: terminal.Mapped(r.Installs, InstallToJSON),
		Kept: terminal.Mapped(r.Kept, func(k result.Kept) keptJSON {
			return keptJSON{Bundle: k.Bundle.Name, Package: k.Bundle.Package, Version: k.Version.String(), For: terminal.Mapped(k.For, servedToJSON)}
		}),
		Replaced: r.Replaced,
		Warnings: terminal.Mapped(r.Warnings, func(w result.Reason) warningJSON { return warningJSON{w.Kind(), w.Args().Subject, w.Message()} }),
		Approval: r.Approval,
		Unneeded: r.Unneeded,
		LeftOut: terminal.Mapped(r.LeftOut, func(l result.LeftOut) leftOutJSON {
			return leftOutJSON{requestToJSON(l.Request, false), l.Err.Error()}
		}),
	}
	return j
}

// InstallToJSON is the JSON of a bundle to install.
func InstallToJSON(i result.Install) InstallJSON {
	return InstallJSON{
		Bundle:           i.Bundle.Name,
		Package:          i.Bundle.Package,
		Version:          i.Version.String(),
		Release:          i.Release,
		Channel:          i.Channel,
		Catalog:          i.Bundle.Catalog.Name,
		CatalogNamespace: i.Bundle.Catalog.Namespace,
		Image:            i.Image,
		Replaces:         i.Replaces,
		For:              terminal.Mapped(i.For, servedToJSON),
		Place:            i.Place,
	}
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
	if k.Kind == cluster.KindSubscription {
		j.Subscription = k.Name
	}
	if several {
		j.Namespace = k.Namespace
	}
	return j
}

func errorToJSON(err error) *errorJSON {
	j := &errorJSON{Message: err.Error(), HelpJSON: HelpJSON{Fixes: HealthFixes(err)}}
	if e, ok := errors.AsType[*result.NotSatisfiable](err); ok {
		j.Constraints = terminal.Mapped(e.Constraints, reasonToJSON)
		j.Causes, j.MoreCauses = CausesToJSON(e), e.MoreCauses
		if e.CutOff != nil {
			j.CausesCutOff = e.CutOff.Error()
		}
		if e.Explanation != nil {
			j.Explanation = e.Explanation.String()
			node := nodeToJSON(e.Explanation)
			j.Derivation = &node
		}
		j.Missing = e.MissingTexts()
		j.HelpJSON = HelpToJSON(&e.Help, e.Home())
		request := func(k cluster.RequestKey) servedJSON { return requestToJSON(k, len(e.Scopes) > 1) }
		j.Blocking, j.Proceeding = terminal.Mapped(e.Blocking, request), terminal.Mapped(e.Proceeding, request)
	}
	return j
}

func reasonToJSON(r result.Reason) reasonJSON {
	return reasonJSON{r.Kind(), r.Args().Namespace, r.Args().Subject, r.Message()}
}

// CausesToJSON returns the causes of a failure, if it has any.
func CausesToJSON(err error) []CauseJSON {
	e, ok := unsatisfied(err)
	if !ok {
		return nil
	}
	return terminal.Mapped(e.Causes, func(c result.Cause) CauseJSON {
		return CauseJSON{
			Group: c.Group, Message: c.Message(), Explanation: c.Explanation.String(),
			Constraints: terminal.Mapped(c.Constraints, reasonToJSON),
			Requests: terminal.Mapped(c.Requests, func(k cluster.RequestKey) requestJSON {
				return requestJSON{k.Kind, k.Namespace, k.Name}
			}),
		}
	})
}
