package command

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/resolvent/internal/findings"
	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/outcomes"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/catalogcheck"
	"github.com/resolvent/resolvent/resolver/policy"
	"github.com/resolvent/resolvent/resolver/result"
)

const diffUsage = `Usage: resolvent diff OLD NEW [-f FILE ...] [flags]

Says what changed between two states of a catalog, in terms of its users, and what
the next resolution of clusters would do differently, and why. The forms of OLD, NEW
and FROM are those of 'resolvent help resolve'.

  -f FILE                    a cluster's manifests, as kubectl prints them; each file
                             is a cluster of its own; - is standard input
  --as [NAMESPACE/]NAME      what the clusters call the catalog; default: the only
                             catalog that their Subscriptions name
  --catalog [NAMESPACE/]NAME=FROM
                             a further catalog, the same before and after
  --show SEVERITY            the least severity of changes to list: error, warning or
                             note (default)
` + inputs.SourceUsage + `  --timeout DURATION         give up after this time, as in 30s; default 1m; 0: never
  -o text|json

Examples:
  resolvent diff old.json new.json
  resolvent diff old.json new.json -f cluster.yaml --as olm/community

Exit status: 0 if nothing differs, 1 if something does, 2 if the input cannot be used.
`

// diffFlags are the flags of diff.
type diffFlags struct {
	manifests []string
	as        catalog.Key
	further   []inputs.CatalogFlag
	sources   inputs.SourceFlags
	show      catalog.Severity
	timeout   time.Duration
	output    string
}

// diff is the command of that name.
func diff(ctx context.Context, args []string, std inputs.Streams) (int, error) {
	f := diffFlags{show: catalog.Note}
	set := flag.NewFlagSet("diff", flag.ContinueOnError)
	set.Func("f", "", func(s string) error {
		f.manifests = append(f.manifests, s)
		return nil
	})
	set.Func("as", "", func(s string) (err error) {
		f.as, err = inputs.ParseCatalogKey(s)
		return err
	})
	inputs.RegisterCatalogs(set, "catalog", &f.further)
	f.sources.Register(set)
	severity(set, "show", &f.show)
	inputs.RegisterTimeout(set, &f.timeout)
	inputs.RegisterOutput(set, &f.output, terminal.OutputText, terminal.OutputJSON)
	paths, err := inputs.Parse(set, args, std)
	if err != nil {
		return exitNotStarted, err
	}
	if len(paths) != 2 {
		return exitNotStarted, inputs.Usagef("want two catalogs, OLD and NEW, not %d", len(paths))
	}
	ctx, stop := inputs.Limited(ctx, f.timeout)
	defer stop()
	difference, err := f.compare(ctx, paths[0], paths[1], std)
	if err != nil {
		return exitNotStarted, err
	}
	var out bytes.Buffer
	s := terminal.StyleFor(std.Out)
	if f.output == terminal.OutputJSON {
		err = writeDifferenceJSON(&out, difference)
	} else {
		writeDifference(&out, difference, f.show, s)
	}
	if err == nil {
		err = s.Print(std.Out, out.Bytes(), f.output)
	}
	if err != nil {
		return exitNotStarted, err
	}
	if len(difference.Changes) > 0 || slices.ContainsFunc(difference.Clusters, func(c catalogcheck.ClusterDifference) bool { return len(c.Requests) > 0 }) {
		return exitUnresolved, nil
	}
	return exitResolved, nil
}

func (f *diffFlags) compare(ctx context.Context, before, after string, std inputs.Streams) (*catalogcheck.Difference, error) {
	was, err := inputs.LoadSnapshot(ctx, before, &f.sources, std)
	if err != nil {
		return nil, err
	}
	is, err := inputs.LoadSnapshot(ctx, after, &f.sources, std)
	if err != nil {
		return nil, err
	}
	var o catalogcheck.Options
	var clusters []catalogcheck.ClusterState
	if o.Background, err = inputs.LoadBackground(ctx, f.further, &f.sources, std); err != nil {
		return nil, err
	}
	for _, name := range f.manifests {
		cluster, err := inputs.ReadCluster(ctx, &inputs.Flags{Manifests: []string{name}}, nil, std)
		if err != nil {
			return nil, err
		}
		clusters = append(clusters, catalogcheck.ClusterState{Name: name, Cluster: cluster})
	}
	key, err := f.key(clusters)
	if err != nil {
		return nil, err
	}
	p := terminal.NewProgress(std.Err)
	o.Progress = p.Show
	defer p.End()
	return catalogcheck.Diff(ctx, key, was, is, clusters, o)
}

