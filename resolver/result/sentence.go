package result

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// sentence is a reason with the subject of its sentence.
type sentence struct {
	*Args
	// found, asked and owner are Searched, Request and Owner of the arguments, never nil.
	found *Searched
	asked *Request
	owner *Owner
	r     *Reason
	subject
	// unasked is true if the missing name is not the user's: it may not be misspelt.
	unasked bool
}

// row returns the words of the reason, without a subject, by a named row of the table.
func (r *Reason) row(name string) string {
	return words.Unbroken(r.sentence(subject{n: 1}).say(name))
}

// sentence returns the sentence of the reason about a subject.
func (r *Reason) sentence(s subject) *sentence {
	a := orZero(r.args) // the zero Reason has none
	return &sentence{Args: a, found: orZero(a.Searched), asked: orZero(a.Request), owner: orZero(a.Owner), r: r, subject: s}
}

func orZero[T any](p *T) *T {
	if p == nil {
		p = new(T)
	}
	return p
}

func (s *sentence) say(row string) string { return words.English.Say(row, s.n != 1, s.value) }

func (s *sentence) value(name string) string {
	value, ok := values[name]
	if !ok {
		panic("no sentence has a " + name)
	}
	return value(s)
}

// values has the named values of sentences. A value that a sentence does not have is empty.
var values map[string]func(s *sentence) string

