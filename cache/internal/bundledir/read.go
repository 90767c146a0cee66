package bundledir

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/build"
	"github.com/resolvent/resolvent/cache/internal/document"
	"github.com/resolvent/resolvent/cache/internal/walk"
	"github.com/resolvent/resolvent/properties"
)

// Annotations of a ClusterServiceVersion that say something of the bundle.
const (
	annotationSkipRange  = "olm.skipRange"
	annotationProperties = "olm.properties"
)

// Annotations of metadata/annotations.yaml.
const (
	annotationPackage        = "operators.operatorframework.io.bundle.package.v1"
	annotationChannels       = "operators.operatorframework.io.bundle.channels.v1"
	annotationDefaultChannel = "operators.operatorframework.io.bundle.channel.default.v1"
)

// bundleDirReader reads one bundle directory.
type bundleDirReader struct {
	collector *build.Collector
	ctx       context.Context
	fsys      fs.FS
	dir       Dir

	// at is the ClusterServiceVersion, the directory until that is found.
	at             document.Origin
	csv            *serviceVersion
	crds           []customResource
	pkg            string
	channels       []string
	inChannel      map[string]bool // whether a channel is among them
	defaultChannel string
	stated         []properties.Property
	// faults get package and bundle when these are known.
	faults   []catalog.Fault
	unusable bool
}

// fault notes something wrong; one that quarantines makes the bundle unusable.
func (r *bundleDirReader) fault(at document.Origin, code catalog.Code, path, message string, quarantines bool) {
	f := at.Fault(code, message)
	f.Path, f.Quarantines = path, quarantines
	r.unusable = r.unusable || quarantines
	r.faults = append(r.faults, f)
}

func (r *bundleDirReader) read() error {
	for _, file := range r.dir.metadata {
		if err := r.eachDocument(file, r.metadataReader(file)); err != nil {
			return err
		}
	}
	found := 0
	for _, file := range r.dir.manifests {
		err := r.eachDocument(file, func(n *yaml.Node, at document.Origin) {
			if r.readManifest(n, at) {
				found++
			}
		})
		if err != nil {
			return err
		}
	}
	if r.pkg == "" {
		r.unnamed(document.Origin{File: path.Join(r.dir.path, metadataDir, "annotations.yaml")}, catalog.CodeAnnotations,
			"the bundle names no package: set "+annotationPackage)
		return nil
	}
	if found != 1 {
		r.unnamed(r.at, catalog.CodeServiceVersion, fmt.Sprintf("the bundle has %d ClusterServiceVersions among its manifests, and must have exactly one", found))
		r.csv = nil
		return nil
	}
	if len(r.channels) == 0 {
		r.fault(r.at, catalog.CodeBundleChannel, "", "the bundle is in no channel: name its channels in "+annotationChannels, false)
	}
	r.state()
	return nil
}

// unnamed reports what leaves the directory without a bundle, together with
// everything else that was found.
func (r *bundleDirReader) unnamed(at document.Origin, code catalog.Code, message string) {
	r.fault(at, code, "", message, true)
	for _, f := range r.faults {
		f.Package = r.pkg
		// A package is not to be left out for one of its bundles.
		f.Quarantines = false
		r.collector.Fault(f)
	}
}

// eachDocument visits the root node of each document of a file, JSON or YAML.
func (r *bundleDirReader) eachDocument(file string, visit func(n *yaml.Node, at document.Origin)) error {
	c := r.collector
	var err error
	if c.Text, err = walk.ReadFile(r.ctx, r.fsys, file, c.Limits.FileBytes, c.Text[:0]); err != nil {
		return fmt.Errorf("reading the bundle: %w", err)
	}
	if limit := min(c.Limits.FileBytes, int64(c.Limits.DocumentBytes)); int64(len(c.Text)) > limit {
		r.fault(document.Origin{File: file}, catalog.CodeLimit, "", fmt.Sprintf("the file is larger than the %d bytes allowed", limit), true)
		return nil
	}
	loader, err := document.NewYAMLLoader(r.ctx, c.Text)
	if err != nil {
		return err
	}
	for {
		var n yaml.Node
		err := loader.Load(&n)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case r.ctx.Err() != nil:
			return r.ctx.Err()
		case err != nil:
			line, column, message := document.YAMLError(err)
			r.fault(document.Origin{File: file, Line: line, Column: column}, catalog.CodeSyntax, "", message+"; the bundle is not used", true)
			return nil
		}
		if len(n.Content) > 0 {
			root := document.ResolveAlias(n.Content[0])
			if root.Kind == yaml.MappingNode {
				visit(root, document.Origin{File: file, Line: root.Line, Column: root.Column})
			}
		}
	}
}

