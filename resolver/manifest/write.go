package manifest

import (
	"bytes"
	"context"

	"github.com/go-json-experiment/json"

	"github.com/resolvent/resolvent/resolver/cluster"
)

// Write returns objects as manifests, one JSON document per line; Read returns the same
// objects again. It leaves out the versions and labels of the cluster. The error is that of
// the context, or that of a value that is not JSON.
func Write(ctx context.Context, o cluster.Objects) ([]byte, error) {
	var b bytes.Buffer
	for _, k := range kinds {
		for _, object := range k.write(&o) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if err := json.MarshalWrite(&b, object, json.Deterministic(true)); err != nil {
				return nil, err
			}
			b.WriteByte('\n')
		}
	}
	return b.Bytes(), nil
}
