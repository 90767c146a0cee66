package result

import (
	"slices"
	"strconv"
	"strings"

	"github.com/resolvent/resolvent/resolver/internal/words"
)

// Repair is what somebody does by hand where OLM stopped or waits, in an order. No resolution
// can try it.
type Repair struct {
	// Kind is a word such as "unpackAgain" or "rights".
	Kind string
	// Object is what does not go on.
	Object Object
	// Namespace is where to look, empty if that is not known or does not matter.
	Namespace string
	// Name is a Deployment, a user, a definition, or a ClusterServiceVersion that is replaced, by
	// kind; Said is a right, or what that one states.
	Name, Said string
	// Plan is the InstallPlan that failed, and Waiting one that waits for approval.
	Plan, Waiting string
	// Again is true if OLM is to carry out Plan again: it makes no other one while a
	// ClusterServiceVersion that Plan has made is there.
	Again bool
	// Keep are the versions that stay in status.storedVersions, Into that in which resources are to be
	// stored, and Moves the command that has new ones stored there, if they are not yet.
	Keep        []string
	Into, Moves string
	// By is a bundle that provides what is in the way, in the namespace ByNamespace, or a definition, by kind.
	By, ByNamespace string
	// Is is the phase of a ClusterServiceVersion, and Stated what OLM states.
	Is, Stated string
}

// Steps returns what to do, in this order; nothing if nobody can do anything.
func (r *Repair) Steps() (steps []string) {
	for n := 1; ; n++ {
		row := r.Kind + "." + strconv.Itoa(n)
		if _, ok := words.Repairs[row]; !ok {
			return steps
		}
		if step := r.say(row); step != "" {
			steps = append(steps, step)
		}
	}
}

// Then returns what ends the matter, after the steps if there are any.
func (r *Repair) Then() string { return r.say(r.Kind + ".then") }

// Careful returns what speaks against the steps, if anything does.
func (r *Repair) Careful() (list []string) {
	if text := r.say(r.Kind + ".careful"); text != "" {
		list = append(list, text)
	}
	if r.Object.Kind == words.ObjectExtension && len(r.Steps()) > 0 {
		list = append(list, r.say("extension.careful"))
	}
	return list
}

// String returns the steps, and what ends the matter.
func (r Repair) String() string { return strings.Join(append(r.Steps(), r.Then()), "; ") }

// ByItself reports whether nobody has to act, as OLM goes on by itself.
func (r *Repair) ByItself() bool {
	return r.Kind == words.RepairGoesOn || r.Kind == words.RepairRightsThere && r.Plan == "" || r.Kind == words.RepairOnceUpgradeable && r.Name != ""
}

// OfBundle reports whether a bundle itself fails, whatever the rights and OperatorGroups of its
// cluster are.
func (r *Repair) OfBundle() bool {
	return r.Is == "Failed" && (r.Kind == words.RepairNotReady || r.Kind == words.RepairNoReason || r.Kind == words.RepairTriesAgain)
}

// Shares reports whether somebody else provides the APIs of a bundle.
func (r *Repair) Shares() bool {
	return r != nil && (r.Kind == words.RepairOnceSoleOwner || r.Kind == words.RepairGroupLabel)
}

// OfCatalog reports whether it makes a catalog healthy that a request waits for.
func (r *Repair) OfCatalog() bool { return r != nil && r.Kind == words.RepairPodSecurity }

func (r *Repair) say(row string) string {
	return words.Unbroken(words.Repairs.Say(row, false, r.value))
}

// value returns an argument of the words.
func (r *Repair) value(name string) string {
	switch name {
	case "object":
		return r.Object.Name
	case "home":
		return r.Object.Namespace
	case "kind":
		return r.Object.Kind
	case "name":
		return r.Name
	case "said":
		return words.OneLine(r.Said)
	case "by":
		return r.By + words.InNamespace(r.ByNamespace)
	case "plan":
		return r.Plan
	case "again":
		if r.Again {
			return r.Plan
		}
	case "retry":
		if r.Again && words.IsPlain(r.Plan) && words.IsPlain(r.Object.Namespace) {
			return words.CarryOutAgain(r.Object.Namespace, r.Plan)
		}
	case "waiting":
		return r.Waiting
	case "namespace":
		return r.Namespace
	case "get", "anew", "set", "moves", "into":
		return r.stored(name)
	case "in", "shell": // what a shell can be given
		if r.Kind == words.RepairStored {
			return r.stored("set")
		}
		if words.IsPlain(r.Namespace) && (name == "in" || words.IsPlain(r.Name)) {
			return "--namespace " + r.Namespace
		}
	}
	return ""
}

// stored returns an argument of the words about stored versions: a command only if all its names
// can be given to a shell.
func (r *Repair) stored(name string) string {
	plain := words.IsPlain(r.Name) && words.IsPlain(r.Into) && len(r.Keep) > 0 && !slices.ContainsFunc(r.Keep, func(v string) bool { return !words.IsPlain(v) })
	switch {
	case name == "into":
		return r.Into
	case !plain:
	case name == "get":
		return words.SaveResources(r.Name)
	case name == "anew":
		return words.StoreAnew(r.Name)
	case name == "set":
		return words.SetStored(r.Name, r.Keep)
	case name == "moves":
		return r.Moves
	}
	return ""
}
