package generate

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// packageName returns the name of a package by its number. Names sort as numbers do.
func packageName(pkg int) string { return fmt.Sprintf("operator-%06d", pkg) }

func bundleName(pkg, version int) string {
	return fmt.Sprintf("%s.v%s", packageName(pkg), versionText(version))
}

// versionText returns the n-th version of a package.
func versionText(n int) string { return fmt.Sprintf("%d.%d.%d", 1+n/20, n/4%5, n%4) }

// api is an API, with the package in its name.
type api struct{ pkg, number int }

func (a api) json() string {
	return fmt.Sprintf(`{"group":"%s.example.com","kind":"Resource%d","version":"v1"}`, packageName(a.pkg), a.number)
}

// write writes the file of a package.
func (s Shape) write(pkg int) []byte {
	r := rand.New(rand.NewPCG(s.Seed, ^uint64(pkg)))

	w := &writer{yaml: s.Blobs > 0}
	name := packageName(pkg)
	bundles := around(r, s.Bundles, s.MostBundles, 1.3)
	w.blob(fmt.Sprintf(`{"schema":"olm.package","name":%q,"defaultChannel":"stable"}`, name))
	for i, from := range s.channels(r, bundles) {
		w.channel(r, pkg, []string{"stable", "candidate", "preview"}[i], from, bundles)
	}
	var apis []api
	for n := range around(r, s.APIs, s.MostAPIs, 1) {
		apis = append(apis, api{pkg, n})
	}
	var foreign *api
	if s.Packages > 1 && r.Float64() < s.Conflicts {
		foreign = &api{(pkg + 1 + r.IntN(s.Packages-1)) % s.Packages, 0}
	}
	required := s.requirements(r, s.level(pkg))
	limited := r.Float64() < 0.3
	for version := range bundles {
		provided := apis
		if foreign != nil && version >= bundles/2 {
			provided = append(slices.Clip(apis), *foreign)
		}
		bundle{
			pkg: pkg, version: version, apis: provided, required: required,
			limited: limited && version < bundles/4, ballast: s.Blobs, objects: s.Objects,
		}.write(w)
	}
	return w.text
}

// channels returns the first bundle of each channel of a package. The first channel has all
// bundles.
func (s Shape) channels(r *rand.Rand, bundles int) []int {
	starts := []int{0}
	for len(starts) < 3 && r.IntN(2) == 0 {
		starts = append(starts, bundles-1-r.IntN(min(bundles, 20)))
	}
	return starts
}

// requirements returns the requirement properties of a package.
func (s Shape) requirements(r *rand.Rand, level int) []string {
	if level == 0 {
		return nil
	}
	// Most bundles with requirements have one.
	number := 1
	for number < 6 && r.IntN(4) == 0 {
		number++
	}
	required := make([]string, number)
	for i := range required {
		required[i] = s.requirement(r, s.below(r, level))
	}
	return required
}

func (s Shape) requirement(r *rand.Rand, of int) string {
	wanted := api{of, 0}
	if r.Float64() < s.Missing {
		wanted = api{s.Packages, 0}
	}
	pkg := fmt.Sprintf(`{"packageName":%q,"versionRange":">=1.0.0"}`, packageName(of))
	switch {
	case r.Float64() < s.Compound:
		return property("olm.constraint", compound(r, wanted, pkg))
	case r.IntN(2) == 0:
		return property("olm.gvk.required", wanted.json())
	}
	return property("olm.package.required", pkg)
}

// compound returns a random olm.constraint: all, any, not or a rule.
func compound(r *rand.Rand, wanted api, pkg string) string {
	gvk, inPackage := `{"gvk":`+wanted.json()+`}`, `{"package":`+pkg+`}`
	switch r.IntN(4) {
	case 0:
		return fmt.Sprintf(`{"failureMessage":"needs both","all":{"constraints":[%s,%s]}}`, gvk, inPackage)
	case 1:
		return fmt.Sprintf(`{"failureMessage":"needs one of them","any":{"constraints":[%s,%s]}}`, gvk, inPackage)
	case 2:
		return fmt.Sprintf(`{"failureMessage":"needs no old one","all":{"constraints":[%s,{"not":{"constraints":[{"package":{"packageName":%q,"versionRange":"<1.0.0"}}]}}]}}`,
			gvk, packageName(wanted.pkg))
	}
	return fmt.Sprintf(`{"failureMessage":"needs a provider","cel":{"rule":%q}}`,
		fmt.Sprintf(`properties.exists(p, p.type == "olm.package" && p.value.packageName == %q)`, packageName(wanted.pkg)))
}

func property(propertyType, value string) string {
	return fmt.Sprintf(`{"type":%q,"value":%s}`, propertyType, value)
}
