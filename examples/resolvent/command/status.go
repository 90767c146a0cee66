package command

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/outcomes"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/updates"
)

const statusUsage = `Usage: resolvent status -f FILE --catalog NAMESPACE/NAME=FROM [flags]

Says how each Subscription and ClusterExtension stands, one row each: what it has
installed, what comes next, where updates lead in the end, and why it is not there.

` + inputs.InputUsage + "\n" + inputs.ChoiceUsage + `
Target:
  --target-openshift VERSION what blocks the update of the cluster to this OpenShift
                             version, and the updates that unblock it
  --target-kube VERSION      the same for a Kubernetes version
  --target-catalog [NAMESPACE/]NAME=FROM
                             what this catalog holds once the cluster is updated; may be
                             repeated; others stay as they are

Output:
  -o text|json               text: for people (default)

States:
  current          at the head
  updateAvailable  NEXT comes now
  blocked          there is an update, which cannot be taken
  held             the operator refuses updates
  deadEnd          nothing in the channel leads on from what is installed
  notInstalled     NEXT comes now
  failed           the request or its namespace cannot be resolved

Examples:
  resolvent status -f cluster.yaml --catalog olm/community=community.json
  resolvent status -f must-gather --catalog olm/community=community.json --target-openshift 4.20

Exit status: 0 if nothing is stuck, 1 if something is blocked, held, at a dead end or
failed, or blocks the target, 2 if the command line or an input cannot be used.
`

// statusFlags are those of the command status.
type statusFlags struct {
	resolveFlags
	openShift, kube string
	catalogs        []inputs.CatalogFlag
}

func (f *statusFlags) parse(args []string, std inputs.Streams) error {
	set := flag.NewFlagSet("status", flag.ContinueOnError)
	f.input.Register(set)
	f.choice.Register(set)
	inputs.Version(set, "target-openshift", &f.openShift)
	inputs.Version(set, "target-kube", &f.kube)
	inputs.RegisterCatalogs(set, "target-catalog", &f.catalogs)
	if err := inputs.ParseFlags(set, args, std); err != nil {
		return err
	}
	if !slices.Contains([]string{terminal.OutputText, terminal.OutputJSON}, f.choice.Output) {
		return inputs.Usagef("-o %s: want %s or %s", f.choice.Output, terminal.OutputText, terminal.OutputJSON)
	}
	return f.input.Check(set, std)
}

// target is what the flags say of the target, nil if nothing.
func (f *statusFlags) target(ctx context.Context, q *question, std inputs.Streams) (*resolver.Target, error) {
	if f.openShift == "" && f.kube == "" && len(f.catalogs) == 0 {
		return nil, nil
	}
	target := &resolver.Target{OpenShiftVersion: f.openShift, KubernetesVersion: f.kube}
	if len(f.catalogs) == 0 {
		return target, nil
	}
	input := f.input
	input.Catalogs = f.catalogs
	view, err := inputs.LoadCatalogs(ctx, &input, q.Cluster, false, std)
	if err != nil {
		return nil, err
	}
	var all []cache.Catalog
	for c := range view.Catalogs() {
		all = append(all, *c)
	}
	for c := range q.Catalogs.Catalogs() {
		if view.Catalog(c.Key) == nil {
			all = append(all, *c)
		}
	}
	target.Catalogs = cache.NewView(all)
	return target, nil
}

// status is the command of that name.
func status(ctx context.Context, args []string, std inputs.Streams) (int, error) {
	var flags statusFlags
	if err := flags.parse(args, std); err != nil {
		return exitNotStarted, err
	}
	ctx, cancel := inputs.Limited(ctx, flags.choice.Timeout)
	defer cancel()
	q, err := flags.question(ctx, std)
	if err != nil {
		return exitNotStarted, err
	}
	if err := q.checkSeparate(); err != nil {
		return exitNotStarted, err
	}
	target, err := flags.target(ctx, q, std)
	if err != nil {
		return exitNotStarted, err
	}
	done := terminal.ShowProgress(std.Err, "looking at all requests")
	rows, err := q.resolver.Status(ctx, q.Asked, q.Cluster, q.Catalogs, target)
	done()
	if err != nil {
		return exitUnresolved, err
	}
	var out bytes.Buffer
	s := terminal.StyleFor(std.Out)
	if flags.choice.Output == terminal.OutputJSON {
		err = terminal.Encode(&out, statusJSON{terminal.Mapped(rows, rowToJSON)})
	} else {
		writeStatus(&out, rows, s)
	}
	if err == nil {
		err = s.Print(std.Out, out.Bytes(), flags.choice.Output)
	}
	if err != nil || slices.ContainsFunc(rows, func(r updates.Status) bool { return r.Stuck() }) {
		return exitUnresolved, err
	}
	return exitResolved, nil
}

