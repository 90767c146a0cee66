package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/examples/resolvent/command"
	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/testdata/testkit"
)

// asProgram makes the test binary the program itself.
const asProgram = "RESOLVENT_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	m.Run()
}

// latency is how much processor time a command may take after it was interrupted: it
// prints what is ready. Mostly it takes a tenth of that, on a busy machine up to a quarter.
const latency = 500 * time.Millisecond

// horizon is when a command is interrupted at the latest.
var horizon = time.Duration(testkit.Scale(1, 6)) * time.Second

// crowd has manifests of n namespaces, and of as many ClusterExtensions if those are asked for.
func crowd(t *testing.T, n int, extensions bool) string {
	t.Helper()
	type object = map[string]any
	var b bytes.Buffer
	add := func(kind, namespace, name string, rest object) {
		rest["kind"], rest["metadata"] = kind, object{"name": name, "namespace": namespace}
		line, err := json.Marshal(rest)
		require.NoError(t, err)
		b.Write(append(line, '\n'))
	}
	for i := range n {
		namespace := fmt.Sprint("n", i)
		if extensions {
			add("ClusterExtension", "", namespace, object{"spec": object{"source": object{"catalog": object{"packageName": "lantern"}}}})
			continue
		}
		add("Subscription", namespace, "a", object{
			"spec":   object{"name": "lantern", "channel": "stable", "source": "coast", "sourceNamespace": "olm"},
			"status": object{"installedCSV": "lantern.v1.0.0"},
		})
		add("ClusterServiceVersion", namespace, "lantern.v1.0.0", object{"spec": object{"version": "1.0.0"}})
	}
	file := filepath.Join(t.TempDir(), "crowd.json")
	require.NoError(t, os.WriteFile(file, b.Bytes(), 0o600))
	return file
}

// broad is a catalog of n bundles, each of which requires another one.
func broad(t *testing.T, n int) string {
	t.Helper()
	const versions = 10
	var b bytes.Buffer
	for p := range n / versions {
		var entries []string
		for v := range versions {
			entry := fmt.Sprintf(`{"name": "p%d.v%d"}`, p, v)
			if v > 0 {
				entry = fmt.Sprintf(`{"name": "p%d.v%d", "replaces": "p%d.v%d"}`, p, v, p, v-1)
			}
			entries = append(entries, entry)
			fmt.Fprintf(&b, `{"schema": "olm.bundle", "package": "p%d", "name": "p%d.v%d", "image": "i", "properties": [`+
				`{"type": "olm.package", "value": {"packageName": "p%d", "version": "1.0.%d"}},`+
				`{"type": "olm.package.required", "value": {"packageName": "p%d", "versionRange": ">=1.0.%d"}}]}`+"\n", p, p, v, p, v, p^1, v)
		}
		fmt.Fprintf(&b, `{"schema": "olm.package", "name": "p%d", "defaultChannel": "c"}`+"\n", p)
		fmt.Fprintf(&b, `{"schema": "olm.channel", "package": "p%d", "name": "c", "entries": [%s]}`+"\n", p, strings.Join(entries, ","))
	}
	file := filepath.Join(t.TempDir(), "broad.json")
	require.NoError(t, os.WriteFile(file, b.Bytes(), 0o600))
	return file
}

// What a server says without being asked begins no line.
func TestUnsolicited(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			if _, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
				body := `{"schema":"olm.package","name":"p"}`
				fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
				fmt.Fprint(conn, "\n::error::unasked")
			}
			defer conn.Close()
		}
	}()
	var stderr bytes.Buffer
	for !strings.Contains(stderr.String(), "Unsolicited") { // it can end before it is said
		c := exec.Command(os.Args[0], "list", "--catalog", "a=http://"+listener.Addr().String())
		c.Env, c.Stderr = append(os.Environ(), asProgram+"=1"), &stderr
		assert.Error(t, c.Run())
	}
	assert.Regexp(t, `(?m)^Unsolicited response`, stderr.String())
}

