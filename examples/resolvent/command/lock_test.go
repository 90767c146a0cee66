package command

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/resolver/lock"
	"github.com/resolvent/resolvent/testdata/testkit"
)

func invokeLock(t *testing.T, args ...string) (got outcome) {
	t.Helper()
	t.Run("lock", func(t *testing.T) { got = invoke(t, t.Context(), "", args...) })
	return got
}

// lockArgs are those of a lock of the example's clusters.
func lockArgs(file string, more ...string) []string {
	const folder = "testdata/examples/lock/"
	return append([]string{
		"lock", "--lock", file, "--cluster", "canary=" + folder + "canary", "--cluster", "prod=" + folder + "prod", "--catalog", "olm/community=" + folder + "catalog.yaml",
	}, more...)
}

// copied returns a copy of the example's lock.
func copied(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "testdata", "examples", "lock", "operators.lock"))
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "operators.lock")
	require.NoError(t, os.WriteFile(path, text, 0o600))
	return path
}

func readCopy(t *testing.T, path string) *lock.Lock {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	l, err := lock.Read(text)
	require.NoError(t, err)
	return l
}

// A lock is written once, stays as it is, and moves when it is asked to.
func TestLock(t *testing.T) {
	path := copied(t)
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	got := invokeLock(t, lockArgs(path)...)
	assert.Zero(t, got.status, got.stderr)
	assert.Contains(t, got.stdout, "has 4 bundles; 0 moves")
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(before), string(after))

	for _, output := range []string{"diff", "subscriptions", "operatorpolicy", "clusterextensions"} {
		args := lockArgs(path, "-o", output)
		if output == "diff" {
			args = append(args, "--update")
		} else {
			args = []string{"lock", "--lock", path, "-o", output, "--cluster", "prod=testdata/examples/lock/prod"}
		}
		got = invokeLock(t, args...)
		assert.Zero(t, got.status, got.stderr)
		after, err = os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, string(before), string(after), "-o %s writes nothing", output)
	}

	got = invokeLock(t, lockArgs(path, "--update", "moor", "-o", "json")...)
	assert.Zero(t, got.status, got.stderr)
	var moved struct {
		Written bool
		Moves   []struct {
			Package, Because string
			To               struct{ Version string }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &moved))
	require.Len(t, moved.Moves, 4)
	assert.True(t, moved.Written)
	assert.Equal(t, "anchor", moved.Moves[0].Package)
	assert.NotEmpty(t, moved.Moves[0].Because, "nobody asked for anchor")
	assert.Empty(t, moved.Moves[1].Because)
	l := readCopy(t, path)
	assert.Equal(t, "2.0.0", l.Scopes[0].Bundle("moor").Version)
	assert.Equal(t, []lock.Wave{{Name: "first", Clusters: []string{"canary"}}, {Name: "rest", Clusters: []string{"prod"}}}, l.Waves)

	got = invokeLock(t, lockArgs(path, "--check", "--policy", "testdata/examples/lock/minors.yaml", "-o", "json")...)
	assert.Equal(t, exitUnresolved, got.status)
	assert.Contains(t, got.stdout, "no-new-major")
}

// A wave waits for the one before it.
func TestLockWaves(t *testing.T) {
	path := copied(t)
	got := invokeLock(t, lockArgs(path, "--update", "--wave", "rest")...)
	assert.Equal(t, exitNotStarted, got.status)
	assert.Contains(t, got.stderr, "wave rest: cluster canary, namespace harbor of the earlier wave first does not run yet: anchor.v1.0.0 (no ClusterServiceVersion given), moor.v1.4.0 (no ClusterServiceVersion given)")
	got = invokeLock(t, lockArgs(path, "--update", "--wave", "first")...)
	assert.Zero(t, got.status, got.stderr)
	l := readCopy(t, path)
	assert.Equal(t, "2.0.0", l.Scopes[0].Bundle("moor").Version)
	assert.Equal(t, "1.4.0", l.Scopes[1].Bundle("moor").Version)
}

// Nothing is written without an answer, unless that is asked for.
func TestLockUnresolved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "operators.lock")
	args := []string{"lock", "--lock", path, "-f", "testdata/examples/lock/prod", "-f", "testdata/cluster/conflict.yaml", "--catalog", "olm/community=testdata/examples/lock/catalog.yaml"}
	got := invokeLock(t, args...)
	assert.Equal(t, exitUnresolved, got.status)
	assert.Contains(t, got.stdout, "is not written")
	assert.NoFileExists(t, path)
	got = invokeLock(t, append(args, "--partial")...)
	assert.Equal(t, exitUnresolved, got.status)
	assert.Equal(t, "harbor", readCopy(t, path).Scopes[0].Namespace)
}

