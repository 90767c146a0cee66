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
	Catalog  string            `yaml:"catalog"`
	Packages []imageSetPackage `yaml:"packages"`
}

type imageSetPackage struct {
	Name           string            `yaml:"name"`
	DefaultChannel string            `yaml:"defaultChannel,omitempty"`
	Channels       []imageSetChannel `yaml:"channels"`
}

type imageSetChannel struct {
	Name       string `yaml:"name"`
	MinVersion string `yaml:"minVersion"`
	MaxVersion string `yaml:"maxVersion"`
}

// ImageSet returns the mirror as an ImageSetConfiguration of oc-mirror
// (mirror.openshift.io/v2alpha1), in YAML. images has the image of each catalog of the mirror.
func (m *Mirror) ImageSet(images map[catalog.Key]string) ([]byte, error) {
	set := imageSet{Kind: "ImageSetConfiguration", APIVersion: "mirror.openshift.io/v2alpha1"}
	set.Mirror.Operators = []imageSetCatalog{}
	for _, c := range m.Catalogs {
		operator := imageSetCatalog{Catalog: images[c.Key]}
		for _, p := range c.Packages {
			stated := imageSetPackage{Name: p.Name}
			if p.Restated {
				stated.DefaultChannel = p.DefaultChannel
			}
			for _, channel := range p.Channels {
				stated.Channels = append(stated.Channels, imageSetChannel{channel.Name, channel.MinVersion, channel.MaxVersion})
			}
			operator.Packages = append(operator.Packages, stated)
		}
		set.Mirror.Operators = append(set.Mirror.Operators, operator)
	}
	return yaml.Dump(set)
}
