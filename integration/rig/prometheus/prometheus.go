// Package prometheus runs a real Prometheus for tests, and asks it what the dashboard of
// examples/20-deploy asks.
package prometheus

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/internal/lab"
)

// Server is a Prometheus. Folder has its files.
type Server struct{ url, Folder string }

// Start runs one until the test ends. files are what it reads, by name: prometheus.yml, and what
// that refers to.
func Start(tb testing.TB, files map[string]string) *Server {
	tb.Helper()
	program, err := exec.LookPath("prometheus")
	if err != nil {
		tb.Fatalf("%v: run .ci/setup.sh, or apt-get install prometheus", err)
	}
	dir := tb.TempDir()
	for name, text := range files {
		if err = os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	for try := 1; ; try++ {
		p, said := launch(tb, program, dir)
		if p != nil {
			return p
		}
		if try == 5 || !strings.Contains(said, "address already in use") { // somebody took the port first
			tb.Fatalf("Prometheus ended: %s", said)
		}
	}
}

// launch starts a Prometheus on a free port and waits until it answers; nil where it has ended.
func launch(tb testing.TB, program, dir string) (p *Server, ended string) {
	tb.Helper()
	port, err := lab.FreePort()
	if err != nil {
		tb.Fatal(err)
	}
	address := fmt.Sprintf("127.0.0.1:%d", port)
	said := &rig.Output{Most: 1 << 16}
	cmd := exec.Command(program, "--config.file="+filepath.Join(dir, "prometheus.yml"), //nolint:noctx // lab ends it
		"--storage.tsdb.path="+filepath.Join(dir, "data"), "--web.listen-address="+address, "--log.level=warn")
	cmd.Stdout, cmd.Stderr = said, said
	server, err := lab.StartProcess(cmd)
	if err != nil {
		tb.Fatal(err)
	}
	p = &Server{url: "http://" + address, Folder: dir}
	lab.WaitFor(tb, "Prometheus does not answer", func() bool {
		return !server.Running() || p.Get(tb, "/api/v1/alerts", &struct{}{})
	})
	if !server.Running() {
		return nil, said.String()
	}
	tb.Cleanup(func() {
		if err := server.Stop(); err != nil {
			tb.Error(err)
		}
		if tb.Failed() {
			tb.Logf("Prometheus said:\n%s", said)
		}
	})
	return p, ""
}

// Get asks the API; false where it does not answer yet.
func (p *Server) Get(tb testing.TB, path string, into any) bool {
	tb.Helper()
	request, err := http.NewRequestWithContext(tb.Context(), http.MethodGet, p.url+path, nil)
	if err != nil {
		tb.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode == http.StatusServiceUnavailable {
		return false
	}
	if response.StatusCode != http.StatusOK {
		tb.Fatalf("%s: %d %s", path, response.StatusCode, body)
	}
	if err := json.Unmarshal(body, into); err != nil {
		tb.Fatal(err)
	}
	return true
}

// Count is how many series a query gives.
func (p *Server) Count(tb testing.TB, query string) int {
	tb.Helper()
	var answer struct {
		Data struct {
			Result []json.RawMessage `json:"result"`
		} `json:"data"`
	}
	p.Get(tb, "/api/v1/query?query="+url.QueryEscape(query), &answer)
	return len(answer.Data.Result)
}

// Dashboard returns the queries of the dashboard in a file, for all queues and rates over so
// long.
func Dashboard(tb testing.TB, file, interval string) (queries []string) {
	tb.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	var board struct {
		Panels []struct {
			Targets []struct {
				Expr string `json:"expr"`
			} `json:"targets"`
		} `json:"panels"`
	}
	if err := json.Unmarshal(text, &board); err != nil {
		tb.Fatal(err)
	}
	for _, p := range board.Panels {
		for _, q := range p.Targets {
			queries = append(queries, strings.NewReplacer("$queue", ".*", "$__rate_interval", interval).Replace(q.Expr))
		}
	}
	if len(queries) < 12 {
		tb.Fatalf("the dashboard has %d queries", len(queries))
	}
	return queries
}
