package main

import (
	"strings"

	"github.com/duequeue/duequeue/framework/integration/bench/plot"
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
	spread   []spreadCost
	callers  *callers
	thousand []crowded
	mixed    *mixed
	fleets   []curveFound
}

// file is RESULTS-scale.md.
func (r *scaleReport) file() resultFile {
	return resultFile{
		name: "RESULTS-scale.md", title: "Very many, measured", intro: introduction,
		chapters: []chapter{
			{heading: "Callers", parts: []string{"callers"}, goals: r.callers.goals, write: func(w *strings.Builder, p plan) {
				r.callers.write(w, p)
				picture(w, "offers a second over callers", callersPlot)
			}, charts: func() map[string]plot.Chart { return map[string]plot.Chart{callersPlot: r.callers.chart()} }},
			{heading: "A queue over a cluster", parts: []string{"partitions"}, goals: func() []goal { return spreadGoals(r.spread) }, write: func(w *strings.Builder, p plan) {
				writeSpread(w, r.spread, p)
				picture(w, "shares of the nodes over partitions", spreadPlot)
			}, charts: func() map[string]plot.Chart { return map[string]plot.Chart{spreadPlot: spreadChart(r.spread)} }},
			{heading: "A thousand queues in a process", parts: []string{"thousand"}, goals: func() []goal { return thousandGoals(r.thousand) }, write: func(w *strings.Builder, p plan) {
				writeThousand(w, r.thousand, p)
			}},
			{heading: "A mixed soak", parts: []string{"mixed"}, goals: r.mixed.goals, write: r.mixed.write},
			{heading: "Fleets", parts: []string{"fleets10", "fleets50"}, write: func(w *strings.Builder, p plan) {
				writeCurve(w, r.fleets, p)
				picture(w, "requests a second over processes", fleetRequestsPlot)
				picture(w, "CPU of Redis over processes", fleetCPUPlot)
			}, charts: func() map[string]plot.Chart {
				return map[string]plot.Chart{fleetRequestsPlot: fleetRequestsChart(r.fleets), fleetCPUPlot: fleetCPUChart(r.fleets)}
			}},
		},
	}
}

func picture(w *strings.Builder, what, file string) {
	w.WriteString("![" + what + "](" + file + ".svg)\n\n")
}
