// Command manual writes the manual of the command line: manual markdown prints one page,
// manual man DIR writes pages for man.
package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/resolvent/resolvent/examples/resolvent/command"
	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
)

func main() {
	err := fmt.Errorf("want markdown, or man DIR")
	switch args := os.Args[1:]; {
	case len(args) == 1 && args[0] == "markdown":
		err = markdown(os.Stdout)
	case len(args) == 2 && args[0] == "man":
		err = doc.GenManTree(root(), &doc.GenManHeader{Section: "1", Source: "resolvent", Manual: "resolvent"}, args[1])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "manual:", err)
		os.Exit(1)
	}
}

func root() *cobra.Command {
	root := command.Program{Name: "resolvent"}.Command(inputs.Streams{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard}, new(int))
	root.DisableAutoGenTag = true // no dates
	return root
}

func markdown(out io.Writer) error {
	var b bytes.Buffer
	b.WriteString("# Reference\n\n`go run ./examples/resolvent/internal/manual markdown` writes this page, and `man DIR` the same for man.\n\n")
	link := func(page string) string {
		return "#" + strings.ReplaceAll(strings.TrimSuffix(page, ".md"), "_", "-")
	}
	all := []*cobra.Command{root()}
	for _, c := range all[0].Commands() {
		if c.Name() != "completion" && c.IsAvailableCommand() {
			all = append(all, c)
		}
	}
	for _, c := range all {
		if err := doc.GenMarkdownCustom(c, &b, link); err != nil {
			return err
		}
	}
	for _, topic := range [][2]string{{"catalogs", "## Catalogs"}, {"exit", "## Exit statuses"}} {
		c, _, err := all[0].Find(topic[:1])
		if err != nil {
			return err
		}
		b.WriteString(topic[1] + "\n\n```\n")
		c.SetOut(&b)
		if err := c.Help(); err != nil {
			return err
		}
		b.WriteString("```\n\n")
	}
	_, err := out.Write(append(bytes.TrimSpace(b.Bytes()), '\n'))
	return err
}
