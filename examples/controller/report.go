package main

import (
	"errors"
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/resolver/result"
)

// report is what the controller writes about a namespace. It is comparable, and the same answer makes
// the same report: nothing is written because of the time of day.
type report struct {
	result result.Result
	// plan is YAML, empty after a failure.
	plan string
	// failure is the condition to set, zero after a success.
	failure condition
}

// condition is a condition of a Subscription.
type condition struct{ reason, message string }

// plan is a resolution as the ConfigMap shows it: what OLM's InstallPlan lists,
// and what is beyond it.
type plan struct {
	Approval result.Approval `json:"approval"`
	Installs []install       `json:"installs,omitempty"`
	Kept     []string        `json:"kept,omitempty"`
	Replaced []string        `json:"replaced,omitempty"`
	Unneeded []string        `json:"unneeded,omitempty"`
	Warnings []string        `json:"warnings,omitempty"`
}

type install struct {
	Bundle   string `json:"bundle"`
	Package  string `json:"package"`
	Version  string `json:"version"`
	Channel  string `json:"channel"`
	Catalog  string `json:"catalog"`
	Image    string `json:"image"`
	Replaces string `json:"replaces,omitempty"`
}

func newReport(resolution *result.Resolution, failure error) report {
	r := report{result: result.Of(failure)}
	if failure != nil {
		r.failure = explain(failure)
		return r
	}
	p := plan{
		Approval: resolution.Approval,
		Replaced: resolution.Replaced,
		Unneeded: resolution.Unneeded,
	}
	for _, i := range resolution.Installs {
		p.Installs = append(p.Installs, install{i.Bundle, i.Package, i.Version, i.Channel, i.Catalog.String(), i.Image, i.Replaces})
	}
	for _, k := range resolution.Kept {
		p.Kept = append(p.Kept, k.Bundle)
	}
	for _, w := range resolution.Warnings {
		p.Warnings = append(p.Warnings, w.Message())
	}
	text, err := yaml.Marshal(p)
	if err != nil {
		return newReport(nil, &result.Internal{Err: err})
	}
	r.plan = string(text)
	return r
}

// explain chooses the reason by the type of the failure, and the text that helps
// most with it. The reasons are OLM's, where it has one.
func explain(failure error) condition {
	if e, ok := errors.AsType[*result.NotSatisfiable](failure); ok {
		return condition{"ConstraintsNotSatisfiable", e.Report()}
	}
	if e, ok := errors.AsType[*result.CatalogsUnhealthy](failure); ok {
		return condition{"CatalogsUnhealthy", unhealthy(e)}
	}
	reason := "ErrorPreventedResolution"
	switch result.Of(failure) {
	case result.ResultInvalidInput:
		reason = "InvalidInput"
	case result.ResultIncomplete:
		reason = "ResolutionIncomplete"
	}
	return condition{reason, failure.Error()}
}

// unhealthy names the catalogs and causes, without how old each catalog is: that
// would be another text at each look.
func unhealthy(e *result.CatalogsUnhealthy) string {
	var b strings.Builder
	b.WriteString("These catalogs cannot be used:")
	for _, c := range e.Catalogs {
		err := c.Err
		if stale, ok := errors.AsType[*cache.StaleError](err); ok {
			err = stale.Err
		}
		fmt.Fprintf(&b, "\n- %s: %v", c.Key, err)
	}
	return b.String()
}
