// Package locks prints a lock: what moved, what no longer holds, and what to apply.
package locks

import (
	"cmp"
	"slices"
	"strings"

	"github.com/resolvent/resolvent/examples/resolvent/internal/fleet"
	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
	"github.com/resolvent/resolvent/resolver/lock"
	"github.com/resolvent/resolvent/resolver/result"
)

var Documents = map[string][]any{"lock": {movesJSON{}, checkJSON{}}}

type movesJSON struct {
	// Written is false if a request has no answer, so that the file stays as it is.
	Written    bool             `json:"written"`
	Bundles    int              `json:"bundles"`
	Moves      []moveJSON       `json:"moves"`
	Unresolved []unresolvedJSON `json:"unresolved"`
}

type placeJSON struct {
	Cluster   string `json:"cluster,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	Extension string `json:"clusterExtension,omitempty"`
}

type moveJSON struct {
	placeJSON
	Package string       `json:"package"`
	From    *lock.Bundle `json:"from,omitempty"`
	To      *lock.Bundle `json:"to,omitempty"`
	Because string       `json:"because,omitempty"`
	Notes   []string     `json:"notes,omitempty"`
}

type unresolvedJSON struct {
	placeJSON
	Result  result.Result `json:"result"`
	Message string        `json:"message"`
}

type checkJSON struct {
	Holds       bool             `json:"holds"`
	Differences []differenceJSON `json:"differences"`
}

type differenceJSON struct {
	placeJSON
	Package string `json:"package,omitempty"`
	Message string `json:"message"`
}

// WriteMoves prints what a call moved, as text, JSON or Markdown. Written says whether the file
// was written.
func WriteMoves(p *terminal.Page, file string, r *lock.Result, written bool, form string) error {
	switch form {
	case terminal.OutputJSON:
		j := movesJSON{Written: written, Bundles: bundles(r.Lock), Moves: []moveJSON{}, Unresolved: []unresolvedJSON{}}
		for _, m := range r.Moves {
			j.Moves = append(j.Moves, moveJSON{placeJSON{m.Cluster, m.Scope.Namespace(), m.Scope.Extension()}, m.Package, m.From, m.To, m.Because, m.Notes})
		}
		for _, o := range r.Unresolved {
			j.Unresolved = append(j.Unresolved, unresolvedJSON{placeJSON{o.Cluster, o.Scope.Namespace(), o.Scope.Extension()}, result.Of(o.Err), o.Err.Error()})
		}
		return terminal.WriteJSON(p, j)
	case OutputDiff:
		writeDiff(p, r)
		return nil
	}
	unaided(r.Moves, func(m lock.Move) {
		terminal.Printf(p, "%s: OLM does not choose %s by itself; %s\n", place(m), m.To.Name, instead(m.To))
	})
	for _, m := range r.Moves {
		terminal.Printf(p, "%s: %s %s -> %s%s\n", place(m), m.Package, version(m.From), version(m.To), because(m))
		for _, note := range m.Notes {
			if m.To == nil || m.To.Automatic() || !strings.HasPrefix(note, "OLM does not choose") {
				terminal.Printf(p, "  %s\n", terminal.Line(note))
			}
		}
	}
	verb := "is not written"
	if written {
		verb = "has " + terminal.Count(bundles(r.Lock), "bundle")
	}
	terminal.Printf(p, "%s %s; %s\n", file, verb, terminal.Count(len(r.Moves), "move"))
	return nil
}

// WriteCheck prints what no longer holds.
func WriteCheck(p *terminal.Page, file string, list []lock.Difference, form string) error {
	if form == terminal.OutputJSON {
		j := checkJSON{Holds: len(list) == 0, Differences: []differenceJSON{}}
		for _, d := range list {
			j.Differences = append(j.Differences, differenceJSON{placeJSON{d.Cluster, d.Scope.Namespace(), d.Scope.Extension()}, d.Package, d.Message})
		}
		return terminal.WriteJSON(p, j)
	}
	for _, d := range list {
		terminal.Printf(p, "%s\n", terminal.Line(d.String()))
	}
	if len(list) == 0 {
		terminal.Printf(p, "%s holds\n", file)
	} else {
		terminal.Printf(p, "%s does not hold: %s\n", file, terminal.Count(len(list), "difference"))
	}
	return nil
}

func bundles(l *lock.Lock) (n int) {
	for i := range l.Scopes {
		n += len(l.Scopes[i].Bundles)
	}
	return n
}

func place(m lock.Move) string {
	if m.Cluster == "" {
		return m.Scope.String()
	}
	return "cluster " + m.Cluster + ", " + m.Scope.String()
}

func version(b *lock.Bundle) string {
	if b == nil {
		return "none"
	}
	return b.Version
}

func because(m lock.Move) string {
	if m.Because == "" {
		return ""
	}
	return " (it must: " + terminal.Line(m.Because) + ")"
}

// instead says what OLM plans, and what brings the locked bundle.
func instead(b *lock.Bundle) string {
	plans := "it plans nothing"
	if b.Planned != "" {
		plans = "it plans " + b.Planned
	}
	return plans + ": use -o operatorpolicy or a catalog that mirror cuts down, or wait"
}

// unaided calls use for the moves to what OLM does not choose by itself.
func unaided(moves []lock.Move, use func(lock.Move)) {
	for _, m := range moves {
		if m.To != nil && !m.To.Automatic() {
			use(m)
		}
	}
}

// change is one move of several scopes.
type change struct {
	lock.Move
	places []string
}

// changes joins equal moves of several scopes, in the order of packages.
func changes(moves []lock.Move) (list []*change) {
	var equal fleet.Merged[string, change]
	for _, m := range moves {
		c := equal.Add(strings.Join(append([]string{m.Package, version(m.From), version(m.To), m.Because}, m.Notes...), "\x00"), m.Cluster)
		if c.places == nil {
			c.Move, list = m, append(list, c)
		}
		c.places = append(c.places, strings.TrimPrefix(place(m), "cluster "))
	}
	slices.SortStableFunc(list, func(a, b *change) int { return strings.Compare(a.Package, b.Package) })
	return list
}

// mostPlaces is how many scopes of one change are named.
const mostPlaces = 5

// writeDiff prints the moves as Markdown for the body of a pull request. What catalogs and
// clusters say is text in it, never markup.
func writeDiff(p *terminal.Page, r *lock.Result) {
	terminal.Printf(p, "## %s\n", terminal.Count(len(r.Moves), "move"))
	first := true
	unaided(r.Moves, func(m lock.Move) {
		if first {
			terminal.Printf(p, "\n**OLM does not choose these by itself:**\n\n")
		}
		first = false
		terminal.Printf(p, "- %s: %s; %s\n", literal(place(m)), literal(m.To.Name), literal(instead(m.To)))
	})
	if len(r.Moves) > 0 {
		terminal.Printf(p, "\n| Package | From | To | Where | Why |\n|---|---|---|---|---|\n")
	}
	all := changes(r.Moves)
	for _, c := range all {
		why := cmp.Or(c.Because, "asked for")
		if c.From == nil && c.To != nil {
			why = "new: for " + strings.Join(c.To.For, ", ")
		}
		places := terminal.First(c.places, mostPlaces, "%d others")
		terminal.Printf(p, "| %s | %s | %s | %s | %s |\n", literal(c.Package), literal(version(c.From)), literal(version(c.To)), literal(strings.Join(places, "; ")), literal(why))
	}
	first = true
	for _, c := range all {
		for _, note := range c.Notes {
			if strings.HasPrefix(note, "OLM does not choose") {
				continue
			}
			if first {
				terminal.Printf(p, "\nBefore you merge:\n\n")
			}
			first = false
			terminal.Printf(p, "- %s %s: %s\n", literal(c.Package), literal(version(c.To)), literal(note))
		}
	}
	if len(r.Unresolved) > 0 {
		terminal.Printf(p, "\nThese have no answer:\n\n")
	}
	for _, o := range r.Unresolved {
		terminal.Printf(p, "- %s\n", literal(o.String()))
	}
}

// noLink keeps hosts of Markdown from mentioning a person, and from making links.
var noLink = strings.NewReplacer("@", "@\u200b", "://", ":\u200b//", "www.", "www\u200b.")

// literal returns a text of strangers as Markdown that shows it as it is, on one line.
func literal(text string) string {
	var b strings.Builder
	for _, c := range terminal.Line(terminal.Plain(text)) {
		switch {
		case c == '\n' || c == '\r':
			b.WriteByte(' ')
			continue
		case strings.ContainsRune("\\`*_{}[]()<>#|!~&", c):
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return noLink.Replace(b.String())
}
