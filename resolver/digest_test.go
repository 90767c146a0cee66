package resolver_test

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resolvent/resolvent/resolver/internal/oracle/random"
	"github.com/resolvent/resolvent/testdata/testkit"
)

var (
	digested = flag.Int("digested", testkit.Scale(25, 300), "how many random problems each process resolves")
	permuted = flag.Uint64("permuted", 0, "how the inputs are permuted; 0: not at all")
)

const digestVariable = "RESOLVENT_DIGEST"

// TestDigest resolves random problems in several processes, each with other
// orders of the inputs, other seeds of Go's maps and another GOMAXPROCS, and
// compares the digests of all that they say.
func TestDigest(t *testing.T) {
	if os.Getenv(digestVariable) != "" {
		fmt.Printf("digest: %s\n", digest(t, *permuted))
		return
	}
	executable, err := os.Executable()
	require.NoError(t, err)
	want, processes := "", 0 // without a permutation: TestTextsDoNotDependOnOrder
	for _, procs := range []int{1, 2, 2 * runtime.NumCPU()} {
		processes++
		child := exec.CommandContext(t.Context(), executable, "-test.run=^TestDigest$", fmt.Sprintf("-digested=%d", *digested), fmt.Sprintf("-permuted=%d", procs))
		child.Env = append(os.Environ(), digestVariable+"=1", fmt.Sprintf("%s=%d", testkit.SeedVariable, testkit.FirstSeed()), fmt.Sprintf("GOMAXPROCS=%d", procs))
		output, err := child.CombinedOutput()
		require.NoError(t, err, string(output))
		_, got, _ := strings.Cut(string(output), "digest: ")
		got, _, _ = strings.Cut(got, "\n")
		if want == "" {
			want = got
		}
		require.NotEmpty(t, got)
		require.Equal(t, want, got, "GOMAXPROCS=%d", procs)
	}
	t.Logf("%d problems, %d processes", *digested, processes)
}

// digest is that of the outcomes, texts included, of random problems.
func digest(t *testing.T, permutation uint64) string {
	sum := sha256.New()
	for seed := range testkit.Seeds(t, *digested) {
		var order *rand.Rand
		if permutation > 0 {
			order = rand.New(rand.NewPCG(seed, permutation))
		}
		s := asScenario(order, random.Problem(seed))
		s.Options.Texts = true
		text, err := s.Run(t.Context())
		require.NoError(t, err)
		sum.Write([]byte(text))
	}
	return hex.EncodeToString(sum.Sum(nil))
}
