// Package manifest reads cluster objects as kubectl prints them, in YAML or
// JSON, into the plain data that the resolver takes.
//
// An input holds any number of documents, each an object or a List of objects.
// Subscription, ClusterServiceVersion, CatalogSource, OperatorGroup,
// OperatorCondition, ClusterExtension, ClusterCatalog and Namespace are read;
// other kinds are skipped, and so are fields that resolution does not need. A
// field that it does need must have the right type: the error says where it
// does not.
//
// Programs that hold objects in memory, such as controllers, read them with
// [ReadObject].
package manifest

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/internal/detached"
)

// Limits on one input. What a large cluster holds stays far below them.
const (
	// MaxBytes is the size of one input.
	MaxBytes = 256 << 20
	// MaxDocuments is the number of YAML or JSON documents of one input.
	MaxDocuments = 100_000
	// maxDepth is how deep YAML may nest; JSON has the limit of its decoder. The
	// deepest that clusters hold are schemas, which need a few dozen levels.
	maxDepth = 1000
	// maxAliasBytes is what the aliases of one YAML document may expand to.
	maxAliasBytes = 4 << 20
)

// Input is a text to read and the name by which errors call it.
type Input struct {
	Name   string
	Reader io.Reader
}

// Read returns the objects of one input, in the order in which they stand
// there. The name is what errors call the input. A fault of the text is an
// *Error; one of the reader is returned as it is, behind the name; the end of the
// context is a *resolver.Incomplete, also if the reader does not return.
func Read(ctx context.Context, r io.Reader, name string) (resolver.Objects, error) {
	return ReadAll(ctx, Input{Name: name, Reader: r})
}

// ReadAll returns the objects of several inputs together. An object that is
// given more than once counts once; if the copies differ in what resolution
// reads, that is an error. The other errors are those of Read.
func ReadAll(ctx context.Context, inputs ...Input) (resolver.Objects, error) {
	type outcome struct {
		objects resolver.Objects
		err     error
	}
	// Readers belong to the caller, and may wait for a terminal.
	read, err := detached.Call(ctx, func() (o outcome) {
		o.objects, o.err = readAll(ctx, inputs)
		return o
	})
	switch {
	case ctx.Err() != nil && (err != nil || read.err != nil):
		return resolver.Objects{}, &resolver.Incomplete{Phase: "reading manifests", Err: ctx.Err()}
	case err != nil:
		return resolver.Objects{}, &resolver.Internal{Err: err}
	}
	return read.objects, read.err
}

func readAll(ctx context.Context, inputs []Input) (resolver.Objects, error) {
	c := collector{ctx: ctx, seen: map[identity]sighting{}}
	for _, in := range inputs {
		data, err := io.ReadAll(contextReader{ctx, io.LimitReader(in.Reader, MaxBytes+1)})
		if err != nil {
			return resolver.Objects{}, fmt.Errorf("%s: %w", in.Name, err)
		}
		if len(data) > MaxBytes {
			return resolver.Objects{}, &Error{Source: in.Name, Err: fmt.Errorf("more than %d MiB of manifests", MaxBytes>>20)}
		}
		if err := c.read(in.Name, bytes.TrimPrefix(data, byteOrderMark)); err != nil {
			return resolver.Objects{}, err
		}
	}
	return c.objects, nil
}

// contextReader reads until the context ends.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

var byteOrderMark = []byte("\xEF\xBB\xBF")
