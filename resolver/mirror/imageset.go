package mirror

import (
	"go.yaml.in/yaml/v4"

	"github.com/resolvent/resolvent/cache/catalog"
)

// imageSet has the fields of an ImageSetConfiguration of oc-mirror that are written.
type imageSet struct {
	Kind       string `yaml:"kind"`
	APIVersion string `yaml:"apiVersion"`
	Mirror     struct {
		Operators []imageSetCatalog `yaml:"operators"`
	} `yaml:"mirror"`
}

type imageSetCatalog struct {
	Catalog  string    `yaml:"catalog"`
	Packages []Package `yaml:"packages"`
}

// ImageSet returns the mirror as an ImageSetConfiguration of oc-mirror
// (mirror.openshift.io/v2alpha1), in YAML. images has the image of each catalog of the mirror.
func (m *Mirror) ImageSet(images map[catalog.Key]string) ([]byte, error) {
	set := imageSet{Kind: "ImageSetConfiguration", APIVersion: "mirror.openshift.io/v2alpha1"}
	set.Mirror.Operators = []imageSetCatalog{}
	for _, c := range m.Catalogs {
		operator := imageSetCatalog{Catalog: images[c.Key]}
		for _, p := range c.Packages {
			if !p.Restated {
				p.DefaultChannel = ""
			}
			operator.Packages = append(operator.Packages, p)
		}
		set.Mirror.Operators = append(set.Mirror.Operators, operator)
	}
	return yaml.Dump(set)
}
