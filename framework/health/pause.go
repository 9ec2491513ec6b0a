package health

import (
	"fmt"
	"strings"
	"time"
)

// Pause says why, by whom and since when a queue is paused in this process.
type Pause struct {
	Reason string    `json:"reason"`
	By     string    `json:"by,omitempty"`
	At     time.Time `json:"at,omitzero"`
	// Until is when it ends by itself, by the clock of Redis; nil for never.
	Until *time.Time `json:"until,omitempty"`
	// Fleet is set if it is a pause of all Go processes, by "duequeue pause" or
	// admin.Pause. Java's consumers go on.
	Fleet bool `json:"fleet,omitempty"`
}

// String returns it as one line.
func (p Pause) String() string {
	var b strings.Builder
	b.WriteString("paused")
	if p.Fleet {
		b.WriteString(" in all Go processes")
	}
	if p.By != "" {
		b.WriteString(" by " + p.By)
	}
	if !p.At.IsZero() { // somebody wrote it by hand
		b.WriteString(" since " + p.At.UTC().Format(time.RFC3339))
	}
	if p.Until != nil {
		b.WriteString(" until " + p.Until.UTC().Format(time.RFC3339))
	}
	return b.String() + ": " + p.Reason
}

// Limit says how operators bound each process of a queue, by "duequeue limit" or
// admin.SetLimit. It bounds within what the process was declared with.
type Limit struct {
	Rate    float64   `json:"rate,omitempty"`    // messages a second of each process; 0: as declared
	Workers int       `json:"workers,omitempty"` // of each process; 0: as declared
	Reason  string    `json:"reason,omitempty"`
	By      string    `json:"by,omitempty"`
	At      time.Time `json:"at,omitzero"`
}

// String returns it as one line.
func (l Limit) String() string {
	var bounds []string
	switch {
	case l.Workers == 1:
		bounds = append(bounds, "1 worker")
	case l.Workers > 0:
		bounds = append(bounds, fmt.Sprintf("%d workers", l.Workers))
	}
	if l.Rate > 0 {
		bounds = append(bounds, fmt.Sprintf("%v messages a second", l.Rate))
	}
	text := "each Go process has at most " + strings.Join(bounds, " and ")
	if l.By != "" {
		text += ", by " + l.By
	}
	if l.Reason != "" {
		text += ": " + l.Reason
	}
	return text
}
