package redisson

import (
	"fmt"
	"math"
	"strconv"

	"github.com/duequeue/duequeue/framework/internal/script"
)

// reader takes the items of a script's reply one by one. The first item that has
// another type than expected is kept as the error, and all later ones are zero.
type reader struct {
	script string
	items  []any
	next   int
	err    error
}

// ReplyError reports a script reply of an unexpected shape: another version of
// this project, or something between it and Redis that changes replies.
type ReplyError struct {
	Script string // name of the script
	Reason string // what was unexpected
}

// Error names the script and the reason.
func (e *ReplyError) Error() string {
	return fmt.Sprintf("redis: %s: unexpected reply: %s", e.Script, e.Reason)
}

func newReader(s *script.Script, value any) *reader {
	r := &reader{script: s.Name()}
	items, ok := value.([]any)
	if !ok {
		r.err = r.unexpected(fmt.Sprintf("%T instead of an array", value))
	}
	r.items = items
	return r
}

func (r *reader) unexpected(reason string) error {
	return &ReplyError{Script: r.script, Reason: reason}
}

func (r *reader) item() any {
	if r.err != nil {
		return nil
	}
	if r.next >= len(r.items) {
		r.err = r.unexpected(fmt.Sprintf("only %d items", len(r.items)))
		return nil
	}
	r.next++
	return r.items[r.next-1]
}

func (r *reader) text() string {
	item := r.item()
	s, ok := item.(string)
	if !ok && r.err == nil {
		r.err = r.unexpected(fmt.Sprintf("item %d is %T, not text", r.next, item))
	}
	return s
}

// integer reads a number or its decimal text.
func (r *reader) integer() int64 {
	item := r.item()
	switch v := item.(type) {
	case int64:
		return v
	case string:
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil && r.err == nil {
			r.err = r.unexpected(fmt.Sprintf("item %d is %q, not a number", r.next, v))
		}
		return n
	default:
		if r.err == nil {
			r.err = r.unexpected(fmt.Sprintf("item %d is %T, not a number", r.next, item))
		}
		return 0
	}
}

// micros reads the two parts of TIME.
func (r *reader) micros() int64 {
	seconds := r.integer()
	return seconds*1_000_000 + r.integer()
}

// score reads the score of a head as the first whole ms at which it is due; -1
// where there is no head, or one that is never due.
func (r *reader) score() int64 {
	text := r.text()
	if text == "" || r.err != nil {
		return -1
	}
	return scoreMs(text)
}

// scoreMs turns the text of a score into the first whole ms at which it is due,
// 0 for negative ones and -1 for what is at or beyond 2^53 or no number.
func scoreMs(text string) int64 {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return -1
	}
	return dueOf(f)
}

// dueOf does the same for a score.
func dueOf(score float64) int64 {
	switch {
	case math.IsNaN(score) || score >= float64(MaxDueMs):
		return -1
	case score < 0:
		return 0
	default:
		return int64(math.Ceil(score))
	}
}
