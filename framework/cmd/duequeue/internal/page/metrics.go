// Package page shows the metrics of a program to Prometheus.
package page

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

// Metrics shows metrics in Prometheus's text format, named as OpenTelemetry's own
// exporter does: dots are underscores, then comes the unit, and _total where it is a counter.
func Metrics(reader sdkmetric.Reader) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var all metricdata.ResourceMetrics
		if err := reader.Collect(r.Context(), &all); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		var page bytes.Buffer
		for _, scope := range all.ScopeMetrics {
			for _, m := range scope.Metrics {
				writeMetric(&page, m)
			}
		}
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = w.Write(page.Bytes()) // the client went away
	})
}

func writeMetric(w *bytes.Buffer, m metricdata.Metrics) {
	name := strings.ReplaceAll(m.Name, ".", "_")
	if m.Unit == "s" {
		name += "_seconds"
	}
	switch data := m.Data.(type) {
	case metricdata.Gauge[int64]:
		writeHead(w, name, "gauge", m.Description)
		writePoints(w, name, data.DataPoints)
	case metricdata.Gauge[float64]:
		writeHead(w, name, "gauge", m.Description)
		writePoints(w, name, data.DataPoints)
	case metricdata.Sum[int64]:
		writeSum(w, name, m.Description, data)
	case metricdata.Sum[float64]:
		writeSum(w, name, m.Description, data)
	case metricdata.Histogram[float64]:
		writeHead(w, name, "histogram", m.Description)
		for _, p := range data.DataPoints {
			writeHistogram(w, name, p)
		}
	}
}

func writeHead(w *bytes.Buffer, name, kind, help string) {
	fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n", name, strings.NewReplacer(`\`, `\\`, "\n", `\n`).Replace(help), name, kind)
}

func writeSum[N int64 | float64](w *bytes.Buffer, name, help string, sum metricdata.Sum[N]) {
	kind := "gauge"
	if sum.IsMonotonic {
		name, kind = name+"_total", "counter"
	}
	writeHead(w, name, kind, help)
	writePoints(w, name, sum.DataPoints)
}

func writePoints[N int64 | float64](w *bytes.Buffer, name string, points []metricdata.DataPoint[N]) {
	slices.SortFunc(points, func(a, b metricdata.DataPoint[N]) int {
		return cmp.Compare(labels(a.Attributes), labels(b.Attributes))
	})
	for _, p := range points {
		fmt.Fprintf(w, "%s%s %v\n", name, labels(p.Attributes), p.Value)
	}
}

func writeHistogram(w *bytes.Buffer, name string, p metricdata.HistogramDataPoint[float64]) {
	count := uint64(0)
	for i, n := range p.BucketCounts {
		count += n
		bound := math.Inf(1)
		if i < len(p.Bounds) {
			bound = p.Bounds[i]
		}
		fmt.Fprintf(w, "%s_bucket%s %d\n", name, labels(p.Attributes, "le", strconv.FormatFloat(bound, 'g', -1, 64)), count)
	}
	fmt.Fprintf(w, "%s_sum%s %v\n%s_count%s %d\n", name, labels(p.Attributes), p.Sum, name, labels(p.Attributes), p.Count)
}

// labels writes attributes, and pairs of names and values behind them, in braces.
func labels(set attribute.Set, more ...string) string {
	var all []string
	add := func(name, value string) {
		all = append(all, fmt.Sprintf(`%s="%s"`, name, strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(value)))
	}
	for _, kv := range set.ToSlice() {
		add(strings.ReplaceAll(string(kv.Key), ".", "_"), kv.Value.String())
	}
	for i := 0; i+1 < len(more); i += 2 {
		add(more[i], more[i+1])
	}
	if len(all) == 0 {
		return ""
	}
	return "{" + strings.Join(all, ",") + "}"
}
