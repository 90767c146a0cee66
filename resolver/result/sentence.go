package result

import (
	"fmt"
	"strings"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/code"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/text"
)

// sentence says a reason of a subject. It implements text.Facts.
type sentence struct {
	*Args
	found *Searched // never nil
	r     *Reason
	subject
	// unasked: what it names is no slip of the user's.
	unasked bool
}

// row words a reason, without a subject, in a row of the table.
func (r *Reason) row(name string) string {
	return words.Unbroken(text.English.Say(name, r.sentence(subject{n: 1})))
}

// failureText ends a sentence with what the author of a constraint states.
func failureText(message string) string {
	if message == "" {
		return ""
	}
	return " (" + message + ")"
}

// sentence says the reason of a subject.
func (r *Reason) sentence(s subject) *sentence {
	found := r.args.Searched
	if found == nil {
		found = &Searched{}
	}
	return &sentence{Args: r.args, found: found, r: r, subject: s}
}

// Several implements text.Facts.
func (s *sentence) Several() bool { return s.n != 1 }

// Value implements text.Facts.
func (s *sentence) Value(name string) (string, bool) {
	if value, ok, known := s.Request.value(name); known {
		return value, ok
	}
	value, always := s.value(name)
	return value, always || value != ""
}

// value returns an argument, and whether it may be empty.
func (s *sentence) value(name string) (value string, always bool) {
	switch name {
	// what the sentence is about
	case "they":
		if s.text == "" {
			return "", true
		}
		return s.text + " ", true
	case "them":
		return s.text, true
	case "none":
		if s.Version != nil {
			return s.subject.none, false
		}
	case "closest":
		return s.closest(s.r), false
	case "subject":
		return s.Subject, true
	case "bundle":
		return s.Bundle, false
	case "package":
		return s.Package, false
	case "in":
		return words.InNamespace(s.Namespace), true
	case "catalog":
		return s.Catalog.String(), false
	case "it":
		switch {
		case s.Package == "":
			return "it", false
		case s.Bundle == "":
			return "package " + s.Package, false
		}
		return "it (" + s.Bundle + ")", false
	case "for":
		if s.Request == nil {
			return "", true
		}
		if s.Request.Key.Kind == cluster.KindExtension {
			return " for " + s.Request.Key.String(), true
		}
		return words.InNamespace(s.Request.Key.Namespace), true

	// names and numbers
	case "channel":
		return s.Channel, false
	case "other":
		return s.Other, false
	case "limit":
		return s.Limit, false
	case "has":
		return s.Has, false
	case "said":
		return words.OneLine(s.Said), true
	case "names":
		return words.Listed(s.Names, words.MaxNamed), false
	case "name list":
		return strings.Join(s.Names, ", "), false
	case "alternatives":
		return strings.Join(s.Names, " or "), false
	case "names do":
		return words.Verb(len(s.Names), "does", "do"), false
	case "names lead":
		if n := len(s.Names); n > 0 {
			return fmt.Sprintf("channel%s %s %s", words.Plural(n), words.Listed(s.Names, words.MaxNamed), words.Verb(n, "leads", "lead")), false
		}
	case "nearest":
		if !s.unasked {
			return words.Suggestion(s.Names), true
		}
		return "", true
	case "only":
		return flag(s.Count == 1)
	case "first":
		return flag(s.Place == 0 && s.Count > 0)
	case "among":
		return flag(s.Place < s.Count)
	case "count":
		if s.Count > 0 {
			return fmt.Sprint(s.Count), false
		}
	case "place":
		return fmt.Sprint(s.Place + 1), false
	case "other place":
		return fmt.Sprint(s.Count + 1), false

	// constraints and APIs
	case "forbidden":
		if not, ok := s.Constraint.(constraints.Not); ok && len(not.Exprs) > 1 {
			return constraints.Any{Exprs: not.Exprs}.String(), false
		} else if ok {
			if _, twice := not.Exprs[0].(constraints.Not); !twice {
				return not.Exprs[0].String(), false
			}
		}
	case "constraint":
		if pkg, ok := s.Constraint.(constraints.Package); ok && s.short && s.r.code == code.RequiresAny {
			return "package " + pkg.Name, false
		}
		return s.Constraint.String(), true
	case "message":
		message := words.OneLine(s.Constraint.FailureMessage())
		if s.short {
			message = words.Clip(message, MaxSummary)
		}
		return failureText(message), true
	case "rule":
		_, rule := s.Constraint.(constraints.CEL)
		return flag(rule)
	case "fits":
		switch s.Constraint.(type) {
		case constraints.Package:
			return "is in range", false
		case constraints.GVK:
			return "provides it", false
		}
		return "satisfies it", false
	case "range":
		if pkg, ok := s.Constraint.(constraints.Package); ok {
			return pkg.Range.Phrase(), true
		}
	case "api":
		if len(s.APIs) > 0 {
			return words.APIText(s.APIs[0]), false
		}
	case "api group":
		return s.r.API().Group, true
	case "api version":
		return s.r.API().Version, true
	case "apis":
		return words.Listed(mapped(s.APIs, words.APIText), words.MaxNamed), false
	case "owner":
		switch {
		case s.Owner == nil:
		case s.Owner.Chosen:
			return s.Owner.Name + ", chosen for namespace " + s.Owner.Namespace + ",", false
		case s.Owner.Name != "":
			return "ClusterServiceVersion " + s.Owner.Namespace + "/" + s.Owner.Name, false
		}
	case "owner name":
		if s.Owner != nil {
			return s.Owner.Name, false
		}
	case "owner namespace":
		if s.Owner != nil {
			return s.Owner.Namespace, false
		}
	case "chosen":
		return flag(s.Owner != nil && s.Owner.Chosen)
	case "where":
		switch {
		case s.ClusterWide:
			return "a cluster", false
		case s.Namespace != "":
			return "namespace " + s.Namespace, false
		}
		return "a namespace", false
	case "what":
		if s.r.API().Version == "" {
			return "a kind", false
		}
		return "an API", false

	// catalogs and what they have
	case "namespace":
		return s.Namespace, false
	case "viewer":
		return s.found.Namespace, false
	case "unselected":
		return flag(s.found.Unselected)
	case "catalogs":
		if n := len(s.found.Catalogs); n > 0 {
			return "catalog" + words.Plural(n) + " " + words.Listed(words.Texts(s.found.Catalogs), words.MaxNamed), false
		}
	case "oneCatalog":
		return flag(len(s.found.Catalogs) == 1)
	case "one catalog":
		if len(s.found.Catalogs) > 0 {
			return s.found.Catalogs[0].String(), false
		}
	case "all catalogs":
		return strings.Join(words.Texts(s.found.Catalogs), ", "), false
	case "unhealthy":
		if unhealthy, ok := s.Err.(*CatalogsUnhealthy); ok {
			return strings.Join(words.Texts(unhealthy.Catalogs), ", "), false
		}
	case "candidates":
		parts := mapped(ByPackage(s.Bundles), func(list []BundleRef) string { return DescribeBundles(list, true) })
		if len(s.Bundles) == 1 {
			return "only " + words.Either(parts), false
		}
		return words.Either(parts), false
	case "bundles":
		return strings.Join(mapped(s.Bundles, func(b BundleRef) string { return b.Bundle.Name }), ", "), false
	case "version span":
		if len(s.found.Versions) > 0 {
			return words.VersionSpan(s.Package, s.found.Versions), false
		}
	case "bundle span":
		return words.VersionSpan(s.Package, versionsOf(s.Bundles)), false
	case "versions":
		return words.Versions(s.found.Versions), false
	case "faults":
		return leftOut(s.found.Faults), true
	case "error":
		if s.Err != nil {
			return words.Quoted(s.Err), true
		}
	case "whole error":
		return fmt.Sprint(s.Err), true
	case "unlisted":
		if why, ok := s.Err.(*Unlisted); ok {
			return text.English.Say("noEntry", (*unlisted)(why)), false
		}

	// what it follows from
	case "hold":
		hold, _ := s.Err.(*Hold)
		if hold == nil && s.Request != nil {
			hold = s.Request.Hold
		}
		if hold != nil {
			return hold.text(), true
		}
	case "because":
		return strings.Join(mapped(s.r.because, func(r Reason) string { return r.Message() }), "; "), false
	case "others":
		return words.Listed(mapped(s.r.because, func(r Reason) string { return r.Message() }), words.MaxNamed), false
	case "other versions":
		return strings.Join(words.Distinct(mapped(s.r.because, func(r Reason) string { return r.API().Version })), ", "), false
	case "why":
		return s.why(), false
	default:
		panic("no sentence has a " + name)
	}
	return "", false
}

func flag(set bool) (string, bool) { return "", set }

// why joins the reasons that a sentence ends with.
func (s *sentence) why() string {
	var parts []string
	for i := range s.r.because {
		r := &s.r.because[i]
		switch r.code {
		case code.DeadEnd:
			switch { // a bundle that cannot be selected, and the channels that lead on
			case i > 0 && len(r.args.Names) == 0:
				return parts[0]
			case i > 0:
				return parts[0] + r.row("leadsOn")
			}
			fallthrough
		case code.OneStep, code.ByStartingCSV, code.NotUpgradeable:
			parts = append(parts, r.Message())
		default:
			parts = append(parts, r.never())
		}
	}
	return strings.Join(parts, ", and ")
}

// never says why a rule keeps a bundle from ever being selected.
func (r *Reason) never() string {
	if len(r.because) == 0 {
		return r.args.Bundle + " " + r.Phrase()
	}
	missing := r.because[0].sentence(subject{})
	missing.unasked = true
	return fmt.Sprintf("%s requires %s, but %s", r.args.Bundle, r.args.Constraint, text.English.Say(string(missing.r.code), missing))
}
