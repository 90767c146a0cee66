package peers

import (
	"slices"
	"testing"
	"time"
)

// BenchmarkPeers solves one problem of each shape with either solver. Stating the
// problem in the terms of the solver is not measured. Where there are limits of
// one, resolvent also gets them as the limits that they are for deppy. The line of
// deppy has how many times longer it takes than the last run of each of those.
func BenchmarkPeers(b *testing.B) {
	for _, shape := range Shapes {
		b.Run(shape.Name, func(b *testing.B) {
			p := shape.Generate(seeded(1))
			var resolvent, ungrouped time.Duration
			b.Run("resolvent", func(b *testing.B) {
				m := ForResolvent(p, true)
				resolvent = measure(b, func() (Answer, error) { return SolveWithResolvent(m) })
			})
			if slices.ContainsFunc(p.Limits, func(l Limit) bool { return l.N == 1 }) {
				b.Run("resolvent-ungrouped", func(b *testing.B) {
					m := ForResolvent(p, false)
					ungrouped = measure(b, func() (Answer, error) { return SolveWithResolvent(m) })
				})
			}
			b.Run("deppy", func(b *testing.B) {
				variables := ForDeppy(p)
				deppy := measure(b, func() (Answer, error) { return SolveWithDeppy(variables) })
				if resolvent > 0 {
					b.ReportMetric(float64(deppy)/float64(resolvent), "times-resolvent")
				}
				if ungrouped > 0 {
					b.ReportMetric(float64(deppy)/float64(ungrouped), "times-ungrouped")
				}
			})
		})
	}
}

// measure runs solve as often as the benchmark wants, and returns how long one
// run takes.
func measure(b *testing.B, solve func() (Answer, error)) time.Duration {
	b.ReportAllocs()
	var answer Answer
	var err error
	for b.Loop() {
		if answer, err = solve(); err != nil {
			b.Fatal(err)
		}
	}
	if !answer.Satisfiable {
		b.ReportMetric(float64(answer.Core), "core")
	}
	return b.Elapsed() / time.Duration(b.N)
}
