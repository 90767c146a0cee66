package cache

import (
	"context"
	"encoding/hex"
	"errors"
	"io/fs"
	"time"

	"github.com/resolvent/resolvent/properties/pack"
)

// indexRecord says which contents a tree had when its files had a certain
// status, so that they need not be read as long as that is the same.
type indexRecord struct {
	key     string // of the contents
	version string // as FS tells it
	// names are the directories, the files, and what else decides which files
	// there are: a directory whose status is the same has the same entries.
	names    []string
	statuses string // of the names
}

var recordKind = sealedKind{"resolvent record", 1}

var errUnsettled = errors.New("the status of a file does not tell its contents")

// recordKey is what the record of a tree is found by.
func recordKey(name string, opts Options) string {
	sum := newKeySum(opts)
	writeFields(sum, "record", name)
	return hex.EncodeToString(sum.Sum(nil))
}

// newIndexRecord returns the record of a tree that was listed and whose contents
// are to be read; nil if its files tell too little. The key is missing.
func newIndexRecord(ctx context.Context, fsys fs.FS, tree listing, opts Options) *indexRecord {
	if len(tree.faults) > 0 {
		return nil // what is behind them may change without a trace
	}
	r := &indexRecord{}
	r.names = append(append(r.names, tree.around...), tree.files...)
	statuses, ok := readStatuses(ctx, fsys, r.names, opts.Workers, time.Now())
	if !ok {
		return nil
	}
	r.statuses = string(statuses)
	return r
}

// holds reports whether the tree is as it was.
func (r *indexRecord) holds(ctx context.Context, fsys fs.FS, opts Options) bool {
	statuses, ok := readStatuses(ctx, fsys, r.names, opts.Workers, time.Now())
	return ok && string(statuses) == r.statuses
}

func (r *indexRecord) encode(seal string) []byte {
	w := pack.NewWriter()
	w.String(r.key)
	w.String(r.version)
	w.Count(len(r.names))
	for _, name := range r.names {
		w.String(name)
	}
	w.String(r.statuses)
	return recordKind.encode(seal, w.Bytes())
}

func decodeRecord(payload string) (*indexRecord, error) {
	in := pack.NewReader(payload)
	r := &indexRecord{key: in.String(), version: in.String()}
	r.names = make([]string, in.Count(1))
	for i := range r.names {
		r.names[i] = in.String()
	}
	r.statuses = in.String()
	in.End()
	return r, in.Err()
}
