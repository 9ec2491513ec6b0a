package gate

import (
	"log/slog"

	"github.com/duequeue/duequeue/framework/internal/errtext"
)

// maxError bounds the error in a line of the log, in bytes.
const maxError = 1 << 10

// Log tells operators of the change; resumedBy is who ended a pause of all processes, where
// that is known.
func (c Change) Log(log *slog.Logger, resumedBy string) {
	var args []any
	if c.Reason != ReasonNone {
		args = append(args, "reason", string(c.Reason))
	}
	if !c.Until.IsZero() {
		args = append(args, "until", c.Until)
	}
	switch {
	case c.Detail == "":
	case c.Reason == ReasonUndecodable:
		args = append(args, "payloads", c.Detail)
	default:
		args = append(args, "why", c.Detail)
	}
	if c.Err != nil {
		args = append(args, "err", errtext.Of(c.Err, maxError))
	}
	if p := c.Paused; p != nil {
		if c.Reason != ReasonPaused { // it has ended
			args = append(args, "pause_reason", p.Reason)
			if p.Fleet && resumedBy != "" {
				args = append(args, "resumed_by", resumedBy)
			}
		}
		args = append(args, "by", p.By, "all_processes", p.Fleet)
	}
	switch c.To {
	case Open:
		log.Warn("stopped taking messages from this queue", args...)
	case HalfOpen:
		log.Info("probing: taking a few messages to see whether the cause is gone", args...)
	case Closed:
		log.Info("taking messages again", args...)
	}
}
