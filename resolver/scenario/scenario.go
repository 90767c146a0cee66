package scenario

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/resolvent/resolvent/cache/catalog"
)

// The names of the files of a scenario.
const (
	clusterFile     = "cluster.yaml"
	optionsFile     = "options.yaml"
	wantFile        = "want"
	catalogs        = "catalogs"
	clusterCatalogs = "clustercatalogs"
)

// Scenario is a resolution problem with its wanted outcome.
type Scenario struct {
	// Comment states what the scenario shows.
	Comment string
	// Cluster is the content of cluster.yaml.
	Cluster []byte
	Options Options
	// Files are the files of the catalogs, each named catalogs/NAMESPACE/NAME/PATH or
	// clustercatalogs/NAME/PATH.
	Files []txtar.File
	// Want is the wanted outcome, in the form of Run.
	Want string
}

// Error is a fault of a scenario's text.
type Error struct {
	// File is the name of the file at fault, or of another part.
	File string
	Err  error
}

func (e *Error) Error() string { return e.File + ": " + e.Err.Error() }

// Unwrap returns the fault.
func (e *Error) Unwrap() error { return e.Err }

// Parse reads a scenario. The error is an *Error.
func Parse(data []byte) (*Scenario, error) {
	if n := len(data); n > 0 && data[n-1] != '\n' {
		// txtar knows a marker only as a complete line.
		data = append(data[:n:n], '\n')
	}
	archive := txtar.Parse(data)
	s := &Scenario{Comment: string(archive.Comment)}
	seen := map[string]bool{}
	for _, f := range archive.Files {
		if seen[f.Name] {
			return nil, &Error{f.Name, errors.New("the file is there twice")}
		}
		seen[f.Name] = true
		var err error
		switch f.Name {
		case clusterFile:
			s.Cluster = f.Data
		case optionsFile:
			s.Options, err = parseOptions(f.Data)
		case wantFile:
			s.Want = string(f.Data)
		default:
			s.Files = append(s.Files, f)
			_, _, err = splitName(f.Name)
		}
		if err != nil {
			return nil, &Error{f.Name, err}
		}
	}
	return s, nil
}

// Format returns the text of the scenario: cluster, options, catalogs in the order of Files
// and wanted outcome, without empty parts. The error is an *Error about a part that the
// format cannot hold.
func (s *Scenario) Format() ([]byte, error) {
	options, err := s.Options.format()
	if err != nil {
		return nil, &Error{optionsFile, err}
	}
	archive := &txtar.Archive{Comment: []byte(s.Comment)}
	add := func(name string, data []byte) {
		archive.Files = append(archive.Files, txtar.File{Name: name, Data: data})
	}
	if len(s.Cluster) > 0 {
		add(clusterFile, s.Cluster)
	}
	if len(options) > 0 {
		add(optionsFile, options)
	}
	for _, f := range s.Files {
		if _, _, err := splitName(f.Name); err != nil {
			return nil, &Error{f.Name, err}
		}
		add(f.Name, f.Data)
	}
	if s.Want != "" {
		add(wantFile, []byte(s.Want))
	}
	text := txtar.Format(archive)
	return text, checkSame(archive, txtar.Parse(text))
}

// checkSame returns an error for the first part of an archive that reads back differently.
func checkSame(wrote, read *txtar.Archive) error {
	differs := errors.New("a line of the content would start another file, or the name has a form that cannot be written")
	same := func(a, b []byte) bool {
		return bytes.Equal(bytes.TrimSuffix(a, []byte("\n")), bytes.TrimSuffix(b, []byte("\n")))
	}
	if !same(wrote.Comment, read.Comment) {
		return &Error{"comment", differs}
	}
	for i, f := range wrote.Files {
		if i >= len(read.Files) || read.Files[i].Name != f.Name || !same(f.Data, read.Files[i].Data) {
			return &Error{f.Name, differs}
		}
	}
	return nil
}

// splitName splits the name of a catalog's file into the catalog and the path in it.
func splitName(name string) (catalog.Key, string, error) {
	parts := strings.Split(name, "/")
	if !fs.ValidPath(name) {
		return catalog.Key{}, "", errors.New("the name is not a clean relative path")
	}
	switch {
	case parts[0] == catalogs && len(parts) > 3:
		return catalog.Key{Namespace: parts[1], Name: parts[2]}, path.Join(parts[3:]...), nil
	case parts[0] == clusterCatalogs && len(parts) > 2:
		return catalog.Key{Name: parts[1]}, path.Join(parts[2:]...), nil
	}
	return catalog.Key{}, "", fmt.Errorf("unknown file; want %s, %s, %s, %s/NAMESPACE/NAME/PATH or %s/NAME/PATH",
		clusterFile, optionsFile, wantFile, catalogs, clusterCatalogs)
}

// AddCatalog appends a file of a catalog. A catalog without a namespace serves
// ClusterExtensions.
func (s *Scenario) AddCatalog(k catalog.Key, file string, data []byte) {
	name := path.Join(catalogs, k.Namespace, k.Name, file)
	if k.Namespace == "" {
		name = path.Join(clusterCatalogs, k.Name, file)
	}
	s.Files = append(s.Files, txtar.File{Name: name, Data: data})
}
