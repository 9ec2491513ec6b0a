package recorded

import (
	"math"
	"strings"
	"testing"
)

const results = `# Measured

## Goals

| goal | wanted | measured | |
|---|---|---|---|
| a ÷ b | ≥ 0.6 | 0.90 | met |
| c ÷ d | ≤ 1 | 1.20 × | **missed** |
| e ÷ f | ≥ 1 | none | **missed** |

## Times

| codec | Go |
|---|---|
| a ÷ b | 7 |
`

func TestFigures(t *testing.T) {
	got, err := Figures(results, "Goals", 2)
	if err != nil || len(got) != 2 || got["a ÷ b"] != 0.9 || got["c ÷ d"] != 1.2 {
		t.Errorf("read %v, %v", got, err)
	}
	for heading, column := range map[string]int{"Nothing": 2, "Goals": 1, "Goal": 2} {
		if got, err := Figures(results, heading, column); err == nil {
			t.Errorf("column %d of %q: read %v, want an error", column, heading, got)
		}
	}
}

func TestCompare(t *testing.T) {
	was := map[string]float64{"a": 0.9, "b": 1.2, "gone": 1}
	for _, tt := range []struct {
		name   string
		now    map[string]float64
		larger bool
		want   string // in the error; "" for none
	}{
		{"as before", map[string]float64{"a": 0.9, "b": 1.2}, Larger, ""},
		{"half of it", map[string]float64{"a": 0.45}, Larger, ""},
		{"a quarter of it", map[string]float64{"a": 0.2, "b": 1.2}, Larger, "a: 0.20"},
		{"four times as slow", map[string]float64{"b": 4.8}, Smaller, "b: 4.80"},
		{"much faster", map[string]float64{"b": 0.01}, Smaller, ""},
		{"not measured", map[string]float64{"a": math.NaN()}, Larger, "a: NaN"},
		{"another name", map[string]float64{"A": 1}, Larger, "under the same name"},
	} {
		var out strings.Builder
		err := Compare(&out, was, tt.now, tt.larger)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
	}
}
