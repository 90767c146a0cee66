package command

// The values of -o.
const (
	outputText = "text"
	outputJSON = "json"
	outputYAML = "yaml"

	outputMermaid = "mermaid"
	outputDOT     = "dot"
)
