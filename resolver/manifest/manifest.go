// Package manifest reads cluster objects as kubectl prints them, in YAML or
// JSON, into the plain data that the resolver takes.
//
// An input holds any number of documents, each an object or a List of objects.
// Subscription, ClusterServiceVersion, CatalogSource, OperatorGroup,
// OperatorCondition, ClusterExtension, ClusterCatalog and Namespace are read;
// other kinds are skipped, and so are fields that resolution does not need. A
// field that it does need must have the right type: the error says where it
// does not.
package manifest

import (
	"bytes"
	"fmt"
	"io"

	"github.com/resolvent/resolvent/resolver"
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
// *Error; one of the reader is returned as it is, behind the name.
func Read(r io.Reader, name string) (resolver.Objects, error) {
	return ReadAll(Input{Name: name, Reader: r})
}

// ReadAll returns the objects of several inputs together. An object that is
// given more than once counts once; if the copies differ in what resolution
// reads, that is an error.
func ReadAll(inputs ...Input) (resolver.Objects, error) {
	c := collector{seen: map[identity]sighting{}}
	for _, in := range inputs {
		data, err := io.ReadAll(io.LimitReader(in.Reader, MaxBytes+1))
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

var byteOrderMark = []byte("\xEF\xBB\xBF")