func TestLockUsage(t *testing.T) {
	path := copied(t)
	for _, c := range []struct {
		args []string
		want string
	}{
		{lockArgs(path, "moor"), "moor: packages are for --update; write --update moor"},
		{lockArgs(path, "--update", "mor"), "package mor: it is not locked"},
		{lockArgs(path, "--check", "--update"), "--check: it moves nothing"},
		{lockArgs(path, "-o", "subscriptions", "--update"), "-o subscriptions: it prints what the file says"},
		{lockArgs(path, "--wave", "first"), "--wave: it is for --update"},
		{lockArgs(path, "--updates", "visible"), "--updates: a lock is about whole clusters"},
		{lockArgs(path, "--update", "--min-age", "7"), "want a number of days, such as 14d"},
		{lockArgs("missing.lock", "--check"), "missing.lock: no such file or directory"},
		{[]string{"lock", "--lock", path, "-o", "subscriptions"}, "-o subscriptions: it is for one cluster; name it with --cluster NAME=FILE"},
		{[]string{"lock", "--lock", path, "-o", "imageset", "--catalog", "olm/community=testdata/examples/lock/catalog.yaml"}, "catalog olm/community needs an image"},
		{[]string{"lock", "--lock", "testdata/cluster/install.yaml", "--check", "-f", "testdata/cluster/install.yaml", "--catalog", "olm/c=testdata/examples/lock/catalog.yaml"}, "testdata/cluster/install.yaml: line "},
	} {
		got := invokeLock(t, c.args...)
		assert.Equal(t, exitNotStarted, got.status, c.args)
		assert.Contains(t, got.stderr, c.want)
	}
}

// status and approve hold a cluster to the lock.
func TestHeldToLock(t *testing.T) {
	folder := t.TempDir()
	writeIn(t, folder, "cluster.yaml", `apiVersion: operators.coreos.com/v1alpha1
kind: Subscription
metadata: {name: moor, namespace: harbor}
spec: {name: moor, channel: stable, source: community, sourceNamespace: olm, installPlanApproval: Manual}
status: {installedCSV: moor.v1.4.0}
---
apiVersion: operators.coreos.com/v1alpha1
kind: Subscription
metadata: {name: anchor, namespace: harbor}
spec: {name: anchor, channel: stable, source: community, sourceNamespace: olm, installPlanApproval: Manual}
status: {installedCSV: anchor.v1.1.0}
---
apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata: {name: moor.v1.4.0, namespace: harbor}
spec: {version: 1.4.0}
status: {phase: Succeeded}
---
apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata: {name: anchor.v1.1.0, namespace: harbor}
spec: {version: 1.1.0}
status: {phase: Succeeded}
---
apiVersion: operators.coreos.com/v1alpha1
kind: InstallPlan
metadata: {name: install-1, namespace: harbor, resourceVersion: "7"}
spec: {approval: Manual, approved: false, clusterServiceVersionNames: [moor.v1.5.0]}
status: {phase: RequiresApproval}
`)
	path := copied(t)
	of := func(command string, more ...string) []string {
		return append([]string{command, "-f", filepath.Join(folder, "cluster.yaml"), "--catalog", "olm/community=testdata/examples/lock/catalog.yaml"}, more...)
	}
	got := invokeLock(t, of("approve")...)
	assert.Contains(t, got.stdout, "approve InstallPlan install-1")
	got = invokeLock(t, of("approve", "--lock", "prod="+path)...)
	assert.Equal(t, exitUnresolved, got.status)
	assert.Contains(t, got.stdout, "stale: the lock holds moor at moor.v1.4.0, and moor.v1.5.0 does not lead there")
	got = invokeLock(t, of("approve", "--lock", path)...)
	assert.Equal(t, exitNotStarted, got.status)
	assert.Contains(t, got.stderr, "the lock has canary or prod")

	got = invokeLock(t, of("status", "--lock", "prod="+path)...)
	assert.Regexp(t, `NAME .* LOCK\n`, got.stdout)
	assert.Regexp(t, `harbor/moor .* locked\n`, got.stdout)
	assert.Regexp(t, `harbor/anchor .* ahead\n`, got.stdout)
	got = invokeLock(t, of("status")...)
	assert.NotContains(t, got.stdout, "LOCK")
	got = invokeLock(t, "status", "--cluster", "prod="+filepath.Join(folder, "cluster.yaml"), "--catalog", "olm/community=testdata/examples/lock/catalog.yaml", "--lock", path, "-o", "json")
	assert.Contains(t, got.stdout, `"lock":"ahead"`)
}

// What strangers name is text in the body of a pull request, and no markup.
func TestLockDiffIsText(t *testing.T) {
	catalog, err := os.ReadFile(filepath.Join("..", "..", "..", "testdata", "examples", "lock", "catalog.yaml"))
	require.NoError(t, err)
	text := string(catalog) + "---\nschema: olm.deprecations\npackage: moor\nentries:\n- reference: {schema: olm.bundle, name: moor.v2.0.0}\n  message: \"see <img src=x> @admin [here](https://evil.example) | a\\nb\"\n"
	folder := t.TempDir()
	writeIn(t, folder, "catalog.yaml", text)
	args := lockArgs(copied(t), "--update", "-o", "diff")
	args[len(args)-4] = "olm/community=" + filepath.Join(folder, "catalog.yaml")
	got := invokeLock(t, args...)
	require.Zero(t, got.status, got.stderr)
	assert.Contains(t, got.stdout, `- moor 2.0.0: deprecated: see \<img src=x\> @`+"\u200b"+`admin \[here\]\(https:`+"\u200b"+`//evil.example\) \| a`)
	assert.NotContains(t, got.stdout, "\nb")
}

