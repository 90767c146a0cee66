package result

import (
	"errors"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// Help has the fixes of a failure. The errors that changes may correct embed it.
type Help struct {
	// Home is the namespace that was resolved by itself; texts do not name it.
	Home string
	// NotGiven are catalogs of the cluster whose content was not given, and that may have what
	// is missing. No change is advised for that.
	NotGiven []catalog.Key
	// Elsewhere are catalogs of the cluster whose content was not given, and that may have further
	// versions of packages that those given have.
	Elsewhere []catalog.Key
	// Fixes are changes of objects. Each was tried by itself, and works.
	Fixes []Fix
	// Together joins the first fixes of some groups if there is none without a risk for all. It
	// helps once the requests of the other groups, its Waiting, are solved. Nil if there is none.
	Together *Fix
	// Wait are unhealthy catalogs that must become healthy. Remains states what fails even
	// then, as far as their content is known.
	Wait    []Object
	Remains string
	// Awaited are updates of other requests that OLM makes by itself, after which it updates
	// this one, to the bundle Follows.
	Awaited []Awaited
	Follows string
	// Runs is what goes on running if nothing is done, if all of it works and each fix without a risk
	// changes a part of it: nothing has to be done at once. Until is the version of the cluster up to
	// which all of it runs, such as "OpenShift 4.19", empty if none is stated.
	Runs  []string
	Until string
	// Repair is what to do by hand first, nil if nothing is known.
	Repair *Repair
	// Options are changes of the options of the call. They change no object.
	Options []Fix
	// Others are changes that only others can make. Each was tried by itself.
	Others []Other
	// Search is how the search ended, empty if there was none. A canceled search states nothing
	// else, because it depends on luck how far it came.
	Search Search
	// Conditions are the bad conditions that OLM states of the failing requests, at most a
	// hundred.
	Conditions []Condition
}

// Search is how a search for fixes ends.
type Search string

// The ends of a search.
const (
	SearchComplete Search = "complete" // there was nothing more to try
	SearchLimit    Search = "limit"    // its tries were used up
	SearchCanceled Search = "canceled" // its context ended
)

// Awaited are updates of a request to bundles in turn. With Approval, the InstallPlan of each
// waits for approval.
type Awaited struct {
	Request  cluster.RequestKey
	Bundles  []string
	Approval bool
	// Channel, if set, is what the Subscription must be changed to before. Beside is an InstallPlan that
	// waits for approval and brings something else.
	Channel, Beside string
}

// Condition is a bad condition of an object, or its bad phase. A ClusterServiceVersion has
// a bad phase unless it is Succeeded, an InstallPlan if it is Failed or RequiresApproval.
type Condition struct {
	Object  Object `json:"object"`
	Type    string `json:"type"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// String returns the condition on one line.
func (c Condition) String() string {
	said := slices.DeleteFunc([]string{c.Object.String(), c.Type, c.Reason, c.Message}, func(s string) bool { return s == "" })
	return words.Stated(strings.Join(said, ": "))
}

// HelpOf returns the Help of an error, an empty one if it has none.
func HelpOf(err error) *Help {
	var helped interface{ help() *Help }
	if errors.As(err, &helped) {
		return helped.help()
	}
	return &Help{}
}

func (h *Help) help() *Help { return h }

// Fix is a minimal set of changes that was tried and removes the causes of its group.
type Fix struct {
	// Group is the group of the causes that it removes; 0 means all.
	Group   int
	Changes []Change
	// Class is the place of the fix in the order of all, see the constants.
	Class Class
	// Risk is the highest risk of the changes. Cautions speak against the fix.
	Risk     Risk
	Cautions []Caution
	// GivesUp are the requests that it deletes.
	GivesUp []cluster.RequestKey
	// Waiting are the failing requests of other groups, or of other rows of status. Unless policy.Options.Partial is
	// set, they must be solved before anything is resolved.
	Waiting []cluster.RequestKey
	// Then is what a resolution changes after the fix, without those that wait. Package answer finds it;
	// of a fix for what OLM states, it is what OLM then goes on with.
	Then Difference
	// Further are the bundles of the updates that follow: to the head, or to the end of the
	// path in question.
	Further []string
	// Approval is true if the InstallPlan of Then waits for approval, and after it one for each update
	// of Further. Of a fix that approves one, only the next waits.
	Approval bool
}

// Other is a change that only others can make: of a catalog, or a new version of a bundle's
// package.
type Other struct {
	Kind OtherKind
	// Bundle requires what is missing, or does not accept what exists. It is zero if a
	// request names what is missing.
	Bundle catalog.BundleKey
	// Constraints are those that a catalog must satisfy, or that a publisher must state in
	// place of the constraints of Bundle on the same packages, or the rules of policies, or the
	// channel of the entry.
	Constraints []string
	// Accepts are the versions, as "PACKAGE VERSION", that these accept in addition or no
	// longer exclude, or the platforms, or the version of Bundle.
	Accepts []string
	// After are changes with which this helps, empty if it does without any.
	After []Change
}

// OtherKind says who can make a change, and which.
type OtherKind string

// The kinds of what only others can change.
const (
	OtherCatalog   OtherKind = "catalog"   // a catalog must have something
	OtherPublisher OtherKind = "publisher" // a new version must require or exclude less
	OtherAuthor    OtherKind = "author"    // a new version must have another rule: no bundle satisfies that of Bundle
	OtherPlatform  OtherKind = "platform"  // a new version must run on the version of the cluster
	OtherPolicy    OtherKind = "policy"    // the author of a policy must make an exception for Bundle
	OtherUpdate    OtherKind = "update"    // the publisher must add an entry that updates Bundle, which is installed
	OtherFaulty    OtherKind = "faulty"    // the publisher must repair a channel of the package, or its bundles
)

// Change is what an administrator does at once: all steps on one object, a move, a new
// installation, or the deletion of a request with its installed bundle.
type Change struct {
	Object Object `json:"object"`
	Steps  []Step `json:"steps"`
	// With are the fields in which an object that is created again differs from before.
	With []Step `json:"-"`
}

// Safe reports whether the fix has no risk and gives up no request. Its Cautions may still name
// what somebody wants to know before.
func (f *Fix) Safe() bool { return f.Class == ClassSafe }

// Steps returns the steps of all changes.
func (f *Fix) Steps() []Step {
	var steps []Step
	for i := range f.Changes {
		steps = append(steps, f.Changes[i].Steps...)
	}
	return steps
}

// Step sets or removes one field of an object, deletes the object, or creates it.
type Step struct {
	Object Object
	// Field is the path of the field that changes, such as spec.channel; those of Options are
	// excludeCatalogs, lenientHealth, systemConstraint, pins and exceptions. If it is empty,
	// the object is deleted, or created if Create is set.
	Field string
	// From is the value of the field before, To the one after: a string, an int, a bool,
	// []string, cluster.Selector or []cluster.Condition. Nil means that the field is not set.
	From any
	To   any
	// Create, if set, holds the object to create and nothing else.
	Create *cluster.Objects
	// Wait, if set, makes the step a wait until Field holds To. Nothing is changed.
	Wait *Wait
}

// Wait is what comes while one waits.
type Wait struct {
	// Updates is how many updates OLM makes in the meantime. Approval is true if each waits for an
	// approval.
	Updates  int
	Approval bool
}

// Later reports whether the fix is a sequence with a wait in it.
func (f *Fix) Later() bool {
	return slices.ContainsFunc(f.Steps(), func(s Step) bool { return s.Wait != nil })
}

// Object identifies an object that a Step changes.
type Object struct {
	// Kind is a kind of Kubernetes objects, such as Subscription, or Options: those of the call.
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

// String returns kind, namespace and name, for display.
func (o Object) String() string {
	if o.Namespace == "" {
		return o.Kind + " " + o.Name
	}
	return o.Kind + " " + o.Namespace + "/" + o.Name
}

// Resource returns the name of the kind that kubectl takes for no other.
func (o Object) Resource() string {
	group := ".operators.coreos.com"
	switch o.Kind {
	case words.ObjectNamespace, words.ObjectAccount:
		group = ""
	case words.ObjectDefinition:
		group = ".apiextensions.k8s.io"
	case words.ObjectExtension, words.ObjectClusterCatalog:
		group = ".olm.operatorframework.io"
	case words.ObjectRole, words.ObjectRoleBinding, words.ObjectClusterRole, words.ObjectClusterBinding:
		group = ".rbac.authorization.k8s.io"
	}
	return strings.ToLower(o.Kind) + "s" + group
}

// Risk is the worst side effect that a Fix may have. A greater one is worse.
type Risk uint8

// The risks of a fix.
const (
	RiskNone      Risk = iota // only what would be installed changes
	RiskWidens                // operators or requests of the namespace may see or do more
	RiskRemoves               // an operator that runs goes, or is downgraded
	RiskOverrides             // an operator asked not to be updated, or OLM waits for one that failed
)

// String returns the word for machine-readable outputs.
func (r Risk) String() string {
	names := [...]string{"none", "widens", "removes", "overrides"}
	if int(r) >= len(names) {
		return ""
	}
	return names[r]
}

// Class orders fixes by what they cost. A lower one comes first.
type Class uint8

// The classes of a Fix. One that gives up a request with a bundle installed is of the last
// class, whatever its risk.
const (
	ClassSafe      Class = 1 + iota // no risk
	ClassWidens                     // operators or requests may see or do more
	ClassGivesUp                    // gives up requests with nothing installed; what runs goes on
	ClassRemoves                    // an operator that runs goes, or is downgraded
	ClassOverrides                  // an operator asked not to be updated, or failed
	ClassAbandons                   // gives up requests with something installed
)

// Warning returns what stands before a fix that gives up requests, or that is at a risk.
func (c Class) Warning() string {
	switch c {
	case ClassGivesUp, ClassAbandons:
		return "gives up something: "
	case ClassRemoves, ClassOverrides:
		return "risky: "
	}
	return ""
}

// Difference is what a resolution changes in the cluster.
type Difference struct {
	Installs []Version
	Updates  []Update
	// Removes are installed bundles that go and that nothing replaces. Stays is true if any
	// installed bundle stays.
	Removes []Version
	Stays   bool
}

// Version is one version of a package. An installed bundle may state no package, and no
// version: then Version is nil.
type Version struct {
	Bundle  catalog.BundleKey
	Version *semver.Version
}

// String returns package and version, else the name of the bundle.
func (v Version) String() string {
	if v.Bundle.Package == "" || v.Version == nil {
		return v.Bundle.Name
	}
	return v.Bundle.Package + " " + v.Version.String()
}

// Update replaces an installed bundle, by an older version if Down is set.
type Update struct {
	From, To Version
	Down     bool
}

// String returns both versions.
func (u Update) String() string {
	if u.From.Bundle.Package == u.To.Bundle.Package && u.From.Version != nil && u.To.Version != nil {
		return u.To.Bundle.Package + " from " + u.From.Version.String() + " to " + u.To.Version.String()
	}
	return u.From.String() + " to " + u.To.String()
}

// String returns what changes.
func (d Difference) String() string { return d.Text() }

// Text returns what changes.
func (d Difference) Text() string {
	var parts []string
	add := func(verb string, names []string) {
		most := maxChanges
		if verb == "removes" || verb == "downgrades" { // these are what nobody may overlook
			most = len(names)
		}
		if len(names) > 0 {
			parts = append(parts, verb+" "+words.Listed(names, most))
		}
	}
	installs, removes := words.Texts(d.Installs), words.Texts(d.Removes)
	both := func(name string) bool {
		return slices.Contains(removes, name) && slices.Contains(words.Texts(d.Installs), name)
	}
	anew := slices.DeleteFunc(slices.Clone(installs), func(name string) bool { return !both(name) })
	add("installs anew", anew)
	add("installs", slices.DeleteFunc(installs, both))
	var up, down []string
	for _, u := range d.Updates {
		if u.Down {
			down = append(down, u.String())
		} else {
			up = append(up, u.String())
		}
	}
	add("updates", up)
	add("downgrades", down)
	add("removes", slices.DeleteFunc(removes, func(name string) bool { return slices.Contains(anew, name) }))
	switch {
	case len(parts) > 0:
		return strings.Join(parts, "; ")
	case d.Stays:
		return words.NothingChanges
	}
	return words.NothingInstalled
}
