module github.com/resolvent/resolvent

go 1.26.0

require (
	github.com/Masterminds/semver/v3 v3.5.0 // version ranges of ClusterExtensions, which differ from those of catalogs
	github.com/agnivade/levenshtein v1.2.2 // the closest names in "there is no such package"
	github.com/blang/semver/v4 v4.0.0 // versions and ranges as catalogs mean them
	github.com/go-air/gini v1.0.4 // the SAT solver, hidden inside solver
	github.com/go-json-experiment/json v1.27.2 // tokens of large catalogs without decoding the rest; places of syntax errors
	github.com/google/cel-go v0.31.0 // CEL rules of olm.constraint
	github.com/google/go-containerregistry v0.22.1 // images, in tests
	github.com/invopop/jsonschema v0.14.0 // makes the JSON Schemas of what the command line writes, in tests
	github.com/klauspost/compress v1.20.4 // zstd, in which layers of images are packed
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3 // checks what is written against schemas, in tests
	github.com/spf13/cobra v1.10.2 // the command line: usage, help, completion, its manual
	github.com/spf13/pflag v1.0.10 // flags of the command line
	github.com/stretchr/testify v1.12.1 // assertions in tests
	go.yaml.in/yaml/v4 v4.0.0 // YAML as a tree with lines, with limits on depth and aliases
	golang.org/x/sync v0.25.0 // goroutines that end with the first error
	golang.org/x/term v0.48.0 // the width of a terminal
	golang.org/x/tools v0.52.0 // the txtar format of scenarios
)

require (
	cel.dev/expr v0.25.1 // indirect
	github.com/antlr4-go/antlr/v4 v4.13.1 // indirect
	github.com/bahlo/generic-list-go v0.2.0 // indirect
	github.com/buger/jsonparser v1.1.2 // indirect
	github.com/cpuguy83/go-md2man/v2 v2.0.7 // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/opencontainers/go-digest v1.0.0 // indirect
	github.com/opencontainers/image-spec v1.1.1 // indirect
	github.com/pb33f/ordered-map/v2 v2.3.1 // indirect
	github.com/russross/blackfriday/v2 v2.1.0 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/exp v0.0.0-20240823005443-9b4947da3948 // indirect
	golang.org/x/sys v0.50.0 // indirect
	golang.org/x/text v0.44.0 // indirect
	google.golang.org/genproto/googleapis/api v0.0.0-20240826202546-f6391c0de4c7 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20240826202546-f6391c0de4c7 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
)
