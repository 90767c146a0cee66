package versionrange

import (
	"fmt"
	"slices"
	"strings"

	"github.com/blang/semver/v4"
)

// Trap is a part of a range whose meaning surprises most people. It is comparable.
type Trap struct {
	// Text is a warning in one sentence.
	Text string
	// Prereleases is the version below which the range seems to end, although it contains
	// prereleases of that version. It is empty for other traps.
	Prereleases string
}

// Traps returns the traps of the range, in the order of its text.
func (r Range) Traps() []Trap {
	if r.data == nil {
		return nil
	}
	var traps []Trap
	add := func(text, prereleases string) {
		if trap := (Trap{text, prereleases}); text != "" && !slices.Contains(traps, trap) {
			traps = append(traps, trap)
		}
	}
	_, dropped := splitRange(r.data.text)
	for _, term := range dropped {
		add(droppedTrap(term), "")
	}
	for _, arm := range rangeArms(r.data.text) {
		for _, term := range arm {
			op, text := splitTerm(term)
			add(wildcardTrap(term, op, text), "")
			add(prereleaseTrap(term, op, text))
			add(buildTrap(term, text), "")
		}
		add(emptyTrap(arm), "")
	}
	return traps
}

// splitTerm splits a term into its operator and its version.
func splitTerm(term string) (op, version string) {
	i := strings.IndexAny(term, "0123456789")
	if i < 0 {
		return term, ""
	}
	return term[:i], term[i:]
}

func droppedTrap(term string) string {
	if term == "!" {
		return `"!" followed by a space is passed over, so the version after it is required instead of excluded; write !=1.2.3`
	}
	return fmt.Sprintf("%q is passed over: a term of one character means nothing", term)
}

// wildcardTrap explains terms such as 1.x.x and !=1.2.x.
func wildcardTrap(term, op, version string) string {
	if !strings.HasSuffix(version, ".x") {
		return ""
	}
	if op == "!" || op == "!=" {
		return fmt.Sprintf("%s is never true: it wants versions that are below and above %s at once", term, version)
	}
	if major, ok := strings.CutSuffix(version, ".x.x"); ok && op != ">=" && op != "<" {
		return fmt.Sprintf("%s means %s%s.0.x, since only the last x stands for any number; write %s%s.x", term, op, major, op, major)
	}
	return ""
}

// prereleaseTrap explains that a range contains prereleases of its excluded upper bound.
func prereleaseTrap(term, op, version string) (text, bound string) {
	wildcard := strings.HasSuffix(version, ".x")
	if strings.Contains(version, "-") || !wildcard && op != "<" {
		return "", ""
	}
	bound = version
	if wildcard {
		end, ok := wildcardEnd(op, version)
		if !ok {
			return "", ""
		}
		bound = end.String()
	}
	return fmt.Sprintf("%s also matches prereleases of %s, such as %s-rc.1; to leave them out write <%s-0", term, bound, bound, bound), bound
}

// wildcardEnd returns the version below which a wildcard term ends, false if it does not
// end.
func wildcardEnd(op, version string) (semver.Version, bool) {
	dots := strings.Count(version, ".")
	v, err := semver.Parse(strings.ReplaceAll(version, "x", "0") + strings.Repeat(".0", max(0, 2-dots)))
	if err != nil {
		return v, false
	}
	switch op {
	case "<":
		return v, true
	case "", "=", "==", "<=":
		if dots == 1 {
			err = v.IncrementMajor()
		} else {
			err = v.IncrementMinor()
		}
		return v, err == nil
	}
	return v, false
}

func buildTrap(term, version string) string {
	if i := strings.IndexByte(version, '+'); i >= 0 {
		return fmt.Sprintf("%s: the build %s is passed over; versions that differ only in it are equal here", term, version[i:])
	}
	return ""
}

// emptyTrap finds alternatives that contain no version.
func emptyTrap(arm []string) string {
	contains, err := semver.ParseRange(strings.Join(arm, " "))
	if err != nil || slices.ContainsFunc(samples(arm), contains) {
		return ""
	}
	return fmt.Sprintf("no version is in %q: terms joined by a space must all hold", strings.Join(arm, " "))
}

// Samples returns versions that represent all others. Ranges that share any version share
// one of their samples.
func (r Range) Samples() []semver.Version { return samples(slices.Concat(rangeArms(r.Text())...)) }

// samples returns the least version of all, the versions that the terms name, and the
// version after each of these. They include the least version that satisfies any
// combination of the terms.
func samples(terms []string) []semver.Version {
	list := []semver.Version{{Pre: []semver.PRVersion{{IsNum: true}}}}
	for _, term := range terms {
		_, text := splitTerm(term)
		list = append(list, namedVersions(text)...)
	}
	return list
}

// namedVersions returns the bounds of a version or wildcard, and the next version after
// each.
func namedVersions(text string) []semver.Version {
	var named []semver.Version
	if strings.HasSuffix(text, ".x") {
		for _, op := range []string{"<", "="} {
			if v, ok := wildcardEnd(op, text); ok {
				named = append(named, v)
			}
		}
	} else if v, err := semver.Parse(text); err == nil {
		named = append(named, v)
	}
	for _, v := range named {
		named = append(named, nextVersion(v))
	}
	return named
}

// nextVersion returns the least version above v.
func nextVersion(v semver.Version) semver.Version {
	zero := semver.PRVersion{IsNum: true}
	if len(v.Pre) > 0 {
		return semver.Version{Major: v.Major, Minor: v.Minor, Patch: v.Patch, Pre: append(slices.Clone(v.Pre), zero)}
	}
	return semver.Version{Major: v.Major, Minor: v.Minor, Patch: v.Patch + 1, Pre: []semver.PRVersion{zero}}
}
