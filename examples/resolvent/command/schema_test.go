package command

import (
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/examples/resolvent/internal/schema"
)

// schemas are those of the commands that tests have run, by name.
var schemas sync.Map

// validate holds all that a command wrote as JSON against its schema.
func validate(t *testing.T, args []string, stdout string) {
	t.Helper()
	if !slices.Contains(args, "json") || stdout == "" {
		return
	}
	made, ok := schemas.Load(args[0])
	if !ok {
		made = compiled(t, args[0])
		schemas.Store(args[0], made)
	}
	documents := json.NewDecoder(strings.NewReader(stdout))
	documents.UseNumber()
	for {
		var document any
		err := documents.Decode(&document)
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err, args)
		require.NoError(t, made.(*jsonschema.Schema).Validate(document), args)
	}
}

func compiled(t *testing.T, command string) *jsonschema.Schema {
	t.Helper()
	text, err := schema.Of(command)
	require.NoError(t, err)
	return compile(t, string(text))
}

// compile compiles a schema that is valid itself.
func compile(t *testing.T, text string) *jsonschema.Schema {
	t.Helper()
	parsed, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	const url = "test:///schema.json" // a bare name means a file in the working directory
	require.NoError(t, compiler.AddResource(url, parsed))
	made, err := compiler.Compile(url)
	require.NoError(t, err)
	return made
}

// TestSchema: a document has all that the schema requires, of the right types, and may have
// more.
func TestSchema(t *testing.T) {
	list := compiled(t, "list")
	for text, valid := range map[string]bool{
		`{"schema":"resolvent/v1","packages":[]}`:                  true,
		`{"schema":"resolvent/v1","packages":[],"more":{"a":[1]}}`: true,
		`{"packages":[]}`:                           false,
		`{"schema":"resolvent/v2","packages":[]}`:   false,
		`{"schema":"resolvent/v1"}`:                 false,
		`{"schema":"resolvent/v1","packages":[{}]}`: false,
	} {
		document, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		require.NoError(t, err)
		assert.Equal(t, valid, list.Validate(document) == nil, text)
	}
	whole := invoke(t, t.Context(), "", "schema")
	assert.Zero(t, whole.status)
	alternatives := map[string]bool{}
	for _, one := range compile(t, whole.stdout).AnyOf {
		assert.False(t, alternatives[one.Ref.Location], "%s is there twice", one.Ref.Location)
		alternatives[one.Ref.Location] = true
	}
	assert.Greater(t, len(alternatives), len(schema.Commands()), "some commands write several")
	for _, command := range schema.Commands() {
		one := invoke(t, t.Context(), "", "schema", command)
		assert.Zero(t, one.status)
		assert.Less(t, len(one.stdout), len(whole.stdout))
		compiled(t, command)
	}
	assert.Equal(t, exitNotStarted, invoke(t, t.Context(), "", "schema", "version").status)
}
