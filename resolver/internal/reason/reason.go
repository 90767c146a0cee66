// Package reason makes the reasons of answers: a function for each code, named like it, whose
// parameters are the arguments that the code has. A reason that lacks one does not compile. Where
// callers pass a code on, its codes have a type, and one function makes them all. Package words
// says what each code states.
package reason

import (
	"github.com/blang/semver/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// About is what a reason is about. Its fields are those of [result.Args]; any of them may be zero.
type About struct {
	Namespace, Subject, Bundle, Package string
	Version                             *semver.Version
	Catalog                             catalog.Key
}

// Subject is what has only a name.
func Subject(name string) About { return About{Subject: name} }

// Bundle is a bundle, whichever catalog has it. Its package may be empty.
func Bundle(name, pkg string) About { return About{Subject: name, Bundle: name, Package: pkg} }

// Package is a package, whichever catalog has it.
func Package(name string) About { return About{Subject: name, Package: name} }

// In is the same in a catalog.
func (a About) In(k catalog.Key) About {
	a.Catalog = k
	return a
}

// requested is what a request asks for.
func requested(r *result.Request) About {
	return About{Subject: r.Key.Name, Package: r.Package}
}

// AboutOf returns what a reason is about.
func AboutOf(r result.Reason) About {
	a := r.Args()
	return About{a.Namespace, a.Subject, a.Bundle, a.Package, a.Version, a.Catalog}
}

// WithAbout returns a reason that states the same of something else.
func WithAbout(r result.Reason, about About) result.Reason {
	return state(r.Code(), about, r.Args(), r.Because()...)
}

// WithBecause returns a reason that follows from others.
func WithBecause(r result.Reason, because ...result.Reason) result.Reason {
	return result.New(r.Code(), r.Args(), because...)
}

// WithChoice returns a request or a requirement with the bundle that is selected for it, at a place
// among count candidates.
func WithChoice(r result.Reason, bundle string, place, count int) result.Reason {
	args := r.Args()
	args.Other, args.Place, args.Count = bundle, int32(place), int32(count)
	return result.New(r.Code(), args, r.Because()...)
}

// state makes a reason about something.
func state(c words.Code, about About, args result.Args, because ...result.Reason) result.Reason {
	args.Namespace, args.Subject, args.Bundle = about.Namespace, about.Subject, about.Bundle
	args.Package, args.Version, args.Catalog = about.Package, about.Version, about.Catalog
	return result.New(c, args, because...)
}

// one lists one API.
func one(api properties.GVK) []properties.GVK { return []properties.GVK{api} }
