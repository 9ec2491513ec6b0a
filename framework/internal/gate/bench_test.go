package gate

import (
	"fmt"
	"testing"

	"github.com/sony/gobreaker/v2"
)

// BenchmarkBatch is what the gate costs a healthy queue per fetch: permits, start,
// decoded and done for each message.
func BenchmarkBatch(b *testing.B) {
	for _, n := range []int{1, 16, 128} {
		b.Run(fmt.Sprintf("gate/%d", n), func(b *testing.B) {
			g := New("Q", Settings{}, Hooks{})
			defer g.Close()
			b.ReportAllocs()
			for b.Loop() {
				ps, _ := g.Acquire(n)
				for p, ok := ps.Next(); ok; p, ok = ps.Next() {
					if !g.Start(p) {
						b.Fatal("refused")
					}
					g.Decoded(p)
					g.Done(p, Result{Kind: Success})
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/msg")
		})
		b.Run(fmt.Sprintf("gobreaker/%d", n), func(b *testing.B) { // one Allow and done each, for comparison
			cb := gobreaker.NewTwoStepCircuitBreaker[struct{}](gobreaker.Settings{})
			dones := make([]func(error), n)
			b.ReportAllocs()
			for b.Loop() {
				for i := range dones {
					dones[i], _ = cb.Allow()
				}
				for _, done := range dones {
					done(nil)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/msg")
		})
	}
}

func BenchmarkDoneParallel(b *testing.B) {
	g := New("Q", Settings{}, Hooks{})
	defer g.Close()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			ps, _ := g.Acquire(1)
			p, _ := ps.Next()
			g.Start(p)
			g.Done(p, Result{Kind: Success})
		}
	})
}
