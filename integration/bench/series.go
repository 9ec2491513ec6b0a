package main

import (
	"math"
	"slices"
)

// series holds figures by name, one per round.
type series map[string][]float64

func (s series) add(name string, value float64) { s[name] = append(s[name], value) }

func (s series) median(name string) float64 { return median(s[name]) }

// ratio is the median of a/b, each taken inside one round.
func (s series) ratio(a, b string) float64 {
	var ratios []float64
	for i := range min(len(s[a]), len(s[b])) {
		ratios = append(ratios, s[a][i]/s[b][i])
	}
	return median(ratios)
}

// median returns NaN when there is nothing.
func median(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// quantile of sorted values: the smallest one that the share q does not exceed.
func quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	return sorted[max(int(math.Ceil(q*float64(len(sorted))))-1, 0)]
}
