package inputs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/manifest"
)

// Limits of a folder of manifests. A must-gather has some ten thousand files.
const (
	maxFolderEntries = 500_000
	maxFolderBytes   = 1 << 30 // of manifests of the kinds that are read
	maxFolderPath    = 4096    // bytes: more cannot be opened by its path, and takes the more time, the longer it is
)

// folderReader reads every manifest below a folder. Links that lead out of it are not
// followed.
type folderReader struct {
	name    string
	root    *os.Root
	inputs  []manifest.Input
	skipped []string
	// rendered are the folders that are not read.
	rendered []*renderedFolder
	entries  int
	bytes    int64
}

// readFolder returns the files below a folder that hold objects of kinds that are read. A folder
// that kustomize or Helm renders is an error, which lists all of them.
// A folder may hold much else, such as templates: files that cannot be read are listed
// on stderr.
func readFolder(ctx context.Context, name string, stderr io.Writer) ([]manifest.Input, error) {
	if err := renderer(name); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	r := folderReader{name: name, root: root}
	done := terminal.ShowProgress(stderr, "reading "+name)
	err = fs.WalkDir(root.FS(), ".", func(file string, entry fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return readingEnded(ctx)
		}
		return r.visit(ctx, file, entry, err)
	})
	done()
	if err == nil && len(r.rendered) > 0 {
		return nil, renderError(name, name, r.rendered)
	}
	const most = 10
	for _, text := range terminal.First(r.skipped, most, "%d further files") {
		terminal.Printf(stderr, "skipped: %s\n", text)
	}
	if err == nil && len(r.inputs) == 0 {
		err = fmt.Errorf("%s: this folder has no Subscription or other manifest that is read%s", name, Misplaced([]string{name}))
	}
	return r.inputs, err
}

// visit reads one file, if it is a manifest.
func (r *folderReader) visit(ctx context.Context, file string, entry fs.DirEntry, err error) error {
	if r.entries++; r.entries > maxFolderEntries {
		return fmt.Errorf("%s: more than %d files and folders", r.name, maxFolderEntries)
	}
	hidden := strings.HasPrefix(filepath.Base(file), ".") && file != "."
	switch {
	case err != nil:
		r.skipped = append(r.skipped, err.Error())
		return nil
	case entry.IsDir() && hidden:
		return fs.SkipDir
	case entry.IsDir() && len(file) > maxFolderPath:
		r.skipped = append(r.skipped, fmt.Sprintf("%.100s...: its path has more than %d bytes", file, maxFolderPath))
		return fs.SkipDir
	case entry.IsDir():
		if f := rendered(r.root, file); f != nil {
			r.rendered = append(r.rendered, f)
			if f.command[0] == "helm" {
				return fs.SkipDir
			}
		}
		return nil
	case hidden, len(r.rendered) > 0, !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(file)):
		return nil
	}
	// A link counts as what it leads to, if that is below the folder.
	info, err := r.root.Stat(file)
	if err != nil {
		r.skipped = append(r.skipped, err.Error())
		return nil
	}
	switch {
	case !info.Mode().IsRegular():
		return nil
	case info.Size() > maxFolderBytes:
		r.skipped = append(r.skipped, fmt.Sprintf("%s: it has more than the %d MiB that are read", file, maxFolderBytes>>20))
		return nil
	}
	return r.read(ctx, file)
}

func (r *folderReader) read(ctx context.Context, file string) error {
	data, err := r.root.ReadFile(file)
	if err != nil {
		r.skipped = append(r.skipped, err.Error())
		return nil
	}
	if !mentionsKind().Match(data) {
		return nil
	}
	if r.bytes += int64(len(data)); r.bytes > maxFolderBytes {
		return fmt.Errorf("%s: more than %d MiB of manifests", r.name, maxFolderBytes>>20)
	}
	name := filepath.Join(r.name, file)
	_, err = manifest.Read(ctx, manifest.Input{Name: name, Reader: bytes.NewReader(data)})
	if fault := (*manifest.Error)(nil); errors.As(err, &fault) {
		r.skipped = append(r.skipped, err.Error())
		return nil
	}
	if err != nil {
		return err
	}
	r.inputs = append(r.inputs, manifest.Input{Name: name, Reader: bytes.NewReader(data)})
	return nil
}

// mentionsKind finds what may be an object of a kind that is read. Most files of a
// must-gather hold none, and to parse them takes a hundred times longer.
var mentionsKind = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\bkind["']?\s*:\s*["']?(` + strings.Join(manifest.Kinds(), "|") + `)`)
})
