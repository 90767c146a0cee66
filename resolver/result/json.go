package result

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/blang/semver/v4"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/manifest"
)

// A type of the results has tags that any encoder understands, or a method MarshalJSON that writes the
// shape that one of these functions makes of it. The tags of shapes are public keys: they are never
// renamed; new ones may come. A list that is nil is [], unless its key may be absent.
var toShapes = []any{
	outcomeToJSON, resolutionToJSON, installToJSON, keptToJSON, obligationToJSON, leftOutToJSON, refToJSON, reasonToJSON, nodeToJSON, justificationToJSON, refusalToJSON, causeToJSON, changeToJSON,
	notSatisfiableToJSON, helpToJSON, Fix.shape, differenceToJSON, stepToJSON, repairToJSON, approvalToJSON, pathToJSON, pathStepToJSON, noPathToJSON, liftToJSON, statusToJSON, targetToJSON,
}

// ShapeOf returns the type of which JSON has the fields in the place of a type of this package, or of a pointer
// to it; nil if that is the type itself. It serves what makes schemas.
func ShapeOf(t reflect.Type) reflect.Type {
	for _, f := range toShapes {
		if made := reflect.TypeOf(f); made.In(0) == t || made.In(0) == reflect.PointerTo(t) || reflect.PointerTo(made.In(0)) == t {
			return made.Out(0)
		}
	}
	return nil
}

