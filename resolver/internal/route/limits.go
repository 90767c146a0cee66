package route

// The limits of this package.
const (
	// mostMembers bounds a group: each further member multiplies the tries.
	mostMembers = 8
	// mostAutomatic bounds the resolutions that OLM makes by itself. It protects from catalogs in
	// which these do not end.
	mostAutomatic = 100
)
