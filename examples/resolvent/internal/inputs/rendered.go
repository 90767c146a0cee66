package inputs

import (
	"errors"
	"fmt"
	"io/fs"
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

// chartFile is the name that Helm reads.
const chartFile = "Chart.yaml"

// kustomizations are the names that kustomize reads.
var kustomizations = []string{"kustomization.yaml", "kustomization.yml", "Kustomization"}

// rendered returns how the manifests of a folder are made, nil if they are its files.
func rendered(root *os.Root, dir string) *renderedFolder {
	if info, err := root.Stat(path.Join(dir, chartFile)); err == nil && info.Mode().IsRegular() {
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
		return kustomized(root, dir, text)
	}
	return nil
}

// renderer says how to render what a file or a folder is an input of: the kustomization of a folder, the
// chart of a template. It is nil for any other.
func renderer(name string) error {
	info, err := os.Stat(name)
	if err != nil {
		return nil // reading it says so
	}
	dir, base := name, ""
	if !info.IsDir() {
		dir, base = filepath.Dir(name), filepath.Base(name)
	}
	template := false
	if filepath.Base(dir) == "templates" {
		dir, template = filepath.Dir(dir), true
	}
	if base != "" && base != chartFile && !template && !slices.Contains(kustomizations, base) {
		return nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil
	}
	defer root.Close()
	f := rendered(root, ".")
	if f == nil || template && f.command[0] != "helm" {
		return nil
	}
	return renderError(name, dir, []*renderedFolder{f})
}

// renderedBelow says how to render the first maxOtherFolders folders of a folder, nil if none is.
func renderedBelow(name string) error {
	root, err := os.OpenRoot(name)
	if err != nil {
		return nil // it is a file
	}
	defer root.Close()
	var list []*renderedFolder
	seen := 0
	_ = fs.WalkDir(root.FS(), ".", func(dir string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return nil
		}
		if seen++; seen > maxOtherFolders {
			return fs.SkipAll
		}
		if f := rendered(root, dir); f != nil {
			list = append(list, f)
		}
		return nil
	})
	if len(list) == 0 {
		return nil
	}
	return renderError("it is no catalog", name, list)
}

// kustomized reads a kustomization. One that only lists resources, all of them below the folder that is
// read, changes nothing.
func kustomized(root *os.Root, dir string, text []byte) *renderedFolder {
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
				file := path.Join(dir, item.Value)
				_, err := root.Stat(file)
				changes = changes || err != nil // it is elsewhere, perhaps on a server
				f.includes = append(f.includes, file)
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

// renderError says of a subject which folders of name have to be rendered, and how. What another one takes
// in is left out.
func renderError(subject, name string, folders []*renderedFolder) error {
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
	errs := []error{fmt.Errorf("%s: %d %s", subject, len(roots), what)}
	for _, f := range roots {
		dir := terminal.Plain(filepath.Join(name, filepath.FromSlash(f.dir)))
		if strings.HasPrefix(dir, "-") {
			dir = "./" + dir
		}
		errs = append(errs, errors.New("  "+terminal.Command(append(slices.Clone(f.command), dir)...)))
	}
	return errors.Join(errs...)
}
