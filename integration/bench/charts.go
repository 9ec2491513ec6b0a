package main

import (
	"fmt"
	"slices"

	"github.com/duequeue/duequeue/framework/integration/bench/plot"
)

// point is the median of a figure with its spread.
func (s series) point(x float64, name string) plot.Point {
	return plot.Point{X: x, Y: s.median(name), Low: slices.Min(s[name]), High: slices.Max(s[name])}
}

// chart draws the cost against the number of pending messages.
func (r *pendings) chart() plot.Chart {
	c := plot.Chart{
		Title: "Transfer among pending messages in random order",
		Note:  "median and spread of the rounds; payloads of 200 bytes",
		X:     "messages pending", Y: "µs of Redis per message",
	}
	for _, t := range transferrers() {
		line := plot.Line{Name: t.who, Dashed: t.who == jar}
		for _, size := range r.sizes {
			line.Points = append(line.Points, r.micros.point(float64(size), pendingName(t.who, size)))
		}
		c.Lines = append(c.Lines, line)
	}
	return c
}

// chart draws the cost against the number of processes.
func (r *crowds) chart() plot.Chart {
	c := plot.Chart{
		Title: "Processes on one queue",
		Note:  "whole Redis process; median and spread of the rounds; messages fall due in the order of their offers",
		X:     "processes", Y: "µs of Redis per message", PlainX: true,
	}
	for _, steady := range []bool{false, true} {
		for _, side := range crowdSides() {
			line := plot.Line{Name: side.who + ", rush", Dashed: steady}
			if steady {
				line.Name = side.who + ", 1,000/s"
			}
			side.steady = steady
			for _, n := range crowdSizes {
				side.processes = n
				line.Points = append(line.Points, r.redis.point(float64(n), side.name()))
			}
			c.Lines = append(c.Lines, line)
		}
	}
	return c
}

// chart draws offers a second against the number of callers.
func (r *callers) chart() plot.Chart {
	c := plot.Chart{
		Title: "Offers by many callers of one client",
		Note:  "each caller offers one message after the other; median and spread of the rounds",
		X:     "callers", Y: "offers per second",
	}
	for _, who := range []string{together, jarTogether} {
		line := plot.Line{Name: "duequeue", Dashed: who == jarTogether}
		if line.Dashed {
			line.Name = "Redisson, threads"
		}
		for _, count := range callerCounts {
			line.Points = append(line.Points, r.rates.point(float64(count.n), callersName(who, count.n)))
		}
		c.Lines = append(c.Lines, line)
	}
	return c
}

// spreadChart draws the nodes' shares of commands against the number of partitions.
func spreadChart(costs []spreadCost) plot.Chart {
	c := plot.Chart{
		Title: "A queue of partitions over three nodes",
		Note:  "share of Redis's commands; medians of the rounds; 33 % would be even",
		X:     "partitions", Y: "share of the node, %", PlainX: true, PlainY: true,
	}
	for _, backlog := range []bool{true, false} {
		for node, name := range []string{"busiest node", "second node", "third node"} {
			line := plot.Line{Name: name + ", backlog", Dashed: !backlog}
			if !backlog {
				line.Name = name + ", one by one"
			}
			for i := range costs {
				if costs[i].backlog == backlog {
					line.Points = append(line.Points, plot.Point{X: float64(costs[i].partitions), Y: 100 * middle(costs[i].commands)[node]})
				}
			}
			c.Lines = append(c.Lines, line)
		}
	}
	return c
}

// fleetChart draws fleets of several numbers of queues, each idle and busy.
func fleetChart(all []curveFound, c plot.Chart, figure func(curveLoad) float64, formula func(curvePoint) float64) plot.Chart {
	var sizes []int
	for _, f := range all {
		sizes = append(sizes, f.queues)
	}
	slices.Sort(sizes)
	for _, queues := range slices.Compact(sizes) {
		lines := []plot.Line{
			{Name: fmt.Sprintf("%d queues, busy", queues)},
			{Name: fmt.Sprintf("%d queues, idle", queues)},
			{Name: fmt.Sprintf("%d queues, formula", queues), Dashed: true},
		}
		for _, f := range all {
			if f.queues != queues {
				continue
			}
			figures := []float64{figure(f.busy), figure(f.idle)}
			if formula != nil {
				figures = append(figures, formula(f.curvePoint))
			}
			for i, y := range figures {
				lines[i].Points = append(lines[i].Points, plot.Point{X: float64(f.processes), Y: y})
			}
		}
		if formula == nil {
			lines = lines[:2]
		}
		c.Lines = append(c.Lines, lines...)
	}
	return c
}

func fleetRequestsChart(all []curveFound) plot.Chart {
	return fleetChart(all, plot.Chart{
		Title: "Requests of a fleet",
		Note:  fmt.Sprintf("all processes serve the same queues; idle, and with %d messages a second in all", curveRate),
		X:     "processes", Y: "requests per second",
	}, curveLoad.all, curvePoint.formula)
}

func fleetCPUChart(all []curveFound) plot.Chart {
	return fleetChart(all, plot.Chart{
		Title: "Redis's work for a fleet",
		Note:  fmt.Sprintf("all processes serve the same queues; idle, and with %d messages a second in all", curveRate),
		X:     "processes", Y: "% of one core",
	}, func(l curveLoad) float64 { return 100 * l.cpu }, nil)
}
