package request

import (
	"cmp"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/policy"
)

// Gate is a feature gate of OLM v1 (operator-controller).
type Gate int

// The gates that change what OLM v1 installs.
const (
	// GateWatchNamespace lets spec.config.inline.watchNamespace choose an install mode. While it
	// is off, a bundle is installed for all namespaces or not at all.
	GateWatchNamespace Gate = iota
	// GateRelease reads the release that a bundle states. While it is off, only the build
	// metadata of its version is one.
	GateRelease
	// GateDeploymentConfig takes spec.config.inline.deploymentConfig over.
	GateDeploymentConfig
)

// gates has the name of each gate, and the profiles in which it is on, as of October 2026.
var gates = [...]struct {
	name                   string
	standard, experimental bool
}{
	GateWatchNamespace:   {"SingleOwnNamespaceInstallSupport", false, true},
	GateRelease:          {"BundleReleaseSupport", false, true},
	GateDeploymentConfig: {"DeploymentConfig", false, true},
}

// String returns the name of the gate in OLM v1.
func (g Gate) String() string { return gates[g].name }

// On reports whether the gate is on in a profile. The empty profile is the standard one.
func (g Gate) On(profile cluster.Profile) bool {
	if profile == cluster.ProfileExperimental {
		return gates[g].experimental
	}
	return gates[g].standard
}

// ProfileOf returns the profile that the options choose, else that of the cluster.
func ProfileOf(o *policy.Options, known *cluster.Index) cluster.Profile {
	return cmp.Or(o.OLMv1, known.ClusterScoped().OLMv1)
}
