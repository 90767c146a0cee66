package cache

import (
	"context"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/testdata/testkit"
)

var files = testkit.Tree

func load(t testing.TB, text string) *catalog.Snapshot {
	t.Helper()
	s, err := loadFrom(t.Context(), openTree(files(text)), Options{}) // without any package, too
	require.NoError(t, err)
	return s
}

// parse reads a catalog that must be without fault.
func parse(t testing.TB, text string) *catalog.Snapshot {
	t.Helper()
	s, err := Parse(t.Context(), []byte(text), Options{Strict: true})
	require.NoError(t, err)
	return s
}

func names(s *catalog.Snapshot, ids []catalog.ID) []string {
	list := []string{}
	for _, id := range ids {
		list = append(list, s.Bundle(id).Name)
	}
	return list
}

// bundleNames are the names of all bundles by ID.
func bundleNames(s *catalog.Snapshot) []string {
	list := []string{}
	for id := range catalog.ID(s.Len()) {
		list = append(list, s.Bundle(id).Name)
	}
	return list
}

func faultTexts(faults []catalog.Fault) []string {
	list := []string{}
	for _, f := range faults {
		text := string(f.Code) + " " + f.Error()
		if f.Quarantines {
			text = "! " + text
		}
		list = append(list, text)
	}
	return list
}

const etcd = testkit.Etcd

func loadTree(t testing.TB, tree fs.FS) *catalog.Snapshot {
	t.Helper()
	s, err := LoadFS(t.Context(), tree, Options{})
	require.NoError(t, err)
	return s
}

// failedSource is a catalog that cannot be read.
type failedSource struct{ err error }

func failed(err error) Source { return failedSource{err} }

func (s failedSource) Load(context.Context) (*catalog.Snapshot, error) { return nil, s.err }
