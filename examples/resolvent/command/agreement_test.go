package command

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/manifest"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// State, totals, exit status and text of each row of status agree.
func TestRowsAgree(t *testing.T) {
	folder := t.TempDir()
	catalogs := filepath.Join(folder, "catalog.json")
	require.NoError(t, os.WriteFile(catalogs, []byte(catalogOfRows), 0o600))
	states := map[string]int{}
	for seed := range testkit.Seeds(t, testkit.Scale(250, 5000)) {
		text, err := manifest.Write(t.Context(), randomCluster(seed))
		require.NoError(t, err)
		file := filepath.Join(folder, "cluster.json")
		require.NoError(t, os.WriteFile(file, text, 0o600))
		args := []string{"status", "-f", file, "--catalog", "olm/k=" + catalogs, "--catalog", "k=" + catalogs}
		people, programs := said(t, append(args, "-o", "wide")...), said(t, append(args, "-o", "json")...)
		if programs.status == exitNotStarted { // no requests
			continue
		}
		var rows struct{ Rows []agreeing }
		require.NoError(t, json.Unmarshal([]byte(programs.stdout), &rows), "%s", programs.stderr)
		var wrong []string
		if people.status != programs.status {
			wrong = append(wrong, fmt.Sprintf("exit status %d, and %d with -o json", people.status, programs.status))
		}
		wrong = append(wrong, disagreements(people, rows.Rows)...)
		for _, row := range rows.Rows {
			states[row.State]++
		}
		if len(wrong) > 0 {
			require.Fail(t, "seed "+strconv.FormatUint(seed, 10), "%s\n%s\n%s", strings.Join(wrong, "\n"), text, people)
		}
	}
	t.Logf("%v", states)
	for _, state := range []string{"failed", "unhealthy", "pending", "installing", "pendingApproval", "held", "deadEnd", "waiting", "notInstalled", "updateAvailable", "current"} {
		require.NotZero(t, states[state], state)
	}
}

// agreeing is what -o json says of a row.
type agreeing struct {
	Namespace, Subscription, Extension, Installed, Next, Head, State, Reason, Fix string
	Changes                                                                       []struct{ Text string }
	Conditions                                                                    []struct{ Type, Message string }
}

func (a *agreeing) name() string {
	if a.Extension != "" {
		return "ClusterExtension " + a.Extension
	}
	if a.Subscription == "" {
		return a.Namespace + "/" + a.Installed
	}
	return a.Namespace + "/" + a.Subscription
}

// wordOf says how the totals may count each state.
var wordOf = map[string][]string{
	"failed": {"need"}, "notJudged": {"not"}, "unhealthy": {"need", "go"}, "pending": {"need", "go"}, "installing": {"installing"}, "pendingApproval": {"need"}, "held": {"held"},
	"deadEnd": {"need"}, "blocked": {"need", "wait"}, "waiting": {"wait"}, "notInstalled": {"to install", "OLM"}, "updateAvailable": {"to update", "OLM"}, "kept": {"kept"}, "current": {"current"},
}

// stuckStates are those after which status exits with 1.
var stuckStates = []string{"failed", "notJudged", "unhealthy", "pending", "pendingApproval", "held", "deadEnd", "blocked", "waiting"}

var counted = regexp.MustCompile(`(\d+) (to install|to update|need|not|go|wait|held|installing|OLM|kept|current)`)

// disagreements says what of a text is not what its rows say.
func disagreements(said outcome, rows []agreeing) (wrong []string) {
	note := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	stuck, want := 0, 0
	for i := range rows {
		if slices.Contains(stuckStates, rows[i].State) {
			stuck = 1
		}
	}
	if said.status != stuck {
		note("exit status %d", said.status)
	}
	headline, rest, _ := strings.Cut(said.stdout, "\n")
	totals := map[string]int{}
	for _, m := range counted.FindAllStringSubmatch(headline, -1) {
		n, _ := strconv.Atoi(m[1])
		totals[m[2]] += n
		want += n
	}
	if want != len(rows) {
		note("%q counts %d of %d rows", headline, want, len(rows))
	}
	for word, n := range totals {
		may, must := 0, 0
		for i := range rows {
			if words := wordOf[rows[i].State]; slices.Contains(words, word) {
				may++
				if len(words) == 1 {
					must++
				}
			}
		}
		if n < must || n > may {
			note("%q: %d to %d rows are that", headline, must, may)
		}
	}
	sections := sectionsOf(rest)
	if strings.Contains(sections["What needs your attention"], "nothing to do") {
		note("attention is wanted where there is nothing to do")
	}
	for title, text := range sections {
		if gap := regexp.MustCompile(`\S  +\S.*`).FindString(text); gap != "" && title != "" {
			note("a word is missing: %q", gap)
		}
	}
	for i := range rows {
		wrong = append(wrong, rows[i].disagrees(sections)...)
	}
	return wrong
}

