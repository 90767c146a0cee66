package command

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/manifest"
)

// fakeLive is a running cluster with the objects of a manifest and the catalogs of a
// folder, all of which it declares in namespace olm.
type fakeLive struct {
	manifest, catalogs string
	namespace          string
	unread             map[cluster.Scope]error
	approve            func(plan string) error
}

func (c *fakeLive) Register(set *pflag.FlagSet) {
	set.StringVar(&c.namespace, "context-namespace", "", "")
}

func (c *fakeLive) Namespaces(named []string) ([]string, error) {
	if len(named) == 0 && c.namespace != "" {
		return []string{c.namespace}, nil
	}
	return named, nil
}

func (c *fakeLive) Objects(ctx context.Context, query LiveQuery, warnings io.Writer) (cluster.Objects, error) {
	file, err := os.Open(c.manifest)
	if err != nil {
		return cluster.Objects{}, err
	}
	defer file.Close()
	objects, err := manifest.Read(ctx, manifest.Input{Name: c.manifest, Reader: file})
	declared, _ := c.Catalogs(ctx, query, warnings)
	objects.Append(declared)
	objects.Unread = c.unread
	return objects, err
}

func (c *fakeLive) Catalogs(context.Context, LiveQuery, io.Writer) (objects cluster.Objects, err error) {
	for _, name := range []string{"coast", "island", "reef"} {
		objects.CatalogSources = append(objects.CatalogSources, cluster.CatalogSource{Key: catalog.Key{Namespace: "olm", Name: name}})
	}
	dead := cluster.CatalogSource{Key: catalog.Key{Namespace: "elsewhere", Name: "dead"}}
	objects.CatalogSources = append(objects.CatalogSources, dead)
	return objects, nil
}

func (c *fakeLive) Approve(_ context.Context, namespace, name, resourceVersion string) error {
	return c.approve(namespace + "/" + name + "@" + resourceVersion)
}

func (c *fakeLive) Open(from string, _ http.RoundTripper, options cache.OriginOptions) (cache.Origin, error) {
	if from == "cluster:elsewhere/dead" {
		return cache.OCILayout(os.DirFS("no such folder"), "", options), nil
	}
	name, ok := strings.CutPrefix(from, "cluster:olm/")
	if !ok {
		return nil, nil
	}
	return cache.Open(c.catalogs+"/"+name, options)
}

// TestLive: a running cluster stands for the manifests and catalogs that it holds.
func TestLive(t *testing.T) {
	manifest, catalogs := "../../../testdata/cluster/update.yaml", "../../../testdata/catalogs"
	given := []string{"-f", manifest, "--catalog", "olm/coast=" + catalogs + "/coast", "--catalog", "olm/island=" + catalogs + "/island", "--catalog", "olm/reef=" + catalogs + "/reef"}
	output := func(p Program, args ...string) (string, int) {
		var out, errs bytes.Buffer
		status := p.Run(t.Context(), args, strings.NewReader(""), &out, &errs)
		require.NotEqual(t, exitNotStarted, status, errs.String())
		return out.String(), status
	}
	for _, c := range []struct{ files, live []string }{
		{append([]string{"resolve", "-o", "json", "-n", "harbor"}, given...), []string{"resolve", "-o", "json", "-n", "harbor"}},
		{append([]string{"resolve", "-o", "json", "-n", "harbor"}, given...), []string{"resolve", "-o", "json", "--context-namespace", "harbor"}},
		{append([]string{"status", "-n", "harbor"}, given...), []string{"status", "-n", "harbor"}},
		{append([]string{"resolve", "-n", "harbor", "--package", "ferry"}, given...), []string{"resolve", "-n", "harbor", "--package", "ferry", "-f", manifest}},
		{append([]string{"list"}, given[2:]...), []string{"list", "--catalog", "olm/coast=cluster:olm/coast", "--catalog", "olm/island=cluster:olm/island", "--catalog", "olm/reef=" + catalogs + "/reef"}},
		{[]string{"graph", catalogs + "/coast", "--package", "ferry"}, []string{"graph", "cluster:olm/coast", "--package", "ferry"}},
	} {
		want, wantStatus := output(Program{Name: ownName}, c.files...)
		got, status := output(Program{Name: "kubectl resolvent", Live: &fakeLive{manifest: manifest, catalogs: catalogs}}, c.live...)
		assert.Equal(t, want, got, c.live)
		assert.Equal(t, wantStatus, status)
	}
}

