package result

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// CatalogsUnhealthy means that catalogs which the scope sees cannot be used. Any answer might
// come from a catalog of lower priority.
type CatalogsUnhealthy struct {
	// Scope is the scope that was not resolved.
	Scope cluster.Scope
	// Catalogs are sorted by key.
	Catalogs []UnhealthyCatalog
	Help
	Further
}

// UnhealthyCatalog is a catalog that cannot be used, and why.
type UnhealthyCatalog struct {
	Key catalog.Key
	Err error
}

// NotGiven reports whether nothing is known of the catalog but that a request names it: it may
// be healthy.
func (c UnhealthyCatalog) NotGiven() bool { return errors.Is(c.Err, words.ErrNoContent) }

// GivenAs returns the name under which the content of a catalog that is not given may have been
// given, zero if there is none.
func (c UnhealthyCatalog) GivenAs() catalog.Key {
	if e, ok := errors.AsType[interface {
		error
		GivenAs() catalog.Key
	}](c.Err); ok {
		return e.GivenAs()
	}
	return catalog.Key{}
}

// String returns the catalog and what is wrong with it.
func (c UnhealthyCatalog) String() string { return fmt.Sprintf("%s (%v)", c.Key, c.Err) }

// NotGiven reports whether none of the catalogs is known to be unhealthy. The scope is then not
// judged.
func (e *CatalogsUnhealthy) NotGiven() bool {
	return !slices.ContainsFunc(e.Catalogs, func(c UnhealthyCatalog) bool { return !c.NotGiven() })
}

func (e *CatalogsUnhealthy) Error() string {
	if e.NotGiven() {
		return fmt.Sprintf("%s is not judged: %s", e.Scope, strings.Join(words.Texts(e.Catalogs), ", "))
	}
	who := "visible to"
	if e.Scope.Alone() {
		who = "selected by"
	}
	return fmt.Sprintf("catalogs %s %s are unhealthy: %s", who, e.Scope, strings.Join(words.Texts(e.Catalogs), ", "))
}

// Unwrap returns the reasons of all catalogs.
func (e *CatalogsUnhealthy) Unwrap() []error {
	return words.Mapped(e.Catalogs, func(c UnhealthyCatalog) error { return c.Err })
}

// InvalidInput means that a request or installed bundle cannot be read, or that the problem
// exceeds a limit.
type InvalidInput struct {
	// Subject is the object at fault: kind and name.
	Subject string
	// Err states the fault and its place.
	Err error
	Help
	Further
}

func (e *InvalidInput) Error() string { return fmt.Sprintf("%s: %v", e.Subject, e.Err) }

// Unwrap returns the fault.
func (e *InvalidInput) Unwrap() error { return e.Err }

// TooLarge is the Err of an *InvalidInput if a problem exceeds a limit of policy.Options.
type TooLarge struct {
	// What is counted: "candidates", "literals", "variables" or "units of rule cost".
	What string
	// Limit is the number that was exceeded.
	Limit int
}

func (e *TooLarge) Error() string {
	return fmt.Sprintf("the problem is too large: it reaches more than the %d %s allowed", e.Limit, e.What)
}

// Ambiguous means that several catalogs of equal top priority offer the package of a
// ClusterExtension.
type Ambiguous struct {
	Package  string
	Priority int
	// Catalogs are sorted by name.
	Catalogs []string
	// Bundle is the name of the best bundle of each, empty if these differ. SameImage is true
	// if its image is the same, too.
	Bundle    string
	SameImage bool
	Help
	Further
}

func (e *Ambiguous) Error() string {
	text := fmt.Sprintf("package %s is in several catalogs with the same priority %d: %s; give one of them a higher priority or choose with a selector",
		e.Package, e.Priority, strings.Join(e.Catalogs, ", "))
	switch {
	case e.Bundle == "":
		return text
	case e.SameImage:
		return text + "; each offers " + e.Bundle + ", with the same image"
	}
	return text + "; each offers " + e.Bundle + ", but the images differ, or are not stated"
}

// Denied means that rules of policies about changes deny an answer, which exists.
type Denied struct {
	// Resolutions are the answer: one for each scope that was resolved.
	Resolutions []*Resolution
	// Rules are the rules that deny it.
	Rules []Reason
	Help
}

func (e *Denied) Error() string {
	return "a policy denies the answer: " + strings.Join(words.Mapped(e.Rules, func(r Reason) string { return r.Message() }), "; ")
}

// Of returns the answer of a scope, nil if there is none.
func (e *Denied) Of(scope cluster.Scope) *Resolution {
	for _, r := range e.Resolutions {
		if r.Scope == scope {
			return r
		}
	}
	return nil
}

// Incomplete means that the context or a limit ended the work before there was an answer. An
// answer may exist.
type Incomplete struct {
	// Phase is what was being done, such as "reading requests".
	Phase string
	Err   error
}

func (e *Incomplete) Error() string {
	return fmt.Sprintf("stopped while %s: %v", e.Phase, e.Err)
}

// Unwrap returns the error of the context or of the limit.
func (e *Incomplete) Unwrap() error { return e.Err }

// Internal means that this library has a fault.
type Internal struct{ Err error }

func (e *Internal) Error() string { return fmt.Sprintf("internal error: %v", e.Err) }

// Unwrap returns the fault.
func (e *Internal) Unwrap() error { return e.Err }

// UnknownBundle means that neither the cluster nor a catalog has a bundle. If Package is set,
// no catalog has the bundle in that package.
type UnknownBundle struct {
	Bundle  string
	Package string
	// Nearest are the closest names, in this order.
	Nearest []string
}

func (e *UnknownBundle) Error() string {
	who := "neither the cluster nor a catalog has a bundle "
	if e.Package != "" {
		who = "package " + e.Package + " has no bundle or version "
	}
	return words.Unbroken(who + e.Bundle + words.Suggestion(e.Nearest))
}
