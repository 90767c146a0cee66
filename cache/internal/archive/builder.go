package archive

import (
	"cmp"
	"io"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/resolvent/resolvent/cache/internal/code"
	"github.com/resolvent/resolvent/cache/internal/document"
)

// Builder makes a [Tree] of layers, the uppermost first. The entries and whiteouts of a
// layer hide what the layers below have at their paths.
type Builder struct {
	Budget *Budget
	// Folder is the folder to keep, "." for everything.
	Folder string
	// Rooted: the absolute target of a link starts at the root of the layers, as in an
	// image. Otherwise it leads out of the tree.
	Rooted bool

	tree *Tree
	// own are the marks of this layer, above those of the layers before it.
	own, above map[string]mark
}

// mark is what a layer has at a path for the layers below it.
type mark uint8

const (
	isFolder mark = 1 << iota
	isOther       // a file or a link
	isHidden      // a whiteout
	isOpaque      // a folder whose content below is hidden
)

// NewBuilder returns a Builder at the uppermost layer.
func NewBuilder(budget *Budget, folder string) *Builder {
	return &Builder{Budget: budget, Folder: folder, tree: &Tree{newDirectory()}, own: map[string]mark{}, above: map[string]mark{}}
}

// NextLayer begins the layer below.
func (b *Builder) NextLayer() {
	for name, m := range b.own {
		b.above[name] |= m
	}
	clear(b.own)
}

// Tree returns the folder, nil if it is missing.
func (b *Builder) Tree() *Tree {
	root := b.tree.root
	for part := range parts(b.Folder) {
		if root = root.children[part]; root == nil || !root.mode.IsDir() {
			return nil
		}
	}
	root.name, root.parent = ".", nil
	return &Tree{root}
}

// within reports whether a path is the folder or below it.
func within(name, folder string) bool {
	return folder == "." || name == folder || strings.HasPrefix(name, folder+"/")
}

// Whiteout hides what the layers below have at a path or, if it is opaque, below it.
func (b *Builder) Whiteout(place, name string, opaque bool) error {
	if !within(name, b.Folder) && !within(b.Folder, name) {
		return nil
	}
	m := isHidden
	if opaque {
		m = isOpaque
	}
	b.own[name] |= m
	return b.Budget.keep(Place(place, name), len(name))
}

// hidden reports whether a layer above hides a path.
func (b *Builder) hidden(name string) bool {
	if b.above["."]&isOpaque != 0 {
		return true
	}
	for i := range len(name) {
		if name[i] == '/' && b.above[name[:i]]&(isHidden|isOpaque|isOther) != 0 {
			return true
		}
	}
	return b.above[name]&(isHidden|isFolder|isOther) != 0
}

// Add adds an entry of the layer. It ignores entries outside of the folder.
func (b *Builder) Add(place string, e Entry, content io.Reader) error {
	place = Place(place, e.Name)
	switch {
	case e.Kind != Directory && within(b.Folder, e.Name):
		return Fault(code.Archive, place, "it holds the catalog, and is not a folder")
	case !within(e.Name, b.Folder):
		return nil
	case !utf8.ValidString(e.Name):
		return Fault(code.Archive, place, "its name is not UTF-8")
	}
	if err := b.Budget.keep(place, len(e.Name)+len(e.Target)); err != nil {
		return err
	}
	n, err := b.node(place, e, content)
	if err != nil {
		return err
	}
	return b.insert(place, e.Name, n)
}

// node makes the node of an entry.
func (b *Builder) node(place string, e Entry, content io.Reader) (*node, error) {
	switch e.Kind {
	case Directory:
		return newDirectory(), nil
	case File:
		return b.file(place, e, content)
	case Link:
		return b.link(place, e)
	}
	return nil, Fault(code.Archive, place, "it is neither a file, a folder nor a symbolic link; pack the file itself, and as a whole")
}

// insert adds a node to the tree unless a layer above hides it.
func (b *Builder) insert(place, name string, n *node) error {
	isBelow := b.hidden(name)
	b.mark(name, n.mode.IsDir())
	if isBelow || name == "." {
		return nil
	}
	at := b.tree.root
	for part := range parts(path.Dir(name)) {
		next := at.children[part]
		if next == nil {
			next = newDirectory()
			next.name, next.parent = part, at
			at.children[part] = next
		}
		if !next.mode.IsDir() {
			return Fault(code.Archive, place, "it lies in something that is not a folder")
		}
		at = next
	}
	n.name, n.parent = path.Base(name), at
	old := at.children[n.name]
	switch {
	case old == nil || !old.mode.IsDir() && !n.mode.IsDir():
		at.children[n.name] = n // the last one counts, as with tar
	case !old.mode.IsDir() || !n.mode.IsDir():
		return Fault(code.Archive, place, "it is a folder, and something else as well")
	}
	return nil
}

// mark records an entry of the layer for the layers below.
func (b *Builder) mark(name string, isDir bool) {
	m := isOther
	if isDir {
		m = isFolder
	}
	b.own[name] |= m
	for i := range len(name) {
		if name[i] != '/' {
			continue
		}
		if b.own[name[:i]] == 0 {
			b.Budget.entries-- // a folder without an entry of its own takes as much memory
		}
		b.own[name[:i]] |= isFolder
	}
}

// file keeps a file of a catalog, and skips any other.
func (b *Builder) file(place string, e Entry, content io.Reader) (*node, error) {
	if !document.IsCatalogFile(e.Name) && path.Base(e.Name) != ".indexignore" {
		return &node{passed: true}, nil
	}
	// One byte more than allowed makes it a fault of that file alone.
	data, err := io.ReadAll(io.LimitReader(content, min(b.Budget.limits.FileBytes, b.Budget.kept)+1))
	if err != nil {
		return nil, err
	}
	return &node{data: data}, b.Budget.keep(place, len(data))
}

// link makes the node of a link, which must lead to a path in the tree.
func (b *Builder) link(place string, e Entry) (*node, error) {
	resolved := path.Join(path.Dir(e.Name), e.Target)
	rooted := strings.HasPrefix(e.Target, "/")
	if rooted && b.Rooted {
		resolved = cmp.Or(path.Clean(e.Target)[1:], ".")
	}
	switch {
	case rooted && !b.Rooted, resolved == "..", strings.HasPrefix(resolved, "../"), !within(resolved, b.Folder), len(e.Target) > maxEntryName:
		return nil, Fault(code.Archive, place, "it is a link to %.200q, which leads out of the tree: pack the file itself", e.Target)
	case rooted:
		return &node{mode: fs.ModeSymlink, target: "/" + strings.TrimPrefix(strings.TrimPrefix(resolved, b.Folder), "/")}, nil
	}
	return &node{mode: fs.ModeSymlink, target: e.Target}, nil
}
