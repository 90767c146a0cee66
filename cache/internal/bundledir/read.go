package bundledir

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/build"
	"github.com/resolvent/resolvent/cache/internal/code"
	"github.com/resolvent/resolvent/cache/internal/document"
	"github.com/resolvent/resolvent/cache/internal/walk"
	"github.com/resolvent/resolvent/properties"
)

// Annotations of a ClusterServiceVersion that are read.
const (
	annotationSkipRange  = "olm.skipRange"
	annotationProperties = "olm.properties"
)

// Annotations of metadata/annotations.yaml.
const (
	annotationMediaType      = "operators.operatorframework.io.bundle.mediatype.v1"
	annotationPackage        = "operators.operatorframework.io.bundle.package.v1"
	annotationChannels       = "operators.operatorframework.io.bundle.channels.v1"
	annotationDefaultChannel = "operators.operatorframework.io.bundle.channel.default.v1"
)

// mediaType is the media type of the bundles that are read, and the default of others.
const mediaType = "registry+v1"

// stated is a property with its place.
type stated struct {
	properties.Property
	at document.Origin
}

// reader reads one bundle directory.
type reader struct {
	collector *build.Collector
	ctx       context.Context
	fsys      fs.FS
	dir       Dir

	// at is the place of the ClusterServiceVersion, of the directory until that is found.
	at    document.Origin
	csv   *serviceVersion
	found int // the number of ClusterServiceVersions
	// broken: the first one cannot be read, or only in part.
	broken bool
	// unread are the files that cannot be read to their ends.
	unread []string
	// served are the versions of CustomResourceDefinitions, by name.
	served map[string]map[string]bool
	// unpruned are those that preserve unknown fields.
	unpruned  map[string]bool
	installed installation
	// annotations is the place of metadata/annotations.yaml, present or missing.
	annotations    document.Origin
	mediaType, pkg string
	channels       []string
	inChannel      map[string]bool // the set of channels
	defaultChannel string
	stated         []stated
	whole          *whole         // nil unless a blob is wanted whole
	noImage        string         // the path of one that is empty
	texts          map[string]any // spec of the ClusterServiceVersion, for its texts
	// faults get their package and bundle when the bundle is complete.
	faults   []catalog.Fault
	unusable bool
}

// fault records a fault. One that quarantines makes the bundle unusable.
func (r *reader) fault(at document.Origin, c catalog.Code, path, message string, quarantines bool) {
	r.unusable = r.unusable || quarantines
	switch n := len(r.faults); {
	case n > document.MaxProblems:
		return
	case n == document.MaxProblems:
		c, path, message, quarantines = code.Limit, "", document.MoreProblems, r.unusable
	}
	r.faults = append(r.faults, at.FaultIn(catalog.Fault{Path: path, Quarantines: quarantines}, c, message))
}

func (r *reader) read() error {
	for _, file := range r.dir.metadata {
		if err := r.eachDocument(file, r.metadataReader(file)); err != nil {
			return err
		}
	}
	manifests := r.dir.manifests
	if r.mediaType != mediaType {
		manifests = nil
	}
	for _, file := range manifests {
		if err := r.eachDocument(file, r.readManifest); err != nil {
			return err
		}
	}
	long := r.longName()
	switch {
	case r.mediaType != mediaType:
		r.fault(r.annotations, code.MediaType, "", fmt.Sprintf("the bundle is not judged, because its media type is %q: only %s is read", r.mediaType, mediaType), true)
	case r.found == 0 && slices.ContainsFunc(r.dir.manifests, r.isUnread), r.pkg == "" && slices.ContainsFunc(r.dir.metadata, r.isUnread):
		// An unreadable file may have what is missing, and has a fault of its own.
	case r.pkg == "":
		r.fault(r.annotations, code.Annotations, "", "the bundle names no package: set "+annotationPackage, true)
	case r.found != 1:
		r.fault(r.at, code.ServiceVersion, "",
			fmt.Sprintf("the bundle has %d ClusterServiceVersions among its manifests, and must have exactly one", r.found), true)
	case long != "":
		r.fault(r.at, code.Limit, long, fmt.Sprintf("a name is longer than the %d bytes allowed", document.MaxName), true)
	case r.csv.Metadata.Name == "" && !r.broken:
		r.fault(r.at, code.Field, "metadata.name", "the ClusterServiceVersion has no name, so the bundle has none: add one", true)
	case r.csv.Metadata.Name != "":
		if len(r.channels) == 0 {
			r.fault(r.annotations, code.BundleChannel, "", "the bundle is in no channel: name its channels in "+annotationChannels, false)
		}
		r.stateSpec()
		r.finish()
		return nil
	}
	// Without a name the faults belong to the package, which must not be quarantined for
	// one of its bundles.
	for _, f := range r.faults {
		f.Package, f.Quarantines = r.pkg, false
		r.collector.Fault(f)
	}
	return nil
}

