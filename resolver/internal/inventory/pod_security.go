package inventory

import (
	"strings"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/words"
	"github.com/resolvent/resolvent/resolver/result"
)

// labelEnforce is the label with which a namespace says which pods it admits.
const labelEnforce = "pod-security.kubernetes.io/enforce"

// Restricting returns how Pod Security admits the pod of a CatalogSource, nil if it does not keep it
// out, or if OLM makes it as restricted already. remains is what fails even then.
func Restricting(c *cluster.Index, source result.Object, remains string) *result.Repair {
	for _, s := range c.ClusterScoped().CatalogSources {
		if s.Key.Namespace != source.Namespace || s.Key.Name != source.Name {
			continue
		}
		if s.Healthy() || s.SecurityContext == "restricted" || !strings.Contains(s.Message, "violates PodSecurity") {
			return nil
		}
		r := &result.Repair{Kind: words.RepairPodSecurity, Object: source, Namespace: source.Namespace, Said: remains, Stated: words.Stated(s.Message)}
		for _, n := range c.ClusterScoped().Namespaces {
			if n.Name == source.Namespace && n.Labels[labelEnforce] == "restricted" && s.SecurityContext != "" {
				r.Name = "label " + labelEnforce + " of the namespace"
			}
		}
		return r
	}
	return nil
}
