package reconcile

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/resolver/text"
)

// condition is what a condition of a request states; its zero value is one that is not
// there. The same answer makes the same condition: nothing is written because of the
// time of day.
type condition struct {
	// failed is the condition's status.
	failed          bool
	reason, message string
	// generation is that of the object that the answer is about, 0 where the kind of
	// object has no place for it.
	generation int64
}

// said is the condition without the generation.
func (c condition) said() condition {
	c.generation = 0
	return c
}

// typed is a condition of a type.
type typed struct {
	of string
	condition
}

// fields are those of a condition of an object.
func (t typed) fields(since string) map[string]any {
	fields := map[string]any{"type": t.of, "status": "False", "reason": t.reason, "message": t.message, "lastTransitionTime": since}
	if t.failed {
		fields["status"] = "True"
	}
	if t.generation != 0 {
		fields["observedGeneration"] = t.generation
	}
	return fields
}

// types are those of the conditions that are written: the answer, then what the catalog
// deprecates.
func (c *Controller) types() []string {
	prefix := c.options.Condition[:strings.LastIndex(c.options.Condition, "/")+1]
	return []string{c.options.Condition, prefix + "PackageDeprecated", prefix + "ChannelDeprecated", prefix + "BundleDeprecated"}
}

// wanted returns the conditions of a request, the answer first. Only what is deprecated has a
// condition of its own.
func (c *Controller) wanted(request *object, answer condition, resolution *result.Resolution) []typed {
	var generation int64
	pkg := ""
	if request.kind.Value().Kind == "ClusterExtension" { // conditions of Subscriptions have no place for it
		generation = request.Generation
		for _, e := range request.read.objects().ClusterExtensions {
			pkg = e.Package
		}
	}
	for _, s := range request.read.objects().Subscriptions {
		pkg = s.Package
	}
	of := c.types()
	answer.generation = generation
	list := []typed{{of[0], answer}}
	if resolution == nil {
		return list
	}
	said := map[string][]string{}
	for _, w := range resolution.Warnings {
		args := w.Args()
		if w.Kind() != "deprecation" || args.Package != pkg {
			continue
		}
		at := of[1]
		switch {
		case args.Bundle != "":
			at = of[3]
		case args.Channel != "":
			at = of[2]
		}
		said[at] = append(said[at], args.Said)
	}
	for _, at := range of[1:] {
		if len(said[at]) > 0 {
			message := shorten(strings.Join(said[at], "\n"), result.MaxExplanation)
			list = append(list, typed{at, condition{true, "Deprecated", message, generation}})
		}
	}
	return list
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
	} else if r.Manual() {
		lines = append(lines, "this needs approval")
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
		return "ConstraintsNotSatisfiable", text.Brief(e)
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
	case result.ResultDenied:
		reason = "DeniedByPolicy"
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

// conditionOf reads a condition.
func conditionOf(fields map[string]any) condition {
	reason, _ := fields["reason"].(string)
	message, _ := fields["message"].(string)
	generation, _ := fields["observedGeneration"].(int64)
	return condition{fields["status"] == "True", reason, message, generation}
}
