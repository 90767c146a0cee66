package repair

import "github.com/resolvent/resolvent/resolver/check"

// Repairable reports whether findings of a code may have repairs.
func Repairable(f *check.Finding) bool { return repairs[f.Code].none == "" }
