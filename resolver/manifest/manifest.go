// Package manifest reads cluster objects, as kubectl prints them in YAML or JSON, into the
// plain data of package cluster. [Write] writes them again.
//
// An input holds any number of documents, each an object or a List of objects. It reads
// Subscription, ClusterServiceVersion, InstallPlan, CatalogSource, OperatorGroup,
// OperatorCondition, ClusterExtension, ClusterCatalog, Namespace, OperatorHub and, for the
// version of OpenShift, ClusterVersion. A CustomResourceDefinition states which versions of an
// API are served and stored, the one of ClusterExtension the profile of OLM v1. It skips other kinds, and fields that resolution does not need. A
// needed field of the wrong type is an error that names the place, and so is a name, a label
// or an annotation that no API server accepts.
//
// Programs with objects in memory, such as controllers, read them with [ReadObject].
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

// Limits bound the inputs. A field that is zero or negative means its default, which is far
// above what large clusters need. An input that exceeds a limit is an *Error.
type Limits struct {
	// Bytes is the largest size of one input; default 256 MiB.
	Bytes int64
	// Documents is the largest number of documents of one input; default 100,000.
	Documents int
	// Depth is the deepest nesting of YAML; default 1000. JSON has the limit of its decoder,
	// 10,000. Objects with schemas nest deepest: a few dozen levels.
	Depth int
	// AliasBytes is the largest size of all expanded aliases of a YAML document; default
	// 4 MiB.
	AliasBytes int
}

func (l Limits) withDefaults() Limits {
	return Limits{
		cmp.Or(max(l.Bytes, 0), 256<<20), cmp.Or(max(l.Documents, 0), 100_000),
		cmp.Or(max(l.Depth, 0), 1000), cmp.Or(max(l.AliasBytes, 0), 4<<20),
	}
}

// Input is a text to read, and its name in errors.
type Input struct {
	Name   string
	Reader io.Reader
}

// Read returns the objects of one input, in its order. name is the name of the input in
// errors. A fault of the text is an *Error. An error of the reader is wrapped with the name.
// If the context ends, the error is a *result.Incomplete, even if the reader never returns.
func Read(ctx context.Context, r io.Reader, name string) (cluster.Objects, error) {
	return Limits{}.Read(ctx, Input{name, r})
}

// Read returns the objects of several inputs. An object may be given more than once; if its
// copies differ in what resolution reads, that is an *Error. The other errors are those of
// the function Read.
func (l Limits) Read(ctx context.Context, inputs ...Input) (cluster.Objects, error) {
	l = l.withDefaults()
	type outcome struct {
		objects cluster.Objects
		err     error
	}
	// A reader of the caller may block for ever, as on a terminal.
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

// bytesText returns a size in MiB if it is a whole number of them, else in bytes.
func bytesText(n int64) string {
	if n%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}

// contextReader is a reader that fails once the context has ended.
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