// TestLiveUnread: what could not be read is a failure of those whose answer depends on it,
// and no reason to answer nobody.
func TestLiveUnread(t *testing.T) {
	text, err := os.ReadFile("../../../testdata/cluster/update.yaml")
	require.NoError(t, err)
	manifest := filepath.Join(t.TempDir(), "cluster.yaml")
	require.NoError(t, os.WriteFile(manifest, append(text, "\n---\n{apiVersion: v1, kind: Namespace, metadata: {name: quiet}}\n---\n{apiVersion: operators.coreos.com/v1alpha1, kind: Subscription, metadata: {name: ferry, namespace: elsewhere}, "+
		"spec: {name: ferry, source: coast, sourceNamespace: olm}}"...), 0o600))
	run := func(live *fakeLive, args ...string) (string, string, int) {
		live.manifest, live.catalogs = manifest, "../../../testdata/catalogs"
		var out, errs bytes.Buffer
		status := Program{Name: "kubectl resolvent", Live: live}.Run(t.Context(), append(args, "--exclude-catalog", "olm/reef"), strings.NewReader(""), &out, &errs)
		return out.String(), errs.String(), status
	}
	out, errs, status := run(&fakeLive{}, "resolve", "-o", "json")
	assert.Equal(t, exitUnresolved, status, errs)
	assert.Equal(t, 1, strings.Count(out, `"result": "catalogsUnhealthy"`))
	assert.Equal(t, 1, strings.Count(out, `"result": "resolved"`))
	assert.Contains(t, errs, "catalog elsewhere/dead: ")

	forbidden := errors.New("you may not list clusterserviceversions")
	harbor := &fakeLive{unread: map[cluster.Scope]error{cluster.InNamespace("harbor"): forbidden}}
	out, errs, status = run(harbor, "resolve", "-n", "harbor")
	assert.Equal(t, exitNotStarted, status)
	assert.Empty(t, out)
	assert.Equal(t, "kubectl resolvent resolve: namespace harbor: "+forbidden.Error()+"\n", errs)
	out, errs, status = run(harbor, "resolve", "-o", "json", "-n", "harbor", "-n", "quiet")
	assert.Equal(t, exitUnresolved, status, errs)
	assert.Contains(t, out, `"result": "invalidInput"`)
	assert.Contains(t, errs, "namespace quiet: it has no Subscription\n")
	out, errs, status = run(&fakeLive{unread: map[cluster.Scope]error{cluster.OfExtension("*"): forbidden, cluster.InNamespace("hidden"): forbidden}}, "status", "--exclude-catalog", "elsewhere/dead")
	assert.Equal(t, exitUnresolved, status, errs)
	assert.Contains(t, out, "hidden")
	assert.Contains(t, out, forbidden.Error())
	_, errs, status = run(harbor, "why", "ferry", "-n", "hidden")
	assert.Equal(t, exitNotStarted, status)
	assert.Contains(t, errs, "--namespace hidden: this namespace has nothing of OLM")
	_, errs, status = run(harbor, "migrate")
	assert.Equal(t, exitNotStarted, status)
	assert.Contains(t, errs, "namespace harbor: "+forbidden.Error())
}

// TestLiveApprove: with --yes the cluster is asked to approve what may be, and a plan that it
// refuses to approve is told and counts.
func TestLiveApprove(t *testing.T) {
	folder := t.TempDir()
	for _, refused := range []error{nil, errors.New("it has changed")} {
		asked := ""
		live := &fakeLive{manifest: writeIn(t, folder, "cluster.yaml", waitingPlan), catalogs: "../../../testdata/catalogs", approve: func(plan string) error { asked += plan; return refused }}
		var out, errs bytes.Buffer
		args := []string{"approve", "--yes", "--catalog", "olm/c=" + writeIn(t, folder, "catalog.yaml", policedCatalog), "--exclude-catalog", "elsewhere/dead"}
		status := Program{Name: "kubectl resolvent", Live: live}.Run(t.Context(), args, strings.NewReader(""), &out, &errs)
		assert.Equal(t, "prod/install-1@42", asked, errs.String())
		assert.Equal(t, refused != nil, status == exitUnresolved)
		assert.Equal(t, refused == nil, strings.Contains(out.String(), "approved InstallPlan install-1 of namespace prod\n"))
		assert.Equal(t, refused != nil, strings.Contains(errs.String(), "InstallPlan install-1 of namespace prod is not approved: it has changed\n"))
	}
}

