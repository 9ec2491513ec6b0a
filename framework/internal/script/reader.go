package script

import (
	"fmt"
	"strconv"
	"strings"
)

// Reader takes the items of a script's reply one by one. The first item that has
// another type than expected is kept as the error, and all later ones are zero.
type Reader struct {
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

// NewReader returns a reader of a reply, which must be an array.
func NewReader(s *Script, value any) *Reader {
	r := &Reader{script: s.Name()}
	items, ok := value.([]any)
	if !ok {
		r.err = r.Unexpected(fmt.Sprintf("%T instead of an array", value))
	}
	r.items = items
	return r
}

// Unexpected returns a [*ReplyError] of the script.
func (r *Reader) Unexpected(reason string) error {
	return &ReplyError{Script: r.script, Reason: reason}
}

// Err returns the first error, a [*ReplyError], or nil.
func (r *Reader) Err() error { return r.err }

// Len returns how many items the reply has.
func (r *Reader) Len() int { return len(r.items) }

// More reports whether items are left and none was wrong.
func (r *Reader) More() bool { return r.err == nil && r.next < len(r.items) }

// item returns the next item.
func (r *Reader) item() any {
	if r.err != nil {
		return nil
	}
	if r.next >= len(r.items) {
		r.err = r.Unexpected(fmt.Sprintf("only %d items", len(r.items)))
		return nil
	}
	r.next++
	return r.items[r.next-1]
}

// Text reads a string.
func (r *Reader) Text() string {
	item := r.item()
	s, ok := item.(string)
	if !ok && r.err == nil {
		r.err = r.Unexpected(fmt.Sprintf("item %d is %T, not text", r.next, item))
	}
	return s
}

// Integer reads a number or its decimal text.
func (r *Reader) Integer() int64 {
	item := r.item()
	switch v := item.(type) {
	case int64:
		return v
	case string:
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil && r.err == nil {
			r.err = r.Unexpected(fmt.Sprintf("item %d is %q, not a number", r.next, v))
		}
		return n
	default:
		if r.err == nil {
			r.err = r.Unexpected(fmt.Sprintf("item %d is %T, not a number", r.next, item))
		}
		return 0
	}
}

// Integers reads a text of decimal numbers with a space between two; an empty text has none.
func (r *Reader) Integers() []int64 {
	text := r.Text()
	if text == "" {
		return nil
	}
	out := make([]int64, 0, 1+strings.Count(text, " "))
	for word := range strings.SplitSeq(text, " ") {
		n, err := strconv.ParseInt(word, 10, 64)
		if err != nil && r.err == nil {
			r.err = r.Unexpected(fmt.Sprintf("item %d has %q, not a number", r.next, word))
		}
		out = append(out, n)
	}
	return out
}

// Micros reads the two parts of TIME.
func (r *Reader) Micros() int64 {
	seconds := r.Integer()
	return seconds*1_000_000 + r.Integer()
}

// Array reads an array, whose items the returned reader takes.
func (r *Reader) Array() *Reader {
	item := r.item()
	list, ok := item.([]any)
	if !ok && r.err == nil {
		r.err = r.Unexpected(fmt.Sprintf("item %d is %T, not an array", r.next, item))
	}
	return &Reader{script: r.script, items: list, err: r.err}
}

// Flag is how scripts are told yes, "1", or no.
func Flag(yes bool) string {
	if yes {
		return "1"
	}
	return "0"
}