// sectionsOf are the parts of a text by their titles, the table by the empty one.
func sectionsOf(text string) map[string]string {
	sections, title := map[string]string{}, "-"
	for line := range strings.Lines(text) {
		switch trimmed := strings.TrimSpace(line); {
		case strings.HasPrefix(line, "NAME "):
			title = ""
		case trimmed != "" && line[0] != ' ' && line[0] != '\n' && title != "" && !strings.Contains(line, "--"):
			title = trimmed
		}
		sections[title] += line
	}
	return sections
}

// disagrees says what of the parts of a text is not what the row says.
func (a *agreeing) disagrees(sections map[string]string) (wrong []string) {
	note := func(format string, args ...any) {
		wrong = append(wrong, fmt.Sprintf("%s is %s: %s", a.name(), a.State, fmt.Sprintf(format, args...)))
	}
	named := regexp.MustCompile(`(^|[ ,:])` + regexp.QuoteMeta(a.name()) + `($|[ ,:;\n])`)
	var at []string
	for title, text := range sections {
		if title != "" && named.MatchString(text) {
			at = append(at, title)
		}
	}
	isStuck := slices.Contains(stuckStates, a.State)
	attention := slices.Contains(at, "What needs your attention") || slices.Contains(at, "What waits, and for what") || slices.Contains(at, "Not judged")
	if isStuck && !attention && a.State != "waiting" {
		note("nothing is said of it, but in %q", at)
	} else if !isStuck && slices.Contains(at, "What needs your attention") {
		note("it is said to need attention")
	}
	wants := []string{"-", "-", "-", a.State}
	for i, name := range []string{a.Installed, a.Next, a.Head} {
		wants[i] = cmp.Or(name, "-")
	}
	if row := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(a.name()) + ` .*`).FindString(sections[""]); row == "" {
		note("it has no line in the table")
	} else if cells := strings.Fields(strings.TrimPrefix(row, a.name())); !slices.Equal(append(cells[2:5:5], cells[6]), wants) {
		note("the table says %q", row)
	}
	moves := a.Next != "" && a.Next != a.Installed
	switch a.State {
	case "notInstalled", "updateAvailable":
		if !moves || (a.Installed == "") != (a.State == "notInstalled") {
			note("from %q to %q", a.Installed, a.Next)
		}
	case "current", "deadEnd", "kept", "failed", "waiting", "notJudged":
		if a.Next != "" {
			note("next is %q", a.Next)
		}
	}
	if !isStuck && len(a.Changes) > 0 {
		note("a fix: %s", a.Changes[0].Text)
	}
	if isStuck && a.Reason == "" {
		note("no reason")
	}
	all := strings.Join(strings.Fields(strings.Join(slices.Collect(maps.Values(sections)), "\n")), " ")
	_, unhealthy, _ := strings.Cut(a.Reason, "are unhealthy: ") // namespaces share what they see
	if begins := cmp.Or(unhealthy, a.Reason)[:min(len(cmp.Or(unhealthy, a.Reason)), 60)]; isStuck && a.State != "waiting" && !strings.Contains(all, begins) {
		note("its reason is not in the text: %s", a.Reason)
	}
	return wrong
}

// said runs the program.
func said(t *testing.T, args ...string) outcome {
	var stdout, stderr strings.Builder
	status := Run(t.Context(), args, strings.NewReader(""), &stdout, &stderr)
	return outcome{status, stdout.String(), stderr.String()}
}

