package registry

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/duequeue/duequeue/handlers"
)

// Schedule says how long a message waits after a failed attempt. attempt counts
// from 1; rnd is a random number in [0, 1), by which the delays of messages that
// failed together are spread. Delay must depend on nothing else and must not be
// negative; [Define] tries it. It is called by several goroutines at once.
type Schedule interface {
	Delay(attempt int, rnd float64) time.Duration
}

// ScheduleFunc lets a function be a [Schedule].
type ScheduleFunc func(attempt int, rnd float64) time.Duration

// Delay calls f.
func (f ScheduleFunc) Delay(attempt int, rnd float64) time.Duration { return f(attempt, rnd) }

// String says that it is a function.
func (f ScheduleFunc) String() string { return "ScheduleFunc" }

// Exponential doubles with equal jitter: the delay is random between a half of base and
// base after the first attempt, between base and 2 × base after the second, and so on up
// to between a half of limit and limit. A half is fixed, so that a number of attempts
// takes a least time; a half is random, so that what failed together does not come back
// together. Both must be positive and limit not below base, otherwise [Define] reports
// it. Its String is the [Retries] of [DefaultMaxAttempts].
func Exponential(base, limit time.Duration) Schedule { return exponential{base, limit} }

type exponential struct{ base, limit time.Duration }

func (e exponential) Delay(attempt int, rnd float64) time.Duration {
	ceiling := e.ceiling(attempt)
	return ceiling - ceiling/2 + time.Duration(rnd*float64(ceiling/2))
}

// ceiling doubles up to the limit, and does not overflow.
func (e exponential) ceiling(attempt int) time.Duration {
	if shift := max(attempt, 1) - 1; shift < 62 && e.base <= e.limit>>shift {
		return e.base << shift
	}
	return e.limit
}

func (e exponential) name() string { return fmt.Sprintf("Exponential(%v, %v)", e.base, e.limit) }

func (e exponential) String() string {
	if e.fault() != "" {
		return e.name()
	}
	return e.name() + "\n" + Retries(e, DefaultMaxAttempts)
}

func (e exponential) fault() string {
	switch {
	case e.base <= 0:
		return "the base must be positive"
	case e.limit < e.base:
		return "the limit must not be below the base"
	case e.limit > handlers.MaxRetryDelay:
		return tooLong
	}
	return ""
}

// tooLong is the fault of schedules that wait longer than a message may.
var tooLong = fmt.Sprintf("no message waits longer than %v for its retry (handlers.MaxRetryDelay)", handlers.MaxRetryDelay)

// Steps waits the given delays in turn, then repeats the last one, without jitter. At least
// one is needed and none may be negative, otherwise [Define] reports it.
func Steps(delays ...time.Duration) Schedule {
	return steps(append([]time.Duration(nil), delays...))
}

type steps []time.Duration

func (s steps) Delay(attempt int, _ float64) time.Duration {
	if len(s) == 0 {
		return 0
	}
	return s[min(max(attempt, 1), len(s))-1]
}

func (s steps) String() string {
	texts := make([]string, len(s))
	for i, d := range s {
		texts[i] = d.String()
	}
	return "Steps(" + strings.Join(texts, ", ") + ")"
}

func (s steps) fault() string {
	if len(s) == 0 {
		return "no step given"
	}
	return faultIf(slices.Max(s) > handlers.MaxRetryDelay, tooLong)
}

// scheduleText names s for messages, in one line.
func scheduleText(s Schedule) string {
	if named, ok := s.(interface{ name() string }); ok {
		return named.name()
	}
	if text, ok := s.(fmt.Stringer); ok {
		return text.String()
	}
	return fmt.Sprintf("%T", s)
}

// scheduleFault tries s and says what is wrong with it, or "".
func scheduleFault(s Schedule) (reason string) {
	if f, ok := s.(interface{ fault() string }); ok {
		if fault := f.fault(); fault != "" {
			return fault
		}
	}
	attempt := 0
	defer func() {
		if p := recover(); p != nil {
			reason = fmt.Sprintf("it panics for attempt %d: %v", attempt, p)
		}
	}()
	for _, attempt = range []int{1, 2, 3, 5, 10, 100, Unlimited} {
		for _, rnd := range []float64{0, 0.5, 0.999_999} {
			if d := s.Delay(attempt, rnd); d < 0 {
				return fmt.Sprintf("it gives the negative delay %v for attempt %d", d, attempt)
			}
		}
	}
	return ""
}