// TestLiveCatalogs: catalogs of the cluster that cannot be read are noted.
func TestLiveCatalogs(t *testing.T) {
	for command, want := range map[string]int{"list": exitResolved, "check": exitUnresolved} {
		var out, errs bytes.Buffer
		live := &fakeLive{catalogs: "../../../testdata/catalogs"}
		status := Program{Name: "kubectl resolvent", Live: live}.Run(t.Context(), []string{command}, nil, &out, &errs)
		assert.Equal(t, want, status, errs.String())
		assert.NotEmpty(t, out.String())
		assert.Contains(t, errs.String(), "elsewhere/dead: ")
		live.catalogs = "no such folder"
		assert.Equal(t, exitNotStarted, Program{Name: "kubectl resolvent", Live: live}.Run(t.Context(), []string{command}, nil, &out, &errs))
	}
}

// TestLiveHelp: help calls the program by its name, and explains what it adds.
func TestLiveHelp(t *testing.T) {
	p := Program{Name: "kubectl resolvent", Live: &fakeLive{}, LiveUsage: "\nFROM may also be cluster:NAME.\n"}
	var out, errs bytes.Buffer
	assert.Equal(t, exitResolved, p.Run(t.Context(), []string{"help", "list"}, nil, &out, &errs))
	assert.Contains(t, out.String(), "Usage: kubectl resolvent list")
	assert.Contains(t, out.String(), "--context-namespace")
	assert.Equal(t, exitResolved, p.Run(t.Context(), []string{"help", "flags"}, nil, &out, &errs))
	assert.Contains(t, out.String(), "cluster:NAME")
	assert.Equal(t, exitNotStarted, p.Run(t.Context(), []string{"list", "--contexts", "x"}, nil, &out, &errs))
	assert.Contains(t, errs.String(), "Run 'kubectl resolvent help list' for its flags.")
	out.Reset()
	p.Run(t.Context(), []string{"completion", "bash"}, nil, &out, &errs)
	assert.Contains(t, out.String(), "-F __start_kubectl-resolvent kubectl-resolvent")
}

// TestSave: what is saved of a running cluster answers as the cluster does, and what may not
// be read is no part of it.
func TestSave(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cluster.yaml")
	text, err := os.ReadFile("../../../testdata/cluster/update.yaml")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, append(text, "\n---\n{apiVersion: config.openshift.io/v1, kind: ClusterVersion, metadata: {name: version}, status: {desired: {version: 4.18.3}}}\n"...), 0o600))
	live := &fakeLive{manifest: file, catalogs: "../../../testdata/catalogs"}
	p := Program{Name: "kubectl resolvent", Live: live}
	run := func(args ...string) (string, string, int) {
		var out, errs bytes.Buffer
		status := p.Run(t.Context(), args, strings.NewReader(""), &out, &errs)
		return out.String(), errs.String(), status
	}
	saved, errs, status := run("save")
	require.Equal(t, exitResolved, status, errs)
	assert.Contains(t, saved, "4.18.3")
	copied := filepath.Join(t.TempDir(), "cluster.yaml")
	require.NoError(t, os.WriteFile(copied, []byte(saved), 0o600))
	want, _, _ := run("status", "-o", "json", "--exclude-catalog", "elsewhere/dead")
	got, _, _ := run("status", "-o", "json", "--exclude-catalog", "elsewhere/dead", "-f", copied)
	assert.Equal(t, want, got)

	live.unread = map[cluster.Scope]error{cluster.InNamespace("b"): errors.New("forbidden b"), cluster.InNamespace("a"): errors.New("forbidden a")}
	saved, errs, status = run("save")
	assert.Equal(t, exitNotStarted, status)
	assert.Empty(t, saved)
	assert.Contains(t, errs, "namespace a: forbidden a\n  namespace b: forbidden b\n  nothing is saved; to save")

	// Without a cluster there is no such command.
	assert.Equal(t, exitNotStarted, Run(t.Context(), []string{"save"}, strings.NewReader(""), io.Discard, io.Discard))
	out, _, _ := run("help", "save")
	assert.Contains(t, out, "kubectl resolvent save > cluster.yaml")
}
