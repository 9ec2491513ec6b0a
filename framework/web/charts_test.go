package web

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// Each chart has the numbers of its SVG for the script, and says the newest and the highest.
func TestChartsOfTheHistory(t *testing.T) {
	t.Parallel()
	at := time.UnixMilli(1_700_000_000_000)
	var points []point
	for i := range 3 {
		points = append(points, point{At: at.Add(time.Duration(i) * 10 * time.Second), Ready: float32(20_000 - i), Lag: 0.1, Rate: float32(i)})
	}
	for _, v := range charts(points) {
		var got plot
		if err := json.Unmarshal([]byte(v.Data), &got); err != nil {
			t.Fatal(err)
		}
		want := map[string]struct {
			unit, label string
			values      []float64
		}{
			"Handled": {"messages/s", "now 2.0 a second, at most 2.0 a second", []float64{0, 1, 2}}, "Lag": {"seconds", "now 100 ms, at most 100 ms", []float64{0.1, 0.1, 0.1}},
			"Ready": {"messages", "now 19\u202f998, at most 20\u202f000", []float64{20_000, 19_999, 19_998}},
		}[v.Name]
		if want.unit == "" {
			continue
		}
		if fmt.Sprint(got.At) != "[1700000000000 1700000010000 1700000020000]" || got.Unit != want.unit || !slices.Equal(got.Values, want.values) {
			t.Errorf("%s: %s", v.Name, v.Data)
		}
		head, paths, _ := strings.Cut(string(v.SVG), "<path")
		if !strings.Contains(head, `role="img" aria-label="`+v.Name+", "+want.label+`"`) || strings.Count(paths, "L") != 2*2+2 {
			t.Errorf("%s: %s", v.Name, v.SVG)
		}
	}
	for _, v := range charts(nil) {
		if !strings.Contains(string(v.SVG), "not known yet") || strings.Contains(string(v.SVG), "<path") {
			t.Errorf("%s without points: %s", v.Name, v.SVG)
		}
	}
}
