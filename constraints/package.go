package constraints

import (
	"github.com/resolvent/resolvent/constraints/rules"
	"github.com/resolvent/resolvent/constraints/versionrange"
)

// Package requires a bundle of a package, in a range of versions.
type Package struct {
	Name    string
	Range   versionrange.Range
	Message string
}

func (Package) name() string { return "package" }

func (Package) read(r *reader, form form) (Expr, error) {
	texts, err := r.texts(form, nil, "packageName", "name", "versionRange")
	if err != nil {
		return nil, err
	}
	name, ok := texts["packageName"]
	if !ok && form == strict {
		name = texts["name"]
	}
	if name == "" {
		return nil, r.missing("packageName")
	}
	versions, err := r.parser.Range(texts["versionRange"])
	if err != nil {
		return nil, r.at("versionRange", err)
	}
	return Package{Name: name, Range: versions}, nil
}

func (e Package) content() ([]field, []Expr) {
	return []field{{"packageName", e.Name}, {"versionRange", e.Range.Text()}}, nil
}

func (e Package) FailureMessage() string          { return e.Message }
func (e Package) withMessage(message string) Expr { e.Message = message; return e }
func (e Package) String() string                  { return "package " + e.Name + " " + e.Range.Phrase() }
func (e Package) negation() string                { return "no " + e.String() }

func (e Package) match(m matcher) (rules.Verdict, error) {
	pkg, ok := m.set.Package()
	return verdictOf(ok && pkg.Name == e.Name && e.Range.Contains(pkg.Version)), nil
}

func (Package) normalize(bool) Expr         { return nil }
func (e Package) lookup() lookup            { return lookup{by: byPackage, text: e.Name} }
func (Package) reads() (rule, cluster bool) { return false, false }
