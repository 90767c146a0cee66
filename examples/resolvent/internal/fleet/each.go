// Package fleet asks one question about many clusters: side by side, with memory for those
// only that are being looked at, and with results in the order of the clusters. It merges
// what is the same in several. It knows neither the question nor OLM.
package fleet

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/resolvent/resolvent/examples/resolvent/internal/terminal"
)

// Output is where to write beside the answers.
type Output struct {
	// Notes receives the notes on single clusters, each text once.
	Notes io.Writer
	// Progress shows how many clusters are done, if it is a terminal.
	Progress io.Writer
}

// Each calls ask for all clusters, as many at a time as there are processors, and use with
// the answers, in the order of the clusters. What ask writes to notes is printed with
// the name of the cluster. use is called from one goroutine, never after ctx has ended;
// its error ends the work.
func Each[T any](ctx context.Context, clusters []string, out Output,
	ask func(ctx context.Context, i int, notes io.Writer) (T, error), use func(i int, answer T, err error) error) error {
	type answer struct {
		value T
		err   error
		notes bytes.Buffer
	}
	var used atomic.Int64
	progress := func() string { return fmt.Sprintf("%d of %s", used.Load(), terminal.Count(len(clusters), "cluster")) }
	hide := terminal.ShowChanging(out.Progress, progress)
	defer func() { hide() }()
	said := notes{to: out.Notes, said: map[string]bool{}}
	err := inOrder(ctx, len(clusters), func(ctx context.Context, i int) *answer {
		var a answer
		a.value, a.err = ask(ctx, i, &a.notes)
		return &a
	}, func(i int, a *answer) error {
		if a.notes.Len() > 0 {
			hide()
			said.say(clusters[i], a.notes.String())
			hide = terminal.ShowChanging(out.Progress, progress)
		}
		used.Add(1)
		return use(i, a.value, a.err)
	})
	if ctx.Err() != nil {
		return fmt.Errorf("stopped after %s: %w", progress(), context.Cause(ctx))
	}
	return err
}

// mostAhead is how many answers for each processor may wait for an earlier one, so that
// one slow cluster does not hold up the others.
const mostAhead = 8

// inOrder calls work for 0 to n-1 on all processors, and use with each result in order. It
// returns when no call is left, with the first error of use or that of ctx.
func inOrder[T any](ctx context.Context, n int, work func(ctx context.Context, i int) T, use func(i int, result T) error) error {
	var running sync.WaitGroup
	defer running.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	processors := runtime.GOMAXPROCS(0)
	busy := make(chan struct{}, processors)
	results := make(chan chan T, processors*mostAhead)
	running.Go(func() {
		defer close(results)
		for i := range n {
			result := make(chan T, 1)
			select {
			case results <- result:
			case <-ctx.Done():
				return
			}
			busy <- struct{}{}
			running.Go(func() {
				result <- work(ctx, i)
				<-busy
			})
		}
	})
	i := 0
	for result := range results {
		r := <-result
		if ctx.Err() != nil {
			break
		}
		if err := use(i, r); err != nil {
			return err
		}
		i++
	}
	return ctx.Err()
}

// mostNotes bounds what is printed beside the results of many clusters.
const mostNotes = 1000

// notes prints the notes beside the results, each text for the first cluster only.
type notes struct {
	to   io.Writer
	said map[string]bool
}

func (n *notes) say(cluster, text string) {
	for line := range strings.Lines(text) {
		if n.said[line] || len(n.said) == mostNotes {
			continue
		}
		n.said[line] = true
		terminal.Printf(n.to, "cluster %s: %s", cluster, terminal.Lines(line))
		if len(n.said) == mostNotes {
			terminal.Printf(n.to, "no more notes are printed\n")
		}
	}
}
