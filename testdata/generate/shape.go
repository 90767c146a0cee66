package generate

import (
	"io/fs"
	"math"
	"math/rand/v2"
)

// Shape is the shape of a catalog. Shares are between 0 and 1.
type Shape struct {
	Seed     uint64
	Packages int

	// Bundles and MostBundles are the median and the maximum of the bundles of a package.
	// APIs and MostAPIs are those of the APIs that it provides.
	Bundles, MostBundles int
	APIs, MostAPIs       int

	// Requiring is the share of packages whose bundles require others, Depth the
	// longest chain of requirements.
	Requiring float64
	Depth     int
	// Compound is the share of requirements that are an olm.constraint. Missing is the share
	// of requirements that nothing satisfies.
	Compound, Missing float64

	// Conflicts is the share of packages whose newer bundles also provide an API of another
	// package, and so cannot be installed beside it.
	Conflicts float64

	// Objects is the number of bytes of the manifests of each bundle. With them a bundle has its
	// manifests among its properties, as catalogs for OpenShift up to 4.16 have, instead of
	// olm.csv.metadata.
	Objects int

	// Blobs is the number of bytes in each bundle that no reader needs. With 0 the files are
	// JSON, as tools render them. Otherwise they are YAML, as maintainers write them.
	Blobs int
}

// Real returns the shape of a large public catalog: some 330 packages, 6,500
// bundles and 32,000 statements of APIs.
func Real(seed uint64) Shape {
	return Shape{
		Seed: seed, Packages: 332,
		Bundles: 8, MostBundles: 165,
		APIs: 3, MostAPIs: 53,
		Requiring: 0.06, Depth: 3, Compound: 0.01, Missing: 0.05,
		Conflicts: 0.045,
	}
}

// Times returns a shape with n times as many packages.
func (s Shape) Times(n int) Shape {
	s.Packages *= n
	return s
}

// FS returns the files of the catalog, one for each package.
func (s Shape) FS() fs.FS {
	suffix := ".json"
	if s.Blobs > 0 {
		suffix = ".yaml"
	}
	files := make(files, s.Packages)
	for i := range files {
		files[i] = file{packageName(i) + suffix, func() []byte { return s.write(i) }}
	}
	return files
}

// around draws a number from a distribution with the median and few large numbers, like sizes in
// real catalogs.
func around(r *rand.Rand, median, most int, spread float64) int {
	n := int(math.Round(float64(median) * math.Exp(spread*r.NormFloat64())))
	return min(max(n, 1), most)
}

// level returns the depth of the requirements of a package, 0 for most packages.
func (s Shape) level(pkg int) int {
	// The level must not depend on other numbers that are drawn for the package.
	r := rand.New(rand.NewPCG(s.Seed, uint64(pkg)))
	if s.Depth < 1 || r.Float64() >= s.Requiring {
		return 0
	}
	// Deep chains are rare.
	level := 1
	for level < s.Depth && r.IntN(3) == 0 {
		level++
	}
	return level
}

// below returns a package of the next lower level, so that requirements have no circles.
func (s Shape) below(r *rand.Rand, level int) int {
	const tries = 1 << 10
	for range tries {
		if pkg := r.IntN(s.Packages); s.level(pkg) == level-1 {
			return pkg
		}
	}
	return 0
}
