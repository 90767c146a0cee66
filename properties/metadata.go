package properties

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/blang/semver/v4"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/resolvent/resolvent/properties/jsonfield"
)

// InstallMode is a way in which an operator can watch namespaces.
type InstallMode string

// The install modes of OLM.
const (
	OwnNamespace    InstallMode = "OwnNamespace"
	SingleNamespace InstallMode = "SingleNamespace"
	MultiNamespace  InstallMode = "MultiNamespace"
	AllNamespaces   InstallMode = "AllNamespaces"
)

// Metadata is what resolution needs of a ClusterServiceVersion, which olm.csv.metadata states,
// or olm.bundle.object. It is immutable.
type Metadata struct {
	// MinKubeVersion is the text as stated, "" if there is none.
	MinKubeVersion string
	// Texts are the strings in the fields of Interner.Texts, in the stated order. Resolution
	// does not need them.
	Texts []string

	modes       []mode
	annotations []annotation
	labels      []annotation
	apiServices []GVK
}

type mode struct {
	name      InstallMode
	supported bool
}

// annotation is an annotation or a label.
type annotation struct{ key, value string }

// KubeFault returns why OLM installs the bundle on no cluster: a MinKubeVersion that is no
// version of three numbers. It returns nil if there is no such fault.
func (m *Metadata) KubeFault() error {
	if m == nil || m.MinKubeVersion == "" {
		return nil
	}
	if _, err := semver.Parse(strings.TrimPrefix(m.MinKubeVersion, "v")); err != nil {
		return fmt.Errorf("minKubeVersion %q is not a version of three numbers: OLM cannot install the bundle on any cluster", m.MinKubeVersion)
	}
	return nil
}

// ModesFault returns why OLM installs the bundle on no cluster: install modes of which one is stated
// twice, or none is supported. It returns nil if there is no such fault, or no mode.
func (m *Metadata) ModesFault() error {
	if !m.StatesModes() {
		return nil
	}
	for i, one := range m.modes {
		if slices.ContainsFunc(m.modes[:i], func(other mode) bool { return other.name == one.name }) {
			return fmt.Errorf("install mode %.100q is stated twice: OLM cannot install the bundle on any cluster; state it once", one.name)
		}
	}
	if len(m.Supported()) == 0 {
		return errors.New("no install mode is supported: OLM cannot install the bundle on any cluster; support one")
	}
	return nil
}

// Annotations walks the annotations in the stated order.
func (m *Metadata) Annotations() iter.Seq2[string, string] {
	if m == nil {
		m = &Metadata{}
	}
	return pairs(m.annotations)
}

// Labels walks the labels in the stated order.
func (m *Metadata) Labels() iter.Seq2[string, string] {
	if m == nil {
		m = &Metadata{}
	}
	return pairs(m.labels)
}

func pairs(list []annotation) iter.Seq2[string, string] {
	return func(yield func(key, value string) bool) {
		for _, a := range list {
			if !yield(a.key, a.value) {
				return
			}
		}
	}
}

// StatesModes reports whether the metadata mentions any install mode.
func (m *Metadata) StatesModes() bool { return m != nil && len(m.modes) > 0 }

// Supports reports whether the mode is stated as supported. The last statement of a
// mode counts.
func (m *Metadata) Supports(name InstallMode) bool {
	if m == nil {
		return false
	}
	for _, mode := range slices.Backward(m.modes) {
		if mode.name == name {
			return mode.supported
		}
	}
	return false
}

// Supported returns the modes that are stated as supported, in the order of the constants.
func (m *Metadata) Supported() (modes []InstallMode) {
	for _, name := range []InstallMode{OwnNamespace, SingleNamespace, MultiNamespace, AllNamespaces} {
		if m.Supports(name) {
			modes = append(modes, name)
		}
	}
	return modes
}

// SupportedText lists the modes that are stated as supported, "none" without any.
func (m *Metadata) SupportedText() string {
	var names []string
	for _, name := range m.Supported() {
		names = append(names, string(name))
	}
	return cmp.Or(strings.Join(names, ", "), "none")
}

