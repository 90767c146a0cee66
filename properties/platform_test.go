package properties

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPlatform(t *testing.T) {
	of := func(value string) *Metadata {
		set, faults := Decode([]Property{pkg, prop(TypeCSVMetadata, value)}, nil)
		require.Empty(t, faults)
		return set.Metadata()
	}
	m := of(`{"labels":{"operatorframework.io/arch.s390x":"supported","operatorframework.io/arch.arm64":"supported","operatorframework.io/arch.ppc64le":"unsupported","operatorframework.io/os.linux":"supported"},
"annotations":{"features.operators.openshift.io/disconnected":"false","features.operators.openshift.io/fips-compliant":"true","operators.openshift.io/infrastructure-features":"[\"Disconnected\",\"proxy-aware\"]","operatorframework.io/suggested-namespace":"etcd-system"}}`)
	assert.Equal(t, []string{"arm64", "s390x"}, m.Architectures())
	assert.Equal(t, []string{"linux"}, m.OperatingSystems())
	assert.Equal(t, []string{"fips-compliant", "proxy-aware"}, m.Features())
	assert.Equal(t, "etcd-system", m.SuggestedNamespace())
	runs, stated := m.Disconnected()
	assert.Equal(t, [2]bool{false, true}, [2]bool{runs, stated})
	runs, stated = of(`{"annotations":{"operators.openshift.io/infrastructure-features":"[\"disconnected\"]"}}`).Disconnected()
	assert.Equal(t, [2]bool{true, true}, [2]bool{runs, stated})
	for _, m := range []*Metadata{nil, of(`{"annotations":{"operators.openshift.io/infrastructure-features":"disconnected"}}`)} {
		assert.Equal(t, []string{"amd64"}, m.Architectures())
		assert.Empty(t, m.Features())
		assert.Empty(t, m.SuggestedNamespace())
		_, stated = m.Disconnected()
		assert.False(t, stated)
	}
	assert.True(t, MeantAsLabel("operatorframework.io/arch.s390x"))
	assert.False(t, MeantAsLabel("operatorframework.io/suggested-namespace"))
}
