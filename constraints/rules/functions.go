package rules

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/blang/semver/v4"
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/resolvent/resolvent/constraints/versionrange"
)

// Names of the functions that rules have beside the standard library.
const (
	functionCompare = "semver_compare"
	functionInRange = "semver_in_range"
	functionMajor   = "semver_major"
	functionMinor   = "semver_minor"
)

// ruleFunctions declares the functions that the package comment describes.
func ruleFunctions(readRange func(string) (versionrange.Range, error)) []cel.EnvOption {
	// Versions are of type dyn, as properties are: a rule may compare a value that is a
	// JSON number, such as 4.8.
	dyn, text, declare := cel.DynType, cel.StringType, declareFunction
	return []cel.EnvOption{
		declare(functionCompare, "semver_compare_dyn_dyn", cel.IntType, semverCompare, dyn, dyn),
		declare(functionInRange, "semver_in_range_dyn_string", cel.BoolType, semverInRange(readRange), dyn, text),
		declare(functionMajor, "semver_major_dyn", cel.IntType, semverPart(func(v semver.Version) uint64 { return v.Major }), dyn),
		declare(functionMinor, "semver_minor_dyn", cel.IntType, semverPart(func(v semver.Version) uint64 { return v.Minor }), dyn),
		declare(functionOperand, functionOperand, dyn, func(args ...ref.Val) ref.Val { return args[0] }, dyn),
	}
}

func declareFunction(name, overload string, result *cel.Type, apply func(args ...ref.Val) ref.Val, args ...*cel.Type) cel.EnvOption {
	return cel.Function(name, cel.Overload(overload, args, result, cel.FunctionBinding(apply)))
}

func semverCompare(args ...ref.Val) ref.Val {
	a, err := version(args[0])
	if err != nil {
		return types.WrapErr(err)
	}
	b, err := version(args[1])
	if err != nil {
		return types.WrapErr(err)
	}
	return types.Int(a.Compare(b))
}

func semverInRange(readRange func(string) (versionrange.Range, error)) func(...ref.Val) ref.Val {
	return func(args ...ref.Val) ref.Val {
		v, err := version(args[0])
		if err != nil {
			return types.WrapErr(err)
		}
		text, ok := args[1].(types.String)
		if !ok {
			return types.MaybeNoSuchOverloadErr(args[1])
		}
		r, err := readRange(string(text))
		if err != nil {
			return types.WrapErr(err)
		}
		return types.Bool(r.Contains(v))
	}
}

func semverPart(part func(semver.Version) uint64) func(...ref.Val) ref.Val {
	return func(args ...ref.Val) ref.Val {
		v, err := version(args[0])
		if err == nil && part(v) > math.MaxInt64 {
			err = fmt.Errorf("version %s is too large a number", v)
		}
		if err != nil {
			return types.WrapErr(err)
		}
		return types.Int(part(v))
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
		return semver.Version{}, fmt.Errorf("%q is not a version such as 1.15.0", text)
	}
	return v, nil
}
