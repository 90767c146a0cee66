package check

import (
	"cmp"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/check/internal/finding"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// Finding is something that the publisher of a catalog should know: one cause with all its
// places.
type Finding struct {
	Severity catalog.Severity
	Code     catalog.Code
	Catalog  catalog.Key
	// Package is empty if the finding is not about one.
	Package string
	// Bundles are the bundles that it is true of, oldest first.
	Bundles []string
	// Places are the places to correct, in order; there is at least one.
	Places []Place
	// Identities are those of its parts, sorted by place.
	Identities []Identity

	// Message is a sentence: the subject, the fault and the remedy.
	Message string
	// Because are the reasons why it is there, of the most telling of its parts; none if the
	// message names the only thing that can be wrong.
	Because []Reason
	// Stops are the users that it stops, by channel; none if it stops nobody, or only whoever
	// chooses these very bundles.
	Stops []Stop
}

// Stop is whom a finding stops in a channel. Its method String says it in a few words.
type Stop = finding.Stop

// Reason is one reason of a finding, about its updates. Its method String is a sentence.
type Reason = finding.Reason

// Place is a place in a catalog. Parts that do not apply are empty.
type Place struct {
	// File is the path in the catalog's tree. Line and Column count from 1, and are 0 if
	// they are not known.
	File         string
	Line, Column int
	Channel      string
	// Bundles are the bundles of the finding that have this place, oldest first.
	Bundles []string
	// Property is the index in the properties of the bundle, -1 if the place is none. Path
	// leads to the place inside the property or document.
	Property int
	Path     string
}

func placeOf(f catalog.Fault) Place {
	return Place{File: f.File, Line: f.Line, Column: f.Column, Channel: f.Channel, Property: f.Property, Path: f.Path}
}

// compare orders places by file, line and column, then by the other parts. Their bundles do not
// count.
func (p Place) compare(other Place) int {
	return cmp.Or(
		strings.Compare(p.File, other.File),
		cmp.Compare(p.Line, other.Line),
		cmp.Compare(p.Column, other.Column),
		strings.Compare(p.Channel, other.Channel),
		cmp.Compare(p.Property, other.Property),
		strings.Compare(p.Path, other.Path),
	)
}

// compare orders by catalog and package, the worst first and of these what stops most users,
// then by place.
func (f Finding) compare(other Finding) int {
	return cmp.Or(
		f.Catalog.Compare(other.Catalog),
		strings.Compare(f.Package, other.Package),
		cmp.Compare(f.Severity, other.Severity),
		cmp.Compare(finding.Stopped(other.Stops), finding.Stopped(f.Stops)),
		strings.Compare(f.Places[0].Channel, other.Places[0].Channel),
		strings.Compare(string(f.Code), string(other.Code)),
		f.Places[0].compare(other.Places[0]),
		slices.Compare(f.Bundles, other.Bundles),
		strings.Compare(f.Message, other.Message),
	)
}

// maxCause is the limit of an identity's cause, in bytes. A longer cause ends with its digest.
const maxCause = 500

// observe notes an observation, unless it is ignored, known, or of the published catalog.
func (j *judged) observe(o *finding.Observation) {
	o.Cause = words.OneLine(o.Cause)
	if len(o.Cause) > maxCause {
		o.Cause = words.Clip(o.Cause, maxCause) + finding.Digest(o.Cause)
	}
	if slices.ContainsFunc(j.options.Ignore, func(i Identity) bool { return i.Code == o.Code && (i.Package == "" || i.Package == o.Package) }) {
		j.ignored[o.Identity] = true
		return
	}
	if j.before.Has(o.Identity) && !slices.Contains(j.Checked.Directories, catalog.BundleKey{Package: o.Package, Name: o.Bundle}) {
		return
	}
	j.all[o.Identity] = true
	if j.options.Baseline.Has(o.Identity) {
		return
	}
	j.observed = append(j.observed, o)
}

// findings joins the observations of each cause into one finding.
func (j *judged) findings() []Finding {
	type causeKey struct {
		code              catalog.Code
		pkg, file, text   string
		channels, bundles bool // whether it is about any
	}
	byCause := map[causeKey][]*finding.Observation{}
	for _, o := range j.observed {
		if j.ctx.Err() != nil {
			return nil // Run returns the error
		}
		key := causeKey{o.Code, o.Package, "", o.Text, o.Place.Channel != "", len(o.Bundles) > 0}
		if o.Package == "" {
			key.file = o.Place.File // it is about the file
		}
		byCause[key] = append(byCause[key], o)
	}
	list := make([]Finding, 0, len(byCause))
	for _, same := range byCause {
		list = append(list, j.join(same))
	}
	slices.SortFunc(list, Finding.compare)
	return list
}

func (j *judged) join(same []*finding.Observation) Finding {
	first := same[0]
	f := Finding{Severity: first.Severity, Code: first.Code, Catalog: j.Key, Package: first.Package}
	var all finding.Joined
	kind := finding.Of(f.Code)
	for _, o := range same {
		f.Severity = min(f.Severity, o.Severity)
		f.Bundles = append(f.Bundles, o.Bundles...)
		if o.Channel != "" {
			all.Channels = append(all.Channels, o.Channel)
		}
		all.Causes = append(all.Causes, o.Cause)
		f.Identities = append(f.Identities, o.Identity)
		at := placeOf(o.Place)
		at.Bundles = slices.Clip(o.Bundles)
		f.Places = append(f.Places, at)
		if j.ctx.Err() != nil {
			break // Run returns the error
		}
	}
	f.Bundles = j.judge.OldestFirst(f.Package, f.Bundles)
	slices.SortStableFunc(f.Places, Place.compare)
	places := f.Places[:0]
	for _, at := range f.Places {
		if last := len(places) - 1; last >= 0 && places[last].compare(at) == 0 {
			places[last].Bundles = append(places[last].Bundles, at.Bundles...)
		} else {
			places = append(places, at)
		}
	}
	f.Places = places
	for i := range f.Places {
		at := &f.Places[i]
		at.Bundles = j.judge.OldestFirst(f.Package, at.Bundles)
		if at.compare(placeOf(finding.NoPlace)) == 0 {
			bundles, newest := at.Bundles, ""
			if len(bundles) > 0 {
				newest = bundles[len(bundles)-1]
			}
			*at = placeOf(j.Checked.Place(f.Package, "", newest))
			at.Bundles = bundles
		}
	}
	slices.SortFunc(f.Places, Place.compare)
	f.Because, f.Stops = j.judge.Because(kind, same), j.judge.Stops(kind, same)
	all.Bundles, all.File = f.Bundles, f.Places[0].File
	all.Channels, all.Causes = words.Distinct(all.Channels), words.Distinct(all.Causes)
	if first.Sentence != nil {
		f.Message = first.Sentence(&all)
	} else {
		f.Message = all.Subject(first.Identity) + first.Text
	}
	return f
}
