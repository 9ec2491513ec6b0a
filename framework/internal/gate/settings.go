package gate

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// Defaults of Settings.
const (
	DefaultFailures      = 4 // three bad messages stop nothing
	DefaultOpenFor       = 300 * time.Millisecond
	DefaultMaxOpenFor    = 45 * time.Second // a good message beside many bad ones is no later
	DefaultProbeDeadline = 70 * time.Second // handler timeout 1 min and 10 s of grace
	DefaultUndecodable   = 10
)

// Settings says when the gate stops the intake and when it tries again.
// The zero value means the defaults. It is a plain value, safe to copy.
type Settings struct {
	// Disabled switches the breaker off: nothing
	// trips. The decode guard stays; switch that off by Undecodable -1.
	Disabled bool
	// Failures is the number of different messages that trips the breaker when they fail
	// one after another. Defaults to 4.
	Failures int
	// OpenFor is how long the intake stays stopped after a trip. It doubles with
	// each failed probe, up to MaxOpenFor, and is jittered by up to a
	// fifth so that processes do not probe in step. Also the first wait of the
	// decode guard. At least 1 ms. Defaults to 300 ms, so
	// that a good message behind ten bad ones is reached within a minute.
	OpenFor time.Duration
	// MaxOpenFor bounds the doubling. Defaults to 45 s, or to OpenFor where
	// that is longer.
	MaxOpenFor time.Duration
	// ProbeDeadline bounds a started probe: one that has not reported by then
	// counts as failed, so that a hung probe cannot wedge the breaker. Give it
	// handler timeout + grace. Defaults to 70 s.
	ProbeDeadline time.Duration
	// Undecodable is the number of undecodable payloads in a row that stops the
	// intake. -1 switches the decode guard off. Defaults to 10.
	Undecodable int
	// Rate is how many permits there are a second; 0 is no limit. Burst is how
	// many may be saved up, and so the most at once; at least 1 where Rate is set.
	Rate  float64
	Burst int
}

// Validate reports every value that makes no sense, joined; nil when all do.
func (s Settings) Validate() error {
	var errs []error
	bad := func(name string, v any, want string) {
		errs = append(errs, fmt.Errorf("breaker %s is %v: %s", name, v, want))
	}
	if s.Failures < 0 {
		bad("failures", s.Failures, "give 1 or more, or disable the breaker")
	}
	if s.OpenFor != 0 && s.OpenFor < time.Millisecond {
		bad("open-for", s.OpenFor, "give at least 1ms")
	}
	if s.MaxOpenFor < 0 || s.MaxOpenFor != 0 && s.MaxOpenFor < s.OpenFor {
		bad("max-open-for", s.MaxOpenFor, "give at least open-for")
	}
	if s.ProbeDeadline < 0 {
		bad("probe-deadline", s.ProbeDeadline, "give handler timeout and grace")
	}
	if s.Undecodable < -1 {
		bad("undecodable", s.Undecodable, "give 1 or more, or -1 for off")
	}
	if math.IsNaN(s.Rate) || math.IsInf(s.Rate, 0) || s.Rate < 0 {
		bad("rate", s.Rate, "give messages per second, or 0 for no limit")
	}
	if s.Burst < 0 || s.Rate > 0 && s.Burst == 0 {
		bad("burst", s.Burst, "give 1 or more")
	}
	return errors.Join(errs...)
}

// withDefaults fills what is zero (or senseless, see Validate).
func (s Settings) withDefaults() Settings {
	if s.Failures <= 0 {
		s.Failures = DefaultFailures
	}
	if s.OpenFor < time.Millisecond {
		s.OpenFor = DefaultOpenFor
	}
	if s.MaxOpenFor <= 0 {
		s.MaxOpenFor = DefaultMaxOpenFor
	}
	s.MaxOpenFor = max(s.MaxOpenFor, s.OpenFor)
	if s.ProbeDeadline <= 0 {
		s.ProbeDeadline = DefaultProbeDeadline
	}
	if s.Undecodable == 0 {
		s.Undecodable = DefaultUndecodable
	}
	if math.IsNaN(s.Rate) || math.IsInf(s.Rate, 0) || s.Rate < 0 {
		s.Rate = 0
	}
	if s.Rate > 0 {
		s.Burst = max(s.Burst, 1)
	}
	return s
}