// key is what the clusters call the catalog that differs.
func (f *diffFlags) key(clusters []catalogcheck.ClusterState) (catalog.Key, error) {
	if f.as != (catalog.Key{}) {
		return f.as, nil
	}
	var keys []catalog.Key
	for _, c := range clusters {
		for _, s := range c.Cluster.Objects().Subscriptions {
			key := catalog.Key{Namespace: s.CatalogNamespace, Name: s.Catalog}
			given := slices.ContainsFunc(f.further, func(c inputs.CatalogFlag) bool { return c.Key == key })
			if key.Name != "" && !given && !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	switch {
	case len(keys) == 1 && keys[0].Namespace != "":
		return keys[0], nil
	case len(keys) == 1:
		return catalog.Key{Namespace: policy.DefaultGlobalNamespaces[0], Name: keys[0].Name}, nil
	case len(keys) > 1:
		return catalog.Key{}, inputs.Usagef("the Subscriptions name several catalogs: say with --as which one OLD and NEW are, and give the others with --catalog")
	}
	return catalog.Key{Namespace: policy.DefaultGlobalNamespaces[0], Name: "catalog"}, nil
}

// writeDifference prints for people.
func writeDifference(w *bytes.Buffer, d *catalogcheck.Difference, show catalog.Severity, s terminal.Style) {
	pkg, hidden := "", 0
	for _, c := range d.Changes {
		if c.Severity > show {
			hidden++
			continue
		}
		if c.Package != pkg {
			if pkg != "" {
				w.WriteByte('\n')
			}
			pkg = c.Package
			fmt.Fprintf(w, "%s\n", s.Bold("package "+terminal.Plain(pkg)))
		}
		channel := ""
		if c.Channel != "" {
			channel = "channel " + terminal.Plain(c.Channel) + ": "
		}
		fmt.Fprintf(w, "  %s %s%s\n", findings.SeverityWord(c.Severity, s), channel, terminal.Indented(c.Message, "    "))
	}
	if len(d.Changes) == 0 {
		w.WriteString("no change for users\n")
	}
	if hidden > 0 {
		fmt.Fprintf(w, "%s not listed (--show %s lists all)\n", terminal.Count(hidden, "change"), catalog.Note)
	}
	for _, c := range d.Clusters {
		fmt.Fprintf(w, "\n%s\n", s.Bold("cluster "+c.Name))
		for _, r := range c.Requests {
			fmt.Fprintf(w, "  %s: %s", outcomes.Title(result.Outcome{Namespace: r.Namespace, Extension: r.Extension}), r.After)
			if r.Before != r.After {
				fmt.Fprintf(w, ", before: %s", r.Before)
			}
			w.WriteByte('\n')
			for _, line := range r.Lines {
				fmt.Fprintf(w, "    %s\n", terminal.Indented(line, "      "))
			}
		}
		if c.Same > 0 {
			fmt.Fprintf(w, "  %s as before\n", terminal.Count(c.Same, "request"))
		}
	}
}

type differenceJSON struct {
	Changes  []catalogChangeJSON `json:"changes"`
	Clusters []clusterJSON       `json:"clusters"`
}

type catalogChangeJSON struct {
	Severity string                  `json:"severity"`
	Kind     catalogcheck.ChangeKind `json:"kind"`
	Package  string                  `json:"package"`
	Channel  string                  `json:"channel,omitempty"`
	Bundles  []string                `json:"bundles"`
	Message  string                  `json:"message"`
}

type clusterJSON struct {
	Name     string        `json:"name"`
	Requests []requestJSON `json:"requests"`
	Same     int           `json:"same"`
}

type requestJSON struct {
	Namespace string        `json:"namespace,omitempty"`
	Extension string        `json:"clusterExtension,omitempty"`
	Before    result.Result `json:"before"`
	After     result.Result `json:"after"`
	Lines     []string      `json:"lines"`
}

func writeDifferenceJSON(w io.Writer, d *catalogcheck.Difference) error {
	out := differenceJSON{Changes: []catalogChangeJSON{}, Clusters: []clusterJSON{}}
	for _, c := range d.Changes {
		out.Changes = append(out.Changes, catalogChangeJSON{c.Severity.String(), c.Kind, c.Package, c.Channel, c.Bundles, c.Message})
	}
	for _, c := range d.Clusters {
		cluster := clusterJSON{Name: c.Name, Requests: []requestJSON{}, Same: c.Same}
		for _, r := range c.Requests {
			cluster.Requests = append(cluster.Requests, requestJSON{r.Namespace, r.Extension, r.Before, r.After, r.Lines})
		}
		out.Clusters = append(out.Clusters, cluster)
	}
	return terminal.Encode(w, out)
}
