package resolver

import (
	"fmt"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
)

// Result names the outcome of one resolution as the command line and other
// machine-readable outputs do.
type Result string

// The values of Result.
const (
	Resolved           Result = "resolved"
	ResultUnsatisfied  Result = "notSatisfiable"
	ResultUnhealthy    Result = "catalogsUnhealthy"
	ResultInvalidInput Result = "invalidInput"
	ResultAmbiguous    Result = "ambiguous"
	ResultIncomplete   Result = "incomplete"
	ResultInternal     Result = "internal"
)

// CatalogsUnhealthy means that catalogs visible to the namespace cannot be
// read, so that any answer might come from a catalog of lower priority.
type CatalogsUnhealthy struct {
	// Namespace or Extension says what could not be resolved.
	Namespace string
	Extension string
	// Catalogs are in Key order.
	Catalogs []UnhealthyCatalog
}

// UnhealthyCatalog is one catalog that cannot be used, and why.
type UnhealthyCatalog struct {
	Key catalog.Key
	Err error
}

func (e *CatalogsUnhealthy) Error() string {
	parts := make([]string, len(e.Catalogs))
	for i, c := range e.Catalogs {
		parts[i] = fmt.Sprintf("%s (%v)", c.Key, c.Err)
	}
	who := "visible to namespace " + e.Namespace
	if e.Extension != "" {
		who = "selected by ClusterExtension " + e.Extension
	}
	return fmt.Sprintf("catalogs %s are unhealthy: %s", who, strings.Join(parts, ", "))
}

// Unwrap returns the reasons of all catalogs.
func (e *CatalogsUnhealthy) Unwrap() []error {
	errs := make([]error, len(e.Catalogs))
	for i, c := range e.Catalogs {
		errs[i] = c.Err
	}
	return errs
}

// InvalidInput means that a request or installed bundle cannot be read.
type InvalidInput struct {
	// Subject is the object at fault: kind and name.
	Subject string
	// Err says what is wrong and where.
	Err error
}

func (e *InvalidInput) Error() string { return e.Subject + ": " + e.Err.Error() }

// Unwrap returns what is wrong.
func (e *InvalidInput) Unwrap() error { return e.Err }

// Ambiguous means that several catalogs of equal top priority offer the package
// of a ClusterExtension.
type Ambiguous struct {
	Package  string
	Priority int
	// Catalogs are sorted by name.
	Catalogs []string
}

func (e *Ambiguous) Error() string {
	return fmt.Sprintf("package %s is in several catalogs with the same priority %d: %s; give one of them a higher priority or choose with a selector",
		e.Package, e.Priority, strings.Join(e.Catalogs, ", "))
}

// Incomplete means that the context ended before there was an answer. It says
// nothing about whether one exists.
type Incomplete struct {
	// Phase says what was being done.
	Phase string
	Err   error
}

func (e *Incomplete) Error() string {
	return fmt.Sprintf("stopped while %s: %v", e.Phase, e.Err)
}

// Unwrap returns the context's error.
func (e *Incomplete) Unwrap() error { return e.Err }

// Internal means that this library has a fault.
type Internal struct{ Err error }

func (e *Internal) Error() string { return "internal error: " + e.Err.Error() }

// Unwrap returns the fault.
func (e *Internal) Unwrap() error { return e.Err }
