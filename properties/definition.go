package properties

import (
	"encoding/base64"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Definition is what is kept of the spec of a CustomResourceDefinition, under the names that its
// fields have there.
type Definition struct {
	Group    string           `json:"group,omitzero"`
	Names    DefinitionNames  `json:"names,omitzero"`
	Scope    string           `json:"scope,omitzero"`
	Versions []DefinedVersion `json:"versions,omitempty"`
	// Version is the only one of a definition of v1beta1 that lists none.
	Version string `json:"version,omitzero"`
	// Text is the whole object as JSON, if Interner.Objects asks for it.
	Text []byte `json:"-"`
}

// DefinitionNames are the names of the resources that a definition defines.
type DefinitionNames struct {
	Kind   string `json:"kind,omitzero"`
	Plural string `json:"plural,omitzero"`
}

// DefinedVersion is a version of a CustomResourceDefinition.
type DefinedVersion struct {
	Name    string `json:"name"`
	Served  bool   `json:"served"`
	Storage bool   `json:"storage,omitzero"`
}

// maxVersions bounds the versions of a definition: no API has that many.
const maxVersions = 100

// maxNameText is the longest name that Kubernetes gives an object, in bytes.
const maxNameText = 253

// Settle lists the version of a definition that lists none, and reports whether the versions can be
// judged: they are no more, and their names no longer, than any that Kubernetes accepts.
func (d *Definition) Settle() bool {
	if len(d.Versions) == 0 && d.Version != "" {
		d.Versions = []DefinedVersion{{d.Version, true, true}}
	}
	d.Version = ""
	for _, v := range d.Versions {
		if v.Name == "" || len(v.Name) > maxNameText {
			return false
		}
	}
	return max(len(d.Name()), len(d.Names.Kind), len(d.Scope)) <= maxNameText && len(d.Versions) > 0 && len(d.Versions) <= maxVersions
}

// Name returns the name of the definition.
func (d *Definition) Name() string { return d.Names.Plural + "." + d.Group }

// Find returns the version of that name, nil if there is none.
func (d *Definition) Find(version string) *DefinedVersion {
	i := slices.IndexFunc(d.Versions, func(v DefinedVersion) bool { return v.Name == version })
	if i < 0 {
		return nil
	}
	return &d.Versions[i]
}

// Serves reports whether the definition serves a version.
func (d *Definition) Serves(version string) bool {
	v := d.Find(version)
	return v != nil && v.Served
}

// Stores returns the version in which objects are stored, empty if none is marked.
func (d *Definition) Stores() string {
	for _, v := range d.Versions {
		if v.Storage {
			return v.Name
		}
	}
	return ""
}

// Objects are the objects of a bundle, as far as installing them can be judged before.
type Objects struct {
	// Definitions are in the stated order.
	Definitions []Definition
	// ServiceVersion is the whole ClusterServiceVersion as JSON, if Interner.Objects asks for
	// it, and the bundle has it as an object.
	ServiceVersion []byte
	// Others are those of other kinds, if olm.csv.metadata is stated as well.
	Others []Other
}

// Other is an object that is not a CustomResourceDefinition.
type Other struct {
	Kind, Name string
	// Rules are those of a role, Role is what a binding grants, and Installation that of a
	// ClusterServiceVersion.
	Rules        []Right
	Role         RoleRef
	Installation *Installation
}

// otherObject is what is kept of another object, under the names that its fields have there.
type otherObject struct {
	Kind     string `json:"kind"`
	Metadata struct {
		Name string `json:"name,omitzero"`
	} `json:"metadata"`
	Role  RoleRef      `json:"roleRef,omitzero"`
	Rules []Right      `json:"rules,omitempty"`
	Spec  Installation `json:"spec,omitzero"`
}

// maxOthers bounds the other objects of a bundle: none has that many.
const maxOthers = 1000

// readOther adds another object to those of the Set, and reports whether it can be judged.
func (s *Set) readOther(text []byte) bool {
	var o otherObject
	err := json.Unmarshal(text, &o, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if err != nil || max(len(o.Metadata.Name), len(o.Role.Name)) > maxNameText || s.objects != nil && len(s.objects.Others) == maxOthers {
		return false
	}
	other := Other{Kind: o.Kind, Name: o.Metadata.Name, Rules: o.Rules, Role: o.Role}
	if o.Kind == kindCSV && o.Spec.Install != nil {
		other.Installation = &o.Spec
	}
	objects := s.someObjects()
	objects.Others = append(objects.Others, other)
	return true
}

// OtherProperty returns an olm.bundle.object with what is kept of another object.
func OtherProperty(o *Other) Property {
	return Property{Type: TypeBundleObject, Value: o.objectValue(nil)}
}

func (o *Other) objectValue(text []byte) []byte {
	object := otherObject{Kind: o.Kind, Role: o.Role, Rules: o.Rules}
	object.Metadata.Name = o.Name
	if o.Installation != nil {
		object.Spec = *o.Installation
	}
	data, _ := json.Marshal(&object, json.Deterministic(true), jsontext.AllowInvalidUTF8(true)) // strings and flags
	return appendObject(text, data)
}

// Definition returns the definition of that name, nil if none is known.
func (o *Objects) Definition(name string) *Definition {
	if o == nil {
		return nil
	}
	i := slices.IndexFunc(o.Definitions, func(d Definition) bool { return d.Name() == name })
	if i < 0 {
		return nil
	}
	return &o.Definitions[i]
}

// Objects returns what is known of the bundle's objects, nil if nothing is. It is shared: read it
// only.
func (s *Set) Objects() *Objects { return s.objects }

// DefinitionProperty returns an olm.bundle.object with what is kept of a definition.
func DefinitionProperty(d *Definition) Property {
	return Property{Type: TypeBundleObject, Value: d.objectValue(nil)}
}

// ObjectProperty returns the olm.bundle.object of an object.
func ObjectProperty(object []byte) Property {
	return Property{Type: TypeBundleObject, Value: appendObject(nil, object)}
}

// objectValue appends the value of an object with the CustomResourceDefinition, or with the least
// one that states what is kept.
func (d *Definition) objectValue(text []byte) []byte {
	object := d.Text
	if object == nil {
		object, _ = json.Marshal(struct {
			Kind string      `json:"kind"`
			Spec *Definition `json:"spec"`
		}{kindDefinition, d}, json.Deterministic(true), jsontext.AllowInvalidUTF8(true)) // strings and flags
	}
	return appendObject(text, object)
}

func appendObject(text, object []byte) []byte {
	text = base64.StdEncoding.AppendEncode(append(text, `{"data":"`...), object)
	return append(text, `"}`...)
}

// readDefinition adds a definition to the objects of the Set, with its text if that is to be kept,
// and returns its place among them, from 1. It is 0 for a definition that cannot be judged: that does no harm but to its own bundle,
// of which OLM says so.
func (s *Set) readDefinition(text []byte, keep bool) int {
	var crd struct {
		Spec Definition `json:"spec"`
	}
	if json.Unmarshal(text, &crd, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) != nil || !crd.Spec.Settle() || crd.Spec.Group == "" || crd.Spec.Names.Plural == "" {
		return 0
	}
	if keep {
		crd.Spec.Text = slices.Clone(text)
	}
	o := s.someObjects()
	o.Definitions = append(o.Definitions, crd.Spec)
	return len(o.Definitions)
}

func (s *Set) someObjects() *Objects {
	if s.objects == nil {
		s.objects = &Objects{}
	}
	return s.objects
}
