package fixes

import (
	"regexp"
	"strconv"

	"github.com/resolvent/resolvent/resolver/internal/text"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// Repair is what somebody does by hand where OLM stopped or waits, in an order. No resolution
// can try it.
type Repair struct {
	Kind RepairKind
	// Object is what does not go on.
	Object Object
	// Namespace is where to look, empty if that is not known or does not matter.
	Namespace string
	// Name is a Deployment, a user, a definition, or a ClusterServiceVersion that is replaced, by
	// kind; Said is a right, or what that one states.
	Name, Said string
	// Plan is the InstallPlan that failed, Waiting one that waits for approval, and Made the
	// ClusterServiceVersion that the failed one has created, of the Subscription Request.
	Plan, Waiting, Made, Request string
	// Stated is what OLM states.
	Stated string
}

// RepairKind is the kind of a Repair.
type RepairKind string

// The kinds of repairs. Those without steps only state what ends the matter.
const (
	RepairGoesOn          RepairKind = "goesOn"          // OLM goes on by itself
	RepairTriesAgain      RepairKind = "triesAgain"      // OLM tries again by itself, in vain until the matter is mended
	RepairStops           RepairKind = "stops"           // OLM does not go on by itself
	RepairNotReady        RepairKind = "notReady"        // pods do not get ready
	RepairOwnCRD          RepairKind = "ownCRD"          // a CustomResourceDefinition, Name, that the bundle itself owns is gone
	RepairNoReason        RepairKind = "noReason"        // what failed states no reason
	RepairOnlyPublisher   RepairKind = "onlyPublisher"   // the bundle itself is wrong
	RepairOnceMet         RepairKind = "onceMet"         // OLM waits for what is missing
	RepairOnceUpgradeable RepairKind = "onceUpgradeable" // OLM has yet to see that the operator allows its update
	RepairOnceGroupFits   RepairKind = "onceGroupFits"   // OLM waits for one OperatorGroup that fits
	RepairOnceSoleOwner   RepairKind = "onceSoleOwner"   // OLM waits until nobody else provides the APIs
	RepairOnceListed      RepairKind = "onceListed"      // OLM waits until a static OperatorGroup lists the APIs
	RepairReplacesItself  RepairKind = "replacesItself"  // a ClusterServiceVersion waits for itself
	RepairReplacesFailed  RepairKind = "replacesFailed"  // a ClusterServiceVersion waits for Name, which failed
	RepairDeployment      RepairKind = "deployment"      // Deployment Name has a field that OLM cannot change
	RepairNewPlan         RepairKind = "newPlan"         // OLM makes a new InstallPlan once the failed one is deleted
	RepairPlanComes       RepairKind = "planComes"       // OLM makes a new InstallPlan by itself
	RepairUnpackAgain     RepairKind = "unpackAgain"     // OLM unpacks a bundle again once the failed Job is deleted
	RepairRights          RepairKind = "rights"          // user Name lacks the right Said
)

// Steps returns what to do, in this order; nothing if nobody can do anything.
func (r *Repair) Steps() (steps []string) {
	for n := 1; ; n++ {
		row := string(r.Kind) + "." + strconv.Itoa(n)
		if _, ok := text.Repairs[row]; !ok {
			return steps
		}
		if step := r.say(row); step != "" {
			steps = append(steps, step)
		}
	}
}

// Then returns what ends the matter, after the steps if there are any.
func (r *Repair) Then() string { return r.say(string(r.Kind) + ".then") }

// Careful returns what speaks against the steps, if anything does.
func (r *Repair) Careful() []string {
	if text := r.say(string(r.Kind) + ".careful"); text != "" {
		return []string{text}
	}
	return nil
}

// ByItself reports whether nobody has to act, as OLM goes on by itself.
func (r *Repair) ByItself() bool {
	return r.Kind == RepairGoesOn || r.Kind == RepairPlanComes || r.Kind == RepairOnceUpgradeable && r.Name != ""
}

func (r *Repair) say(row string) string {
	return words.Unbroken(text.Repairs.Say(row, (*repair)(r)))
}

// repair implements text.Facts.
type repair Repair

func (r *repair) Several() bool { return false }

func (r *repair) Value(name string) string {
	switch name {
	case "object":
		return r.Object.Name
	case "home":
		return r.Object.Namespace
	case "kind":
		return string(r.Object.Kind)
	case "name":
		return r.Name
	case "said":
		return words.OneLine(r.Said)
	case "plan":
		return r.Plan
	case "made":
		return r.Made
	case "request":
		return r.Request
	case "waiting":
		return r.Waiting
	case "namespace":
		return r.Namespace
	case "in", "shell": // what a shell can be given
		if plainName.MatchString(r.Namespace) && (name == "in" || plainName.MatchString(r.Name)) {
			return "--namespace " + r.Namespace
		}
	}
	return ""
}

// plainName matches what Kubernetes takes as a name, and every shell as a word.
var plainName = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$`)
