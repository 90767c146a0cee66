package result

import (
	"fmt"

	"github.com/resolvent/resolvent/resolver/internal/words"
)

// Approval is what may be done with an InstallPlan that waits for approval.
type Approval struct {
	Namespace   string `json:"namespace"`
	InstallPlan string `json:"installPlan"`
	// ResourceVersion is that of the InstallPlan as it was judged, empty if it was not given.
	ResourceVersion string  `json:"resourceVersion,omitempty"`
	Verdict         Verdict `json:"verdict"`
	// Bundles are those that the InstallPlan brings, by name.
	Bundles []string `json:"bundles"`
	// Reasons are all reasons to wait, empty if there is none: those that decide first, that
	// the plan is stale last. Warnings are what to look at, whatever the verdict.
	Reasons  []ApprovalReason `json:"reasons"`
	Warnings []ApprovalReason `json:"warnings,omitempty"`
}

// Verdict is whether an InstallPlan may be approved.
type Verdict string

// The verdicts. One is to wait if there is a reason to.
const (
	VerdictApprove Verdict = "approve"
	VerdictWait    Verdict = "wait"
)

// String returns the InstallPlan and the text of its verdict.
func (a Approval) String() string {
	return "InstallPlan " + a.InstallPlan + words.InNamespace(a.Namespace) + ": " + a.Text()
}

// Text returns the verdict with all its reasons, or with the first warning, and that a major
// version is new, in a line.
func (a *Approval) Text() string {
	text := string(a.Verdict) + ": " + words.BringsTheSame
	if a.Waits() {
		text = words.NotApproved(words.Mapped(a.Reasons, func(r ApprovalReason) string { return r.Kind + ": " + r.Message }))
	} else if n := len(a.Warnings); n > 0 {
		text += "; warning, " + a.Warnings[0].Kind + ": " + a.Warnings[0].Message
		if n > 1 {
			text += fmt.Sprintf("; and %d more", n-1)
		}
	}
	for i, r := range a.Warnings {
		if r.Kind == words.ApprovalMajor && (i > 0 || a.Waits()) {
			text += "; " + r.Message
		}
	}
	return words.Clip(words.OneLine(text), MaxExplanation)
}

// Waits reports whether the InstallPlan may not be approved.
func (a *Approval) Waits() bool { return len(a.Reasons) > 0 }

// ApprovalReason is a reason to wait, or something to look at.
type ApprovalReason struct {
	// Kind is a word such as "stale" or "denied".
	Kind string `json:"kind"`
	// Bundle is the name of the bundle that it is about, empty if it is about the whole.
	Bundle string `json:"bundle,omitempty"`
	// Rule names the rule and its policy, empty if there is none.
	Rule    string `json:"rule"`
	Message string `json:"message"`
}