func init() { // values word other reasons
	values = map[string]func(s *sentence) string{
		// what the sentence is about
		"they":      func(s *sentence) string { return when(s.text != "", s.text+" ") },
		"them":      func(s *sentence) string { return s.text },
		"none":      func(s *sentence) string { return when(s.Version != nil, s.subject.none) },
		"closest":   func(s *sentence) string { return s.closest(s.r) },
		"subject":   func(s *sentence) string { return s.Subject },
		"bundle":    func(s *sentence) string { return s.Bundle },
		"package":   func(s *sentence) string { return s.Package },
		"in":        func(s *sentence) string { return words.InNamespace(s.Namespace) },
		"namespace": func(s *sentence) string { return s.Namespace },
		"catalog":   func(s *sentence) string { return s.Catalog.String() },
		"it":        (*sentence).it,

		// requests
		"key":            func(s *sentence) string { return when(s.Request != nil, s.asked.Key.String()) },
		"called":         func(s *sentence) string { return s.asked.called() },
		"home":           func(s *sentence) string { return words.InNamespace(s.asked.home()) },
		"for":            (*sentence).scope,
		"extension":      func(s *sentence) string { return flag(s.asked.Key.Scope().Alone()) },
		"wanted":         func(s *sentence) string { return s.asked.Package },
		"wanted from":    func(s *sentence) string { return s.asked.place() },
		"asked channels": func(s *sentence) string { return counted("channel", s.asked.Channels, words.Either(s.asked.Channels)) },
		"channel list":   func(s *sentence) string { return strings.Join(s.asked.Channels, ", ") },
		"in channels":    func(s *sentence) string { return s.asked.inChannels() },
		"asked catalog":  func(s *sentence) string { return s.asked.Catalog.String() },
		"asked version":  func(s *sentence) string { return s.asked.Version },
		"asked range":    func(s *sentence) string { return when(s.asked.Version != "", strconv.Quote(s.asked.Version)) },
		"asked prerelease": func(s *sentence) string {
			v, err := semver.Parse(s.asked.Version)
			return when(err == nil && len(v.Pre) > 0, s.asked.Version)
		},
		"has installed": func(s *sentence) string { return s.asked.Installed },
		"startingCSV":   func(s *sentence) string { return s.asked.StartingCSV },
		"held":          func(s *sentence) string { return flag(s.asked.Hold != nil) },
		"hold":          (*sentence).hold,

		// names and numbers
		"channel": func(s *sentence) string { return s.Channel },
		"other":   func(s *sentence) string { return s.Other },
		"limit":   func(s *sentence) string { return s.Limit },
		"has":     func(s *sentence) string { return s.Has },
		"said":    func(s *sentence) string { return words.OneLine(s.Said) },
		"names":   func(s *sentence) string { return words.Listed(s.Names, words.MaxNamed) },
		"its channels": func(s *sentence) string {
			return words.Verb(len(s.Names), "its channel is ", "its channels are ") + strings.Join(s.Names, ", ")
		},
		"alternatives": func(s *sentence) string { return strings.Join(s.Names, " or ") },
		"names do":     func(s *sentence) string { return words.Verb(len(s.Names), "does", "do") },
		"names lead": func(s *sentence) string {
			return counted("channel", s.Names, words.Listed(s.Names, words.MaxNamed)+words.Verb(len(s.Names), " leads", " lead"))
		},
		"nearest":     func(s *sentence) string { return when(!s.unasked, words.Suggestion(s.Names)) },
		"only":        func(s *sentence) string { return flag(s.Count == 1) },
		"first":       func(s *sentence) string { return flag(s.Place == 0 && s.Count > 0) },
		"among":       func(s *sentence) string { return flag(s.Place < s.Count) },
		"count":       func(s *sentence) string { return when(s.Count > 0, fmt.Sprint(s.Count)) },
		"place":       func(s *sentence) string { return fmt.Sprint(s.Place + 1) },
		"other place": func(s *sentence) string { return fmt.Sprint(s.Count + 1) },

		// constraints and APIs
		"forbidden":   (*sentence).forbidden,
		"constraint":  (*sentence).constraint,
		"message":     (*sentence).message,
		"rule":        func(s *sentence) string { _, rule := s.Constraint.(constraints.CEL); return flag(rule) },
		"fits":        (*sentence).fits,
		"range":       func(s *sentence) string { pkg, _ := s.Constraint.(constraints.Package); return pkg.Range.Phrase() },
		"api":         func(s *sentence) string { return when(len(s.APIs) > 0, words.APIText(s.r.API())) },
		"api group":   func(s *sentence) string { return s.r.API().Group },
		"api version": func(s *sentence) string { return s.r.API().Version },
		"apis":        func(s *sentence) string { return words.Listed(words.Mapped(s.APIs, words.APIText), words.MaxNamed) },
		"owner": func(s *sentence) string {
			return when(s.owner.Name != "" && !s.owner.Chosen, s.owner.Namespace+"/"+s.owner.Name)
		},
		"owner name":      func(s *sentence) string { return s.owner.Name },
		"owner namespace": func(s *sentence) string { return s.owner.Namespace },
		"chosen":          func(s *sentence) string { return flag(s.owner.Chosen) },
		"cluster-wide":    func(s *sentence) string { return flag(s.OneInCluster) },
		"version":         func(s *sentence) string { return s.r.API().Version },

		// catalogs and what they have
		"viewer":     func(s *sentence) string { return s.found.Namespace },
		"unselected": func(s *sentence) string { return flag(s.found.Unselected) },
		"catalogs": func(s *sentence) string {
			return counted("catalog", s.found.Catalogs, words.Listed(words.Texts(s.found.Catalogs), words.MaxNamed))
		},
		"one catalog": func(s *sentence) string {
			return when(len(s.found.Catalogs) == 1, strings.Join(words.Texts(s.found.Catalogs), ""))
		},
		"all catalogs": func(s *sentence) string { return strings.Join(words.Texts(s.found.Catalogs), ", ") },
		"unhealthy": func(s *sentence) string {
			e, _ := s.Err.(*CatalogsUnhealthy)
			return strings.Join(words.Texts(orZero(e).Catalogs), ", ")
		},
		"candidates": func(s *sentence) string {
			return words.Either(words.Mapped(byPackage(s.Bundles), func(list []BundleRef) string { return describeBundles(list, true) }))
		},
		"sole": func(s *sentence) string { return flag(len(s.Bundles) == 1) },
		"bundles": func(s *sentence) string {
			return strings.Join(words.Mapped(s.Bundles, func(b BundleRef) string { return b.Bundle.Name }), ", ")
		},
		"version span": func(s *sentence) string {
			return when(len(s.found.Versions) > 0, words.VersionSpan(s.Package, s.found.Versions))
		},
		"bundle span": func(s *sentence) string {
			return words.VersionSpan(s.Package, words.Mapped(s.Bundles, func(b BundleRef) semver.Version { return b.Version }))
		},
		"versions": func(s *sentence) string { return words.Versions(s.found.Versions) },
		"faults":   func(s *sentence) string { return leftOut(s.found.Faults) },
		"error": func(s *sentence) string {
			return when(s.Err != nil, words.Clip(words.OneLine(fmt.Sprint(s.Err)), words.MaxQuoted))
		},
		"whole error": func(s *sentence) string { return fmt.Sprint(s.Err) },
		"unlisted": func(s *sentence) string {
			why, _ := s.Err.(*Unlisted)
			return orZero(why).say("noEntry")
		},

		// what it follows from
		"because": func(s *sentence) string { return strings.Join(words.Mapped(s.r.because, message), "; ") },
		"obligation": func(s *sentence) string {
			return strings.Join(words.Mapped(s.r.because[:min(1, len(s.r.because))], message), "")
		},
		"decided": func(s *sentence) string {
			return strings.Join(words.Mapped(s.r.because[min(1, len(s.r.because)):], message), "; ")
		},
		"phrases": func(s *sentence) string {
			return strings.Join(words.Mapped(s.r.because, func(r Reason) string { return r.Phrase() }), "; and which ")
		},
		"others": func(s *sentence) string { return words.Listed(words.Mapped(s.r.because, message), words.MaxNamed) },
		"other versions": func(s *sentence) string {
			return strings.Join(words.Distinct(words.Mapped(s.r.because, func(r Reason) string { return r.API().Version })), ", ")
		},
		"why": (*sentence).why,
	}
}