const catalogOfRows = `{"schema":"olm.package","name":"a","defaultChannel":"c"}
{"schema":"olm.channel","package":"a","name":"c","entries":[{"name":"a.v1"},{"name":"a.v2","replaces":"a.v1"},{"name":"a.v3","replaces":"a.v2"}]}
{"schema":"olm.channel","package":"a","name":"old","entries":[{"name":"a.v1"}]}
{"schema":"olm.bundle","package":"a","name":"a.v1","image":"i/1","properties":[{"type":"olm.package","value":{"packageName":"a","version":"1.0.0"}}]}
{"schema":"olm.bundle","package":"a","name":"a.v2","image":"i/2","properties":[{"type":"olm.package","value":{"packageName":"a","version":"2.0.0"}},{"type":"olm.gvk","value":{"group":"g","version":"v1","kind":"A"}}]}
{"schema":"olm.bundle","package":"a","name":"a.v3","image":"i/3","properties":[{"type":"olm.package","value":{"packageName":"a","version":"3.0.0"}},{"type":"olm.gvk","value":{"group":"g","version":"v1","kind":"A"}},{"type":"olm.package.required","value":{"packageName":"b","versionRange":">=2.0.0"}}]}
{"schema":"olm.package","name":"b","defaultChannel":"c"}
{"schema":"olm.channel","package":"b","name":"c","entries":[{"name":"b.v1"},{"name":"b.v2","replaces":"b.v1"}]}
{"schema":"olm.channel","package":"b","name":"old","entries":[{"name":"b.v1"}]}
{"schema":"olm.bundle","package":"b","name":"b.v1","image":"i/4","properties":[{"type":"olm.package","value":{"packageName":"b","version":"1.0.0"}}]}
{"schema":"olm.bundle","package":"b","name":"b.v2","image":"i/5","properties":[{"type":"olm.package","value":{"packageName":"b","version":"2.0.0"}}]}
{"schema":"olm.package","name":"d","defaultChannel":"c"}
{"schema":"olm.channel","package":"d","name":"c","entries":[{"name":"d.v1"}]}
{"schema":"olm.bundle","package":"d","name":"d.v1","image":"i/6","properties":[{"type":"olm.package","value":{"packageName":"d","version":"1.0.0"}},{"type":"olm.gvk","value":{"group":"g","version":"v1","kind":"A"}}]}
{"schema":"olm.deprecations","package":"b","entries":[{"reference":{"schema":"olm.channel","name":"old"},"message":"channel old ends"}]}
`

// randomCluster invents a cluster in which OLM is at work.
func randomCluster(seed uint64) (o cluster.Objects) {
	g := &clusterGenerator{Rand: rand.New(rand.NewPCG(seed, 59)), o: &o}
	for _, namespace := range []string{"m", "n"}[:1+g.IntN(2)] {
		if g.IntN(20) > 0 {
			group := cluster.OperatorGroup{Namespace: namespace, Name: "g", TargetNamespaces: [][]string{{namespace}, nil}[g.IntN(2)]}
			if g.IntN(15) == 0 {
				group.Conditions = g.condition("MultipleOperatorGroup", "OperatorGroupServiceAccount")
			}
			o.OperatorGroups = append(o.OperatorGroups, group)
		}
		for _, pkg := range []string{"a", "b", "d", "none"} {
			if g.IntN(12) == 0 || pkg != "none" && g.IntN(2) == 0 {
				g.subscription(namespace, pkg)
			}
		}
		g.plans(namespace)
	}
	if g.IntN(3) == 0 {
		e := cluster.ClusterExtension{Name: "e", Namespace: "x", Package: g.pick("a", "b", "b", "none")}
		if g.IntN(2) == 0 && e.Package != "none" {
			e.Installed = &cluster.InstalledExtension{Name: e.Package + ".v1", Version: "1.0.0"}
		}
		if g.IntN(2) == 0 {
			e.Conditions = []cluster.Condition{{Type: g.pick("Progressing", "Installed", "Available"), Status: g.pick("True", "False"), Reason: g.pick("Retrying", "Blocked", "RollingOut", "Succeeded", "Failed", "ProgressDeadlineExceeded"), Message: "m" + g.pick("1", "2")}}
		}
		o.ClusterExtensions = append(o.ClusterExtensions, e)
	}
	if g.IntN(2) == 0 {
		source := cluster.CatalogSource{Key: catalog.Key{Namespace: "olm", Name: "k"}, HasStatus: true, State: "READY"}
		if g.IntN(8) == 0 {
			source.State, source.Message = g.pick("TRANSIENT_FAILURE", "CONNECTING"), "no route to host"
		}
		o.CatalogSources = append(o.CatalogSources, source)
	}
	return o
}

type clusterGenerator struct {
	*rand.Rand
	o *cluster.Objects
}

