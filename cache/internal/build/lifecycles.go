package build

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/code"
	"github.com/resolvent/resolvent/cache/internal/document"
	"github.com/resolvent/resolvent/properties/jsonfield"
)

// lifecycles is the lifecycle blob of a package.
type lifecycles struct {
	document.Origin
	versions []catalog.Lifecycle
}

func (c *Collector) addLifecycles(d *document.Document) {
	place := catalog.Fault{Package: d.Pkg}
	found := c.report(d, place, document.FieldPackage, document.FieldVersions)
	if !c.has(d.Pkg, d, place, document.FieldPackage, found) {
		return
	}
	b := &lifecycles{Origin: d.Origin}
	if len(d.Versions) > 0 {
		if err := jsonfield.Decode(d.Versions, &b.versions, document.FieldNames[document.FieldVersions]); err != nil {
			c.Fault(d.FaultIn(place, code.Field, "the lifecycles are not used: "+err.Error()))
			b.versions = nil
		}
	}
	p := c.Contents.Of(d.Pkg, d.Origin)
	p.lifecycles = append(p.lifecycles, b)
}

// support sets the lifecycles of a package. Of several blobs none counts.
func (b *builder) support(p *catalog.Package, blobs []*lifecycles) {
	if len(blobs) == 1 {
		p.Lifecycles = blobs[0].versions
		return
	}
	for _, blob := range blobs {
		b.fault(blob.Origin, code.DuplicateLifecycles, catalog.Fault{Package: p.Name}, "the package has several lifecycle blobs, of which none is used: keep one")
	}
}

// checkLifecycles finds versions without bundle, and phases that do not begin on the day
// after the phase before.
func (c *checker) checkLifecycles() {
	minors, known := map[string]bool{}, map[string]bool{}
	for _, version := range c.versions {
		parts := strings.SplitN(version, ".", 3)
		minors[parts[0]+"."+parts[1]] = true
	}
	for _, blob := range c.blobs.lifecycles {
		if c.blobs.empty() {
			c.fault(blob.Origin, code.Lifecycle, catalog.Fault{Package: c.name}, "there is no such package: remove the lifecycles")
		}
		for i := range blob.versions {
			l := &blob.versions[i]
			report := func(format string, args ...any) {
				c.warn(blob.Origin, code.Lifecycle, catalog.Fault{Package: c.name}, -1, fmt.Sprintf("versions[%d]", i),
					"the lifecycle of version "+strconv.Quote(l.Minor)+fmt.Sprintf(format, args...))
			}
			if known[l.Minor] {
				report(" is stated again: keep one")
			} else if !minors[l.Minor] {
				report(" is of no bundle: name a version as MAJOR.MINOR that has one, or remove it")
			}
			known[l.Minor] = true
			checkPhases(l, report)
		}
	}
}

func checkPhases(l *catalog.Lifecycle, report func(format string, args ...any)) {
	var next time.Time // the day on which the next phase must begin
	for _, phase := range l.Phases {
		start, err := time.Parse(time.DateOnly, phase.Start)
		end, wrong := time.Parse(time.DateOnly, phase.End)
		switch {
		case err != nil || wrong != nil:
			report(": phase %q needs a startDate and an endDate, as YYYY-MM-DD", phase.Name)
			return
		case end.Before(start):
			report(": phase %q ends on %s, before it begins: correct one of the dates", phase.Name, phase.End)
		case !next.IsZero() && !start.Equal(next):
			report(": phase %q begins on %s, but the phase before it ends so that it must begin on %s", phase.Name, phase.Start, next.Format(time.DateOnly))
		}
		next = end.AddDate(0, 0, 1)
	}
}
