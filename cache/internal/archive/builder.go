package archive

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/document"
)

// Builder makes a [Tree] of layers, the uppermost one first: what a layer has, or has
// a whiteout of, hides what those below it have there.
type Builder struct {
	Budget *Budget
	// Folder is the only one that is kept, "." for all.
	Folder string
	// Rooted: the absolute target of a link begins at the root of the layers, as in
	// an image; it leads out of the tree otherwise.
	Rooted bool

	tree *Tree
	// own are the marks of the layer, above those of the layers before.
	own, above map[string]mark
}

// mark says what a layer does to those below it at a path.
type mark uint8

const (
	isFolder mark = 1 << iota
	isOther       // a file or a link
	isHidden      // a whiteout
	isOpaque      // a folder whose content below is hidden
)

// NewBuilder returns a builder at the uppermost layer.
func NewBuilder(budget *Budget, folder string) *Builder {
	return &Builder{Budget: budget, Folder: folder, tree: newTree(), own: map[string]mark{}, above: map[string]mark{}}
}

// NextLayer begins the layer below.
func (b *Builder) NextLayer() {
	for name, m := range b.own {
		b.above[name] |= m
	}
	clear(b.own)
}

// Tree returns the folder that was kept, nil if it is not there.
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

// within reports whether a path is a folder or below it.
func within(name, folder string) bool {
	return folder == "." || name == folder || strings.HasPrefix(name, folder+"/")
}

// Whiteout hides what layers below have under a name, or, if it is opaque, in it.
func (b *Builder) Whiteout(name string, opaque bool) {
	if within(name, b.Folder) || within(b.Folder, name) {
		m := isHidden
		if opaque {
			m = isOpaque
		}
		b.own[name] |= m
	}
}

// hidden reports whether a layer above hides what is under a name.
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

// Add adds an entry of the layer. What is not in the folder is passed over.
func (b *Builder) Add(place string, e Entry, content io.Reader) error {
	fault := ""
	n := &node{}
	switch {
	case e.Kind != Directory && within(b.Folder, e.Name):
		fault = "it holds the catalog, and is no folder"
	case !within(e.Name, b.Folder):
		return nil
	case !utf8.ValidString(e.Name):
		fault = "its name is not UTF-8"
	case e.Kind == Directory:
		n.mode, n.children = fs.ModeDir, map[string]*node{}
	case e.Kind == File:
		if err := b.read(n, place, e, content); err != nil {
			return err
		}
	case e.Kind == Link:
		n.mode = fs.ModeSymlink
		n.target, fault = b.inside(e)
	default:
		fault = "it is neither a file, a folder nor a symbolic link; pack the file itself, and as a whole"
	}
	if fault == "" {
		fault = b.insert(e.Name, n)
	}
	if fault != "" {
		return Fault(catalog.CodeArchive, Place(place, e.Name), "%s", fault)
	}
	return nil
}

// insert puts a node in place unless a layer above hides it, and returns what is wrong
// with that.
func (b *Builder) insert(name string, n *node) (fault string) {
	isBelow := b.hidden(name)
	m := isOther
	if n.mode.IsDir() {
		m = isFolder
	}
	b.own[name] |= m
	for i := range len(name) {
		if name[i] != '/' {
			continue
		}
		if b.own[name[:i]] == 0 {
			b.Budget.entries-- // a folder without an entry takes as much memory
		}
		b.own[name[:i]] |= isFolder
	}
	if isBelow || name == "." {
		return ""
	}
	at := b.tree.root
	for part := range parts(path.Dir(name)) {
		next := at.children[part]
		if next == nil {
			next = &node{name: part, parent: at, mode: fs.ModeDir, children: map[string]*node{}}
			at.children[part] = next
		}
		if !next.mode.IsDir() {
			return "it lies in something that is no folder"
		}
		at = next
	}
	n.name, n.parent = path.Base(name), at
	old := at.children[n.name]
	switch {
	case old != nil && old.mode.IsDir() && n.mode.IsDir(): // it is what it was
	case old != nil && (old.mode.IsDir() || n.mode.IsDir()):
		return "it is a folder, and something else as well"
	default:
		at.children[n.name] = n // as for tar, the last one counts
	}
	return ""
}

// read keeps a file if it is one of a catalog.
func (b *Builder) read(n *node, place string, e Entry, content io.Reader) error {
	if !document.IsCatalogFile(e.Name) && path.Base(e.Name) != ".indexignore" {
		n.passed = true
		return nil
	}
	// One byte more than is allowed makes it a fault of that file alone.
	most := min(b.Budget.limits.FileBytes, b.Budget.kept) + 1
	data := bytes.NewBuffer(make([]byte, 0, min(e.Size, most, largePiece)+bytes.MinRead))
	if _, err := data.ReadFrom(io.LimitReader(content, most)); err != nil {
		return err
	}
	if b.Budget.kept -= int64(data.Len()); b.Budget.kept < 0 {
		return Fault(catalog.CodeLimit, Place(place, e.Name), "the files of the catalog take more than the %d bytes allowed", b.Budget.limits.TreeBytes)
	}
	n.data = data.Bytes()
	return nil
}

// inside returns the target of a link, or what is wrong with it.
func (b *Builder) inside(e Entry) (target, fault string) {
	resolved := path.Join(path.Dir(e.Name), e.Target)
	rooted := strings.HasPrefix(e.Target, "/")
	if rooted && b.Rooted {
		resolved = cmp.Or(path.Clean(e.Target)[1:], ".")
	}
	switch {
	case rooted && !b.Rooted, resolved == "..", strings.HasPrefix(resolved, "../"), !within(resolved, b.Folder), len(e.Target) > maxEntryName:
		return "", fmt.Sprintf("it is a link to %.200q, which leads out of the tree: pack the file itself", e.Target)
	case rooted:
		return "/" + strings.TrimPrefix(strings.TrimPrefix(resolved, b.Folder), "/"), ""
	}
	return e.Target, ""
}
