package outcomes

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/manifest"
	"github.com/resolvent/resolvent/resolver/result"
)

// nodeJSON is a node of a derivation: a leaf has a fact, an inner node has
// children.
type nodeJSON struct {
	Text    string             `json:"text"`
	Core    bool               `json:"core,omitempty"`
	Fact    *factJSON          `json:"fact,omitempty"`
	Bundles []result.BundleRef `json:"bundles,omitempty"`
	Because []nodeJSON         `json:"because,omitempty"`
}

type factJSON struct {
	Kind             result.ReasonKind `json:"kind"`
	Namespace        string            `json:"namespace,omitempty"` // with --jointly
	Subject          string            `json:"subject"`
	Bundle           string            `json:"bundle,omitempty"`
	Package          string            `json:"package,omitempty"`
	Version          string            `json:"version,omitempty"`
	Catalog          string            `json:"catalog,omitempty"`
	CatalogNamespace string            `json:"catalogNamespace,omitempty"`
	API              *properties.GVK   `json:"api,omitempty"`
	Constraint       string            `json:"constraint,omitempty"`
	FailureMessage   string            `json:"failureMessage,omitempty"`
	Names            []string          `json:"names,omitempty"`
}

// changeStepJSON is a step, or a wait.
type changeStepJSON struct {
	*result.Step
	Wait *waitJSON `json:"wait,omitempty"`
}

type waitJSON struct {
	Object result.Object `json:"object"`
	Until  string        `json:"until"`
}

func stepToJSON(s result.Step) changeStepJSON {
	if s.Wait != nil {
		return changeStepJSON{nil, &waitJSON{s.Object, fmt.Sprintf("%s=%v", s.Field, s.To)}}
	}
	return changeStepJSON{&s, nil}
}

// changeJSON is a fix. It has Steps if there are several, else those of one.
type changeJSON struct {
	// Number is that of --fix, if the command has the flag.
	Number int    `json:"number,omitzero"`
	Text   string `json:"text"`
	*result.Step
	Steps []changeStepJSON `json:"steps,omitempty"`
	Group int              `json:"group,omitempty"` // of causes; none: all
	// Class is the place in the order of all, 1 to 6.
	Class   result.Class         `json:"class" jsonschema:"minimum=1,maximum=6"`
	Risk    string               `json:"risk"`
	GivesUp []cluster.RequestKey `json:"givesUp,omitempty"`
	Waiting []cluster.RequestKey `json:"waiting,omitempty"`
	Then    effectJSON           `json:"then"`
	Further []string             `json:"further,omitempty"` // updates that follow
	// Approval: what then comes, and each further update, waits for approval.
	Approval bool `json:"approval,omitzero"`
}

type effectJSON struct {
	Installs   []string `json:"installs"`
	Updates    []string `json:"updates"`
	Downgrades []string `json:"downgrades"`
	Removes    []string `json:"removes"`
}

type explanationsJSON struct {
	Answers terminal.List[bundleAnswerJSON] `json:"answers"`
}

type bundleAnswerJSON struct {
	Namespace   string              `json:"namespace,omitempty"`
	Name        string              `json:"name,omitempty"` // of a ClusterExtension
	Explanation string              `json:"explanation,omitempty"`
	Derivation  *result.Explanation `json:"derivation,omitempty"`
	*HelpJSON
	Error *errorJSON `json:"error,omitempty"`
}

func unsatisfied(err error) (*result.NotSatisfiable, bool) {
	return errors.AsType[*result.NotSatisfiable](err)
}

// maxNodes is how many nodes of a derivation are written with shared nodes in full
// in each place. Later, a node that is written already has no children: the number
// of places can double with each level.
const maxNodes = 10_000

func nodeToJSON(e *result.Explanation) nodeJSON {
	t := treeJSON{written: map[*result.Explanation]bool{}}
	return t.node(e)
}

// treeJSON writes one derivation.
type treeJSON struct {
	nodes   int
	written map[*result.Explanation]bool
}

func (t *treeJSON) node(e *result.Explanation) nodeJSON {
	j := nodeJSON{Text: e.Text(), Core: e.Core, Bundles: e.Bundles}
	if t.nodes++; t.nodes <= maxNodes || !t.written[e] {
		t.written[e] = true
		j.Because = terminal.Mapped(e.Because, func(child *result.Explanation) nodeJSON { return t.node(child) })
	}
	if e.Fact {
		j.Fact = factToJSON(&e.Reason)
	}
	return j
}

func factToJSON(r *result.Reason) *factJSON {
	j := &factJSON{
		Kind: r.Kind(), Namespace: r.Args().Namespace, Subject: r.Args().Subject, Bundle: r.Args().Bundle, Package: r.Args().Package,
		Catalog: r.Args().Catalog.Name, CatalogNamespace: r.Args().Catalog.Namespace, Names: r.Names(),
	}
	if r.Args().Version != nil {
		j.Version = r.Args().Version.String()
	}
	if api := r.API(); api.Kind != "" {
		j.API = &api
	}
	if e := r.Required(); e != nil {
		j.Constraint, j.FailureMessage = e.String(), e.FailureMessage()
	}
	return j
}

func changeToJSON(f result.Fix, home string) changeJSON {
	bundle := func(v result.Version) string { return v.Bundle.Name }
	updates := func(down bool) []string {
		list := slices.DeleteFunc(slices.Clone(f.Then.Updates), func(u result.Update) bool { return u.Down != down })
		return terminal.Mapped(list, func(u result.Update) string { return u.To.Bundle.Name })
	}
	j := changeJSON{
		Text: f.Text(home), Class: f.Class, Group: f.Group, Risk: f.Risk.String(), Further: f.Further, Approval: f.Approval, Steps: terminal.Mapped(f.Steps(), stepToJSON), GivesUp: f.GivesUp, Waiting: f.Waiting,
		Then: effectJSON{
			Installs: terminal.Mapped(f.Then.Installs, bundle), Updates: updates(false), Downgrades: updates(true),
			Removes: terminal.Mapped(f.Then.Removes, bundle),
		},
	}
	if len(j.Steps) == 1 {
		j.Step, j.Steps = &f.Steps()[0], nil
	}
	return j
}

// createdToJSON is the manifest of an object to create.
func createdToJSON(o *cluster.Objects) jsontext.Value {
	text, err := manifest.Write(context.Background(), *o)
	if err != nil { // there is no reason for an error but the end of the context
		return jsontext.Value("null")
	}
	return bytes.TrimSpace(text)
}

func answerToJSON(a BundleAnswer) bundleAnswerJSON {
	j := bundleAnswerJSON{Namespace: a.Scope.Namespace(), Name: a.Scope.Extension()}
	if a.Err != nil {
		j.Error = errorToJSON(a.Err)
		return j
	}
	help := HelpToJSON(&a.Help, nil)
	j.Explanation, j.Derivation, j.HelpJSON = a.Why.String(), a.Why, &help
	return j
}
