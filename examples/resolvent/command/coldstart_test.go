package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/testdata/testkit"
)

// BenchmarkProcess runs the command line as a process of its own. It resolves one Subscription on
// a real catalog of JSON, and lists one of YAML, from its files and from an index. help is what a
// process takes that reads nothing.
func BenchmarkProcess(b *testing.B) {
	program := filepath.Join(b.TempDir(), "resolvent")
	output, err := exec.Command("go", "build", "-o", program, "..").CombinedOutput()
	require.NoError(b, err, string(output))
	indexes := b.TempDir()
	resolve := []string{
		"resolve", "-f", testkit.Shared(b, "scenarios", "one-simple.yaml"),
		"--catalog", "olm/community=" + testkit.Shared(b, "catalogs", "community"),
	}
	list := []string{"list", "--catalog", "olm/raw=" + testkit.Shared(b, "catalogs", "raw-v4.19")}
	for _, process := range []struct {
		name string
		args []string
	}{
		{"help", []string{"help"}},
		{"JSON", resolve},
		{"YAML", list},
		{"index", append(list[:len(list):len(list)], "--index-cache", indexes)},
	} {
		b.Run(process.name, func(b *testing.B) {
			run := func() time.Duration {
				child, start := exec.Command(program, process.args...), time.Now()
				child.Stderr = os.Stderr
				require.NoError(b, child.Run())
				return time.Since(start)
			}
			fastest := run() // which writes the index
			for b.Loop() {
				fastest = min(fastest, run())
			}
			b.ReportMetric(float64(fastest.Microseconds())/1000, "fastest-ms")
		})
	}
}