// writeStatus prints the rows for people, and below them why they are not at the head.
func writeStatus(w *bytes.Buffer, rows []updates.Status, s terminal.Style) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "NAME\tPACKAGE\tCHANNEL\tINSTALLED\tNEXT\tHEAD\tSTATE")
	for _, r := range rows {
		fmt.Fprintln(t, strings.Join(terminal.Mapped([]string{
			rowName(r), r.Package, terminal.Dash(r.Channel), terminal.Dash(r.Installed), terminal.Dash(r.Next), terminal.Dash(r.Head), string(r.State),
		}, terminal.Plain), "\t"))
	}
	t.Flush()
	var why, target []string
	for _, r := range rows {
		if reason := r.Reason(); reason != "" {
			line := terminal.Plain(rowName(r)) + ": " + reason
			if fix := fixOf(r); fix != "" {
				line += "\nfix: " + fix
			}
			why = append(why, line)
		}
		if r.Target == nil {
			continue
		}
		if reason := r.Target.Reason(); reason != "" {
			line := terminal.Plain(rowName(r)) + ": " + reason
			if len(r.Target.Updates) > 0 {
				line += "\nfirst: " + strings.Join(terminal.Mapped(r.Target.Updates, updates.Step.String), ", then ")
			}
			target = append(target, line)
		}
	}
	terminal.Section(w, s.Bold("Why not at the head"), why)
	terminal.Section(w, s.Bold("Before the update of the cluster"), target)
}

// fixOf is the best of what helps a request, if anything is known.
func fixOf(r updates.Status) string {
	if r.Fix != nil {
		return r.Fix.Text(r.Namespace)
	}
	if list := outcomes.HealthFixes(r.Err); len(list) > 0 {
		return list[0]
	}
	return ""
}

// rowName names the request of a row.
func rowName(r updates.Status) string {
	if r.Extension != "" {
		return "ClusterExtension " + r.Extension
	}
	return r.Namespace + "/" + r.Subscription
}

// statusJSON is the output of status for programs.
type statusJSON struct {
	Rows []rowJSON `json:"rows"`
}

type rowJSON struct {
	Namespace    string      `json:"namespace"`
	Subscription string      `json:"subscription"`
	Extension    string      `json:"extension"`
	Package      string      `json:"package"`
	Channel      string      `json:"channel"`
	Catalog      string      `json:"catalog"`
	Installed    string      `json:"installed"`
	Next         string      `json:"next"`
	Head         string      `json:"head"`
	State        string      `json:"state"`
	Reason       string      `json:"reason"`
	Fix          string      `json:"fix"`
	Target       *targetJSON `json:"target,omitempty"`
}

type targetJSON struct {
	OK      bool     `json:"ok"`
	Reason  string   `json:"reason"`
	Updates []string `json:"updates"`
}

func rowToJSON(r updates.Status) rowJSON {
	row := rowJSON{
		Namespace: r.Namespace, Subscription: r.Subscription, Extension: r.Extension, Package: r.Package,
		Channel: r.Channel, Catalog: r.Catalog, Installed: r.Installed, Next: r.Next, Head: r.Head,
		State: string(r.State), Reason: r.Reason(), Fix: fixOf(r),
	}
	if r.Target != nil {
		row.Target = &targetJSON{r.Target.OK, r.Target.Reason(), terminal.Mapped(r.Target.Updates, updates.Step.String)}
	}
	return row
}
