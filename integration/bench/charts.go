package main

import (
	"slices"

	"github.com/duequeue/duequeue/integration/bench/plot"
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