// longName returns the path of a name that is too long, "" if there is none.
func (r *reader) longName() string {
	csv := cmp.Or(r.csv, &serviceVersion{})
	for _, part := range []struct {
		path  string
		names []string
	}{
		{annotationPackage, []string{r.pkg}}, {annotationDefaultChannel, []string{r.defaultChannel}}, {annotationChannels, r.channels},
		{"metadata.name", []string{csv.Metadata.Name}}, {"spec.replaces", []string{csv.Spec.Replaces}}, {"spec.skips", csv.Spec.Skips},
	} {
		if slices.ContainsFunc(part.names, func(name string) bool { return len(name) > document.MaxName }) {
			return part.path
		}
	}
	return ""
}

// eachDocument visits each document of a file, JSON or YAML.
func (r *reader) eachDocument(file string, visit func(*document.Tree)) error {
	c := r.collector
	if err := walk.ReadFile(r.ctx, r.fsys, file, c.Limits.FileBytes, &c.Text); err != nil {
		return fmt.Errorf("reading the bundle: %w", err)
	}
	fault, err := document.Trees(r.ctx, file, c.Text.Bytes(), c.Limits, visit)
	if fault != nil {
		if fault.Code == code.Syntax {
			fault.Message += "; the bundle is not used"
		}
		fault.Quarantines, r.unusable = true, true
		r.faults, r.unread = append(r.faults, *fault), append(r.unread, file)
	}
	return err
}

func (r *reader) isUnread(file string) bool { return slices.Contains(r.unread, file) }

// metadataReader returns the reader of a file of metadata. It ignores all but three files.
func (r *reader) metadataReader(file string) func(*document.Tree) {
	name := path.Base(file)
	switch strings.TrimSuffix(name, path.Ext(name)) {
	case "annotations":
		return r.readAnnotations
	case "dependencies":
		return func(t *document.Tree) { r.readList(t, "dependencies", r.addDependency) }
	case "properties":
		return func(t *document.Tree) {
			r.readList(t, "properties", func(at document.Origin, _ string, p properties.Property) { r.state(at, p) })
		}
	}
	return func(*document.Tree) {}
}

func (r *reader) readAnnotations(t *document.Tree) {
	var file struct {
		Annotations map[string]string `json:"annotations"`
	}
	r.decode(t, &file)
	r.annotations = t.Origin
	r.mediaType = cmp.Or(file.Annotations[annotationMediaType], r.mediaType)
	r.pkg = cmp.Or(r.pkg, file.Annotations[annotationPackage])
	r.defaultChannel = cmp.Or(r.defaultChannel, file.Annotations[annotationDefaultChannel])
	if r.inChannel == nil {
		r.inChannel = map[string]bool{}
	}
	for name := range strings.SplitSeq(file.Annotations[annotationChannels], ",") {
		if name = strings.TrimSpace(name); name != "" && !r.inChannel[name] {
			r.inChannel[name] = true
			r.channels = append(r.channels, name)
		}
	}
}

// readList reads a file that holds one list of properties.
func (r *reader) readList(t *document.Tree, name string, add func(at document.Origin, path string, p properties.Property)) {
	list, err := t.Elements(name)
	if err != nil {
		r.fault(t.Origin, code.Field, name, err.Error(), true)
	}
	for i, element := range list {
		at := document.Origin{File: t.File, Line: element.Line, Column: element.Column}
		path := fmt.Sprintf("%s[%d]", name, i)
		p, err := t.Property(element)
		if err != nil {
			r.fault(at, code.Property, path, err.Error(), true)
			continue
		}
		p.Value = build.Canonical(p.Value)
		add(at, path, p)
	}
}

// addDependency states an entry of dependencies.yaml as a property.
func (r *reader) addDependency(at document.Origin, path string, p properties.Property) {
	switch p.Type {
	case properties.TypePackage:
		var required struct{ PackageName, Version string }
		if err := json.Unmarshal(p.Value, &required); err != nil {
			r.fault(at, code.Property, path+".value", "it must have packageName and version: "+err.Error(), true)
			return
		}
		r.addJSON(at, properties.TypePackageRequired, map[string]string{"packageName": required.PackageName, "versionRange": required.Version})
	case properties.TypeGVK:
		r.state(at, properties.Property{Type: properties.TypeGVKRequired, Value: p.Value})
	case properties.TypeConstraint:
		r.state(at, p)
	default:
		r.fault(at, code.Property, path+".type", fmt.Sprintf("a dependency has the type olm.package, olm.gvk or olm.constraint, not %q", p.Type), true)
	}
}

// addJSON states a property with a Go value.
func (r *reader) addJSON(at document.Origin, propertyType string, value any) {
	if text, err := json.Marshal(value); err == nil { // maps, lists and strings never fail
		r.state(at, properties.Property{Type: propertyType, Value: build.Canonical(text)})
	}
}

func (r *reader) state(at document.Origin, p properties.Property) {
	if n := len(p.Type); n > document.MaxName {
		r.fault(at, code.Limit, "type", document.TooLong(n), true)
		return
	}
	r.stated = append(r.stated, stated{p, at})
}

// decode reads a document into a struct, and reports whether it can. It records a fault
// if it cannot.
func (r *reader) decode(t *document.Tree, into any) bool {
	err := t.Decode(into)
	if err != nil {
		r.fault(t.Origin, document.CodeOf(err), "", "it cannot be read: "+err.Error(), true)
	}
	return err == nil
}
