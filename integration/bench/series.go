package main

import (
	"fmt"
	"math"
	"slices"
)

// figures are what a part found, one a round, by what they are and of whom: "p99" of "duequeue".
type figures map[string]series

func (f figures) add(what, who string, value float64) {
	if f[what] == nil {
		f[what] = series{}
	}
	f[what].add(who, value)
}

// series holds figures by name, one per round.
type series map[string][]float64

func (s series) add(name string, value float64) { s[name] = append(s[name], value) }

// median of the rounds, as text.
func (s series) median(name string) string { return figure(median(s[name])) }

// most is the largest figure of all rounds; NaN for none.
func (s series) most(name string) float64 { return quantile(s[name], 1) }

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
		return s.median(name)
	}
	return fmt.Sprintf("%s (%s … %s)", s.median(name), figure(slices.Min(values)), figure(slices.Max(values)))
}

// median is NaN of nothing.
func median(values []float64) float64 {
	return (quantile(values, 0.5) + quantile(values, math.Nextafter(0.5, 1))) / 2
}

// quantile is the smallest value that the share q does not exceed; NaN of nothing.
func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[max(int(math.Ceil(q*float64(len(sorted))))-1, 0)]
}

// figure writes a number with as many digits as are worth reading.
func figure(v float64) string {
	a := math.Abs(v)
	digits := 2
	switch {
	case math.IsNaN(v):
		return "–"
	case a >= 10_000:
		return fmt.Sprintf("%.0fk", v/1000)
	case a >= 1000:
		return fmt.Sprintf("%.1fk", v/1000)
	case a >= 100 || v == math.Trunc(v):
		digits = 0
	case a >= 10:
		digits = 1
	}
	return fmt.Sprintf("%.*f", digits, v)
}
