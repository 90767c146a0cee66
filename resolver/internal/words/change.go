package words

// The kinds of reasons not to approve an InstallPlan yet.
const (
	ApprovalStale     = "stale"     // resolving the namespace gives something else now
	ApprovalRefused   = "refused"   // OLM would fail it
	ApprovalDenied    = "denied"    // a rule of a policy denies it
	ApprovalUnknown   = "unknown"   // no given catalog has a bundle
	ApprovalHeld      = "held"      // an operator refuses the update
	ApprovalUnhealthy = "unhealthy" // the namespace cannot be resolved
)

// The kinds of what to look at before it is approved.
const (
	ApprovalPinned  = "pinned"  // a bundle is not the startingCSV that a Subscription asks for
	ApprovalForeign = "foreign" // no Subscription and no dependency asks for a bundle
	ApprovalWidens  = "widens"  // a bundle may do in the cluster what the installed one may not
	ApprovalDrops   = "drops"   // a version of an API that is in use is no longer served
	ApprovalMajor   = "major"   // a bundle is of a new major version
	ApprovalPolicy  = "policy"  // a rule of a policy warns of it
)

// The kinds of changes that an answer makes, by the words of policies.
const (
	ChangeInstall   = "install"
	ChangeUpdate    = "update"
	ChangeDowngrade = "downgrade"
	ChangeRemove    = "remove"
)

// How the InstallPlans of a namespace are approved: by somebody, or by OLM.
const (
	Manual    = "Manual"
	Automatic = "Automatic"
)
