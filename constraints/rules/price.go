package rules

import (
	"fmt"

	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// Prices. A unit of cost pays for at most some 50 ns of work, so that reaching the limit
// takes less than a tenth of a second in any way (BenchmarkPrices).
const (
	bytesPerUnit    = 10   // bytes of text to read, as in cel-go
	bytesDecoded    = 16   // bytes of properties to decode for a rule
	nodesPerNew     = 8    // nodes that a new list or map counts as
	unitsPerValue   = 5    // for comparing a value inside of others
	unitsPerVersion = 4    // for reading a version, and thrice that for ten bytes of it: up to five identifiers
	unitsPerRegex   = 100  // for compiling ten bytes of a regular expression
	unitsPerZone    = 2000 // for a time zone, which is read from a file
)

// price returns the cost of a call, and an error if the call must not be made.
type price func(args []ref.Val) (units int, err error)

// priceOf returns the price of a function. Any other function may read all that is in
// its arguments.
func priceOf(function string) price {
	switch function {
	case operators.LogicalNot, operators.Negate, operators.Subtract, operators.Multiply, operators.Divide, operators.Modulo,
		overloads.TypeConvertType, operators.Add, overloads.Size, functionOperand, overloads.Contains, overloads.TypeConvertString,
		overloads.TypeConvertBytes, overloads.TypeConvertDyn:
		return func(args []ref.Val) (int, error) { return sizes(args), nil }
	case overloads.StartsWith, overloads.EndsWith:
		return func(args []ref.Val) (int, error) { return sizes(args[1:]), nil }
	case operators.Equals, operators.NotEquals:
		return equality
	case operators.Less, operators.LessEquals, operators.Greater, operators.GreaterEquals:
		return order
	case operators.In, operators.OldIn:
		return membership
	case functionCompare, functionMajor, functionMinor, functionMajorOf, functionMinorOf, functionPatchOf:
		return func(args []ref.Val) (int, error) { return unitsPerVersion * (len(args) + 3*sizes(args)), nil }
	case functionInRange:
		return func(args []ref.Val) (int, error) { return unitsPerVersion * (3*sizes(args) + 4*sizes(args[1:])), nil }
	case overloads.TypeConvertTimestamp: // whose error quotes the text
		return func(args []ref.Val) (int, error) { return 2 * sizes(args), nil }
	case overloads.TimeGetFullYear, overloads.TimeGetMonth, overloads.TimeGetDayOfYear, overloads.TimeGetDate,
		overloads.TimeGetDayOfMonth, overloads.TimeGetDayOfWeek, overloads.TimeGetHours, overloads.TimeGetMinutes,
		overloads.TimeGetSeconds, overloads.TimeGetMilliseconds:
		return func(args []ref.Val) (int, error) { return (len(args)-1)*unitsPerZone + 2*sizes(args), nil }
	}
	return walked
}

// sizes is the price of reading values, without what is inside of lists and maps.
func sizes(args []ref.Val) int {
	n := 1
	for _, arg := range args {
		switch arg := arg.(type) {
		case types.String:
			n += len(arg) / bytesPerUnit // its Size counts characters
		case types.Bytes:
			n += len(arg) / bytesPerUnit
		case traits.MutableLister: // the list that a macro builds, to which it appends
		case traits.Sizer:
			n += int(arg.Size().(types.Int))
		}
	}
	return n
}

// order is the price of comparing texts, which ends with the shorter one.
func order(args []ref.Val) (int, error) { return min(sizes(args[:1]), sizes(args[1:])), nil }

func equality(args []ref.Val) (int, error) {
	for _, arg := range args {
		switch arg.(type) {
		case traits.Lister, traits.Mapper:
			return walked(args)
		}
	}
	return order(args)
}

func membership(args []ref.Val) (int, error) {
	if _, ok := args[1].(traits.Mapper); ok {
		return sizes(args[:1]), nil // the key is hashed
	}
	return walked(args[1:])
}

// walked is the price of reading all that is in values.
func walked(args []ref.Val) (units int, err error) {
	var w walker
	for _, arg := range args {
		w.walk(arg)
	}
	if w.values > maxCompared {
		err = fmt.Errorf("a value is too large to be compared: it holds more than %d values", maxCompared)
	}
	return 1 + w.values*unitsPerValue + w.bytes/bytesPerUnit, err
}

// walker counts values, up to maxCompared, and their text.
type walker struct{ values, bytes int }

func (w *walker) walk(value ref.Val) {
	w.values++
	switch value := value.(type) {
	case types.String:
		w.bytes += len(value)
	case types.Bytes:
		w.bytes += len(value)
	case traits.Lister:
		for it := value.Iterator(); w.values <= maxCompared && it.HasNext() == types.True; {
			w.walk(it.Next())
		}
	case traits.Mapper:
		for it := value.Iterator(); w.values <= maxCompared && it.HasNext() == types.True; {
			key := it.Next()
			w.walk(key)
			if element, ok := value.Find(key); ok {
				w.walk(element)
			}
		}
	}
}
