package inputs

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
)

// renderedFolder is a folder whose manifests another tool makes.
type renderedFolder struct {
	dir     string // in the folder that is read
	command []string
	// includes are the folders that the tool takes in.
	includes []string
}

// maxKustomization is far more than a person writes, in bytes.
const maxKustomization = 1 << 20

// kustomizations are the names that kustomize reads.
var kustomizations = []string{"kustomization.yaml", "kustomization.yml", "Kustomization"}

// rendered returns how the manifests of a folder are made, nil if they are its files.
func rendered(root *os.Root, dir string) *renderedFolder {
	if info, err := root.Stat(path.Join(dir, "Chart.yaml")); err == nil && info.Mode().IsRegular() {
		return &renderedFolder{dir: dir, command: []string{"helm", "template"}}
	}
	for _, name := range kustomizations {
		name = path.Join(dir, name)
		if info, err := root.Stat(name); err != nil || !info.Mode().IsRegular() || info.Size() > maxKustomization {
			continue
		}
		text, err := root.ReadFile(name)
		if err != nil {
			continue
		}
		return kustomized(dir, text)
	}
	return nil
}

// kustomized reads a kustomization. One that only lists resources changes nothing.
func kustomized(dir string, text []byte) *renderedFolder {
	var document yaml.Node
	if yaml.Load(text, &document, yaml.WithSingleDocument()) != nil || len(document.Content) == 0 || document.Content[0].Kind != yaml.MappingNode {
		return nil // it is skipped as any file that cannot be read
	}
	f := &renderedFolder{dir: dir, command: []string{"kubectl", "kustomize"}}
	changes := false
	members := document.Content[0].Content
	for i := 0; i+1 < len(members); i += 2 {
		key, value := members[i].Value, members[i+1]
		switch key {
		case "apiVersion":
			if !strings.HasPrefix(value.Value, "kustomize.config.k8s.io/") {
				return nil // an object of another API, such as that of Flux
			}
		case "kind", "metadata":
		case "resources", "bases", "components":
			changes = changes || key != "resources"
			for _, item := range value.Content {
				f.includes = append(f.includes, path.Join(dir, item.Value))
			}
		case "helmCharts", "helmChartInflationGenerator":
			f.command = append(f.command, "--enable-helm")
			changes = true
		default:
			changes = true
		}
	}
	if !changes {
		return nil
	}
	return f
}

// renderError says which folders have to be rendered, and how. What another one takes in is left out.
func renderError(name string, folders []*renderedFolder) error {
	included := map[string]bool{}
	for _, f := range folders {
		for _, dir := range f.includes {
			included[dir] = true
		}
	}
	roots := slices.DeleteFunc(slices.Clone(folders), func(f *renderedFolder) bool { return included[f.dir] })
	if len(roots) == 0 {
		roots = folders // they take in each other
	}
	what := "folder has a kustomization.yaml or Chart.yaml, so nothing was read: render it with this command, and pass the output with -f instead"
	if len(roots) > 1 {
		what = "folders have a kustomization.yaml or Chart.yaml, so nothing was read: render them with these commands, and pass the output with -f instead"
	}
	errs := []error{fmt.Errorf("%s: %d %s", name, len(roots), what)}
	for _, f := range roots {
		dir := terminal.Plain(filepath.Join(name, filepath.FromSlash(f.dir)))
		if strings.HasPrefix(dir, "-") {
			dir = "./" + dir
		}
		errs = append(errs, errors.New("  "+terminal.Command(append(slices.Clone(f.command), dir)...)))
	}
	return errors.Join(errs...)
}
