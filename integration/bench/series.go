package main

import (
	"fmt"
	"math"
	"slices"
)

// series holds figures by name, one per round.
type series map[string][]float64

func (s series) add(name string, value float64) { s[name] = append(s[name], value) }

// median of the rounds; NaN for none.
func (s series) median(name string) float64 { return median(s[name]) }

// most is the largest figure of all rounds; NaN for none.
func (s series) most(name string) float64 {
	if len(s[name]) == 0 {
		return math.NaN()
	}
	return slices.Max(s[name])
}

// ratio is the median of a/b, each taken inside one round.
func (s series) ratio(a, b string) float64 {
	ratios := make([]float64, min(len(s[a]), len(s[b])))
	for i := range ratios {
		ratios[i] = s[a][i] / s[b][i]
	}
	return median(ratios)
}

// spread is the median of a figure and, of several rounds, the lowest and the highest.
func (s series) spread(name string) string {
	values := s[name]
	if len(values) < 2 {
		return figure(s.median(name))
	}
	return fmt.Sprintf("%s (%s … %s)", figure(median(values)), figure(slices.Min(values)), figure(slices.Max(values)))
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n == 0 {
		return math.NaN()
	}
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// quantile is the smallest value that the share q does not exceed; it sorts the values.
func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	slices.Sort(values)
	return values[max(int(math.Ceil(q*float64(len(values))))-1, 0)]
}

// figure writes a number with as many digits as are worth reading.
func figure(v float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v):
		return "–"
	case v == math.Trunc(v) && a < 1000:
		return fmt.Sprintf("%.0f", v)
	case a >= 10_000:
		return fmt.Sprintf("%.0fk", v/1000)
	case a >= 1000:
		return fmt.Sprintf("%.1fk", v/1000)
	case a >= 100:
		return fmt.Sprintf("%.0f", v)
	case a >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}