// marshal writes a shape. Maps are sorted, and invalid UTF-8 is replaced.
func marshal[T, Shape any](of T, shape func(T) Shape) ([]byte, error) {
	return json.Marshal(shape(of), json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
}

func (o Outcome) MarshalJSON() ([]byte, error)            { return marshal(o, outcomeToJSON) }
func (r Resolution) MarshalJSON() ([]byte, error)         { return marshal(r, resolutionToJSON) }
func (i Install) MarshalJSON() ([]byte, error)            { return marshal(i, installToJSON) }
func (k Kept) MarshalJSON() ([]byte, error)               { return marshal(k, keptToJSON) }
func (o Obligation) MarshalJSON() ([]byte, error)         { return marshal(o, obligationToJSON) }
func (l LeftOut) MarshalJSON() ([]byte, error)            { return marshal(l, leftOutToJSON) }
func (b BundleRef) MarshalJSON() ([]byte, error)          { return marshal(b, refToJSON) }
func (r Reason) MarshalJSON() ([]byte, error)             { return marshal(r, reasonToJSON) }
func (e *Explanation) MarshalJSON() ([]byte, error)       { return marshal(e, nodeToJSON) }
func (j Justification) MarshalJSON() ([]byte, error)      { return marshal(j, justificationToJSON) }
func (r Refusal) MarshalJSON() ([]byte, error)            { return marshal(r, refusalToJSON) }
func (c Cause) MarshalJSON() ([]byte, error)              { return marshal(c, causeToJSON) }
func (c Change) MarshalJSON() ([]byte, error)             { return marshal(c, changeToJSON) }
func (s Step) MarshalJSON() ([]byte, error)               { return marshal(s, stepToJSON) }
func (h Help) MarshalJSON() ([]byte, error)               { return marshal(h, helpToJSON) }
func (f Fix) MarshalJSON() ([]byte, error)                { return marshal(f, Fix.shape) }
func (d Difference) MarshalJSON() ([]byte, error)         { return marshal(d, differenceToJSON) }
func (r Repair) MarshalJSON() ([]byte, error)             { return marshal(r, repairToJSON) }
func (a Approval) MarshalJSON() ([]byte, error)           { return marshal(a, approvalToJSON) }
func (p Path) MarshalJSON() ([]byte, error)               { return marshal(p, pathToJSON) }
func (s PathStep) MarshalJSON() ([]byte, error)           { return marshal(s, pathStepToJSON) }
func (l Lift) MarshalJSON() ([]byte, error)               { return marshal(l, liftToJSON) }
func (s Status) MarshalJSON() ([]byte, error)             { return marshal(s, statusToJSON) }
func (t TargetStatus) MarshalJSON() ([]byte, error)       { return marshal(t, targetToJSON) }
func (e *NoPath) MarshalJSON() ([]byte, error)            { return marshal(e, noPathToJSON) }
func (e *NotSatisfiable) MarshalJSON() ([]byte, error)    { return marshal(e, notSatisfiableToJSON) }
func (e *Denied) MarshalJSON() ([]byte, error)            { return marshal(error(e), errorToJSON) }
func (e *CatalogsUnhealthy) MarshalJSON() ([]byte, error) { return marshal(error(e), errorToJSON) }
func (e *InvalidInput) MarshalJSON() ([]byte, error)      { return marshal(error(e), errorToJSON) }
func (e *Ambiguous) MarshalJSON() ([]byte, error)         { return marshal(error(e), errorToJSON) }
func (e *Incomplete) MarshalJSON() ([]byte, error)        { return marshal(error(e), errorToJSON) }
func (e *Internal) MarshalJSON() ([]byte, error)          { return marshal(error(e), errorToJSON) }
func (e *UnknownBundle) MarshalJSON() ([]byte, error)     { return marshal(error(e), errorToJSON) }

type outcomeJSON struct {
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"` // of a ClusterExtension
	Result    Result `json:"result"`
	*resolutionJSON
	Error *errorJSON `json:"error,omitempty"`
}

func outcomeToJSON(o Outcome) outcomeJSON {
	j := outcomeJSON{Namespace: o.Scope.Namespace(), Name: o.Scope.Extension(), Result: o.Result(), resolutionJSON: (*resolutionJSON)(o.Resolution)}
	if o.Err != nil {
		j.Error = errorToJSON(o.Err)
	}
	if denied, ok := errors.AsType[*Denied](o.Err); ok {
		j.resolutionJSON = (*resolutionJSON)(denied.Of(o.Scope))
	}
	return j
}

type resolutionJSON Resolution

func resolutionToJSON(r Resolution) resolutionJSON { return resolutionJSON(r) }

// bundleJSON is a catalog.BundleKey.
type bundleJSON struct {
	Bundle  string `json:"bundle"`
	Package string `json:"package"`
	catalog.Key
}

func bundleToJSON(k catalog.BundleKey) bundleJSON { return bundleJSON{k.Name, k.Package, k.Catalog} }

type (
	installFields Install
	installJSON   struct {
		bundleJSON
		installFields
	}
)

func installToJSON(i Install) installJSON {
	return installJSON{bundleToJSON(i.Bundle), installFields(i)}
}

type (
	keptFields Kept
	keptJSON   struct {
		bundleJSON
		keptFields
	}
)

func keptToJSON(k Kept) keptJSON { return keptJSON{bundleToJSON(k.Bundle), keptFields(k)} }

// requestJSON is what serves a request, or the constraint of a bundle.
type requestJSON struct {
	Subscription string `json:"subscription,omitempty"`
	Extension    string `json:"clusterExtension,omitempty"`
	Namespace    string `json:"namespace,omitempty"` // of what is named, where it is another one, or one of several
	Bundle       string `json:"bundle,omitempty"`
	Constraint   string `json:"constraint,omitempty"`
}

// requestToJSON names a request, and its namespace if that is one of several.
func requestToJSON(k cluster.RequestKey, several bool) requestJSON {
	j := requestJSON{Extension: k.Extension()}
	if !k.Scope().Alone() {
		j.Subscription = k.Name
	}
	if several {
		j.Namespace = k.Namespace
	}
	return j
}

func obligationToJSON(o Obligation) requestJSON {
	if o.Request.Name != "" {
		return requestToJSON(o.Request, false)
	}
	return requestJSON{Namespace: o.Namespace, Bundle: o.Bundle, Constraint: o.Constraint}
}

type leftOutJSON struct {
	requestJSON
	Message string `json:"message"`
}

func leftOutToJSON(l LeftOut) leftOutJSON {
	return leftOutJSON{requestToJSON(l.Request, false), l.Err.Error()}
}

type bundleRefJSON struct {
	Namespace string `json:"namespace,omitempty"`
	bundleJSON
	Version   semver.Version `json:"version"`
	Installed bool           `json:"installed"`
}

func refToJSON(b BundleRef) bundleRefJSON {
	return bundleRefJSON{b.Namespace, bundleToJSON(b.Bundle), b.Version, b.Installed}
}

type reasonJSON struct {
	Kind      ReasonKind `json:"kind"`
	Namespace string     `json:"namespace,omitempty"` // where several are resolved jointly
	Subject   string     `json:"subject"`
	Message   string     `json:"message"`
}

func reasonToJSON(r Reason) reasonJSON {
	return reasonJSON{r.Kind(), r.Args().Namespace, r.Args().Subject, r.Message()}
}

type (
	justificationFields Justification
	justificationJSON   struct {
		bundleRefJSON
		justificationFields
	}
)

func justificationToJSON(j Justification) justificationJSON {
	return justificationJSON{refToJSON(j.Bundle), justificationFields(j)}
}

type refusalJSON Refusal

func refusalToJSON(r Refusal) refusalJSON { return refusalJSON(r) }

type (
	causeFields Cause
	causeJSON   struct {
		causeFields
		Message string `json:"message"`
		Text    string `json:"explanation"`
	}
)

func causeToJSON(c Cause) causeJSON {
	return causeJSON{causeFields(c), c.Message(), c.Explanation.String()}
}

// nodeJSON is a node of a derivation: a leaf has a fact, an inner node has children.
type nodeJSON struct {
	Text    string      `json:"text"`
	Core    bool        `json:"core,omitempty"`
	Fact    *factJSON   `json:"fact,omitempty"`
	Bundles []BundleRef `json:"bundles,omitempty"`
	Because []nodeJSON  `json:"because,omitempty"`
}

type factJSON struct {
	Kind             ReasonKind      `json:"kind"`
	Namespace        string          `json:"namespace,omitempty"` // where several are resolved jointly
	Subject          string          `json:"subject"`
	Bundle           string          `json:"bundle,omitempty"`
	Package          string          `json:"package,omitempty"`
	Version          string          `json:"version,omitempty"`
	Catalog          string          `json:"catalog,omitempty"`
	CatalogNamespace string          `json:"catalogNamespace,omitempty"`
	API              *properties.GVK `json:"api,omitempty"`
	Constraint       string          `json:"constraint,omitempty"`
	FailureMessage   string          `json:"failureMessage,omitempty"`
	Names            []string        `json:"names,omitempty"`
}

func nodeToJSON(e *Explanation) nodeJSON {
	nodes, written := 0, map[*Explanation]bool{}
	var node func(e *Explanation) nodeJSON
	node = func(e *Explanation) nodeJSON {
		j := nodeJSON{Text: e.Text(), Core: e.Core, Bundles: e.Bundles}
		if nodes++; nodes <= maxNodes || !written[e] {
			written[e] = true
			j.Because = words.Mapped(e.Because, node)
		}
		if e.Fact {
			j.Fact = factToJSON(&e.Reason)
		}
		return j
	}
	return node(e)
}

func factToJSON(r *Reason) *factJSON {
	args := r.Args()
	j := &factJSON{
		Kind: r.Kind(), Namespace: args.Namespace, Subject: args.Subject, Bundle: args.Bundle, Package: args.Package,
		Catalog: args.Catalog.Name, CatalogNamespace: args.Catalog.Namespace, Names: r.Names(),
	}
	if args.Version != nil {
		j.Version = args.Version.String()
	}
	if api := r.API(); api.Kind != "" {
		j.API = &api
	}
	if e := r.Required(); e != nil {
		j.Constraint, j.FailureMessage = e.String(), e.FailureMessage()
	}
	return j
}

type errorJSON struct {
	Message     string   `json:"message"`
	Constraints []Reason `json:"constraints"`
	Explanation string   `json:"explanation"`
	// Causes are all causes, the first again, and MoreCauses are not listed.
	Causes     []Cause `json:"causes,omitempty"`
	MoreCauses int     `json:"moreCauses,omitzero"`
	// CausesCutOff says what ended the search for further causes early.
	CausesCutOff string `json:"causesCutOff,omitempty"`
	// Missing names what no catalog has.
	Missing []string `json:"missing,omitempty"`
	// Catalogs are those that cannot be used.
	Catalogs []catalogJSON `json:"catalogs,omitempty"`
	// Derivation is the explanation as data.
	Derivation *Explanation `json:"derivation,omitempty"`
	helpJSON
	// Blocking are the requests without which those of Proceeding could proceed.
	Blocking   []requestJSON `json:"blocking"`
	Proceeding []requestJSON `json:"proceeding"`
}

type catalogJSON struct {
	catalog.Key
	// NotGiven: nothing is known of it but that a request takes it.
	NotGiven bool   `json:"notGiven"`
	Message  string `json:"message"`
}

func notSatisfiableToJSON(e *NotSatisfiable) *errorJSON { return errorToJSON(e) }

func errorToJSON(err error) *errorJSON {
	j := &errorJSON{Message: err.Error(), Causes: (&Outcome{Err: err}).Causes(), helpJSON: helpToJSON(*HelpOf(err))}
	if e, ok := errors.AsType[*NotSatisfiable](err); ok {
		j.Constraints, j.MoreCauses = e.Constraints, e.MoreCauses
		if e.CutOff != nil {
			j.CausesCutOff = e.CutOff.Error()
		}
		if e.Explanation != nil {
			j.Explanation, j.Derivation = e.Explanation.String(), e.Explanation
		}
		j.Missing = e.MissingTexts()
		request := func(k cluster.RequestKey) requestJSON { return requestToJSON(k, len(e.Scopes) > 1) }
		j.Blocking, j.Proceeding = words.Mapped(e.Blocking, request), words.Mapped(e.Proceeding, request)
	}
	if e, ok := errors.AsType[*Denied](err); ok {
		j.Constraints = e.Rules
	}
	if e, ok := errors.AsType[*CatalogsUnhealthy](err); ok {
		j.Catalogs = words.Mapped(e.Catalogs, func(c UnhealthyCatalog) catalogJSON { return catalogJSON{c.Key, c.NotGiven(), c.Err.Error()} })
	}
	return j
}

// helpJSON is what would help.
type helpJSON struct {
	// NotGiven are catalogs of the cluster whose content was not given, and that may have what is
	// missing. Nothing is advised for that.
	NotGiven []catalog.Key `json:"notGiven,omitempty"`
	// WaitFor says for what one could wait before any of Fixes, which are the texts of
	// Changes. These have the order of the text.
	WaitFor string    `json:"waitFor,omitempty"`
	Fixes   []string  `json:"fixes"`
	Changes []fixJSON `json:"changes"`
	// CutOff says what cut the search for Fixes off: limit or canceled.
	CutOff Search `json:"searchCutOff,omitempty"`
	// Others is what only others can change.
	Others []otherJSON `json:"others,omitempty"`
	// Options are what options of the call could allow.
	Options []string `json:"options,omitempty"`
	// Conditions are what OLM states of the requests.
	Conditions []Condition `json:"conditions,omitempty"`
	Repair     *Repair     `json:"repair,omitempty"`
	// KeepsRunning is what is installed and works, so that nothing has to be done at once.
	KeepsRunning []string `json:"keepsRunning,omitempty"`
	// KeepsRunningUntil is the version of the cluster up to which it does, if one is stated.
	KeepsRunningUntil string `json:"keepsRunningUntil,omitempty"`
}

// helpToJSON numbers the fixes in their order.
func helpToJSON(h Help) helpJSON {
	j := helpJSON{WaitFor: h.WaitText(), NotGiven: h.NotGiven, Changes: fixesToJSON(h.Fixes, h.Home), Options: h.OptionTexts(), Conditions: h.Conditions, Repair: h.Repair, KeepsRunning: h.Runs, KeepsRunningUntil: h.Until}
	if h.Search == SearchLimit || h.Search == SearchCanceled {
		j.CutOff = h.Search
	}
	j.Others = words.Mapped(h.Others, func(o Other) otherJSON {
		return otherJSON{o.Text(h.Home), o.Kind, bundleToJSON(o.Bundle), o.Constraints, o.Accepts, o.After}
	})
	j.Fixes = words.Mapped(j.Changes, func(f fixJSON) string { return f.Text })
	return j
}

type otherJSON struct {
	Text string    `json:"text"`
	Kind OtherKind `json:"kind"`
	bundleJSON
	Constraints []string `json:"constraints,omitempty"`
	Accepts     []string `json:"accepts,omitempty"`
	After       []Change `json:"after,omitempty"`
}

// fixJSON is a fix. It has Steps if there are several, else those of one.
type fixJSON struct {
	// Number is its place among the fixes of an answer, from 1.
	Number int    `json:"number,omitzero"`
	Text   string `json:"text"`
	*changedJSON
	Steps []Step `json:"steps,omitempty"`
	Group int    `json:"group,omitempty"` // of causes; none: all
	// Class is the place in the order of all, 1 to 6.
	Class   Class                `json:"class" jsonschema:"minimum=1,maximum=6"`
	Risk    string               `json:"risk"`
	GivesUp []cluster.RequestKey `json:"givesUp,omitempty"`
	// Waiting are at most 20 requests that wait for others; MoreWaiting counts the rest.
	Waiting     []cluster.RequestKey `json:"waiting,omitempty"`
	MoreWaiting int                  `json:"moreWaiting,omitzero"`
	Then        Difference           `json:"then"`
	Further     []string             `json:"further,omitempty"` // updates that follow
	// Approval: what then comes, and each further update, waits for approval.
	Approval bool `json:"approval,omitzero"`
}

func (f Fix) shape() fixJSON { return fixToJSON(&f, "") }

// fixToJSON has a text that does not name the namespace home.
func fixToJSON(f *Fix, home string) fixJSON {
	j := fixJSON{
		Text: f.Text(home), Class: f.Class, Group: f.Group, Risk: f.Risk.String(), Further: f.Further, Approval: f.Approval, Steps: f.Steps(), GivesUp: f.GivesUp, Waiting: f.Waiting, Then: f.Then,
	}
	if len(j.Steps) == 1 {
		j.changedJSON, j.Steps = changedToJSON(&j.Steps[0]), nil
	}
	if n := len(j.Waiting) - maxWaiting; n > 0 {
		j.Waiting, j.MoreWaiting = j.Waiting[:maxWaiting], n
	}
	return j
}

func fixesToJSON(list []Fix, home string) []fixJSON {
	made := []fixJSON{}
	for i := range list {
		made = append(made, fixToJSON(&list[i], home))
		made[i].Number = i + 1
	}
	return made
}

type differenceJSON struct {
	Installs   []string `json:"installs"`
	Updates    []string `json:"updates"`
	Downgrades []string `json:"downgrades"`
	Removes    []string `json:"removes"`
}

func differenceToJSON(d Difference) differenceJSON {
	bundle := func(v Version) string { return v.Bundle.Name }
	updates := func(down bool) []string {
		list := slices.DeleteFunc(slices.Clone(d.Updates), func(u Update) bool { return u.Down != down })
		return words.Mapped(list, func(u Update) string { return u.To.Bundle.Name })
	}
	return differenceJSON{words.Mapped(d.Installs, bundle), updates(false), updates(true), words.Mapped(d.Removes, bundle)}
}

type changeJSON Change

func changeToJSON(c Change) changeJSON { return changeJSON(c) }

// changedJSON is what a step changes.
type changedJSON struct {
	Object Object `json:"object,omitzero"`
	Field  string `json:"field,omitempty"`
	From   any    `json:"from,omitempty"`
	To     any    `json:"to,omitempty"`
	// Create is the manifest of an object to create.
	Create jsontext.Value `json:"create,omitempty"`
}

func changedToJSON(s *Step) *changedJSON {
	j := &changedJSON{Object: s.Object, Field: s.Field, From: s.From, To: s.To}
	if s.Create != nil {
		text, err := manifest.Write(context.Background(), *s.Create)
		if err == nil { // else it has values that are not JSON
			j.Create = bytes.TrimSpace(text)
		}
	}
	return j
}

// stepJSON is a step, or a wait.
type stepJSON struct {
	*changedJSON
	Wait *waitJSON `json:"wait,omitempty"`
}

type waitJSON struct {
	Object Object `json:"object"`
	Until  string `json:"until"`
}

func stepToJSON(s Step) stepJSON {
	if s.Wait != nil {
		return stepJSON{nil, &waitJSON{s.Object, fmt.Sprintf("%s=%v", s.Field, s.To)}}
	}
	return stepJSON{changedToJSON(&s), nil}
}

// repairJSON is what to do by hand, before all else.
type repairJSON struct {
	Kind    string   `json:"kind"`
	Steps   []string `json:"steps"`
	Then    string   `json:"then"`
	Careful []string `json:"careful,omitempty"`
}

func repairToJSON(r Repair) repairJSON { return repairJSON{r.Kind, r.Steps(), r.Then(), r.Careful()} }

type approvalJSON Approval

func approvalToJSON(a Approval) approvalJSON { return approvalJSON(a) }
