package check

import (
	"context"

	"github.com/resolvent/resolvent/properties"
	"github.com/resolvent/resolvent/resolver/check/internal/finding"
)

// Safety judges an update as OLM v1 does before it installs one (its CRD upgrade safety): it
// returns the CustomResourceDefinitions that OLM v1 would refuse, by name. The objects have their
// texts: catalogs are to be read with Objects of [cache.Options].
type Safety func(ctx context.Context, from, to *properties.Objects) []Unsafe

// Unsafe is a CustomResourceDefinition whose update OLM v1 refuses, or that cannot be judged.
type Unsafe = finding.Unsafe
