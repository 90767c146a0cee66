package check

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
		text = "updates of " + bundleNames(s.Installed)
	}
	if s.New {
		text = words.Listed(append(slices.DeleteFunc([]string{text}, func(t string) bool { return t == "" }), "new installs"), 2)
	}
	return fmt.Sprintf("%s in channel %s", text, s.Channel)
}

// stopped counts the users that a finding stops: each installed bundle of a channel, and who
// installs anew there.
func stopped(list []Stop) (n int) {
	for i := range list {
		n += len(list[i].Installed)
		if list[i].New {
			n++
		}
	}
	return n
}

// stops returns whom observations of a code stop, by channel.
func (j *judged) stops(code catalog.Code, same []*observation) []Stop {
	p := j.Checked.Snapshot.Package(same[0].Package)
	if p == nil {
		return nil
	}
	installed, fresh := map[string][]string{}, map[string]bool{}
	for _, o := range same {
		if j.ctx.Err() != nil {
			return nil // Run returns the error
		}
		c := p.Channel(o.Channel)
		switch code {
		case "severalHeads", "noHead", "cycle", "duplicateChannel":
			if c != nil && (code != "duplicateChannel" || c.Fault != "") { // nothing is offered there
				installed[c.Name], fresh[c.Name] = j.installable(c, nil), true
			}
		case "stranded", codeHeadUnreachable, codeUpdateBlocked:
			if c != nil {
				installed[c.Name] = append(installed[c.Name], j.installable(c, []string{o.Bundle})...)
			}
		case CodeUninstallable, codeDeprecatedBundle:
			if c != nil { // its head
				fresh[c.Name] = true
				if code == CodeUninstallable {
					installed[c.Name] = append(installed[c.Name], slices.DeleteFunc(j.installable(c, nil), func(name string) bool { return name == o.Bundle })...)
				}
			}
		}
	}
	var list []Stop
	for _, c := range p.Channels {
		if names := j.oldestFirst(p.Name, installed[c.Name]); len(names) > 0 || fresh[c.Name] {
			list = append(list, Stop{c.Name, append([]string{}, names...), fresh[c.Name]})
		}
	}
	return list
}

// installable returns the entries of a channel with a bundle, all or those named.
func (j *judged) installable(c *catalog.Channel, names []string) (list []string) {
	for i := range c.Entries {
		if e := &c.Entries[i]; e.Bundle != catalog.NoBundle && (names == nil || slices.Contains(names, e.Name)) {
			list = append(list, e.Name)
		}
	}
	return list
}
