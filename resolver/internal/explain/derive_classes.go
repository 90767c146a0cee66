package explain

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/resolvent/resolvent/constraints"
	"github.com/resolvent/resolvent/resolver/internal/candidate"
	"github.com/resolvent/resolvent/resolver/internal/encode"
	"github.com/resolvent/resolvent/resolver/internal/pace"
	"github.com/resolvent/resolvent/resolver/result"
	"github.com/resolvent/resolvent/solver"
)

// class are bundles of one package to which the same members of the core apply.
type class struct {
	vars []solver.Var
	all  bool // the obligation has no others of the package
}

// classes splits candidates by what applies to them.
func (d *derivation) classes(list []solver.Var) []class {
	var classes []class
	at := map[string]int{}
	ofPackage := map[string]int{}
	key := func(v solver.Var) string {
		b := encode.Ref(d.m, v)
		return b.Namespace + "\x00" + b.Package + "\x00" + strconv.FormatBool(b.Installed)
	}
	for _, v := range candidate.Distinct(list) {
		k := key(v) + "\x00" + d.fate(v)
		i, ok := at[k]
		if !ok {
			i = len(classes)
			at[k] = i
			classes = append(classes, class{})
			ofPackage[key(v)]++
		}
		classes[i].vars = append(classes[i].vars, v)
	}
	for i := range classes {
		classes[i].all = ofPackage[key(classes[i].vars[0])] == 1
	}
	return classes
}

// fate lists the members of the core that apply to a bundle.
func (d *derivation) fate(v solver.Var) string {
	fate, ok := d.fates[v]
	if !ok {
		fate = d.listFate(v)
		d.fates[v] = fate
	}
	d.step(1 + len(fate)/pace.PerStep)
	return fate
}

func (d *derivation) listFate(v solver.Var) string {
	var b strings.Builder
	for _, i := range d.rules[v] {
		p, o := d.m.OriginOf(v, i)
		fmt.Fprintf(&b, "%s %d", o.Kind, d.detailID(o.Detail))
		switch o.Kind {
		case result.ReasonDependency:
			e := p.ConstraintOf(o).Expr
			if pkg, ok := e.(constraints.Package); ok && anyVersion(p, e, d.m.Rules(v)[i].Formula) {
				b.WriteString(pkg.Name)
			} else {
				b.WriteString(constraints.Key(e))
			}
			b.WriteString(e.FailureMessage())
		case result.ReasonReplaces:
			b.WriteString(strings.Join(p.Replaced(o.Bundle), "\x01"))
		}
		b.WriteByte(0)
	}
	for _, g := range d.m.Groups(v) {
		if d.groups[g] {
			fmt.Fprintf(&b, "group %d\x00", g)
		}
	}
	if excluders := d.excluders[v]; len(excluders) > 0 {
		// Some bundles are excluded by thousands of others.
		b.WriteString("excluded ")
		var key []byte
		for _, x := range excluders {
			key = binary.AppendUvarint(key, uint64(x))
		}
		b.Write(key)
	}
	return b.String()
}

// detailID numbers what forbids bundles.
func (d *derivation) detailID(detail result.Detail) int {
	id, ok := d.details[detail]
	if !ok {
		id = len(d.details)
		d.details[detail] = id
	}
	return id
}
