package finding

import (
	"fmt"
	"slices"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/internal/words"
)

// Stop is whom a finding stops in a channel.
type Stop struct {
	Channel string `json:"channel"`
	// Installed are the bundles whose users do not get to the head, oldest first.
	Installed []string `json:"installed"`
	// New reports whether nobody can install the operator from the channel.
	New bool `json:"new"`
}

// String returns whom it stops, in a few words.
func (s Stop) String() string {
	text := ""
	if n := len(s.Installed); n > 0 {
		text = "updates of " + BundleNames(s.Installed)
	}
	if s.New {
		text = words.Listed(append(slices.DeleteFunc([]string{text}, func(t string) bool { return t == "" }), "new installs"), 2)
	}
	return fmt.Sprintf("%s in channel %s", text, s.Channel)
}

// Stopped counts the users that a finding stops: each installed bundle of a channel, and who
// installs anew there.
func Stopped(list []Stop) (n int) {
	for i := range list {
		n += len(list[i].Installed)
		if list[i].New {
			n++
		}
	}
	return n
}

// Stops returns whom observations of a kind stop, by channel.
func (j *Judge) Stops(kind *Kind, same []*Observation) []Stop {
	p := j.Checked.Snapshot.Package(same[0].Package)
	if p == nil {
		return nil
	}
	if kind.stops == nil {
		return nil
	}
	installed, fresh := map[string][]string{}, map[string]bool{}
	for _, o := range same {
		if j.Ctx.Err() != nil {
			return nil // Run returns the error
		}
		if c := p.Channel(o.Channel); c != nil {
			names, none := kind.stops(c, o)
			installed[c.Name] = append(installed[c.Name], names...)
			fresh[c.Name] = fresh[c.Name] || none
		}
	}
	var list []Stop
	for _, c := range p.Channels {
		if names := j.OldestFirst(p.Name, installed[c.Name]); len(names) > 0 || fresh[c.Name] {
			list = append(list, Stop{c.Name, append([]string{}, names...), fresh[c.Name]})
		}
	}
	return list
}

// stopsChannel: nothing is offered in the channel.
func stopsChannel(c *catalog.Channel, _ *Observation) ([]string, bool) {
	return installable(c, nil), true
}

// stopsEntry: whoever has the bundle does not get on.
func stopsEntry(c *catalog.Channel, o *Observation) ([]string, bool) {
	return installable(c, []string{o.Bundle}), false
}

// installable returns the entries of a channel with a bundle, all or those named.
func installable(c *catalog.Channel, names []string) (list []string) {
	for i := range c.Entries {
		if e := &c.Entries[i]; e.Bundle != catalog.NoBundle && (names == nil || slices.Contains(names, e.Name)) {
			list = append(list, e.Name)
		}
	}
	return list
}
