package constraints

import (
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// costs charges calls that cel-go takes to cost one unit although they take
// time or memory in proportion to their arguments. Most values of properties
// are dyn, and for these cel-go does not know which overload is called.
type costs struct{ regexes *regexes }

// Prices, measured so that all ways to reach the cost limit take about as long.
const (
	// bytesPerUnit is how much text one unit of cost pays for, as in cel-go.
	bytesPerUnit = 10
	// unitsPerValue is the price of comparing one value inside of others.
	unitsPerValue = 3
	// unitsPerVersion is the price of reading one version or range.
	unitsPerVersion = 4
)

// CallCost implements interpreter.ActualCostEstimator; nil leaves a call to cel-go.
func (c costs) CallCost(function, overload string, args []ref.Val, result ref.Val) *uint64 {
	switch function {
	case operators.Add:
		if overload == "" || overload == overloads.AddList {
			return sizeCost(result)
		}
	case operators.Equals, operators.NotEquals, operators.In, operators.OldIn:
		if isContainer(args[0]) || isContainer(args[1]) {
			return cost(unitsPerValue * comparisonSize(args[0], args[1]))
		}
	case overloads.Matches:
		pattern, ok := args[1].(types.String)
		if !ok {
			return nil
		}
		re, _ := c.regexes.get(string(pattern))
		return cost(1 + re.size + re.size*textLength(args[0])/(2*bytesPerUnit))
	case functionCompare, functionInRange, functionMajor, functionMinor:
		n := 1
		for _, arg := range args {
			n += unitsPerVersion + textLength(arg)/bytesPerUnit
		}
		return cost(n)
	}
	return nil
}

func cost(n int) *uint64 {
	units := uint64(n)
	return &units
}

// sizeCost charges for building a value.
func sizeCost(value ref.Val) *uint64 {
	switch value := value.(type) {
	case types.String:
		return cost(1 + len(value)/bytesPerUnit)
	case types.Bytes:
		return cost(1 + len(value)/bytesPerUnit)
	case traits.Lister:
		if size, ok := value.Size().(types.Int); ok {
			return cost(1 + int(size))
		}
	}
	return nil
}

func isContainer(value ref.Val) bool {
	switch value.(type) {
	case traits.Lister, traits.Mapper:
		return true
	}
	return false
}

func textLength(value ref.Val) int {
	text, _ := value.(types.String)
	return len(text)
}
