package reconcile

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/resolver/result"
)

// condition is what a condition of a request states; its zero value is one that is not
// there. The same answer makes the same condition: nothing is written because of the
// time of day.
type condition struct {
	// failed is the condition's status.
	failed          bool
	reason, message string
}

// conditionFor returns what to write about an answer.
func conditionFor(resolution *result.Resolution, failure error) condition {
	c := condition{failed: failure != nil}
	if failure == nil {
		c.reason, c.message = "Resolved", describe(resolution)
	} else {
		c.reason, c.message = explain(failure)
	}
	c.message = shorten(c.message, result.MaxExplanation)
	return c
}

// describe says what is to be done: installs first, then what goes with them.
func describe(r *result.Resolution) string {
	var lines []string
	for _, i := range r.Installs {
		line := fmt.Sprintf("install %s from catalog %s", i.Bundle.Name, i.Bundle.Catalog)
		if i.Replaces != "" {
			line += ", which replaces " + i.Replaces
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		lines = append(lines, "nothing to install")
	} else if r.Approval == result.Manual {
		lines = append(lines, "somebody has to approve that")
	}
	for _, name := range r.Unneeded {
		lines = append(lines, name+" is not needed any more")
	}
	for _, w := range r.Warnings {
		lines = append(lines, "warning: "+w.Message())
	}
	return strings.Join(lines, "\n")
}

// explain chooses the reason by the type of the failure, and the text that helps
// most with it. The reasons are OLM's, where it has one.
func explain(failure error) (reason, message string) {
	if e, ok := errors.AsType[*result.NotSatisfiable](failure); ok {
		return "ConstraintsNotSatisfiable", e.Report()
	}
	if e, ok := errors.AsType[*result.CatalogsUnhealthy](failure); ok {
		return "CatalogsUnhealthy", unhealthy(e)
	}
	reason = "ErrorPreventedResolution"
	switch result.Of(failure) {
	case result.ResultInvalidInput:
		reason = "InvalidInput"
	case result.ResultAmbiguous:
		reason = "AmbiguousCatalogs"
	case result.ResultIncomplete:
		reason = "ResolutionIncomplete"
	}
	return reason, failure.Error()
}

// varying are the parts of an error that differ from one try to the next: the local port
// of a connection, and the time at which a certificate was not valid.
var varying = regexp.MustCompile(`:\d+(->)|(current time) \S+`)

// unhealthy names the catalogs and causes, without how old each catalog is and what
// varies: that would be another text at each look.
func unhealthy(e *result.CatalogsUnhealthy) string {
	var b strings.Builder
	b.WriteString("These catalogs cannot be used:")
	for _, c := range e.Catalogs {
		err := c.Err
		if stale, ok := errors.AsType[*cache.StaleError](err); ok {
			err = stale.Err
		}
		fmt.Fprintf(&b, "\n- %s: %s", c.Key, varying.ReplaceAllString(fmt.Sprint(err), "$1$2"))
	}
	return b.String()
}

// shorten cuts a text to so many bytes. What the API server is sent must be UTF-8.
func shorten(text string, most int) string {
	const cut = " ..."
	if len(text) > most {
		text = text[:most-len(cut)] + cut
	}
	return strings.ToValidUTF8(text, "")
}

// conditionOf returns the condition of that type, zero if there is none.
func conditionOf(u *unstructured.Unstructured, of string) condition {
	conditions, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	for _, item := range conditions {
		if fields, _ := item.(map[string]any); fields["type"] == of {
			reason, _ := fields["reason"].(string)
			message, _ := fields["message"].(string)
			return condition{fields["status"] == "True", reason, message}
		}
	}
	return condition{}
}
