package request

import (
	"cmp"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/policy"
)

// Gate is the name of a feature gate of OLM v1 (operator-controller).
type Gate string

// The gates that change what OLM v1 installs. As of October 2026, they are on in the experimental
// profile alone.
const (
	// GateWatchNamespace lets spec.config.inline.watchNamespace choose an install mode. While it
	// is off, a bundle is installed for all namespaces or not at all.
	GateWatchNamespace Gate = "SingleOwnNamespaceInstallSupport"
	// GateRelease reads the release that a bundle states. While it is off, only the build
	// metadata of its version is one.
	GateRelease Gate = "BundleReleaseSupport"
	// GateDeploymentConfig takes spec.config.inline.deploymentConfig over.
	GateDeploymentConfig Gate = "DeploymentConfig"
)

// On reports whether the gate is on in a profile. The empty profile is the standard one.
func (Gate) On(profile cluster.Profile) bool { return profile == cluster.ProfileExperimental }

// ProfileOf returns the profile that the options choose, else that of the cluster.
func ProfileOf(o *policy.Options, known *cluster.Index) cluster.Profile {
	return cmp.Or(o.OLMv1, known.ClusterScoped().OLMv1)
}
