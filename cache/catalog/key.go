package catalog

import "strings"

// Key identifies a catalog. Namespace is empty for catalogs of the whole cluster.
type Key struct{ Namespace, Name string }

// String is for display only.
func (k Key) String() string {
	if k.Namespace == "" {
		return k.Name
	}
	return k.Namespace + "/" + k.Name
}

// Compare orders by namespace, then by name.
func (k Key) Compare(other Key) int {
	if c := strings.Compare(k.Namespace, other.Namespace); c != 0 {
		return c
	}
	return strings.Compare(k.Name, other.Name)
}