func (g *clusterGenerator) pick(list ...string) string { return list[g.IntN(len(list))] }

func (g *clusterGenerator) condition(types ...string) []cluster.Condition {
	of := g.pick(types...)
	return []cluster.Condition{{Type: of, Status: g.pick("True", "True", "False"), Reason: g.pick("", of, "Unheard"), Message: g.pick("", "said so, at length")}}
}

// subscription adds a Subscription, and perhaps what it has installed.
func (g *clusterGenerator) subscription(namespace, pkg string) {
	s := cluster.Subscription{Namespace: namespace, Name: pkg, Package: pkg, Channel: g.pick("c", "c", "c", "c", "c", "c", "c", "c", "old", "old", "gone"), Catalog: "k", CatalogNamespace: "olm", Manual: g.IntN(4) == 0}
	versions := map[string][]string{"a": {".v1", ".v2", ".v3"}, "b": {".v1", ".v2"}, "d": {".v1"}}[pkg]
	if len(versions) > 0 && g.IntN(3) > 0 {
		at := g.IntN(len(versions))
		v := cluster.ClusterServiceVersion{Namespace: namespace, Name: pkg + versions[at], Version: strconv.Itoa(at+1) + ".0.0", Phase: g.pick("Succeeded", "Succeeded", "Succeeded", "Succeeded", "Succeeded", "Failed", "Pending", "Installing", "InstallReady", "Unknown", "")}
		s.InstalledCSV = v.Name
		s.Observed.CurrentCSV = g.pick(v.Name, v.Name, pkg+versions[len(versions)-1], "")
		if v.Phase == "Failed" || v.Phase == "Pending" {
			v.Reason, v.Message = g.pick("RequirementsNotMet", "InstallCheckFailed", "OwnerConflict", "InterOperatorGroupOwnerConflict", "NeedsReinstall", "Unheard"), g.pick("", "it is so")
		}
		if at > 0 && g.IntN(4) == 0 {
			v.Replaces = pkg + versions[at-1]
			g.o.CSVs = append(g.o.CSVs, cluster.ClusterServiceVersion{Namespace: namespace, Name: v.Replaces, Version: strconv.Itoa(at) + ".0.0", Phase: "Replacing"})
			if g.IntN(2) == 0 {
				g.o.OperatorConditions = append(g.o.OperatorConditions, cluster.OperatorCondition{Namespace: namespace, Name: v.Replaces, Upgradeable: &cluster.Condition{Type: "Upgradeable", Status: "False", Message: "busy"}})
			}
		}
		if g.IntN(12) > 0 {
			g.o.CSVs = append(g.o.CSVs, v)
		}
		if g.IntN(8) == 0 {
			g.o.OperatorConditions = append(g.o.OperatorConditions, cluster.OperatorCondition{Namespace: namespace, Name: v.Name, Upgradeable: &cluster.Condition{Type: "Upgradeable", Status: "False", Message: "busy"}})
		}
	}
	if g.IntN(5) == 0 {
		s.Observed.Conditions = g.condition("ResolutionFailed", "BundleUnpacking", "BundleUnpackFailed", "InstallPlanFailed", "InstallPlanPending", "InstallPlanMissing", "CatalogSourcesUnhealthy")
	}
	if g.IntN(2) == 0 {
		s.Observed.InstallPlan = "p" + g.pick("1", "2")
	}
	s.Observed.State = g.pick("", "AtLatestKnown", "UpgradePending", "UpgradeFailed", "UpgradeAvailable")
	g.o.Subscriptions = append(g.o.Subscriptions, s)
}

// plans adds InstallPlans.
func (g *clusterGenerator) plans(namespace string) {
	for i := range g.IntN(4) {
		p := cluster.InstallPlan{Namespace: namespace, Name: "p" + strconv.Itoa(i+1), Generation: i + 1, Phase: g.pick("RequiresApproval", "RequiresApproval", "RequiresApproval", "RequiresApproval", "Installing", "Complete", "Failed", "Planning", ""), Approved: g.IntN(3) == 0}
		p.CSVs = [][]string{{"a.v2"}, {"a.v3", "b.v2"}, {"b.v2"}, {"d.v1"}, {"gone.v1"}}[g.IntN(5)]
		if p.Phase == "Failed" || g.IntN(6) == 0 {
			p.Message = "it went wrong"
		}
		g.o.InstallPlans = append(g.o.InstallPlans, p)
	}
}
