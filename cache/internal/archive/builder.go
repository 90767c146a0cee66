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

// Builder makes a [Tree] of layers, the uppermost one first: what a layer has hides
// what those below it have there.
type Builder struct {
	Budget *Budget
	// Folder is the only one that is kept, "." for all.
	Folder string
	// Rooted: the absolute target of a link begins at the root of the layers, as in
	// an image; it leads out of the tree otherwise.
	Rooted bool

	tree  *Tree
	layer int
	// files are those of the layer, hidden ones too, for its hard links.
	files map[string]*node
}

// NewBuilder returns a builder without layers.
func NewBuilder(budget *Budget, folder string) *Builder {
	return &Builder{Budget: budget, Folder: folder, tree: newTree()}
}

// NextLayer begins the layer below.
func (b *Builder) NextLayer() { b.layer, b.files = b.layer+1, map[string]*node{} }

// Tree returns the folder that was kept, nil if it is not there.
func (b *Builder) Tree() *Tree {
	root := b.tree.root
	for part := range strings.SplitSeq(b.Folder, "/") {
		if part == "." {
			continue
		}
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

// Add adds an entry of the layer. What is not in the folder is passed over.
func (b *Builder) Add(place string, e Entry, content io.Reader) error {
	if e.Kind != Directory && within(b.Folder, e.Name) {
		return Fault(catalog.CodeArchive, Place(place, e.Name), "it holds the catalog, and is no folder")
	}
	if !within(e.Name, b.Folder) {
		return nil
	}
	n, fault := &node{}, ""
	switch e.Kind {
	case Directory:
		n.mode, n.children = fs.ModeDir, map[string]*node{}
	case File:
		if err := b.read(n, place, e, content); err != nil {
			return err
		}
		b.files[e.Name] = n
	case Link:
		n.mode = fs.ModeSymlink
		n.target, fault = b.inside(e)
	case HardLink:
		fault = b.hardLink(n, e)
	case Other:
		fault = "it is neither a file, a folder nor a link; a sparse file is to be packed as a whole"
	}
	if fault == "" {
		fault = b.insert(e.Name, n)
	}
	if fault != "" {
		return Fault(catalog.CodeArchive, Place(place, e.Name), "%s", fault)
	}
	return nil
}

// Whiteout hides what layers below have under a name, or, if it is opaque, in it.
func (b *Builder) Whiteout(place, name string, opaque bool) error {
	if !within(name, b.Folder) && !within(b.Folder, name) {
		return nil
	}
	n := &node{mode: whiteout}
	if opaque {
		n.mode, n.children, n.opaque = fs.ModeDir, map[string]*node{}, b.layer
	}
	if fault := b.insert(name, n); fault != "" {
		return Fault(catalog.CodeArchive, Place(place, name), "%s", fault)
	}
	return nil
}

// insert puts a node in place unless something in a layer above hides it, and
// returns what is wrong with that.
func (b *Builder) insert(name string, n *node) (fault string) {
	if !utf8.ValidString(name) {
		return "its name is not UTF-8"
	}
	at := b.tree.root
	if name == "." {
		if n.opaque != 0 && at.opaque == 0 {
			at.opaque = n.opaque
		}
		return ""
	}
	folder, base := path.Split(name)
	for part := range strings.SplitSeq(strings.TrimSuffix(folder, "/"), "/") {
		if part == "" {
			continue
		}
		if at.opaque != 0 && at.opaque < b.layer {
			return ""
		}
		next := at.children[part]
		if next == nil {
			next = &node{mode: fs.ModeDir, children: map[string]*node{}}
			b.attach(at, part, next)
		}
		switch {
		case next.mode.IsDir():
		case next.layer < b.layer:
			return ""
		case next.mode == whiteout:
			// A whiteout hides what is below its own layer only.
			next.mode, next.children, next.opaque = fs.ModeDir, map[string]*node{}, b.layer
		default:
			return "it lies in something that is no folder"
		}
		at = next
	}
	if at.opaque != 0 && at.opaque < b.layer {
		return ""
	}
	return b.place(at, base, n)
}

// attach makes a node a child.
func (b *Builder) attach(parent *node, name string, n *node) {
	n.name, n.parent, n.layer = name, parent, b.layer
	parent.children[name] = n
}

// place adds a child where nothing hides it.
func (b *Builder) place(parent *node, name string, n *node) (fault string) {
	old := parent.children[name]
	switch {
	case old == nil:
		b.attach(parent, name, n)
	case old.mode.IsDir() && (n.mode.IsDir() || n.mode == whiteout):
		// The folder of the same layer or of one above stays; what is in it is
		// hidden as far as it is below.
		if old.opaque == 0 && (n.opaque != 0 || n.mode == whiteout) {
			old.opaque = b.layer
		}
	case old.layer < b.layer || n.mode == whiteout:
		// It hides this one.
	case old.mode == whiteout:
		if n.mode.IsDir() {
			n.opaque = b.layer
		}
		b.attach(parent, name, n)
	case old.mode.IsDir() || n.mode.IsDir():
		return "it is a folder, and something else as well"
	default:
		b.attach(parent, name, n) // as for tar, the last one counts
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
	data := bytes.NewBuffer(make([]byte, 0, min(e.Size, most, largeFile)+bytes.MinRead))
	if _, err := data.ReadFrom(io.LimitReader(content, most)); err != nil {
		return err
	}
	if b.Budget.kept -= int64(data.Len()); b.Budget.kept < 0 {
		return Fault(catalog.CodeLimit, Place(place, e.Name), "the files of the catalog take more than the %d bytes allowed", b.Budget.limits.TreeBytes)
	}
	n.data = data.Bytes()
	return nil
}

// largeFile is more than a file is given memory for before it has shown that it is
// that large.
const largeFile = 64 << 20

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

// hardLink makes a node the same file as an entry before it, or returns what is
// wrong with that.
func (b *Builder) hardLink(n *node, e Entry) (fault string) {
	target, fault := cleanName(e.Target)
	if fault != "" || !within(target, b.Folder) {
		return fmt.Sprintf("it is a hard link to %.200q, which leads out of the tree", e.Target)
	}
	file := b.files[target]
	if file == nil {
		return fmt.Sprintf("it is a hard link to %.200q, which is no file before it", e.Target)
	}
	n.data, n.passed = file.data, file.passed
	b.files[e.Name] = n
	return ""
}
