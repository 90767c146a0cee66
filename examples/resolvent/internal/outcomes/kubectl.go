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

// numbering counts, for each help of an answer, the fixes of those before: the numbers of fixes are those of
// the whole answer. What fails together has one help.
type numbering map[*result.Help]int

func numbersOf(helps []*result.Help) numbering {
	before, n := numbering{}, 0
	for _, help := range helps {
		if _, known := before[help]; !known {
			before[help] = n
			n += len(help.Fixes)
		}
	}
	return before
}

// NumberedFix is the fix with a number, from 1, of helps. Errors name the flag, and what shows all fixes.
func NumberedFix(flag, all string, number int, helps ...*result.Help) (*result.Fix, error) {
	var fixes []*result.Fix
	before := numbersOf(helps)
	for _, help := range helps {
		for i := range help.Fixes {
			if before[help]+i == len(fixes) {
				fixes = append(fixes, &help.Fixes[i])
			}
		}
	}
	switch n := len(fixes); {
	case n == 0:
		return nil, fmt.Errorf("%s: there are no fixes; run this again without %[1]s to see why", flag)
	case number > n:
		return nil, fmt.Errorf("%s %d: there %s; to see all, run this again with %s instead of %[1]s", flag, number, terminal.Verb(n, "is only fix 1", fmt.Sprintf("are only fixes 1 to %d", n)), all)
	}
	return fixes[number-1], nil
}

// writeNotes prints what to know of a fix before it is carried out. Whoever pastes a line of it into a shell
// together with the commands runs nothing: all of it is one word.
func writeNotes(w io.Writer, fix *result.Fix, notes ...string) {
	if len(fix.Waiting) > 0 {
		notes = append(notes, "this "+fix.Outcome(""))
	}
	for i := range fix.Cautions {
		notes = append(notes, fix.Cautions[i].Clause())
	}
	for _, note := range notes {
		fmt.Fprintln(w, terminal.Command("warning:", terminal.Plain(note)))
	}
}

// atOnce returns that nothing may happen between the commands of steps, nil if something may.
func atOnce(steps []result.Step) []string {
	waits := slices.ContainsFunc(steps, func(s result.Step) bool { return s.Wait != nil })
	if len(steps) > 1 && !waits && slices.ContainsFunc(steps, func(s result.Step) bool { return s.Create != nil && s.Object.Kind == "Subscription" }) {
		return []string{"run all commands at once: OLM may resolve the namespace in between"}
	}
	return nil
}

// writeCommands prints what carries out steps: one kubectl command for each object that is
// patched, created or deleted.
func writeCommands(ctx context.Context, w io.Writer, steps []result.Step) error {
	var b bytes.Buffer
	if err := writeBackup(&b, steps); err != nil {
		return err
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
	if writeCommands(ctx, &b, fix.Steps()) != nil {
		return ""
	}
	return b.String()
}

// plainName matches names of files that any system takes and no shell changes.
var plainName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{0,199}$`)

// writeBackup writes a command for each namespace in which steps delete objects, which keeps these in a
// file. The text of a fix names the file of the only namespace.
func writeBackup(b *bytes.Buffer, steps []result.Step) error {
	var namespaces, files []string
	commands := map[string][]string{}
	for _, s := range steps {
		if s.Field != "" || s.Create != nil {
			continue
		}
		object, name, err := arguments(s.Object)
		if err != nil {
			return err
		}
		resource := s.Object.Namespace
		if n := len(namespaces); commands[resource] == nil {
			file := []string{"saved-" + s.Object.Name, resource}
			namespaces, files = append(namespaces, resource), append(files, fileOf(fmt.Sprintf("saved-%d", n+1), file[:min(n, 1)+1]...))
			commands[resource] = []string{terminal.Command(slices.Concat([]string{"kubectl", "get"}, object[1:], []string{"--output", "yaml", "--"})...)}
		}
		commands[resource] = append(commands[resource], terminal.Word(object[0]+"/"+name[1]))
	}
	for i, of := range namespaces { // a terminal cuts off long lines
		b.WriteString(strings.Join(commands[of], " \\\n  ") + " > " + files[i] + "\n")
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