func message(r Reason) string { return r.Message() }

// when returns value if set, else nothing. flag returns a value that only decides.
func when(set bool, value string) string {
	if !set {
		return ""
	}
	return value
}

func flag(set bool) string { return when(set, "yes") }

// counted returns a noun before a list of things, nothing if there are none.
func counted[T any](noun string, things []T, list string) string {
	return when(len(things) > 0, noun+words.Plural(len(things))+" "+list)
}

// it returns what a catalog has that does not count.
func (s *sentence) it() string {
	switch {
	case s.Package == "":
		return "it"
	case s.Bundle == "":
		return "package " + s.Package
	}
	return "it (" + s.Bundle + ")"
}

// scope returns the scope that a bundle is selected for, behind a sentence.
func (s *sentence) scope() string {
	if s.asked.Key.Scope().Alone() {
		return " for " + s.asked.Key.String()
	}
	return words.InNamespace(s.asked.Key.Namespace)
}

func (s *sentence) hold() string {
	hold, _ := s.Err.(*Hold)
	if hold = cmp.Or(hold, s.asked.Hold); hold == nil {
		return ""
	}
	return hold.text()
}

func (s *sentence) forbidden() string {
	not, ok := s.Constraint.(constraints.Not)
	if ok && len(not.Exprs) > 1 {
		return constraints.Any{Exprs: not.Exprs}.String()
	}
	if ok {
		if _, twice := not.Exprs[0].(constraints.Not); !twice {
			return not.Exprs[0].String()
		}
	}
	return ""
}

func (s *sentence) constraint() string {
	if pkg, ok := s.Constraint.(constraints.Package); ok && s.short && s.r.code == words.RequiresAny {
		return "package " + pkg.Name
	}
	return s.Constraint.String()
}

// message returns the message that the author of a constraint states.
func (s *sentence) message() string {
	message := words.OneLine(s.Constraint.FailureMessage())
	if s.short {
		message = words.Clip(message, maxMessage)
	}
	return when(message != "", " ("+message+")")
}

// fits returns how a bundle satisfies the constraint.
func (s *sentence) fits() string {
	switch s.Constraint.(type) {
	case constraints.Package:
		return "is in range"
	case constraints.GVK:
		return "provides it"
	}
	return "satisfies it"
}

// why returns the reasons that the sentence ends with.
func (s *sentence) why() string {
	var parts []string
	for i := range s.r.because {
		r := &s.r.because[i]
		switch r.code {
		case words.DeadEnd:
			switch { // a bundle that cannot be selected, and the channels that lead on
			case i > 0 && len(r.args.Names) == 0:
				if entry, ok := s.r.because[0].args.Err.(*Unlisted); ok && entry.Skipped {
					return parts[0] + r.row("askEntry")
				}
				return parts[0]
			case i > 0:
				return parts[0] + r.row("leadsOn")
			case s.r.code == words.NoUpdate: // what to ask of the publisher stands beside it
				return r.row("deadEndOfUpdates")
			}
			fallthrough
		case words.OneStep, words.ByStartingCSV, words.NotUpgradeable, words.Subscription, words.Extension, words.Installed, words.Preferred:
			parts = append(parts, r.Message())
		case words.Conflict:
			parts = append(parts, r.args.Conflict.beside())
		default:
			parts = append(parts, r.never())
		}
	}
	return strings.Join(parts, ", and ")
}

// never returns why a rule keeps a bundle from ever being selected.
func (r *Reason) never() string {
	if len(r.because) == 0 {
		return r.args.Bundle + " " + r.Phrase()
	}
	missing := r.because[0].sentence(subject{})
	missing.unasked = true
	return words.Failures.With("requires", 1, words.Values{"bundle": r.args.Bundle, "constraint": r.args.Constraint.String(), "missing": missing.say(string(missing.r.code))})
}
