package properties

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/properties/pack"
)

// A few bytes must not stand for more APIs than there is memory for.
func TestSharedListsAreBounded(t *testing.T) {
	const apis = 1 << 14
	read := func(sets int) error {
		out := pack.NewWriter()
		w, set := NewSetWriter(out), &Set{}
		for i := range apis {
			set.gvks = append(set.gvks, GVK{"g", "v1", fmt.Sprint(i)})
		}
		w.Add(set)
		var row [setColumns]uint32 // of the first shape and list
		row[setPackage], row[setRelease] = out.Text(""), out.Text("")
		for range sets - 1 {
			w.sets.Add(row[:]...)
		}
		w.End()
		in := pack.NewReader(string(out.Bytes()))
		NewSetReader(in)
		return in.Err()
	}
	require.NoError(t, read(maxProvided/apis))
	require.ErrorIs(t, read(maxProvided/apis+1), pack.ErrDamaged)
}
