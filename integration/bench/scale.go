package main

import (
	"strings"

	"github.com/duequeue/duequeue/integration/bench/plot"
)

// Files of the plots, beside the results; their data have the same names and end in csv.
const (
	callersPlot       = "plots/callers"
	spreadPlot        = "plots/partitions"
	fleetRequestsPlot = "plots/fleet-requests"
	fleetCPUPlot      = "plots/fleet-cpu"
)

// scaleReport is everything that RESULTS-scale.md tells.
type scaleReport struct {
	head
	spread   []spreadCost
	callers  *callers
	thousand []crowded
	mixed    *mixed
	fleets   []curveFound
}

func (r *scaleReport) markdown() string {
	var w strings.Builder
	r.writeHead(&w, "Very many, measured")
	writeGoals(&w, r.goals())
	if r.callers != nil {
		r.callers.write(&w, r.plan)
		picture(&w, "offers a second over callers", callersPlot)
	}
	if r.spread != nil {
		writeSpread(&w, r.spread, r.plan)
		picture(&w, "shares of the nodes over partitions", spreadPlot)
	}
	if r.thousand != nil {
		writeThousand(&w, r.thousand, r.plan)
	}
	if r.mixed != nil {
		r.mixed.write(&w, r.plan)
	}
	if r.fleets != nil {
		writeCurve(&w, r.fleets, r.plan)
		picture(&w, "requests a second over processes", fleetRequestsPlot)
		picture(&w, "CPU of Redis over processes", fleetCPUPlot)
	}
	return w.String()
}

func picture(w *strings.Builder, what, file string) {
	w.WriteString("![" + what + "](" + file + ".svg)\n\n")
}

// plots draws the pictures and their data, by file name.
func (r *scaleReport) plots() (map[string][]byte, error) {
	charts := map[string]plot.Chart{}
	if r.callers != nil {
		charts[callersPlot] = r.callers.chart()
	}
	if r.spread != nil {
		charts[spreadPlot] = spreadChart(r.spread)
	}
	if r.fleets != nil {
		charts[fleetRequestsPlot] = fleetRequestsChart(r.fleets)
		charts[fleetCPUPlot] = fleetCPUChart(r.fleets)
	}
	return drawn(charts)
}

// goals judges what was measured; parts that did not run have none.
func (r *scaleReport) goals() []goal {
	var all []goal
	if r.callers != nil {
		all = append(all, r.callers.goals()...)
	}
	if r.spread != nil {
		all = append(all, spreadGoals(r.spread)...)
	}
	if r.thousand != nil {
		all = append(all, thousandGoals(r.thousand)...)
	}
	if r.mixed != nil {
		all = append(all, r.mixed.goals()...)
	}
	return all
}