// Every command ends soon after it is interrupted, wherever it is.
func TestInterrupted(t *testing.T) {
	if _, err := processorTime(os.Getpid()); err != nil {
		t.Skip(err)
	}
	// Of 100,000 requests one cycle of the garbage collector alone can take the whole time.
	requests := testkit.Scale(2000, 20_000)
	namespaces, extensions := crowd(t, requests/2, false), crowd(t, requests, true)
	large := broad(t, testkit.Scale(2000, 100_000))
	lone := filepath.Join(t.TempDir(), "lone.yaml")
	require.NoError(t, os.WriteFile(lone, []byte("{kind: Subscription, metadata: {name: a, namespace: n}, spec: {name: p0, source: c, sourceNamespace: olm}, status: {installedCSV: p0.v0}}\n"+
		"---\n{kind: ClusterServiceVersion, metadata: {name: p0.v0, namespace: n}, spec: {version: 1.0.0}}\n"), 0o600))
	out := t.TempDir()
	coast := "../../testdata/catalogs/coast"
	of := func(file string, args ...string) []string {
		return append(args, "-f", file, "--catalog", "olm/coast="+coast)
	}
	in := func(file string, args ...string) []string {
		return append(args, "-f", file, "--catalog", "olm/c="+large)
	}
	v1 := func(args ...string) []string { return append(args, "-f", extensions, "--catalog", "coast="+coast) }
	cases := map[string][]string{
		"resolve":            of(namespaces, "resolve"),
		"resolve json":       of(namespaces, "resolve", "-o", "json"),
		"resolve yaml":       of(namespaces, "resolve", "-o", "yaml"),
		"resolve svg":        of(namespaces, "resolve", "-o", "svg"),
		"resolve why":        of(namespaces, "resolve", "--why"),
		"resolve why json":   of(namespaces, "resolve", "--why", "-o", "json"),
		"resolve jointly":    of(namespaces, "resolve", "--jointly"),
		"resolve save":       of(namespaces, "resolve", "--save", filepath.Join(out, "saved")),
		"resolve large":      in(lone, "resolve"),
		"resolve large json": in(lone, "resolve", "-o", "json"),
		"extensions":         v1("resolve"),
		"extensions status":  v1("status"),
		"extensions why":     v1("why", "lantern.v1.1.1"),
		"status":             of(namespaces, "status"),
		"status target":      of(namespaces, "status", "--target-openshift", "4.19"),
		"status json":        of(namespaces, "status", "-o", "json"),
		"status without":     of(namespaces, "status", "--without", "lantern"),
		"status clusters":    {"status", "--cluster", namespaces, "--cluster", extensions, "--catalog", "olm/coast=" + coast},
		"status large":       in(lone, "status"),
		"why":                of(namespaces, "why", "lantern.v1.1.1"),
		"why json":           of(namespaces, "why", "lantern.v1.1.1", "-o", "json"),
		"why-not":            of(namespaces, "why-not", "lantern@1.0.0"),
		"list":               {"list", "--catalog", "c=" + large},
		"list package":       {"list", "p9", "--catalog", "c=" + large},
		"list json":          {"list", "--catalog", "c=" + large, "-o", "json"},
		"check":              {"check", large, "--show", "note"},
		"check json":         {"check", large, "-o", "json"},
		"check html":         {"check", large, "-o", "html"},
		"check baseline":     {"check", large, "--write-baseline", filepath.Join(out, "baseline")},
		"graph":              {"graph", large, "--package", "p3"},
		"diff":               {"diff", large, coast, "-f", namespaces},
		"diff clusters":      {"diff", "../../testdata/catalogs/island", coast, "--cluster", namespaces},
		"path":               of(namespaces, "path", "--package", "lantern", "-n", "n0"),
		"path large":         in(lone, "path", "--package", "p0"),
		"mirror":             of(namespaces, "mirror"),
		"mirror out":         in(lone, "mirror", "--catalog-out", filepath.Join(out, "mirrored"), "-o", "json"),
		"migrate":            of(namespaces, "migrate"),
		"approve":            of(namespaces, "approve"),
		"lock":               of(namespaces, "lock", "--lock", filepath.Join(out, "operators.lock"), "--partial"),
		"policy":             {"policy", "explain", "../../testdata/policies/no-previews.yaml", "--catalog", "c=" + large},
		"policy test":        {"policy", "test", "../../testdata/policies/no-previews.yaml"},
		"show":               {"show", "p9", "--catalog", "c=" + large},
	}
	for _, c := range (command.Program{Name: "resolvent"}).Command(inputs.Streams{}, new(int)).Commands() {
		if c.Flags().Lookup(inputs.TimeoutFlag) != nil {
			assert.NotNil(t, cases[c.Name()], "no case interrupts %s", c.Name())
		}
	}
	for i, name := range slices.Sorted(maps.Keys(cases)) {
		if !testkit.Today(i, 4) {
			continue
		}
		args := cases[name]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(1, uint64(len(name))))
			took, late := interrupted(t, args, horizon, false)
			for i := range testkit.Scale(1, 2) {
				_, after := interrupted(t, args, time.Duration(random.Int64N(int64(took))), i%2 == 0)
				late = max(late, after)
			}
			t.Logf("of %v, the latest went on for %v", took, late)
		})
	}
}

