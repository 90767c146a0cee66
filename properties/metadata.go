package properties

import (
	"cmp"
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

// Metadata is what resolution needs of olm.csv.metadata. It is immutable.
type Metadata struct {
	// MinKubeVersion is the text as stated, "" if there is none.
	MinKubeVersion string
	// Texts are the strings in the fields of Interner.Texts, in the stated order. Resolution
	// does not need them.
	Texts []string

	modes       []mode
	annotations []annotation
	apiServices []GVK
}

type mode struct {
	name      InstallMode
	supported bool
}

type annotation struct{ key, value string }

// KubeFault returns why OLM installs the bundle on no cluster: a MinKubeVersion that is no
// version of three numbers. It returns nil if there is no such fault.
func (m *Metadata) KubeFault() error {
	if m == nil || m.MinKubeVersion == "" {
		return nil
	}
	if _, err := semver.Parse(strings.TrimPrefix(m.MinKubeVersion, "v")); err != nil {
		return fmt.Errorf("minKubeVersion %q is not a version of three numbers: OLM installs the bundle on no cluster", m.MinKubeVersion)
	}
	return nil
}

// Annotations walks the annotations in the stated order.
func (m *Metadata) Annotations() iter.Seq2[string, string] {
	return func(yield func(key, value string) bool) {
		if m == nil {
			return
		}
		for _, a := range m.annotations {
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
		if d.PeekKind() == 'n' {
			return d.SkipValue()
		}
		switch name {
		case "installModes":
			return m.readModes(d, in)
		case "annotations":
			return m.readAnnotations(d, in)
		case "apiServiceDefinitions":
			return m.readAPIServices(d, in)
		case "minKubeVersion":
			token, err := readToken(d, name, '"')
			m.MinKubeVersion = in.String(token.String())
			return err
		}
		if slices.Contains(in.Texts, name) {
			return m.readTexts(d)
		}
		return d.SkipValue()
	})
	if err != nil {
		return nil, err
	}
	if len(value) <= maxSharedText {
		in.metadata[string(value)] = m
	}
	return m, nil
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
				token, err := readToken(d, name, '"')
				one.name = InstallMode(in.String(token.String()))
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
			err := readObject(d, func(d *jsontext.Decoder, name string) error {
				field := fields[name]
				if field == nil || d.PeekKind() == 'n' {
					return d.SkipValue()
				}
				token, err := readToken(d, name, '"')
				*field = in.String(token.String())
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

func (m *Metadata) readAnnotations(d *jsontext.Decoder, in *Interner) error {
	err := readObject(d, func(d *jsontext.Decoder, name string) error {
		token, err := readToken(d, name, '"')
		m.annotations = append(m.annotations, annotation{in.String(name), in.String(token.String())})
		return err
	})
	if err != nil {
		return fmt.Errorf("annotations: %w", err)
	}
	return nil
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
	if m.annotations != nil {
		annotations := make(map[string]any, len(m.annotations))
		for _, a := range m.annotations {
			annotations[a.key] = a.value
		}
		fields["annotations"] = annotations
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
func (m *Metadata) value(text []byte) []byte {
	before := byte('{')
	field := func(name string) {
		text = append(append(append(text, before), name...), ':')
		before = ','
	}
	if m.annotations != nil {
		field(`"annotations"`)
		text = m.appendAnnotations(text)
	}
	if m.apiServices != nil {
		field(`"apiServiceDefinitions"`)
		text = append(text, `{"owned":`...)
		text = append(appendList(text, m.apiServices, func(text []byte, api GVK) []byte { return api.value(text) }), '}')
	}
	if m.modes != nil {
		field(`"installModes"`)
		text = appendList(text, m.modes, func(text []byte, one mode) []byte {
			text = strconv.AppendBool(append(text, `{"supported":`...), one.supported)
			return append(appendText(text, `,"type":`, string(one.name)), '}')
		})
	}
	if m.MinKubeVersion != "" {
		field(`"minKubeVersion"`)
		text = appendText(text, "", m.MinKubeVersion)
	}
	if before == '{' {
		text = append(text, '{')
	}
	return append(text, '}')
}

// appendAnnotations appends the annotations, each key once: the last value counts.
func (m *Metadata) appendAnnotations(text []byte) []byte {
	byKey := make(map[string]string, len(m.annotations))
	for _, a := range m.annotations {
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