// The README shows what lock -o diff prints.
func TestLockReadme(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "README.md"))
	require.NoError(t, err)
	got := invokeLock(t, lockArgs(copied(t), "--update", "moor", "-o", "diff")...)
	_, table, _ := strings.Cut(got.stdout, "\n\n")
	table, _, _ = strings.Cut(table, "\n\n")
	require.Contains(t, table, "| moor | 1.4.0 | 2.0.0 |")
	assert.Contains(t, string(page), "\n\n"+table+"\n\n")
}

// A policy that bounds nothing says so: it is about what is installed, or it is not given.
func TestLockUnbound(t *testing.T) {
	file := copied(t)
	rule := filepath.Join(t.TempDir(), "majors.yaml")
	require.NoError(t, os.WriteFile(rule, []byte(`{apiVersion: resolvent/v1, kind: Policy, metadata: {name: majors}, candidates: [{name: new, deny: "has(installed.version) && major(bundle.version) > major(installed.version)", message: later}]}`), 0o600))
	got := invokeLock(t, lockArgs(file, "--update", "moor", "--policy", rule)...)
	assert.Contains(t, got.stderr, "policy majors has a rule about what is installed, and the manifests of canary, prod state nothing installed, so it bounds nothing there")
	got = invokeLock(t, lockArgs(file, "--check", "--policy", "testdata/examples/lock/minors.yaml")...)
	assert.Contains(t, got.stderr, "policy majors, with which "+file+" was made, is not given, so it bounds nothing; pass it with --policy")
	assert.NotContains(t, got.stderr, "minors")
}

// renovate is Renovate's configuration on the page.
var renovate = regexp.MustCompile("(?s)```json\n(.*?)```")

// Renovate's custom manager finds every bundle of the example: by Go's expressions on every run, by
// Renovate's own code where npm is there and the tests may take long.
func TestLockRenovate(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "..", ".github", "docs", "lock.md"))
	require.NoError(t, err)
	text := renovate.FindSubmatch(page)[1]
	var config struct {
		CustomManagers []struct{ MatchStrings []string }
	}
	require.NoError(t, json.Unmarshal(text, &config))
	file := copied(t)
	lock, err := os.ReadFile(file)
	require.NoError(t, err)
	want := []string{"anchor 1.0.0 olm/community", "moor 1.4.0 olm/community", "anchor 1.0.0 olm/community", "moor 1.4.0 olm/community"}
	var found []string
	for _, parts := range regexp.MustCompile(config.CustomManagers[0].MatchStrings[0]).FindAllStringSubmatch(string(lock), -1) {
		found = append(found, strings.Join(parts[1:], " "))
	}
	assert.Equal(t, want, found)

	t.Run("its own code", func(t *testing.T) {
		if testkit.Scale(0, 4) == 0 {
			t.Skip("it takes long: npm installs a package for it")
		}
		npm, folder := testkit.Installed(t, "npm"), t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(folder, "renovate.json"), text, 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "match.mjs"), []byte(`
import { readFileSync } from 'node:fs';
import { validateConfig } from 'renovate/dist/config/validation.js';
import { extractPackageFile } from 'renovate/dist/modules/manager/custom/regex/index.js';
import { matchRegexOrGlobList } from 'renovate/dist/util/string-match.js';
const config = JSON.parse(readFileSync('renovate.json', 'utf8')), manager = config.customManagers[0];
const { errors, warnings } = await validateConfig('repo', config);
const { deps } = await extractPackageFile(readFileSync(process.argv[2], 'utf8'), 'operators.lock', manager);
console.log(JSON.stringify({
  wrong: [...errors, ...warnings].length,
  takes: ['operators.lock', 'a/operators.lock', 'operators.lock.orig'].filter(f => matchRegexOrGlobList(f, manager.managerFilePatterns)),
  found: deps.map(d => [d.depName, d.currentValue, d.packageName].join(' ')),
}));
`), 0o600))
		install := exec.Command(npm, "install", "--ignore-scripts", "--no-audit", "--no-fund", "renovate@44.121.2")
		install.Dir = folder
		if text, err := install.CombinedOutput(); err != nil {
			t.Skipf("a module that it needs cannot be downloaded: %s", strings.Join(strings.Fields(string(text)), " "))
		}
		node := exec.Command("node", "match.mjs", file)
		node.Dir, node.Stderr = folder, os.Stderr
		text, err := node.Output()
		require.NoError(t, err)
		var got struct {
			Wrong        int
			Takes, Found []string
		}
		require.NoError(t, json.Unmarshal(text, &got))
		assert.Zero(t, got.Wrong)
		assert.Equal(t, []string{"operators.lock", "a/operators.lock"}, got.Takes)
		assert.Equal(t, want, got.Found)
	})
}
