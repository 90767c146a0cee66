// Package manifest reads cluster objects, as kubectl prints them in YAML or JSON, into the
// plain data of package cluster. [Write] writes them again.
//
// An input holds any number of documents, each an object or a List of objects. It reads
// Subscription, ClusterServiceVersion, InstallPlan, CatalogSource, OperatorGroup,
// OperatorCondition, ClusterExtension, ClusterCatalog, Namespace, OperatorHub and, for the
// version of OpenShift, ClusterVersion. A CustomResourceDefinition states which versions of an
// API are served and stored, the one of ClusterExtension the profile of OLM v1. What a
// ServiceAccount may do follows from Role, ClusterRole, RoleBinding and ClusterRoleBinding. A
// ConfigMap has the manifests of a bundle that OLM has unpacked. It skips other kinds, and fields that
// resolution does not need. A needed field of the wrong type is an error that names the place, and
// so is a name, a label or an annotation that no API server accepts.
//
// Programs with objects in memory, such as controllers, read them with [ReadObject].
package manifest

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/detached"
)

// limits bound the inputs.
type limits struct {
	// bytes and documents are those of one input, object those of one of its objects.
	bytes, object int64
	documents     int
	// depth is the nesting of YAML. JSON has the limit of its decoder, 10,000. Objects with
	// schemas nest deepest: a few dozen levels.
	depth int
	// aliasBytes is the size of all expanded aliases of a YAML document.
	aliasBytes int
	// whole is the size up to which an input is read as a whole, split that of a YAML document
	// from which on the items of a List are read by themselves.
	whole, split int
}

// defaults are far above what large clusters need: one of 1,000 namespaces with twenty operators
// each prints 2 GiB.
var defaults = limits{bytes: 4 << 30, object: 256 << 20, documents: 100_000, depth: 1000, aliasBytes: 4 << 20, whole: 8 << 20, split: 1 << 20}

// Input is a text to read, and its name in errors.
type Input struct {
	Name   string
	Reader io.Reader
}

// Read returns the objects of the inputs, in their order. A fault of a text is an *Error. So is
// an object that is given more than once if its copies differ in what resolution reads, and
// an input of more than 4 GiB or 100,000 documents, with an object of more than 256 MiB, or
// with YAML that nests more than 1,000 levels deep or whose aliases expand to more than 4 MiB.
// Of an input of more than 8 MiB it reads a List item by item, and keeps no text: then an alias
// cannot lead to another item of a YAML document. An error of a reader is wrapped with the name. If
// the context ends, the error wraps that of the context, even if a reader never returns.
func Read(ctx context.Context, inputs ...Input) (cluster.Objects, error) {
	type outcome struct {
		objects cluster.Objects
		err     error
	}
	// A reader of the caller may block for ever, as on a terminal.
	read, err := detached.Call(ctx, func() (o outcome) {
		o.objects, o.err = readAll(ctx, defaults, inputs)
		return o
	})
	switch {
	case ctx.Err() != nil && (err != nil || read.err != nil):
		return cluster.Objects{}, fmt.Errorf("stopped while reading manifests: %w", ctx.Err())
	case err != nil:
		return cluster.Objects{}, fmt.Errorf("internal error: %w", err)
	}
	return read.objects, read.err
}

func readAll(ctx context.Context, limits limits, inputs []Input) (cluster.Objects, error) {
	c := collector{ctx: ctx, limits: limits, seen: map[identity]sighting{}}
	for _, in := range inputs {
		data, err := io.ReadAll(contextReader{ctx, io.LimitReader(in.Reader, int64(limits.whole)+1)})
		if err != nil {
			return cluster.Objects{}, fmt.Errorf("%s: %w", in.Name, err)
		}
		one := input{collector: &c, source: in.Name, data: bytes.TrimPrefix(data, byteOrderMark)}
		if len(data) <= limits.whole {
			err = one.read()
		} else {
			begin := one.data
			one.data = nil
			err = (&stream{input: &one, source: &countedInput{ctx: ctx, name: in.Name, limits: limits, r: io.MultiReader(bytes.NewReader(begin), in.Reader)}}).read()
		}
		if err != nil {
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
