package terminal

// The values of -o.
const (
	OutputText = "text"
	OutputJSON = "json"
	OutputYAML = "yaml"

	OutputHTML   = "html"
	OutputGitHub = "github" // commands of a workflow

	OutputMermaid = "mermaid"
	OutputDOT     = "dot"
	OutputSVG     = "svg"
)
