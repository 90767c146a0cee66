package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// lastTests are the packages whose tests may notice the faults of any room.
var lastTests = []string{"resolver", "examples/resolvent/command"}

// source is a file of a room. Its path is relative to the folder of the module.
type source struct {
	path, text string
	tree       *ast.File
}

// room is a package with its faults in the order in which they are drawn.
type room struct {
	importPath, folder string
	files              []*source
	// tests are the folders whose tests are run, in this order.
	tests         []string
	faults, drawn []fault
	// chooser is a file that what has a choice of faults is built with.
	chooser *source
	// noticed, survived and uncompiled count faults.
	noticed, survived, uncompiled int
}

// listed is a package as go list describes it.
type listed struct {
	ImportPath, Dir, Export string
	DepOnly                 bool
	GoFiles, Deps           []string
	Module                  *struct{ Path string }
}

// goList runs go list.
func goList(ctx context.Context, args ...string) (list []listed, err error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{"list"}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	for in := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := in.Decode(&p); errors.Is(err, io.EOF) {
			return list, nil
		} else if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
}

// rooms reads the packages that programs are made of: all that others import, and commands.
func (w *workshop) rooms(folders []string) (rooms []*room, err error) {
	built, err := goList(w.ctx, "-export", "-deps", "-json=ImportPath,Dir,Export,DepOnly,GoFiles,Module", "./...")
	if err != nil {
		return nil, err
	}
	tested, err := goList(w.ctx, "-test", "-json=ImportPath,Deps", "./...")
	if err != nil {
		return nil, err
	}
	module := ""
	for _, p := range built {
		w.export[p.ImportPath] = p.Export
		if p.DepOnly || len(p.GoFiles) == 0 {
			continue
		}
		module = p.Module.Path
		r := &room{importPath: p.ImportPath, folder: strings.TrimPrefix(p.ImportPath, module+"/")}
		if len(folders) > 0 && !slices.ContainsFunc(folders, func(f string) bool { return path.Clean(f) == r.folder }) {
			continue
		}
		for _, name := range p.GoFiles {
			text, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil {
				return nil, err
			}
			f := &source{path: path.Join(r.folder, name), text: string(text)}
			if f.tree, err = parser.ParseFile(w.fset, f.path, text, parser.SkipObjectResolution); err != nil {
				return nil, err
			}
			r.files = append(r.files, f)
		}
		r.chooser = &source{path: path.Join(r.folder, "choose_by_fault.go"), text: fmt.Sprintf(chooser, r.files[0].tree.Name)}
		if r.chooser.tree, err = parser.ParseFile(w.fset, r.chooser.path, r.chooser.text, parser.SkipObjectResolution); err != nil {
			return nil, err
		}
		rooms = append(rooms, r)
	}
	reached := map[string][]string{} // by folder whose tests they are
	for _, p := range tested {
		if of, ok := strings.CutSuffix(p.ImportPath, ".test"); ok {
			reached[strings.TrimPrefix(of, module+"/")] = p.Deps
		}
	}
	product := map[string]bool{} // what only tests import is none
	imported, err := goList(w.ctx, "-deps", "-json=ImportPath", "./examples/...")
	if err != nil {
		return nil, err
	}
	for _, p := range imported {
		product[p.ImportPath] = true
	}
	for _, r := range rooms {
		var above []string
		for f := r.folder; f != "."; f = path.Dir(f) {
			above = append(above, f)
		}
		for _, f := range append(above, lastTests...) {
			of := func(dep string) bool { at, _, _ := strings.Cut(dep, " "); return at == r.importPath }
			if slices.ContainsFunc(reached[f], of) && !slices.Contains(r.tests, f) {
				r.tests = append(r.tests, f)
			}
		}
	}
	if len(folders) > len(rooms) {
		return nil, fmt.Errorf("some of %q are no packages of this module", folders)
	}
	rooms = slices.DeleteFunc(rooms, func(r *room) bool { return !product[r.importPath] })
	slices.SortFunc(rooms, func(a, b *room) int { return strings.Compare(a.folder, b.folder) })
	return rooms, nil
}

// typeCheck checks the files of a room, of which one may have another tree.
func (w *workshop) typeCheck(r *room, info *types.Info, of *source, tree *ast.File) error {
	files := []*ast.File{r.chooser.tree}
	for _, f := range r.files {
		if f == of {
			files = append(files, tree)
		} else {
			files = append(files, f.tree)
		}
	}
	config := types.Config{Importer: w.importer}
	_, err := config.Check(r.importPath, w.fset, files, info)
	return err
}

// compiles reports whether a room does with one edit.
func (w *workshop) compiles(r *room, of *source, e edit) bool {
	tree, err := parser.ParseFile(w.fset, of.path, e.in(of.text), parser.SkipObjectResolution)
	return err == nil && w.typeCheck(r, nil, of, tree) == nil
}

// next drops faults that do not compile until the first one does. It reports whether there
// is one.
func (w *workshop) next(r *room) bool {
	for ; len(r.faults) > 0; r.faults = r.faults[1:] {
		if f := &r.faults[0]; w.compiles(r, f.file, f.edit) {
			return true
		}
		r.uncompiled++
	}
	return false
}
