package constraints

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/blang/semver/v4"
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// maxVersionLength bounds the versions that rules compare, in bytes. Versions
// are much shorter; values of properties are bounded by nothing.
const maxVersionLength = 1 << 10

// Names of the functions that rules can call beyond the standard library.
const (
	functionCompare = "semver_compare"
	functionInRange = "semver_in_range"
	functionMajor   = "semver_major"
	functionMinor   = "semver_minor"
)

// semverFunctions declares them; the package comment says what they mean.
func semverFunctions(readRange func(string) (Range, error)) []cel.EnvOption {
	// Versions are declared dyn because properties are: a rule may well compare
	// a value that is a JSON number, such as 4.8.
	dyn, text := cel.DynType, cel.StringType
	part := func(of func(semver.Version) uint64) cel.OverloadOpt { return cel.UnaryBinding(semverPart(of)) }
	return []cel.EnvOption{
		cel.Function(functionCompare,
			cel.Overload("semver_compare_dyn_dyn", []*cel.Type{dyn, dyn}, cel.IntType, cel.BinaryBinding(semverCompare))),
		cel.Function(functionInRange,
			cel.Overload("semver_in_range_dyn_string", []*cel.Type{dyn, text}, cel.BoolType, cel.BinaryBinding(semverInRange(readRange)))),
		cel.Function(functionMajor,
			cel.Overload("semver_major_dyn", []*cel.Type{dyn}, cel.IntType, part(func(v semver.Version) uint64 { return v.Major }))),
		cel.Function(functionMinor,
			cel.Overload("semver_minor_dyn", []*cel.Type{dyn}, cel.IntType, part(func(v semver.Version) uint64 { return v.Minor }))),
	}
}

func semverCompare(left, right ref.Val) ref.Val {
	a, err := version(left)
	if err != nil {
		return types.WrapErr(err)
	}
	b, err := version(right)
	if err != nil {
		return types.WrapErr(err)
	}
	return types.Int(a.Compare(b))
}

func semverInRange(readRange func(string) (Range, error)) func(ref.Val, ref.Val) ref.Val {
	return func(value, text ref.Val) ref.Val {
		v, err := version(value)
		if err != nil {
			return types.WrapErr(err)
		}
		s, ok := text.(types.String)
		if !ok {
			return types.MaybeNoSuchOverloadErr(text)
		}
		r, err := readRange(string(s))
		if err != nil {
			return types.WrapErr(err)
		}
		return types.Bool(r.Contains(v))
	}
}

func semverPart(part func(semver.Version) uint64) func(ref.Val) ref.Val {
	return func(value ref.Val) ref.Val {
		v, err := version(value)
		if err != nil {
			return types.WrapErr(err)
		}
		n := part(v)
		if n > math.MaxInt64 {
			return types.WrapErr(fmt.Errorf("version %s is too large a number", v))
		}
		return types.Int(n)
	}
}

// version reads a version from a string or from a number.
func version(value ref.Val) (semver.Version, error) {
	var text string
	switch value := value.(type) {
	case types.String:
		text = string(value)
	case types.Double:
		text = strconv.FormatFloat(float64(value), 'f', -1, 64)
	case types.Int:
		text = strconv.FormatInt(int64(value), 10)
	case types.Uint:
		text = strconv.FormatUint(uint64(value), 10)
	default:
		return semver.Version{}, fmt.Errorf("a value of type %s is not a version", value.Type().TypeName())
	}
	if len(text) > maxVersionLength {
		return semver.Version{}, errors.New("a text this long is not a version")
	}
	v, err := semver.ParseTolerant(text)
	if err != nil {
		return semver.Version{}, fmt.Errorf("%q is not a version: %w", text, err)
	}
	return v, nil
}
