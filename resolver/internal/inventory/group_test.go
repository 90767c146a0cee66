package inventory

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// A group with many targets and many APIs costs their sum, not their product: its
// owner may be anybody who has a namespace.
func TestGroupCostsTheSumOfItsTargetsAndAPIs(t *testing.T) {
	const n = 1000
	group := cluster.OperatorGroup{Namespace: "n", Name: "g"}
	var apis []string
	for i := range n {
		group.TargetNamespaces = append(group.TargetNamespaces, fmt.Sprintf("n%d", i))
		apis = append(apis, fmt.Sprintf("K%d.v1.example.com", i))
	}
	group.Annotations = map[string]string{words.AnnotationProvidedAPIs: strings.Join(apis, ",")}
	allocations := testing.AllocsPerRun(1, func() { new(groupIndex).add(newGroup(&group, nil), true) })
	assert.Less(t, allocations, float64(20*n))
}
