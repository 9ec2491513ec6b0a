package control

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/script"
)

// Fields of the hash. The scripts know them, too; fields beside these are left alone,
// such as that in which package delayed notes the number of partitions.
const (
	fieldReason      = "pause_reason"
	fieldBy          = "pause_by"
	fieldAt          = "pause_at"
	fieldUntil       = "pause_until"
	fieldRate        = "rate"
	fieldWorkers     = "workers"
	fieldLimitReason = "limit_reason"
	fieldLimitBy     = "limit_by"
	fieldLimitAt     = "limit_at"
	fieldResumedBy   = "resumed_by"
	fieldResumedAt   = "resumed_at"
)

// part is what is understood, or not, as a whole.
type part uint8

const (
	partPause part = iota
	partRate
	partWorkers
	parts
)

// reading is what one look has brought. A part that cannot be understood has its error.
type reading struct {
	Settings

	nowMs int64 // by the clock of Redis
	bad   [parts]*fault.ControlError
}

// readingOf reads the reply of a script.
func readingOf(sc *script.Script, key string, value any) (reading, error) {
	in := script.NewReader(sc, value)
	var r reading
	r.nowMs, r.Version = in.Integer(), in.Text()
	p := &Pause{Reason: in.Text(), By: in.Text()}
	at, until := in.Text(), in.Text()
	rate, workers := in.Text(), in.Text()
	r.Limit.Reason, r.Limit.By = shown(in.Text(), maxReason), shown(in.Text(), maxAuthor)
	limitAt := in.Text()
	r.ResumedBy = shown(in.Text(), maxAuthor)
	resumedAt := in.Text()
	r.Aside = asideOf(in.Text())
	r.OutboxWritten, r.OutboxRelayed = noted(in.Text()), noted(in.Text())
	if in.Err() != nil {
		return reading{}, in.Err()
	}
	f := fields{key: key}
	p.At, p.Until = f.time(fieldAt, at), f.time(fieldUntil, until)
	if p.Reason == "" && until != "" && f.err == nil {
		f.wrong(fieldReason, "", "a pause needs a reason")
	}
	over := !p.Until.IsZero() && p.Until.UnixMilli() <= r.nowMs // who may only read has not removed it
	if p.Reason != "" && !over {
		p.Reason, p.By = shown(p.Reason, maxReason), shown(p.By, maxAuthor)
		r.Pause = p
	}
	r.bad[partPause] = f.take("pause or resume the queue anew, with duequeue")
	r.Limit.Rate = f.rate(rate)
	r.bad[partRate] = f.take("set it anew with duequeue limit")
	r.Limit.Workers = f.workers(workers)
	r.bad[partWorkers] = f.take("set it anew with duequeue limit")
	r.Limit.At, r.ResumedAt = f.time(fieldLimitAt, limitAt), f.time(fieldResumedAt, resumedAt) // for people alone
	return r, nil
}

// noted reads a note, for people alone: what is none is never.
func noted(text string) time.Time {
	if ms, err := strconv.ParseInt(text, 10, 64); err == nil && ms > 0 {
		return time.UnixMilli(ms)
	}
	return time.Time{}
}

// asideOf reads what the script claim of package move notes: ms, number of messages and queue.
func asideOf(text string) *Aside {
	at, rest, _ := strings.Cut(text, " ")
	messages, to, ok := strings.Cut(rest, " ")
	ms, err := strconv.ParseInt(at, 10, 64)
	n, wrong := strconv.ParseInt(messages, 10, 64)
	if !ok || err != nil || wrong != nil {
		return nil
	}
	return &Aside{At: time.UnixMilli(ms), Messages: n, To: to}
}

// fields reads the texts of fields, and keeps the first mistake. "" is a field that is not
// there.
type fields struct {
	key string
	err *fault.ControlError
}

func (f *fields) wrong(field, value, reason string) {
	if f.err == nil {
		f.err = &fault.ControlError{Key: f.key, Field: field, Value: value, Reason: reason}
	}
}

// take returns the mistake, with what to do, and forgets it.
func (f *fields) take(advice string) (err *fault.ControlError) {
	if err, f.err = f.err, nil; err != nil {
		err.Reason += "; " + advice
	}
	return err
}

func (f *fields) time(field, text string) time.Time {
	if text == "" {
		return time.Time{}
	}
	ms, err := strconv.ParseInt(text, 10, 64)
	if err != nil || ms < 0 || ms > maxMs {
		f.wrong(field, text, "no time in ms since 1970")
		return time.Time{}
	}
	return time.UnixMilli(ms)
}

func (f *fields) rate(text string) float64 {
	if text == "" {
		return 0
	}
	rate, err := strconv.ParseFloat(text, 64)
	if err == nil {
		if wrong := rateProblem(rate); wrong == "" {
			return rate
		}
	}
	f.wrong(fieldRate, text, rateWanted)
	return 0
}

func (f *fields) workers(text string) int {
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > MaxWorkers {
		f.wrong(fieldWorkers, text, fmt.Sprintf("must be a whole number from 1 to %d", MaxWorkers))
		return 0
	}
	return n
}

// rateWanted says what a rate can be.
var rateWanted = fmt.Sprintf("must be messages a second for each process, from %v to %v", minRate, maxRate)

func rateProblem(rate float64) string {
	if math.IsNaN(rate) || rate < minRate || rate > maxRate {
		return rateWanted
	}
	return ""
}

// shown is a text for people that somebody else may have written.
func shown(text string, most int) string { return codecs.Printable(text, most) }
