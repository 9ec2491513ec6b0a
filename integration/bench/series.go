package main

import (
	"math"

	"github.com/duequeue/duequeue/framework/integration/bench/rounds"
)

// series holds figures by name, one per round.
type series map[string][]float64

func (s series) add(name string, value float64) { s[name] = append(s[name], value) }

func (s series) median(name string) float64 { return rounds.Median(s[name]) }

// ratio is the median of a/b, each taken inside one round.
func (s series) ratio(a, b string) float64 {
	return rounds.Median(rounds.Ratios(s[a], s[b]))
}

// quantile of sorted values: the smallest one that the share q does not exceed.
func quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	return sorted[max(int(math.Ceil(q*float64(len(sorted))))-1, 0)]
}
