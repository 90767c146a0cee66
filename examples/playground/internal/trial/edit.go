package trial

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/manifest"
	"github.com/resolvent/resolvent/resolver/result"
)

// separator is the line between two documents. No line of a text inside one starts so.
var separator = regexp.MustCompile(`(?m)^---(?:[ \t].*)?\r?\n`)

// object is one of the cluster: what it is, and its text as JSON and as YAML.
type object struct {
	kind, namespace, name string
	line, text            string
}

// edit returns the text of a cluster after the steps. A document in which nothing changes
// keeps its text. What is new comes last.
func edit(ctx context.Context, text string, steps []result.Step) (string, error) {
	objects, err := manifest.Read(ctx, manifest.Input{Name: "cluster", Reader: strings.NewReader(text)})
	if err != nil {
		return "", err
	}
	x, err := result.Apply(cluster.NewIndex(objects), cluster.Scope{}, steps)
	if err != nil {
		return "", err
	}
	after, err := manifests(ctx, x.Objects())
	if err != nil {
		return "", err
	}
	var documents []string
	placed := map[string]bool{}
	for _, document := range separator.Split(text, -1) {
		before, err := documentOf(ctx, document)
		if err != nil {
			return "", err
		}
		var left []object
		same := true
		for _, b := range before {
			a, found := find(after, b)
			if placed[b.key()] {
				continue // it was there twice
			}
			placed[b.key()] = true
			same = same && found && a.line == b.line
			if found {
				left = append(left, a)
			}
		}
		if same {
			documents = append(documents, document)
			continue
		}
		for i, a := range left {
			if i == 0 {
				a.text = head(document) + a.text
			}
			documents = append(documents, a.text)
		}
	}
	for _, a := range after {
		if !placed[a.key()] {
			documents = append(documents, a.text)
		}
	}
	for i, d := range documents[:max(0, len(documents)-1)] {
		if d != "" && !strings.HasSuffix(d, "\n") {
			documents[i] += "\n"
		}
	}
	return strings.Join(documents, "---\n"), nil
}

// documentOf returns the objects of one document.
func documentOf(ctx context.Context, document string) ([]object, error) {
	objects, err := manifest.Read(ctx, manifest.Input{Name: "cluster", Reader: strings.NewReader(document)})
	if err != nil {
		return nil, err
	}
	return manifests(ctx, objects)
}

// head returns the comment with which a document begins.
func head(document string) (comment string) {
	for line := range strings.Lines(document) {
		if !strings.HasPrefix(line, "#") {
			break
		}
		comment += line
	}
	return comment
}

func (o *object) key() string { return o.kind + " " + o.namespace + "/" + o.name }

func find(list []object, like object) (object, bool) {
	for _, o := range list {
		if o.key() == like.key() {
			return o, true
		}
	}
	return object{}, false
}

// manifests returns the objects in the order in which the library writes them.
func manifests(ctx context.Context, objects cluster.Objects) ([]object, error) {
	lines, err := manifest.Write(ctx, objects)
	if err != nil {
		return nil, err
	}
	var list []object
	for line := range bytes.Lines(lines) {
		var o struct {
			Kind     string
			Metadata struct{ Namespace, Name string }
		}
		if err := json.Unmarshal(line, &o); err != nil {
			return nil, fmt.Errorf("a manifest that was written: %w", err)
		}
		text, err := toYAML(line)
		if err != nil {
			return nil, fmt.Errorf("a manifest that was written: %w", err)
		}
		list = append(list, object{o.Kind, o.Metadata.Namespace, o.Metadata.Name, string(line), text})
	}
	return list, nil
}

// plain are texts that need no quotes, unless some YAML takes them for another type.
var (
	plain = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_./-]*$`)
	typed = regexp.MustCompile(`^(?i:y|n|yes|no|on|off|true|false|null)$`)
)

// toYAML returns a JSON document as YAML in blocks.
func toYAML(line []byte) (string, error) {
	var node yaml.Node
	if err := yaml.Unmarshal(line, &node); err != nil {
		return "", err
	}
	block(&node)
	text, err := yaml.Dump(&node, yaml.WithLineWidth(-1))
	return string(text), err
}

func block(n *yaml.Node) {
	if n.Kind != yaml.ScalarNode || plain.MatchString(n.Value) && !typed.MatchString(n.Value) {
		n.Style = 0
	}
	for _, child := range n.Content {
		block(child)
	}
}
