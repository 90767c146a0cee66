package testkit

import (
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var documentedDefault = regexp.MustCompile(`(?i)\bdefault ([0-9][0-9,]*)(?: (KiB|MiB|GiB|milliseconds?|seconds?|minutes?))?`)

var units = map[string]int64{
	"": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30,
	"millisecond": int64(time.Millisecond), "second": int64(time.Second), "minute": int64(time.Minute),
}

// CheckDefaults compares a struct whose fields have their defaults with the comments of the struct
// in a file. A field without a documented default must be zero.
func CheckDefaults(t testing.TB, file string, got any) {
	t.Helper()
	value := reflect.ValueOf(got)
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
	require.NoError(t, err)
	compared := 0
	ast.Inspect(parsed, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok || spec.Name.Name != value.Type().Name() {
			return true
		}
		for _, field := range spec.Type.(*ast.StructType).Fields.List {
			if len(field.Names) == 0 {
				compared++ // an embedded struct is compared by itself
			}
			stated := documentedDefault.FindAllStringSubmatch(strings.ReplaceAll(field.Doc.Text(), "\n", " "), -1)
			for i, name := range field.Names {
				want := int64(0)
				if i < len(stated) {
					number, err := strconv.ParseInt(strings.ReplaceAll(stated[i][1], ",", ""), 10, 64)
					require.NoError(t, err)
					want = number * units[strings.TrimSuffix(stated[i][2], "s")]
				}
				f := value.FieldByName(name.Name)
				if f.CanUint() {
					assert.Equal(t, want, int64(f.Uint()), name.Name)
				} else if f.CanInt() {
					assert.Equal(t, want, f.Int(), name.Name)
				}
				compared++
			}
		}
		return false
	})
	assert.Equal(t, value.NumField(), compared, file)
}
