package result

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
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
	row := "unhealthy"
	if e.NotGiven() {
		row = "notJudged"
	}
	return words.Failures.With(row, 1, words.Values{
		"scope": e.Scope.String(), "alone": flag(e.Scope.Alone()), "catalogs": strings.Join(words.Texts(e.Catalogs), ", "),
	})
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
	return words.Failures.With("tooLarge", 1, words.Values{"limit": strconv.Itoa(e.Limit), "things": e.What})
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
	return words.Failures.With("ambiguous", 1, words.Values{
		"package": e.Package, "priority": strconv.Itoa(e.Priority), "catalogs": strings.Join(e.Catalogs, ", "), "bundle": e.Bundle, "same image": flag(e.SameImage),
	})
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
	return words.Failures.With("denied", 1, words.Values{"rules": strings.Join(words.Mapped(e.Rules, message), "; ")})
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
	return words.Failures.With("incomplete", 1, words.Values{"phase": e.Phase, "error": fmt.Sprint(e.Err)})
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
	return words.Unbroken(words.Failures.With("unknownBundle", 1, words.Values{"package": e.Package, "bundle": e.Bundle, "nearest": words.Suggestion(e.Nearest)}))
}
