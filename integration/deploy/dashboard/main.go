// Command dashboard writes the Grafana dashboard of examples/20-deploy, by Grafana's own library:
//
//	cd integration && go run ./deploy/dashboard > ../examples/20-deploy/grafana/dashboard.json
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"
)

func main() {
	text, err := Dashboard()
	if err == nil {
		_, err = os.Stdout.Write(text)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// query is a line of a panel.
type query struct{ expr, legend string }

// panel is a panel: what an operator asks.
type panel struct {
	title, help, unit string
	queries           []query
}

// ofQueues chooses the queues of the variable.
const ofQueues = `messaging_destination_name=~"$queue"`

const queue = "{{messaging_destination_name}}"

// rows are the panels by what they answer, the most urgent first.
var rows = []struct {
	title  string
	panels []panel
}{
	{"Is anything late?", []panel{
		{"Lag", "For how long the oldest message is due that no handler has started. It grows while nobody handles.", "s", []query{
			{`max by (messaging_destination_name) (messaging_redisson_queue_lag_seconds{` + ofQueues + `})`, queue},
		}},
		{"Lateness of what was started", "From when a message was due until its handler started: half of them, and 99 of 100.", "s", []query{
			{`histogram_quantile(0.5, sum by (messaging_destination_name, le) (rate(messaging_redisson_lateness_seconds_bucket{` + ofQueues + `}[$__rate_interval])))`, queue + " p50"},
			{`histogram_quantile(0.99, sum by (messaging_destination_name, le) (rate(messaging_redisson_lateness_seconds_bucket{` + ofQueues + `}[$__rate_interval])))`, queue + " p99"},
		}},
		{"Overdue", "Due and not moved to the ready list. More than a few that stay: nobody transfers, or consumers are far behind.", "short", []query{
			{`max by (messaging_destination_name) (messaging_redisson_queue_overdue{` + ofQueues + `})`, queue},
		}},
	}},
	{"What is there?", []panel{
		{"Pending", "Messages whose time has not come.", "short", []query{
			{`max by (messaging_destination_name) (messaging_redisson_queue_delayed{` + ofQueues + `})`, queue},
		}},
		{"Ready", "Due, and waiting for a consumer. It grows where handlers are slower than messages come.", "short", []query{
			{`max by (messaging_destination_name) (messaging_redisson_queue_ready{` + ofQueues + `})`, queue},
		}},
		{"Dead letters", "Messages that were given up, and why they were.", "short", []query{
			{`max by (messaging_destination_name) (messaging_redisson_queue_dead{` + ofQueues + `})`, queue},
			{`sum by (messaging_destination_name, messaging_redisson_reason) (increase(messaging_redisson_dead_stored_messages_total{` + ofQueues + `}[$__rate_interval])) > 0`, queue + " new: {{messaging_redisson_reason}}"},
		}},
	}},
	{"Do the handlers work?", []panel{
		{"Messages a second", "Offered, handled, and attempts that will be made again.", "cps", []query{
			{`sum by (messaging_destination_name) (rate(messaging_client_sent_messages_total{` + ofQueues + `}[$__rate_interval]))`, queue + " offered"},
			{`sum by (messaging_destination_name) (rate(messaging_client_consumed_messages_total{` + ofQueues + `}[$__rate_interval]))`, queue + " handled"},
			{`sum by (messaging_destination_name) (rate(messaging_redisson_retried_messages_total{` + ofQueues + `}[$__rate_interval]))`, queue + " retried"},
		}},
		{"Time in handlers", "99 of 100, those that fail beside those that do not.", "s", []query{
			{`histogram_quantile(0.99, sum by (messaging_destination_name, error_type, le) (rate(messaging_process_duration_seconds_bucket{` + ofQueues + `}[$__rate_interval])))`, queue + " {{error_type}}"},
		}},
		{"Breaker", "0: messages flow, 1: it probes, 2: it is open.", "short", []query{
			{`max by (messaging_destination_name) (messaging_redisson_breaker_state{` + ofQueues + `})`, queue},
		}},
	}},
	{"Do the processes work?", []panel{
		{"In flight", "Messages that each process holds, and handlers that hang.", "short", []query{
			{`sum by (messaging_destination_name, instance) (messaging_redisson_queue_in_flight{` + ofQueues + `})`, queue + " {{instance}}"},
			{`sum by (messaging_destination_name, instance) (messaging_redisson_queue_zombies{` + ofQueues + `}) > 0`, queue + " {{instance}} hung"},
		}},
		{"Leases and duplicates", "Leases that were lost, what was taken back from dead processes, and what may be handled twice.", "short", []query{
			{`sum by (messaging_destination_name) (increase(messaging_redisson_lost_leases_total{` + ofQueues + `}[$__rate_interval]))`, queue + " lost leases"},
			{`sum by (messaging_destination_name) (increase(messaging_redisson_reaped_messages_total{` + ofQueues + `}[$__rate_interval]))`, queue + " taken back"},
			{`sum by (messaging_destination_name) (increase(messaging_redisson_possible_duplicate_messages_total{` + ofQueues + `}[$__rate_interval]))`, queue + " maybe twice"},
		}},
		{"Clock", "Clock of each process minus that of Redis.", "s", []query{
			{`max by (instance) (messaging_redisson_clock_skew_seconds{` + ofQueues + `})`, "{{instance}}"},
		}},
	}},
}

// Dashboard returns the dashboard as JSON.
func Dashboard() ([]byte, error) {
	datasource := common.DataSourceRef{Type: ptr("prometheus"), Uid: ptr("${datasource}")}
	b := dashboard.NewDashboardBuilder("duequeue").Uid("duequeue").Tags([]string{"duequeue"}). //nolint:staticcheck // the new form needs Grafana 12
													Description("Delayed queues that Go and Java share. What the panels show is explained in METRICS.md, what to do in OPERATIONS.md.").
													Refresh("30s").Time("now-3h", "now").Editable().
													WithVariable(dashboard.NewDatasourceVariableBuilder("datasource").Label("Prometheus").Type("prometheus")).
													WithVariable(dashboard.NewQueryVariableBuilder("queue").Label("queue").Datasource(datasource).
														Query(dashboard.StringOrMap{String: ptr("label_values(messaging_redisson_queue_delayed, messaging_destination_name)")}).
														Refresh(dashboard.VariableRefreshOnTimeRangeChanged).Multi(true).IncludeAll(true).AllValue(".*"))
	for _, r := range rows {
		b.WithRow(dashboard.NewRowBuilder(r.title))
		for _, p := range r.panels {
			draw := timeseries.NewPanelBuilder().Title(p.title).Description(p.help).Unit(p.unit).
				Datasource(datasource).Height(8).Span(8).
				Legend(common.NewVizLegendOptionsBuilder().DisplayMode(common.LegendDisplayModeList).Placement(common.LegendPlacementBottom).ShowLegend(true))
			for _, q := range p.queries {
				draw.WithTarget(prometheus.NewDataqueryBuilder().Expr(q.expr).LegendFormat(q.legend))
			}
			b.WithPanel(draw)
		}
	}
	built, err := b.Build()
	if err != nil {
		return nil, err
	}
	text, err := json.MarshalIndent(built, "", "  ")
	return append(text, '\n'), err
}

func ptr[T any](v T) *T { return &v }
