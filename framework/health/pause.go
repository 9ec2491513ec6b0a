package health

import (
	"fmt"
	"time"
)

// Pause says why, by whom and since when a queue is paused in this process.
type Pause struct {
	Reason string    `json:"reason"`
	By     string    `json:"by,omitempty"`
	At     time.Time `json:"at"`
}

// String returns it as one line.
func (p Pause) String() string {
	by := ""
	if p.By != "" {
		by = " by " + p.By
	}
	return fmt.Sprintf("paused%s since %s: %s", by, p.At.UTC().Format(time.RFC3339), p.Reason)
}
