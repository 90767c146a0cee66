package outcomes

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/manifest"
	"github.com/resolvent/resolvent/resolver/result"
)

// NumberedFix is the fix with a number, from 1, of the only help. Errors name the flag.
func NumberedFix(flag string, number int, helps ...*result.Help) (*result.Fix, error) {
	var found *result.Help
	if severalHelps(helps) {
		return nil, fmt.Errorf("%s: several namespaces have fixes; name one with --namespace", flag)
	}
	for _, help := range helps {
		if help.Search != "" || len(help.Fixes) > 0 {
			found = help
		}
	}
	if found == nil || len(found.Fixes) == 0 {
		return nil, fmt.Errorf("%s: there are no fixes; run this again without %[1]s to see why", flag)
	}
	if number > len(found.Fixes) {
		return nil, fmt.Errorf("%s %d: there are only fixes 1 to %d; run this again without %[1]s to see them", flag, number, len(found.Fixes))
	}
	return &found.Fixes[number-1], nil
}

// writeCommands prints what carries out steps: one kubectl command for each object that is
// patched, created or deleted. The cautions stand before them as arguments of the command ":",
// which does nothing. They cannot be comments, because an interactive zsh runs comments.
func writeCommands(ctx context.Context, w io.Writer, cautions []result.Caution, steps []result.Step) error {
	var b bytes.Buffer
	for i := range cautions {
		b.WriteString(terminal.Command(":", terminal.Plain(cautions[i].Text())) + "\n")
	}
	if err := writeBackup(&b, steps); err != nil {
		return err
	}
	waits := slices.ContainsFunc(steps, func(s result.Step) bool { return s.Wait != nil })
	if len(steps) > 1 && !waits && slices.ContainsFunc(steps, func(s result.Step) bool { return s.Create != nil && s.Object.Kind == "Subscription" }) {
		b.WriteString(terminal.Command(":", "run all commands at once: OLM may resolve the namespace in between") + "\n")
	}
	for len(steps) > 0 {
		n := 1
		for steps[0].Field != "" && steps[0].Wait == nil && n < len(steps) && steps[n].Object == steps[0].Object && steps[n].Field != "" && steps[n].Wait == nil {
			n++
		}
		if err := writeCommand(ctx, &b, steps[:n]); err != nil {
			return err
		}
		if (steps[0].Wait != nil || steps[0].Object.Kind == "CustomResourceDefinition") && n < len(steps) { // what follows would undo what ended in vain
			b.Truncate(b.Len() - 1)
			b.WriteString(" &&\n")
		}
		steps = steps[n:]
	}
	_, err := b.WriteTo(w)
	return err
}

// Commands are the commands that carry out a fix of a cluster, empty if no shell can be given them.
func Commands(ctx context.Context, fix *result.Fix) string {
	var b bytes.Buffer
	if writeCommands(ctx, &b, fix.Cautions, fix.Steps()) != nil {
		return ""
	}
	return b.String()
}

