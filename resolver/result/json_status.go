package result

import (
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// pathJSON is a path, or what is known without one.
type pathJSON struct {
	Namespace string `json:"namespace"`
	Extension string `json:"extension,omitempty"`
	Package   string `json:"package"`
	// Result is resolved, or noPath if the search ended without one.
	Result string     `json:"result"`
	From   string     `json:"from,omitempty"`
	To     string     `json:"to,omitempty"`
	Steps  []PathStep `json:"steps"`
	// InstallPlan waits for approval and brings the first step.
	InstallPlan string        `json:"installPlan,omitempty"`
	Instead     *WaitingPlan  `json:"instead,omitempty"`
	Error       string        `json:"error,omitempty"`
	Reached     []string      `json:"reached,omitempty"`
	Blocked     []blockedJSON `json:"blocked,omitempty"`
	*helpJSON
}

func pathToJSON(p Path) pathJSON {
	return pathJSON{Namespace: p.Request.Namespace, Extension: p.Request.Extension(), Package: p.Package, Result: string(Resolved), From: p.From, To: p.To, Steps: p.Steps, InstallPlan: p.InstallPlan, Instead: p.Instead}
}

func noPathToJSON(e *NoPath) pathJSON {
	help := helpToJSON(e.Help)
	return pathJSON{
		Namespace: e.Request.Namespace, Extension: e.Request.Extension(), Package: e.Package, Result: "noPath", From: e.From, To: e.To, Error: e.Error(), Reached: e.Reached, helpJSON: &help,
		Blocked: words.Mapped(e.Blocked, func(b BlockedUpdate) blockedJSON {
			return blockedJSON{b.From, b.To, b.Err.Error(), (&Outcome{Err: b.Err}).Causes()}
		}),
	}
}

// pathStepJSON is an update, or the change to the channel that it names, or the updates of
// others that it awaits, while its bundle stays.
type pathStepJSON struct {
	Channel  string    `json:"channel,omitempty"`
	Bundle   string    `json:"bundle"`
	Awaits   []Move    `json:"awaits,omitempty"`
	Approval string    `json:"approval,omitempty"`
	Installs []Install `json:"installs"`
	Replaced []string  `json:"replaced"`
}

func pathStepToJSON(s PathStep) pathStepJSON {
	j := pathStepJSON{Channel: s.Channel, Bundle: s.Bundle, Awaits: s.Awaits}
	if r := s.Resolution; r != nil {
		j.Approval, j.Installs, j.Replaced = r.Approval, r.Installs, r.Replaced
	}
	return j
}

type blockedJSON struct {
	From    string `json:"from"`
	To      string `json:"to"`
	Message string `json:"message"`
	// Causes are all causes of which Message states the first.
	Causes []Cause `json:"causes,omitempty"`
}

// liftJSON is a choice below its head. Request is missing for a dependency.
type liftJSON struct {
	Request cluster.RequestKey `json:"request,omitzero"`
	Bundle  string             `json:"bundle"`
	Head    string             `json:"head"`
	Why     string             `json:"why"`
	helpJSON
	Blocked []unliftedJSON `json:"blocked"`
}

// unliftedJSON is a change that does not lift a choice by itself.
type unliftedJSON struct {
	Text  string `json:"text"`
	Steps []Step `json:"steps"`
	Gets  string `json:"gets"`
	Why   string `json:"why"`
	// With is what lifts the choice together with the change.
	With *fixJSON `json:"with,omitempty"`
}

func liftToJSON(l Lift) liftJSON {
	j := liftJSON{Request: l.Request, Bundle: l.Bundle, Head: l.Head, Why: l.Why.Message(), helpJSON: helpToJSON(l.Help)}
	for i := range j.Changes {
		j.Changes[i].Number = 0 // they are no fixes of the answer
	}
	j.Blocked = words.Mapped(l.Blocked, func(b Attempt) unliftedJSON {
		unlifted := unliftedJSON{Text: b.Change.Text(l.Help.Home), Steps: b.Change.Steps, Gets: b.Gets, Why: b.Why}
		if b.With != nil {
			with := fixToJSON(b.With, l.Help.Home)
			unlifted.With = &with
		}
		return unlifted
	})
	return j
}

// statusJSON is a row.
type statusJSON struct {
	Namespace    string `json:"namespace"`
	Subscription string `json:"subscription"`
	Extension    string `json:"extension"`
	Package      string `json:"package"`
	Channel      string `json:"channel"`
	Catalog      string `json:"catalog"`
	Installed    string `json:"installed"`
	Next         string `json:"next"`
	Head         string `json:"head"`
	Steps        int    `json:"steps"`
	State        State  `json:"state"`
	Reason       string `json:"reason"`
	// WaitsFor are the requests that must be satisfied, or move, before this one can.
	WaitsFor []cluster.RequestKey `json:"waitsFor,omitempty"`
	Fix      string               `json:"fix"`
	// NotGiven are catalogs of the cluster whose content was not given, and that may have what is
	// missing.
	NotGiven []catalog.Key `json:"notGiven,omitempty"`
	// Changes are all that would help, Fix the first.
	Changes    []fixJSON        `json:"changes"`
	Conditions []Condition      `json:"conditions"`
	Repair     *Repair          `json:"repair,omitempty"`
	Lifecycle  *catalog.Support `json:"lifecycle,omitempty"`
	// Approval is the verdict if the request waits for it.
	Approval Verdict       `json:"approval,omitempty"`
	Target   *TargetStatus `json:"target,omitempty"`
	// Remarks are what to know of a row that is current.
	Remarks   []string       `json:"remarks,omitempty"`
	Elsewhere *elsewhereJSON `json:"elsewhere,omitempty"`
}

// elsewhereJSON is an update that OLM does not take, as another catalog has it than the field
// names.
type elsewhereJSON struct {
	Catalog string `json:"catalog"`
	Bundle  string `json:"bundle"`
	Field   string `json:"field"`
}

func statusToJSON(s Status) statusJSON {
	j := statusJSON{
		Namespace: s.Request.Namespace, Extension: s.Request.Extension(), Package: s.Package,
		Channel: s.Channel, Catalog: s.Catalog.String(), Installed: s.Installed, Next: s.Next, Head: s.Head, Steps: s.Steps,
		State: s.State, Reason: s.Reason(), WaitsFor: s.WaitsFor(), Fix: s.FixText(), NotGiven: s.NotGiven,
		Changes: fixesToJSON(s.Fixes, s.Request.Namespace), Conditions: s.Conditions, Repair: s.Repair, Lifecycle: s.Support,
		Remarks: words.Mapped(s.Remarks, func(why Reason) string { return why.Message() }),
	}
	if !s.Request.Scope().Alone() {
		j.Subscription = s.Request.Name
	}
	if e := s.UpdateElsewhere; e != nil {
		j.Elsewhere = &elsewhereJSON{e.Catalog.String(), e.Bundle, e.Field}
	}
	if s.Judged() {
		j.Approval = s.Approval.Verdict
	}
	if s.Target != nil && !s.Target.NotJudged {
		j.Target = s.Target
	}
	return j
}

type targetJSON struct {
	OK      bool         `json:"ok"`
	Reason  string       `json:"reason"`
	Updates []string     `json:"updates"`
	Steps   []updateJSON `json:"steps"`
	// Remarks are what to know once the cluster is at a version, and not before.
	Remarks []hopRemarkJSON `json:"remarks,omitempty"`
}

type updateJSON struct {
	Hop      string `json:"hop"`
	Channel  string `json:"channel"`
	Bundle   string `json:"bundle"`
	ByItself bool   `json:"byItself"`
}

type hopRemarkJSON struct {
	Hop    string `json:"hop"`
	Remark string `json:"remark"`
}

func targetToJSON(t TargetStatus) targetJSON {
	j := targetJSON{OK: t.OK(), Reason: t.Reason(), Updates: words.Texts(t.Updates)}
	j.Steps = words.Mapped(t.Updates, func(s PathStep) updateJSON { return updateJSON{s.Hop, s.Channel, s.Bundle, s.ByItself} })
	for _, hop := range t.Hops {
		for _, remark := range t.Remarks[hop] {
			j.Remarks = append(j.Remarks, hopRemarkJSON{hop, remark.Message()})
		}
	}
	return j
}
