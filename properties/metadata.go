package properties

import (
	"fmt"
	"slices"
	"strings"

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

// InstallModes are those that a bundle supports, in the order of the constants; the
// rest is empty.
type InstallModes [4]InstallMode

// String lists the modes.
func (m InstallModes) String() string {
	var names []string
	for _, name := range m {
		if name != "" {
			names = append(names, string(name))
		}
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// Metadata is what resolution needs of olm.csv.metadata. It is immutable.
type Metadata struct {
	// MinKubeVersion is the text as stated, "" if there is none.
	MinKubeVersion string

	modes       []mode
	annotations []annotation
}

type mode struct {
	name      InstallMode
	supported bool
}

type annotation struct{ key, value string }

// StatesModes reports whether any install mode is mentioned at all.
func (m *Metadata) StatesModes() bool { return m != nil && len(m.modes) > 0 }

// Supports reports whether the mode is stated as supported. If a mode is stated
// several times the last one counts.
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

// Supported returns the modes that are stated as supported.
func (m *Metadata) Supported() (modes InstallModes) {
	for i, name := range []InstallMode{OwnNamespace, SingleNamespace, MultiNamespace, AllNamespaces} {
		if m.Supports(name) {
			modes[i] = name
		}
	}
	return modes
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
		case "minKubeVersion":
			token, err := readToken(d, name, '"')
			m.MinKubeVersion = in.String(token.String())
			return err
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

func (m *Metadata) readModes(d *jsontext.Decoder, in *Interner) error {
	if _, err := readToken(d, "installModes", '['); err != nil {
		return err
	}
	for i := 0; d.PeekKind() != ']'; i++ {
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
					err = fmt.Errorf("supported must be true or false, not %s", jsonfield.KindName(token.Kind()))
				}
				one.supported = err == nil && token.Bool()
				return err
			}
			return d.SkipValue()
		})
		if err != nil {
			return fmt.Errorf("installModes[%d]: %w", i, err)
		}
		m.modes = append(m.modes, one)
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

// cel returns the metadata as decoded JSON.
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
	if m.MinKubeVersion != "" {
		fields["minKubeVersion"] = m.MinKubeVersion
	}
	return fields
}
