// Package metrics shows metrics to Prometheus, by OpenTelemetry's exporter. It is linked where
// it is imported alone: services that send their metrics elsewhere give
// [framework.WithMeterProvider] a provider of their own and need nothing of this package.
// METRICS.md in package framework has all metrics.
package metrics

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	otelprometheus "go.opentelemetry.io/otel/exporters/prometheus"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
)

// Handler returns a page of metrics in the text format of Prometheus, and the provider whose
// metrics it shows:
//
//	page, meters, err := metrics.Handler()
//	…
//	client, err := framework.Open(ctx, cfg, framework.WithMeterProvider(meters))
//	mux.Handle("GET /metrics", page)
//
// The OpenTelemetry Collector reads the page, too. Names are those of OpenTelemetry with
// underscores for dots, then the unit, and _total where it is a counter:
// messaging.redisson.lateness is messaging_redisson_lateness_seconds. Labels of the scope are
// left out. The page has nothing but what this provider's meters measure; options are added to
// the provider, such as a resource or views. Shut the provider down behind the client. An error
// says that the exporter refuses its settings, and does not occur with the ones given here.
// Both are safe for concurrent use.
func Handler(options ...sdkmetric.Option) (http.Handler, *sdkmetric.MeterProvider, error) {
	registry := prometheus.NewRegistry()
	exporter, err := otelprometheus.New(otelprometheus.WithRegisterer(registry), otelprometheus.WithoutScopeInfo())
	if err != nil {
		return nil, nil, err
	}
	meters := sdkmetric.NewMeterProvider(append(options, sdkmetric.WithReader(exporter))...)
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{EnableOpenMetrics: true}), meters, nil
}
