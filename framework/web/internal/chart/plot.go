package chart

import (
	"encoding/json"
	"math"
)

// Plot is a chart as numbers, which the script of the pages draws anew where there is one.
type Plot struct {
	Name string `json:"name"`
	Unit string `json:"unit"` // one of those below
	// At are moments in milliseconds since 1970, rising; Values are those of these moments.
	At     []int64   `json:"at"`
	Values []float64 `json:"values"`
	// Step is not 0 where a value is that of a while, which begins at its moment: a bar.
	Step int64 `json:"step,omitempty"` // milliseconds
}

// Units of values.
const (
	Messages  = "messages"
	Seconds   = "seconds"
	PerSecond = "messages/s"
)

// Add adds a value, of which three digits behind the point are kept.
func (p *Plot) Add(at int64, value float64) {
	p.At = append(p.At, at)
	p.Values = append(p.Values, math.Round(value*1000)/1000)
}

// Top is the highest value, 0 without any.
func (p *Plot) Top() (top float64) {
	for _, v := range p.Values {
		top = max(top, v)
	}
	return top
}

// Data is the plot for the script, as JSON.
func (p *Plot) Data() string {
	b, err := json.Marshal(p)
	if err != nil { // finite numbers and texts never fail
		return ""
	}
	return string(b)
}
