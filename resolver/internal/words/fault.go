package words

import (
	"errors"
	"fmt"
	"strings"
)

// What is wrong with a catalog.
var (
	// ErrNoContent is the error of a catalog that an object declares without content in the
	// cache.View.
	ErrNoContent = errors.New("no content was given for this catalog")
	ErrNotLoaded = errors.New("the catalog was never loaded")
	ErrNotReady  = errors.New("the catalog source is not ready")
	ErrNotServed = errors.New("the catalog is not served: its condition Serving is not True")
)

func GivenUnder(name string) string {
	return fmt.Sprintf("%v, unless it is what was given as %s", ErrNoContent, name)
}

// What is wrong with a namespace.

func TooManyGroups(reason string, groups []string) error {
	return fmt.Errorf("%s: it has %d OperatorGroups (%s); delete all but one", reason, len(groups), Listed(groups, MaxNamed))
}
func NoGroup(reason string) error {
	return fmt.Errorf("%s: it has no OperatorGroup, so OLM runs no operator there; create one", reason)
}

// Terminating says what the deletion of a namespace waits for, if that is stated.
func Terminating(waits []string) error {
	text := "it is being deleted (phase Terminating), and nothing can be created in it any more; let its deletion end, and then create it anew with what belongs in it"
	if len(waits) > 0 {
		text += ". The deletion waits: " + strings.Join(waits, "; ")
	}
	return errors.New(text)
}

// OverrideUnread says that an override has a type that OLM does not know.
func OverrideUnread(misspelt string) string {
	return "an override of its OperatorCondition has type " + misspelt + ", which OLM does not read: it reads " + ConditionUpgradeable
}

// What is wrong with an annotation that states properties.

func TooMuch(annotation, what string, limit int) error {
	return fmt.Errorf("annotation %s: %s, more than the %d allowed; correct or remove it", annotation, what, limit)
}
func TooDeep(n int, kind string, levels int) string {
	return fmt.Sprintf("property %d (%s) nests %d levels deep", n, kind, levels)
}
func Unreadable(annotation string, err error) error {
	return fmt.Errorf("annotation %s cannot be read: %w; correct or remove it", annotation, err)
}

// What is wrong with a request, or with a scope.
var (
	ErrNoObject    = errors.New("there is no such object")
	ErrNoKind      = errors.New("there is no such kind of requests")
	ErrNoScope     = errors.New("it names nothing; make one with cluster.InNamespace or cluster.OfExtension, or take those of Index.Scopes")
	ErrNoPackage   = errors.New("spec.source.catalog.packageName is empty; name a package")
	ErrUnrequested = errors.New("no Subscription has it installed, so nothing updates it: subscribe to its package, or delete it before the update")
)

func GivenTwice(namespace string) error {
	return errors.New("it is given twice" + InNamespace(namespace) + "; leave out the one that is not in the cluster")
}
func TooLong(field string, n, limit int) error {
	return fmt.Errorf("%s has %d characters, and at most %d are allowed", field, n, limit)
}
func NoRange(field, text string, err error) error {
	return fmt.Errorf("%s %q is not a version range: %w", field, text, err)
}
func NoSemver(field, text string, err error) error {
	return fmt.Errorf("%s %q is not a semantic version: %w", field, text, err)
}
func NotThere(csv, request string) error {
	return fmt.Errorf("ClusterServiceVersion %s, which %s has installed, is not there", csv, request)
}
func NoRequest(request string) error { return fmt.Errorf("there is no %s", request) }

// SetOtherNamespace is what to do about a watchNamespace.
var SetOtherNamespace = "set it to another namespace"

// What is wrong with options of a call, or ends it.

func Remedy(text string, err error, remedy string) error {
	return fmt.Errorf("%q: %w; give it as %s", text, err, remedy)
}
func ConstraintFailed(err error) string { return "the system constraint failed: " + err.Error() }
func Below(product, target, current string) error {
	return fmt.Errorf("the target %s %s is below %s, which the cluster runs", product, target, current)
}

var (
	ErrBudget   = errors.New("the budget of resolutions is used up")
	ErrNotGiven = errors.New("whether a newer version may run there is not known, as the content of its catalog was not given")
)

// What a call does, for errors that end it.
var (
	FindingStatus = "finding the status of"
	JudgingPlan   = "judging an InstallPlan of"
	SearchingPath = "searching a path for"
)

// OutdatedCondition is why OLM does not count an Upgradeable condition that says True.
func OutdatedCondition(observed, generation int64) string {
	return fmt.Sprintf("it says True, but of generation %d of the OperatorCondition, which has generation %d by now: OLM counts it once the operator states it anew, as it does when its pod restarts", observed, generation)
}