// APIServices returns the owned APIs of aggregated API servers. The result is shared:
// read it only.
func (m *Metadata) APIServices() []GVK {
	if m == nil {
		return nil
	}
	return m.apiServices
}

func decodeMetadata(value []byte, in *Interner) (*Metadata, error) {
	if m, ok := in.metadata[string(value)]; ok {
		return m, nil
	}
	m := &Metadata{}
	err := in.json.eachMember(value, func(d *jsontext.Decoder, name string) error {
		if slices.Contains(in.Texts, name) && d.PeekKind() != 'n' {
			return m.readTexts(d)
		}
		return m.readField(d, in, name, metadataFields)
	})
	if err != nil {
		return nil, err
	}
	if len(value) <= maxSharedText {
		in.metadata[string(value)] = m
	}
	return m, nil
}

// metadataFields are the fields of olm.csv.metadata that are read, in canonical order.
var metadataFields = []string{"annotations", "apiServiceDefinitions", "installModes", "labels", "minKubeVersion"}

// readField reads a field if it is one of fields and not null.
func (m *Metadata) readField(d *jsontext.Decoder, in *Interner, name string, fields []string) (err error) {
	if d.PeekKind() == 'n' || !slices.Contains(fields, name) {
		return d.SkipValue()
	}
	switch name {
	case "installModes":
		return m.readModes(d, in)
	case "annotations":
		m.annotations, err = readPairs(d, in, name, m.annotations)
	case "labels":
		m.labels, err = readPairs(d, in, name, m.labels)
	case "minKubeVersion":
		m.MinKubeVersion, err = in.readText(d, name)
	default:
		return m.readAPIServices(d, in)
	}
	return err
}

// readTexts reads a string, or the strings in a list. It skips other values without
// a fault, because only people read these texts.
func (m *Metadata) readTexts(d *jsontext.Decoder) error {
	for depth := d.StackDepth(); ; {
		token, err := d.ReadToken()
		if err == nil && token.Kind() == '"' {
			m.Texts = append(m.Texts, token.String())
		}
		if err != nil || d.StackDepth() == depth {
			return err
		}
	}
}

func (m *Metadata) readModes(d *jsontext.Decoder, in *Interner) error {
	return readList(d, "installModes", func(d *jsontext.Decoder) error {
		var one mode
		err := readObject(d, func(d *jsontext.Decoder, name string) error {
			switch name {
			case "type":
				text, err := in.readText(d, name)
				one.name = InstallMode(text)
				return err
			case "supported":
				token, err := d.ReadToken()
				if err == nil && token.Kind() != 't' && token.Kind() != 'f' {
					err = fmt.Errorf("supported must be true or false, not %s", jsonfield.KindName(byte(token.Kind())))
				}
				one.supported = err == nil && token.Bool()
				return err
			}
			return d.SkipValue()
		})
		m.modes = append(m.modes, one)
		return err
	})
}

// readAPIServices reads the APIs below owned.
func (m *Metadata) readAPIServices(d *jsontext.Decoder, in *Interner) error {
	return readObject(d, func(d *jsontext.Decoder, name string) error {
		if name != "owned" || d.PeekKind() == 'n' {
			return d.SkipValue()
		}
		return readList(d, "apiServiceDefinitions.owned", func(d *jsontext.Decoder) error {
			var api GVK
			fields := map[string]*string{"group": &api.Group, "version": &api.Version, "kind": &api.Kind}
			err := readObject(d, func(d *jsontext.Decoder, name string) (err error) {
				field := fields[name]
				if field == nil || d.PeekKind() == 'n' {
					return d.SkipValue()
				}
				*field, err = in.readText(d, name)
				return err
			})
			m.apiServices = append(m.apiServices, api)
			return err
		})
	})
}

// readList calls element with the decoder in front of each element of a list.
func readList(d *jsontext.Decoder, name string, element func(d *jsontext.Decoder) error) error {
	if _, err := readToken(d, name, '['); err != nil {
		return err
	}
	for i := 0; d.PeekKind() != ']'; i++ {
		if err := element(d); err != nil {
			return fmt.Errorf("%s[%d]: %w", name, i, err)
		}
	}
	_, err := d.ReadToken()
	return err
}

