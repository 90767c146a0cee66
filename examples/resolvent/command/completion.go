package command

import (
	"context"
	"io"
	"regexp"
	"strings"

	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
)

const completionUsage = `Usage: resolvent completion bash|zsh|fish

Prints a script that lets a shell complete commands, flags and their values.

Examples:
  source <(resolvent completion bash)
  resolvent completion zsh > "${fpath[1]}/_resolvent"
  resolvent completion fish > ~/.config/fish/completions/resolvent.fish

Exit status: 0, or 2 for another shell.
`

// completionScripts ask the program itself what may follow the words of a command line,
// and offer files where it knows nothing.
var completionScripts = map[string]string{
	"bash": `_resolvent() {
  local IFS=$'\n'
  COMPREPLY=($(compgen -W "$(resolvent __complete "${COMP_WORDS[@]:1:COMP_CWORD}")" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _resolvent resolvent
`,
	"zsh": `#compdef resolvent
_resolvent() {
  local -a found
  found=(${(f)"$(resolvent __complete "${(@)words[2,CURRENT]}")"})
  if (( ${#found} )); then compadd -- $found; else _files; fi
}
compdef _resolvent resolvent
`,
	"fish": `function __resolvent_complete
  set -l words (commandline -opc) (commandline -ct)
  resolvent __complete $words[2..-1]
end
complete -c resolvent -f -n 'count (__resolvent_complete) >/dev/null' -a '(__resolvent_complete)'
`,
}

// completion is the command of that name.
func completion(_ context.Context, args []string, std inputs.Streams) (int, error) {
	if len(args) != 1 || completionScripts[args[0]] == "" {
		return exitNotStarted, inputs.Usagef("want bash, zsh or fish")
	}
	script := strings.ReplaceAll(completionScripts[args[0]], ownName, strings.ReplaceAll(std.Program, " ", "-"))
	_, err := io.WriteString(std.Out, script)
	return exitResolved, err
}

// complete lists what the last of the words may be: commands, the flags that their help
// lists, and the values of flags that take one of a few.
func complete(words []string) []string {
	if len(words) < 2 {
		return append(commandNames(), "help")
	}
	if words[0] == "help" {
		return commandNames()
	}
	c, ok := find(words[0])
	if !ok {
		return nil
	}
	if c.name == "completion" {
		return []string{"bash", "zsh", "fish"}
	}
	if c.name == "check" && words[len(words)-2] == "--ignore" {
		return inputs.CodeNames()
	}
	var flags []string
	for _, f := range flagLines.FindAllStringSubmatch(c.usage, -1) {
		if f[1] == words[len(words)-2] && f[2] != "" {
			return strings.Split(f[2], "|")
		}
		flags = append(flags, f[1])
	}
	if !strings.HasPrefix(words[len(words)-1], "-") {
		return nil
	}
	return flags
}

// flagLines are the lines of help that begin to explain a flag, with the words of which it
// takes one.
var flagLines = regexp.MustCompile(`(?m)^  (--?[a-z-]+)(?: ([a-z]+(?:\|[a-z]+)+)(?:\s|$))?`)
