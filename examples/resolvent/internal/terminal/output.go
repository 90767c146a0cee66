package terminal

// The values of -o.
const (
	OutputText = "text"
	OutputJSON = "json"
	OutputYAML = "yaml"

	OutputHTML = "html"

	OutputMermaid = "mermaid"
	OutputDOT     = "dot"
	OutputSVG     = "svg"
)
