package plot

import (
	"fmt"
	"math"
	"slices"
)

// axes are both axes of a chart.
type axes struct{ x, y axis }

// axis maps figures to pixels.
type axis struct {
	from, to float64 // logarithms of the ends, or positions
	low, end float64 // pixels of the ends
	ticks    []float64
	minor    []float64
	places   map[float64]float64 // of an axis that spreads its figures evenly
	linear   bool
}

func (a axis) at(v float64) float64 {
	var position float64
	switch {
	case a.linear:
		position = v
	case a.places != nil:
		position = a.places[v]
	default:
		position = math.Log10(v)
	}
	return a.low + (position-a.from)/(a.to-a.from)*(a.end-a.low)
}

// axes finds the ends of both axes and where their numbers stand.
func (c Chart) axes() (axes, error) {
	var xs, ys []float64
	for _, l := range c.Lines {
		for _, p := range l.Points {
			xs = append(xs, p.X)
			ys = append(ys, p.Y)
			if p.Low > 0 {
				ys = append(ys, p.Low, p.High)
			}
		}
	}
	if len(xs) == 0 {
		return axes{}, ErrEmpty
	}
	if low := slices.Min(ys); low < 0 || low == 0 && !c.PlainY || !c.PlainX && slices.Min(xs) <= 0 {
		return axes{}, ErrNegative
	}
	slices.Sort(xs)
	xs = slices.Compact(xs)
	var y axis
	if c.PlainY {
		y = fromZero(slices.Max(ys))
	} else {
		y = decades(slices.Min(ys), slices.Max(ys))
	}
	y.low, y.end = bottom, top
	if c.PlainX {
		x := axis{from: -0.5, to: float64(len(xs)) - 0.5, low: left, end: right, ticks: xs, places: map[float64]float64{}}
		for i, v := range xs {
			x.places[v] = float64(i)
		}
		return axes{x, y}, nil
	}
	// The numbers of the x axis stand where something was measured.
	margin := max((math.Log10(xs[len(xs)-1])-math.Log10(xs[0]))*0.06, 0.1)
	x := axis{from: math.Log10(xs[0]) - margin, to: math.Log10(xs[len(xs)-1]) + margin, low: left, end: right, ticks: xs}
	return axes{x, y}, nil
}

// decades makes a logarithmic axis of whole powers of ten.
func decades(low, high float64) axis {
	a := axis{from: math.Floor(math.Log10(low)), to: math.Ceil(math.Log10(high))}
	if a.to == a.from {
		a.to++
	}
	for e := a.from; e <= a.to; e++ {
		a.ticks = append(a.ticks, math.Pow(10, e))
		for m := 2.0; m < 10 && e < a.to; m++ {
			a.minor = append(a.minor, m*math.Pow(10, e))
		}
	}
	return a
}

// fromZero makes a linear axis with four to ten steps of 1, 2 or 5 times a power of ten.
func fromZero(high float64) axis {
	high = max(high, math.SmallestNonzeroFloat32)
	step := math.Pow(10, math.Floor(math.Log10(high)))
	for _, smaller := range []float64{1, 2, 5} {
		if high/(step/smaller) >= 4 {
			step /= smaller
			break
		}
	}
	a := axis{to: math.Ceil(high/step) * step, linear: true}
	for i := 0.0; i*step <= a.to; i++ {
		a.ticks = append(a.ticks, i*step)
	}
	return a
}

// draw draws the grid, the frame and the numbers.
func (a axes) draw(d *drawing) {
	for _, v := range a.y.minor {
		d.printf(`<path d="M%d %.1fH%d" stroke="#f0f0f0"/>`+"\n", left, a.y.at(v), right)
	}
	for _, v := range a.y.ticks {
		d.printf(`<path d="M%d %.1fH%d" stroke="#ccc"/>`+"\n", left, a.y.at(v), right)
		d.text(left-10, a.y.at(v)+4.5, `text-anchor="end"`, short(v))
	}
	for _, v := range a.x.ticks {
		d.printf(`<path d="M%.1f %dV%d" stroke="#ccc"/>`+"\n", a.x.at(v), top, bottom)
		d.text(a.x.at(v), bottom+20, `text-anchor="middle"`, short(v))
	}
	d.printf("%s\n", fmt.Sprintf(`<rect x="%d" y="%d" width="%d" height="%d" fill="none" stroke="#888"/>`, left, top, right-left, bottom-top))
}