// readPairs appends the members of an object with strings.
func readPairs(d *jsontext.Decoder, in *Interner, field string, list []annotation) ([]annotation, error) {
	err := readObject(d, func(d *jsontext.Decoder, name string) error {
		text, err := in.readText(d, name)
		list = append(list, annotation{in.String(name), text})
		return err
	})
	if err != nil {
		return list, fmt.Errorf("%s: %w", field, err)
	}
	return list, nil
}

// cel returns the metadata in the shape of decoded JSON.
func (m *Metadata) cel() map[string]any {
	fields := map[string]any{}
	if m.modes != nil {
		modes := make([]any, len(m.modes))
		for i, mode := range m.modes {
			modes[i] = map[string]any{"type": string(mode.name), "supported": mode.supported}
		}
		fields["installModes"] = modes
	}
	for name, list := range map[string][]annotation{"annotations": m.annotations, "labels": m.labels} {
		if list != nil {
			texts := make(map[string]any, len(list))
			for _, a := range list {
				texts[a.key] = a.value
			}
			fields[name] = texts
		}
	}
	if m.apiServices != nil {
		owned := make([]any, len(m.apiServices))
		for i, api := range m.apiServices {
			owned[i] = map[string]any{"group": api.Group, "version": api.Version, "kind": api.Kind}
		}
		fields["apiServiceDefinitions"] = map[string]any{"owned": owned}
	}
	if m.MinKubeVersion != "" {
		fields["minKubeVersion"] = m.MinKubeVersion
	}
	return fields
}

// value appends what is kept as JSON in canonical form.
func (m *Metadata) value(text []byte) []byte { return m.appendFields(text, metadataFields) }

// appendFields appends an object with those of some fields that are stated.
func (m *Metadata) appendFields(text []byte, fields []string) []byte {
	before := byte('{')
	for _, name := range fields {
		rest := len(text)
		text = append(append(append(text, before, '"'), name...), `":`...)
		from := len(text)
		switch {
		case name == "annotations" && m.annotations != nil:
			text = appendPairs(text, m.annotations)
		case name == "labels" && m.labels != nil:
			text = appendPairs(text, m.labels)
		case name == "installModes" && m.modes != nil:
			text = appendList(text, m.modes, func(text []byte, one mode) []byte {
				text = strconv.AppendBool(append(text, `{"supported":`...), one.supported)
				return append(appendText(text, `,"type":`, string(one.name)), '}')
			})
		case name == "minKubeVersion" && m.MinKubeVersion != "":
			text = appendText(text, "", m.MinKubeVersion)
		case strings.EqualFold(name, "apiServiceDefinitions") && m.apiServices != nil:
			text = append(text, `{"owned":`...)
			text = append(appendList(text, m.apiServices, func(text []byte, api GVK) []byte { return api.value(text) }), '}')
		}
		if len(text) == from {
			text = text[:rest]
			continue
		}
		before = ','
	}
	if before == '{' {
		text = append(text, '{')
	}
	return append(text, '}')
}

// appendPairs appends annotations or labels, each key once: the last value counts.
func appendPairs(text []byte, list []annotation) []byte {
	byKey := make(map[string]string, len(list))
	for _, a := range list {
		byKey[a.key] = a.value
	}
	before := "{"
	for _, key := range slices.SortedFunc(maps.Keys(byKey), utf16Compare) {
		text = appendText(appendText(text, before, key), ":", byKey[key])
		before = ","
	}
	if before == "{" {
		text = append(text, '{')
	}
	return append(text, '}')
}

// utf16Compare is the order of keys in canonical JSON (RFC 8785).
func utf16Compare(a, b string) int {
	return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
}

func appendList[T any](text []byte, list []T, one func([]byte, T) []byte) []byte {
	text = append(text, '[')
	for i, x := range list {
		if i > 0 {
			text = append(text, ',')
		}
		text = one(text, x)
	}
	return append(text, ']')
}
