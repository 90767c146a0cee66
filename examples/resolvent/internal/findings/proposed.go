package findings

import (
	"context"
	"strings"

	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/check"
	"github.com/resolvent/resolvent/resolver/check/propose"
)

// Proposed returns the entries that bundle directories should have in channels; none without
// a channel.
func Proposed(ctx context.Context, channels []string, output string, judged []check.Catalog, o check.Options) ([]propose.Entry, error) {
	if len(channels) == 0 {
		return nil, nil
	}
	if output != terminal.OutputText && output != terminal.OutputJSON {
		return nil, inputs.Usagef("--channel: entries are proposed as %s or %s", terminal.OutputText, terminal.OutputJSON)
	}
	var list []propose.Entry
	for _, c := range judged {
		if c.Checked.Published == nil {
			return nil, inputs.Usagef("--channel: %s is not a bundle directory of a package in --catalog; entries are proposed for new bundles of published packages", c.Key.Name)
		}
		for _, channel := range channels {
			entries, err := propose.Entries(ctx, c, channel, o)
			if err != nil {
				return nil, err
			}
			list = append(list, entries...)
		}
	}
	return list, nil
}

func writeProposed(p *terminal.Page, list []propose.Entry) {
	w := &p.Buffer
	for i := range list {
		e := &list[i]
		terminal.Printf(w, "\nentry of %s in channel %s of package %s:\n", e.Name, e.Channel, e.Package)
		if e.None != "" {
			terminal.Printf(w, "  none proposed: %s\n", e.None)
			continue
		}
		for line := range strings.Lines(e.YAML()) {
			terminal.Printf(w, "  %s\n", strings.TrimRight(line, "\n"))
		}
		if e.Above != "" {
			terminal.Printf(w, "  and let %s, which has a higher version, replace %s\n", e.Above, e.Name)
		}
		if e.NewChannel {
			terminal.Printf(w, "  the channel is new: users must switch to it to get the bundle\n")
		}
		switch {
		case e.Stated:
			terminal.Printf(w, "  the bundle directory already states this\n")
		case e.Replaces != "" || len(e.Skips) > 0 || e.SkipRange != "":
			terminal.Printf(w, "  in a bundle directory: %s of the ClusterServiceVersion\n", strings.Join(fields(e), ", "))
		}
		if e.Lower != "" {
			terminal.Printf(w, "  its version is lower than that of %s, which it replaces: only the edge makes it an update\n", e.Lower)
		}
		if len(e.Left) == 0 {
			terminal.Printf(w, "  tried: updates lead to the head from %s of the channel\n", terminal.Count(len(e.From), "bundle"))
			continue
		}
		terminal.Printf(w, "  tried: updates lead to the head from %s of the channel, from %d not: %s\n", terminal.Count(len(e.From), "bundle"), len(e.Left), strings.Join(e.Left[:min(len(e.Left), maxReasons)], ", "))
	}
}

// fields returns the fields of a ClusterServiceVersion that state an entry.
func fields(e *propose.Entry) (names []string) {
	for _, f := range []struct {
		stated bool
		name   string
	}{{e.Replaces != "", "spec.replaces"}, {len(e.Skips) > 0, "spec.skips"}, {e.SkipRange != "", "the annotation olm.skipRange"}} {
		if f.stated {
			names = append(names, f.name)
		}
	}
	return names
}
