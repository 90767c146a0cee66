package mirror

import (
	"go.yaml.in/yaml/v4"

	"github.com/resolvent/resolvent/cache/catalog"
)

// imageSet is an ImageSetConfiguration of oc-mirror, as far as it is written.
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

// ImageSet writes the mirror as an ImageSetConfiguration of oc-mirror
// (mirror.openshift.io/v2alpha1). The images are those of the catalogs; every catalog of
// the mirror needs one.
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