// metadataReader returns how a file of metadata is read; any other than the
// three that matter is passed over.
func (r *bundleDirReader) metadataReader(file string) func(*yaml.Node, document.Origin) {
	name := path.Base(file)
	switch strings.TrimSuffix(name, path.Ext(name)) {
	case "annotations":
		return r.readAnnotations
	case "dependencies":
		return func(n *yaml.Node, at document.Origin) { r.readList(n, at, "dependencies", r.addDependency) }
	case "properties":
		return func(n *yaml.Node, at document.Origin) { r.readList(n, at, "properties", r.addProperty) }
	}
	return func(*yaml.Node, document.Origin) {}
}

func (r *bundleDirReader) readAnnotations(n *yaml.Node, at document.Origin) {
	var file struct{ Annotations map[string]string }
	r.decode(n, at, &file)
	if r.pkg == "" {
		r.pkg = file.Annotations[annotationPackage]
	}
	if r.defaultChannel == "" {
		r.defaultChannel = file.Annotations[annotationDefaultChannel]
	}
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

// propertyNode is an entry of dependencies.yaml or properties.yaml, which is
// stated as it is or as the member property.
type propertyNode struct {
	Type     string
	Value    yaml.Node
	Property *struct {
		Type  string
		Value yaml.Node
	}
}

// readList reads a file that holds one list of properties.
func (r *bundleDirReader) readList(n *yaml.Node, at document.Origin, name string, add func(at document.Origin, path string, p properties.Property)) {
	var file map[string]yaml.Node
	r.decode(n, at, &file)
	list := file[name]
	if list.Kind != 0 && document.ResolveAlias(&list).Kind != yaml.SequenceNode {
		r.fault(at, catalog.CodeField, name, "it must be a list", true)
		return
	}
	for i, element := range document.ResolveAlias(&list).Content {
		at := document.Origin{File: at.File, Line: element.Line, Column: element.Column}
		path := fmt.Sprintf("%s[%d]", name, i)
		var stated propertyNode
		r.decode(element, at, &stated)
		p, err := r.property(&stated)
		if err != nil {
			r.fault(at, catalog.CodeProperty, path, err.Error(), true)
			continue
		}
		add(at, path, p)
	}
}

func (r *bundleDirReader) property(stated *propertyNode) (properties.Property, error) {
	propertyType, value := stated.Type, &stated.Value
	if stated.Property != nil {
		propertyType, value = stated.Property.Type, &stated.Property.Value
	}
	if value.Kind == 0 {
		return properties.Property{Type: propertyType}, nil // without value, which is judged with the others
	}
	text, err := document.PropertyJSON(value, propertyType, r.collector.Limits)
	return properties.Property{Type: propertyType, Value: build.Canonical(text)}, err
}

func (r *bundleDirReader) addProperty(_ document.Origin, _ string, p properties.Property) {
	r.stated = append(r.stated, p)
}

// addDependency turns an entry of dependencies.yaml into the property that requires
// the same.
func (r *bundleDirReader) addDependency(at document.Origin, path string, p properties.Property) {
	switch p.Type {
	case properties.TypePackage:
		var required struct{ PackageName, Version string }
		if err := json.Unmarshal(p.Value, &required); err != nil {
			r.fault(at, catalog.CodeProperty, path+".value", "it must have packageName and version: "+err.Error(), true)
			return
		}
		r.addJSON(properties.TypePackageRequired, map[string]string{"packageName": required.PackageName, "versionRange": required.Version})
	case properties.TypeGVK:
		r.stated = append(r.stated, properties.Property{Type: properties.TypeGVKRequired, Value: p.Value})
	case properties.TypeConstraint:
		r.stated = append(r.stated, p)
	default:
		r.fault(at, catalog.CodeProperty, path+".type", fmt.Sprintf("a dependency has the type olm.package, olm.gvk or olm.constraint, not %q", p.Type), true)
	}
}

// addJSON states a property whose value is written from Go.
func (r *bundleDirReader) addJSON(propertyType string, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		return // maps, lists and strings always can be written
	}
	r.stated = append(r.stated, properties.Property{Type: propertyType, Value: build.Canonical(text)})
}

// decode reads a node into a struct. What has the wrong form is a fault.
func (r *bundleDirReader) decode(n *yaml.Node, at document.Origin, into any) {
	if err := n.Decode(into); err != nil {
		r.fault(at, catalog.CodeField, "", "it cannot be read: "+strings.ReplaceAll(strings.TrimPrefix(err.Error(), "yaml: "), "\n", " "), true)
	}
}