// interrupted runs the program and interrupts it after a while, with a signal or
// with --timeout. It returns when it ended, or was interrupted, and the processor time
// that it took after that. One that is late is tried again: a busy machine starts a program
// late, whose own clock then ends later.
func interrupted(t *testing.T, args []string, after time.Duration, signal bool) (took, late time.Duration) {
	t.Helper()
	var stacks string
	for range 5 {
		if took, late, stacks = interruptedOnce(t, args, after, signal); stacks == "" {
			return took, late
		}
	}
	t.Errorf("it goes on after %v:\n%s", after, stacks)
	return took, late
}

func interruptedOnce(t *testing.T, args []string, after time.Duration, signal bool) (took, late time.Duration, stacks string) {
	t.Helper()
	timeout := after
	if signal {
		timeout = 0
	}
	c := exec.Command(os.Args[0], append(args, "--timeout", timeout.String())...)
	var stderr bytes.Buffer
	c.Env, c.Stderr = append(os.Environ(), asProgram+"=1"), &stderr
	start := time.Now()
	require.NoError(t, c.Start())
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	select {
	case <-ended:
		return time.Since(start), 0, ""
	case <-time.After(after):
	}
	allowed := latency
	if testkit.RaceEnabled {
		allowed *= 10
	}
	before, err := processorTime(c.Process.Pid)
	if signal && err == nil {
		err = c.Process.Signal(os.Interrupt)
	}
	for err == nil {
		select {
		case <-ended:
			late = c.ProcessState.UserTime() + c.ProcessState.SystemTime() - before
			assert.NotContains(t, stderr.String(), "goroutine ", "it panics")
			return after, late, ""
		case <-time.After(10 * time.Millisecond):
		}
		var now time.Duration
		if now, err = processorTime(c.Process.Pid); now-before > allowed {
			_ = c.Process.Signal(syscall.SIGQUIT)
			<-ended
			return after, now - before, stderr.String()
		}
	}
	<-ended // it ended while it was looked at
	return after, 0, ""
}

// processorTime is what a process has taken until now, where the system says so.
func processorTime(pid int) (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	const user, tick = 11, 10 * time.Millisecond
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	var sum time.Duration
	for _, field := range fields[user : user+2] {
		ticks, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, err
		}
		sum += time.Duration(ticks) * tick
	}
	return sum, nil
}
