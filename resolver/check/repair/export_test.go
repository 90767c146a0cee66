package repair

import (
	"github.com/resolvent/resolvent/resolver/check"
	"github.com/resolvent/resolvent/resolver/check/internal/finding"
)

// Repairable reports whether findings of a code may have repairs.
func Repairable(f *check.Finding) bool { return finding.Of(f.Code).None == "" }
