package prometheus

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// Rules are the alert rules of examples/20-deploy, as a test in a folder of integration names them.
const Rules = "../../examples/20-deploy/prometheus/rules.yml"

// Hurried returns the rules with short times: minutes are seconds.
func Hurried(tb testing.TB) string {
	tb.Helper()
	out := rules(tb)
	out = regexp.MustCompile(`for: \d+m`).ReplaceAllString(out, "for: 1s")
	out = regexp.MustCompile(`\[\d+m\]`).ReplaceAllString(out, "[15s]")
	out = regexp.MustCompile(`offset \d+m`).ReplaceAllString(out, "offset 15s")
	return strings.NewReplacer("> 180", "> 2", "> 60", "> 1").Replace(out)
}

var alert = regexp.MustCompile(`(?m)^      - alert: (\S+)$`)

// Names returns the names of the alerts, as the rules have them.
func Names(tb testing.TB) (names []string) {
	tb.Helper()
	for _, m := range alert.FindAllStringSubmatch(rules(tb), -1) {
		names = append(names, m[1])
	}
	return names
}

func rules(tb testing.TB) string {
	tb.Helper()
	text, err := os.ReadFile(Rules)
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}

// Alert is one that is pending or fires: its labels, alertname among them, and its text.
type Alert struct {
	Labels map[string]string `json:"labels"`
	Text   struct {
		Summary string `json:"summary"`
	} `json:"annotations"`
	State string `json:"state"` // "pending" or "firing"
}

// Name is that of the alert.
func (a Alert) Name() string { return a.Labels["alertname"] }

// Firing returns the alerts that fire; false where Prometheus does not answer yet.
func (p *Server) Firing(tb testing.TB) (firing []Alert, ok bool) {
	tb.Helper()
	active, ok := p.Active(tb)
	for _, a := range active {
		if a.State == "firing" {
			firing = append(firing, a)
		}
	}
	return firing, ok
}

// Active returns the alerts that are pending or fire; false where Prometheus does not answer yet.
func (p *Server) Active(tb testing.TB) (active []Alert, ok bool) {
	tb.Helper()
	var answer struct {
		Data struct {
			Alerts []Alert `json:"alerts"`
		} `json:"data"`
	}
	ok = p.Get(tb, "/api/v1/alerts", &answer)
	return answer.Data.Alerts, ok
}