// plainName matches names of files that any system takes and no shell changes.
var plainName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{0,199}$`)

// writeBackup writes a command for each object that steps delete, which keeps it in a file.
func writeBackup(b *bytes.Buffer, steps []result.Step) error {
	for i, s := range steps {
		if s.Field != "" || s.Create != nil {
			continue
		}
		object, name, err := arguments(s.Object)
		if err != nil {
			return err
		}
		file := fileOf(fmt.Sprintf("deleted-%d", i+1), s.Object.Kind, s.Object.Namespace, s.Object.Name)
		b.WriteString(terminal.Command(slices.Concat([]string{"kubectl", "get"}, object, []string{"--output", "yaml"}, name)...) + " > " + file + "\n")
	}
	return nil
}

// fileOf returns the name of a file for what has these names, or another one if they are not plain.
func fileOf(other string, names ...string) string {
	file := strings.ToLower(strings.Join(slices.DeleteFunc(names, func(s string) bool { return s == "" }), "."))
	if !plainName.MatchString(file) {
		file = other
	}
	return file + ".yaml"
}

// arguments returns what names an object for kubectl: its kind and namespace, and its name,
// which is no flag.
func arguments(o result.Object) (object, name []string, err error) {
	if terminal.Plain(o.Namespace+o.Name) != o.Namespace+o.Name {
		return nil, nil, fmt.Errorf("--fix: the name of %s has characters that cannot be passed to a shell; rename it", o)
	}
	object = []string{o.Resource()}
	if o.Namespace != "" {
		object = append(object, "--namespace", o.Namespace)
	}
	return object, []string{"--", o.Name}, nil
}

func writeCommand(ctx context.Context, b *bytes.Buffer, steps []result.Step) error {
	patch := map[string]any{}
	object, name, err := arguments(steps[0].Object)
	if err != nil {
		return err
	}
	switch {
	case steps[0].Wait != nil:
		until := fmt.Sprintf("jsonpath={.%s}=%v", steps[0].Field, steps[0].To)
		if terminal.Plain(until) != until {
			return fmt.Errorf("--fix: what to wait for at %s has characters that cannot be passed to a shell", steps[0].Object)
		}
		b.WriteString(terminal.Command(slices.Concat([]string{"kubectl", "wait"}, object, []string{"--for", until, "--timeout", "24h"}, name)...) + "\n")
		return nil
	case steps[0].Create != nil:
		text, err := manifest.Write(ctx, *steps[0].Create)
		b.WriteString(terminal.Command("printf", "%s", terminal.Printable(text)) + " | " + terminal.Command("kubectl", "create", "-f", "-") + "\n")
		return err
	case steps[0].Field == "":
		b.WriteString(terminal.Command(slices.Concat([]string{"kubectl", "delete"}, object, name)...) + "\n")
		return nil
	}
	for i := range steps {
		steps[i].Merge(patch)
	}
	if steps[0].Object.Kind == "CustomResourceDefinition" { // its resources are written anew before
		file := fileOf("saved", "saved-"+steps[0].Object.Name)
		b.WriteString(terminal.Command(slices.Concat([]string{"kubectl", "get", "--all-namespaces", "--output", "yaml"}, name)...) + " > " + file + " &&\n")
		fmt.Fprintf(b, "{ grep -q '^items: \\[\\]' %s || kubectl replace --filename %[1]s; } &&\n", file) // an empty list is an error of kubectl replace
		object = append(object, "--subresource", "status")
	}
	line, err := patchCommand(object, name, patch)
	b.WriteString(line + "\n")
	return err
}

// patchCommand returns the command that merges a patch into an object.
func patchCommand(object, name []string, patch map[string]any) (string, error) {
	text, err := json.Marshal(patch, json.Deterministic(true))
	return terminal.Command(slices.Concat([]string{"kubectl", "patch"}, object, []string{"--type", "merge", "--patch", terminal.Printable(text)}, name)...), err
}

// ApprovalCommand returns the command that approves an InstallPlan as long as it is as it was
// judged.
func ApprovalCommand(a *result.Approval) (string, error) {
	patch := map[string]any{"metadata": map[string]any{"resourceVersion": a.ResourceVersion}, "spec": map[string]any{"approved": true}}
	object, name, err := arguments(result.Object{Kind: "InstallPlan", Namespace: a.Namespace, Name: a.InstallPlan})
	if err != nil {
		return "", err
	}
	return patchCommand(object, name, patch)
}

// ApprovalWith has the command that approves the InstallPlan, if it may be approved and its
// resourceVersion is known.
type ApprovalWith = terminal.With[result.Approval, approvalJSON]

type approvalJSON struct {
	Command string `json:"command,omitempty"`
}

func ApprovalToJSON(a result.Approval) ApprovalWith {
	j := ApprovalWith{Of: a}
	if !a.Waits() && a.ResourceVersion != "" {
		j.More.Command, _ = ApprovalCommand(&a) // a name that no shell can be given has none
	}
	return j
}
