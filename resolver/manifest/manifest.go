// Package manifest reads cluster objects as kubectl prints them, in YAML or
// JSON, into the plain data that the resolver takes.
//
// An input holds any number of documents, each an object or a List of objects.
// Subscription, ClusterServiceVersion, InstallPlan, CatalogSource, OperatorGroup,
// OperatorCondition, ClusterExtension, ClusterCatalog, Namespace, OperatorHub and
// ClusterVersion (for the version of OpenShift) are read; other kinds are skipped, and so are fields that resolution does not need. A
// field that it needs with the wrong type is an error that names the place.
//
// Programs that hold objects in memory, such as controllers, read them with
// [ReadObject].
package manifest

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/detached"
	"github.com/resolvent/resolvent/resolver/result"
)

// Limits bound what is read. A field that is zero or negative means its default,
// and what large clusters hold stays far below these. What passes a limit is an
// *Error.
type Limits struct {
	// Bytes is the size of one input; default 256 MiB.
	Bytes int64
	// Documents is the number of YAML or JSON documents of one input; default
	// 100,000.
	Documents int
	// Depth is how deep YAML may nest; default 1000. JSON has the limit of its
	// decoder, 10,000. The deepest that clusters hold are schemas, which need a
	// few dozen levels.
	Depth int
	// AliasBytes is what the aliases of one YAML document may expand to; default
	// 4 MiB.
	AliasBytes int
}

func (l Limits) withDefaults() Limits {
	return Limits{
		cmp.Or(max(l.Bytes, 0), 256<<20), cmp.Or(max(l.Documents, 0), 100_000),
		cmp.Or(max(l.Depth, 0), 1000), cmp.Or(max(l.AliasBytes, 0), 4<<20),
	}
}

// Input is a text to read and the name by which errors call it.
type Input struct {
	Name   string
	Reader io.Reader
}

// Read returns the objects of one input, in the order in which they stand
// there. The name is what errors call the input. A fault of the text is an
// *Error; one of the reader is returned as it is, behind the name; the end of the
// context is a *result.Incomplete, also if the reader does not return.
func Read(ctx context.Context, r io.Reader, name string) (cluster.Objects, error) {
	return Limits{}.Read(ctx, Input{name, r})
}

// Read returns the objects of several inputs together. An object that is
// given more than once counts once; if the copies differ in what resolution
// reads, that is an error. The other errors are those of the function Read.
func (l Limits) Read(ctx context.Context, inputs ...Input) (cluster.Objects, error) {
	l = l.withDefaults()
	type outcome struct {
		objects cluster.Objects
		err     error
	}
	// Readers belong to the caller, and may wait for a terminal.
	read, err := detached.Call(ctx, func() (o outcome) {
		o.objects, o.err = readAll(ctx, l, inputs)
		return o
	})
	switch {
	case ctx.Err() != nil && (err != nil || read.err != nil):
		return cluster.Objects{}, &result.Incomplete{Phase: "reading manifests", Err: ctx.Err()}
	case err != nil:
		return cluster.Objects{}, &result.Internal{Err: err}
	}
	return read.objects, read.err
}

func readAll(ctx context.Context, limits Limits, inputs []Input) (cluster.Objects, error) {
	c := collector{ctx: ctx, limits: limits, seen: map[identity]sighting{}}
	for _, in := range inputs {
		data, err := io.ReadAll(contextReader{ctx, io.LimitReader(in.Reader, limits.Bytes+1)})
		if err != nil {
			return cluster.Objects{}, fmt.Errorf("%s: %w", in.Name, err)
		}
		if int64(len(data)) > limits.Bytes {
			return cluster.Objects{}, &Error{Source: in.Name, Err: fmt.Errorf("more than %s of manifests", bytesText(limits.Bytes))}
		}
		one := input{collector: &c, source: in.Name, data: bytes.TrimPrefix(data, byteOrderMark)}
		if err := one.read(); err != nil {
			return cluster.Objects{}, err
		}
	}
	return c.objects, nil
}

// bytesText is a size in whole MiB, where it is.
func bytesText(n int64) string {
	if n%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
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
