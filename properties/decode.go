package properties

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Decode reads the properties of one bundle. It returns a Set that is usable
// whatever is wrong, and all faults in the stated order. With a fatal fault the
// bundle as a whole cannot be used.
//
// The Set keeps copies, so the caller may reuse props. A nil Interner stands for a
// new one.
func Decode(props []Property, in *Interner) (*Set, []Fault) {
	if in == nil {
		in = &Interner{}
	}
	if in.strings == nil {
		in.prepare()
	}
	d := &in.decoder
	*d = decoder{in: in, set: &Set{}, items: d.items[:0], raw: d.raw[:0], gvks: d.gvks[:0]}
	packages := 0
	for i, p := range props {
		if p.Type == TypePackage {
			packages++
		}
		d.items = append(d.items, d.decode(i, p, packages))
	}
	if packages == 0 {
		d.faults = append(d.faults, Fault{
			Code: string(codePackage), Index: -1, Type: TypePackage, Fatal: true,
			Err: errors.New("there is no olm.package property: add one with packageName and version"),
		})
	}
	d.decodeObjects(props)
	d.set.stated = slices.Clone(d.items)
	d.set.gvks = in.gvkList(d.gvks)
	d.set.raw = append([]Property(nil), d.raw...)
	return d.set, d.faults
}

// decoder decodes one Set. The next Set reuses the memory of its lists.
type decoder struct {
	in     *Interner
	set    *Set
	items  []item
	raw    []Property
	gvks   []GVK
	faults []Fault
	limits int // statements of olm.maxOpenShiftVersion

	gvkIndex   listIndex[GVK]
	labelIndex listIndex[string]
}

// decode keeps one property and returns where. packages is the number of
// olm.package properties so far, this one included.
func (d *decoder) decode(index int, p Property, packages int) item {
	fault := func(code faultCode, fatal bool, err error) item {
		d.faults = append(d.faults, Fault{string(code), index, p.Type, fatal, err})
		return dropped
	}
	if p.Type == TypeBundleObject {
		return dropped
	}
	// A deprecation counts whatever its value. Losing one to a typing error would
	// offer the bundle to everybody.
	if p.Type == TypeDeprecated {
		d.set.deprecated = true
	}
	if p.Type == "" {
		return fault(codeNoType, false, errors.New("the property has no type: name one or remove the property"))
	}
	if text := jsontext.Value(p.Value); len(text) == 0 || text.Kind() == 'n' && text.IsValid() {
		fatal := p.Type == TypePackage || p.Type == TypeGVK || isConstraint(p.Type)
		return fault(codeNoValue, fatal, errors.New("the value is null: give a value or remove the property"))
	}
	switch p.Type {
	case TypePackage:
		if packages > 1 {
			return fault(codePackage, true, errors.New("olm.package is stated more than once: keep one"))
		}
		pkg, whole, err := decodePackage(p.Value, d.in)
		if err != nil {
			code := codeMalformed
			if _, ok := errors.AsType[*versionError](err); ok {
				code = codeVersion
			}
			return fault(code, true, err)
		}
		d.set.pkg, d.set.hasPackage = pkg, true
		if whole {
			return newItem(inPackage, 0)
		}
	case TypeGVK:
		gvk, whole, err := decodeGVK(p.Value, d.in)
		if err != nil {
			// The bundle may collide with others that provide the unreadable API.
			return fault(codeMalformed, true, err)
		}
		i := d.gvkIndex.of(d.gvks, gvk)
		if i == len(d.gvks) {
			d.gvks = append(d.gvks, gvk)
		}
		if whole {
			return newItem(inGVKs, i)
		}
	case TypeLabel:
		label, whole, err := decodeLabel(p.Value, d.in)
		if err != nil {
			return fault(codeMalformed, false, err)
		}
		i := d.labelIndex.of(d.set.labels, label)
		if i == len(d.set.labels) {
			d.set.labels = append(d.set.labels, label)
		}
		if whole {
			return newItem(inLabels, i)
		}
	case TypeCSVMetadata:
		m, err := decodeMetadata(p.Value, d.in)
		if err != nil {
			return fault(codeMalformed, false, err)
		}
		if d.set.metadata != nil {
			return fault(codeMalformed, false, errors.New("olm.csv.metadata is stated more than once: the first one counts"))
		}
		d.set.metadata = m
		return newItem(inMetadata, 0)
	case TypeMaxOpenShift:
		limit, unfit, err := parseMajorMinor(string(p.Value))
		if d.limits++; d.limits > 1 {
			unfit = cmp.Or(unfit, errors.New("it is stated more than once: keep one"))
		}
		if d.set.unfit = cmp.Or(d.set.unfit, err, unfit); err != nil {
			fault(codeMalformed, false, fmt.Errorf("%w; the bundle counts as having no limit", err))
			break
		}
		if unfit != nil {
			fault(codeMalformed, false, fmt.Errorf("%w; OLM does not accept it, and blocks every update of OpenShift where the bundle is installed", unfit))
		}
		if !d.set.limited || limit.Compare(d.set.openShift) < 0 {
			d.set.openShift, d.set.limited = limit, true
		}
	}
	text := jsontext.Value(append(d.in.scratch[:0], p.Value...))
	if text.Compact(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) != nil {
		return fault(codeMalformed, true, errors.New("the value is not JSON"))
	}
	d.in.scratch = text
	d.raw = append(d.raw, Property{Type: d.in.String(p.Type), Value: slices.Clone([]byte(text))})
	return newItem(inRaw, len(d.raw)-1)
}

func decodeGVK(value []byte, in *Interner) (GVK, bool, error) {
	if known, ok := in.gvks[string(value)]; ok {
		return known.gvk, known.whole, nil
	}
	group, version, kind := member{name: "group"}, member{name: "version"}, member{name: "kind"}
	whole, err := in.json.members(value, &group, &version, &kind)
	switch {
	case err != nil:
		return GVK{}, false, err
	case version.text == "":
		return GVK{}, false, errors.New("version is missing: give the version of the API, such as v1")
	case kind.text == "":
		return GVK{}, false, errors.New("kind is missing: give the kind of the API")
	}
	gvk := GVK{Group: in.String(group.text), Version: in.String(version.text), Kind: in.String(kind.text)}
	whole = whole && group.set
	if len(value) <= maxSharedText {
		in.gvks[string(value)] = decodedGVK{gvk, whole}
	}
	return gvk, whole, nil
}

func decodeLabel(value []byte, in *Interner) (string, bool, error) {
	label := member{name: "label"}
	whole, err := in.json.members(value, &label)
	if err != nil {
		return "", false, err
	}
	if label.text == "" {
		return "", false, errors.New("label is missing: give the label")
	}
	return in.String(label.text), whole, nil
}
