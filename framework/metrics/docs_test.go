//go:build lint

package metrics_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/internal/telemetry"
	"github.com/duequeue/duequeue/framework/metrics"
	"github.com/duequeue/duequeue/framework/outbox"
	"github.com/duequeue/duequeue/handlers/sqldb"
	"github.com/duequeue/duequeue/registry"
)

// recorder notes which instruments are made, and makes them of a real provider, too.
type recorder struct {
	noop.Meter

	real metric.Meter
	made []string // rows of the page: name, kind, unit
}

// recording gives the recorder.
type recording struct {
	noop.MeterProvider

	meter *recorder
}

func (r recording) Meter(string, ...metric.MeterOption) metric.Meter { return r.meter }

func (r *recorder) note(name, kind, unit string) { r.made = append(r.made, name+" "+kind+" "+unit) }

func (r *recorder) Int64Counter(name string, o ...metric.Int64CounterOption) (metric.Int64Counter, error) {
	r.note(name, "counter", metric.NewInt64CounterConfig(o...).Unit())
	c, err := r.real.Int64Counter(name, o...)
	c.Add(context.Background(), 1)
	return c, err
}

func (r *recorder) Float64Histogram(name string, o ...metric.Float64HistogramOption) (metric.Float64Histogram, error) {
	r.note(name, "histogram", metric.NewFloat64HistogramConfig(o...).Unit())
	h, err := r.real.Float64Histogram(name, o...)
	h.Record(context.Background(), 1)
	return h, err
}

func (r *recorder) Int64ObservableGauge(name string, o ...metric.Int64ObservableGaugeOption) (metric.Int64ObservableGauge, error) {
	r.note(name, "gauge", metric.NewInt64ObservableGaugeConfig(o...).Unit())
	return r.real.Int64ObservableGauge(name, append(o, metric.WithInt64Callback(func(_ context.Context, to metric.Int64Observer) error {
		to.Observe(1)
		return nil
	}))...)
}

func (r *recorder) Float64ObservableGauge(name string, o ...metric.Float64ObservableGaugeOption) (metric.Float64ObservableGauge, error) {
	r.note(name, "gauge", metric.NewFloat64ObservableGaugeConfig(o...).Unit())
	return r.real.Float64ObservableGauge(name, append(o, metric.WithFloat64Callback(func(_ context.Context, to metric.Float64Observer) error {
		to.Observe(1)
		return nil
	}))...)
}

var (
	row  = regexp.MustCompile("(?m)^\\| `([a-z._]+)` \\| `([a-z_]+)` \\| (counter|gauge|histogram) \\| `(.+?)` \\|")
	kind = regexp.MustCompile(`(?m)^# TYPE (\S+) (\S+)$`)
)

// database takes every row.
type database struct{}

func (database) ExecContext(context.Context, string, ...any) (sql.Result, error) {
	return driver.RowsAffected(1), nil
}

// outboxMetrics writes a row, and makes a relay, so that both make their metrics; nothing runs.
func outboxMetrics(t *testing.T, made *recorder) {
	t.Helper()
	queue := registry.Define[string]("METRICS", "", registry.Codec(codecs.String()))
	_, err := outbox.NewRelay(nil, nil, nil, []outbox.Queue{outbox.For(queue)}, outbox.Meters(recording{meter: made}))
	if err == nil {
		t.Fatal("a relay without a client")
	}
	box, err := outbox.New(sqldb.SQLite)
	if err != nil {
		t.Fatal(err)
	}
	otel.SetMeterProvider(recording{meter: made}) // who writes has no other
	if err := outbox.Offer(t.Context(), box.In(database{}), queue, "x", 0); err != nil {
		t.Fatal(err)
	}
}

// METRICS.md has every metric that the code makes, and no other, with the name and the kind that
// Prometheus sees.
func TestLintMetricsPage(t *testing.T) {
	t.Parallel()
	page, meters, err := metrics.Handler()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = meters.Shutdown(context.WithoutCancel(t.Context())) })
	made := &recorder{real: meters.Meter("test")}
	tel, err := telemetry.New(nil, recording{meter: made}, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tel.Observe(func(context.Context, *telemetry.Report) {}); err != nil {
		t.Fatal(err)
	}
	outboxMetrics(t, made)
	answer := httptest.NewRecorder()
	page.ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
	seen := map[string]string{}
	for _, m := range kind.FindAllStringSubmatch(answer.Body.String(), -1) {
		seen[m[1]] = m[2]
	}
	text, err := os.ReadFile("../METRICS.md")
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, m := range row.FindAllStringSubmatch(string(text), -1) {
		told = append(told, fmt.Sprintf("%s %s %s", m[1], m[3], m[4]))
		if seen[m[2]] != m[3] {
			t.Errorf("METRICS.md says that Prometheus sees the %s %s; it is %q there", m[3], m[2], seen[m[2]])
		}
		delete(seen, m[2])
	}
	slices.Sort(told)
	slices.Sort(made.made)
	if !slices.Equal(told, made.made) {
		t.Errorf("METRICS.md has\n%s\nthe code makes\n%s", strings.Join(told, "\n"), strings.Join(made.made, "\n"))
	}
	delete(seen, "target_info")
	if len(seen) > 0 {
		t.Errorf("METRICS.md lacks %v", seen)
	}
}

// Who does not import this package links nothing of Prometheus.
func TestLintPrometheusIsLinkedByThisPackageAlone(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "..", "../web", "../admin").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for dep := range strings.FieldsSeq(string(out)) {
		if strings.Contains(dep, "prometheus") {
			t.Errorf("package framework links %s", dep)
		}
	}
}
