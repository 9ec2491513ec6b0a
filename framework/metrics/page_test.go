package metrics_test

import (
	"context"
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/framework/metrics"
)

// The page speaks OpenMetrics where it is asked for that.
func TestOpenMetrics(t *testing.T) {
	t.Parallel()
	page, meters, err := metrics.Handler()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = meters.Shutdown(context.WithoutCancel(t.Context())) })
	request := httptest.NewRequest("GET", "/metrics", nil)
	request.Header.Set("Accept", "application/openmetrics-text; version=1.0.0")
	answer := httptest.NewRecorder()
	page.ServeHTTP(answer, request)
	body, _ := io.ReadAll(answer.Body)
	if !strings.HasSuffix(string(body), "# EOF\n") {
		t.Errorf("%s\n%s", answer.Header().Get("Content-Type"), body)
	}
}
