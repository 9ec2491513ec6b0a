package redisson

import (
	"context"
	"iter"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

var (
	pageScript        = embedded("page", "types", "rank")
	pollPendingScript = embedded("pollpending", "clock", "types", "element", "digest", "records", "trace")
	clearScript       = embedded("clear", "types")
)

// Bounds of one page of a walk, and of one poll.
const (
	pageItems      = 500
	pageBytes      = 1 << 20
	pollBytes      = 4 << 20
	MaxPollPending = 100
)

// WalkPending reads all pending messages in the order in which they fall due, page by
// page: what stays pending meanwhile is met exactly once, whatever is added, moved by
// others or taken out. It ends after the first error, which comes with a zero message.
// Each page costs Redis O(log n) and its elements.
func WalkPending(ctx context.Context, rdb redis.Scripter, k Keys, emptyOK bool) iter.Seq2[PendingMessage, error] {
	return func(yield func(PendingMessage, error) bool) {
		score, element := "", ""
		for {
			page, err := elements(pageScript)(pageScript.Run(ctx, rdb, []string{k.Timeout}, score, element, pageItems, pageBytes))
			if err != nil {
				yield(PendingMessage{}, err)
				return
			}
			for _, e := range page {
				if !yield(e.message(emptyOK), nil) {
					return
				}
				score, element = e.score, e.element
			}
			if len(page) == 0 {
				return
			}
		}
	}
}

// pendingElement is an element with its score as Redis spells it.
type pendingElement struct{ score, element string }

// elements reads a reply of scores and elements in turn.
func elements(s *Script) func(value any, err error) ([]pendingElement, error) {
	return func(value any, err error) ([]pendingElement, error) {
		if err != nil {
			return nil, err
		}
		r := newReader(s, value)
		out := make([]pendingElement, len(r.items)/2)
		for i := range out {
			out[i] = pendingElement{r.text(), r.text()}
		}
		return out, r.err
	}
}

func (e pendingElement) message(emptyOK bool) PendingMessage {
	m := PendingMessage{Element: []byte(e.element)}
	m.Score, _ = strconv.ParseFloat(e.score, 64) // Redis wrote it
	m.DueMs = dueOf(m.Score)
	m.ID, m.Payload, m.Err = Parse(m.Element, emptyOK)
	m.Text = FormatID(m.DueMs, m.ID)
	return m
}

// PollPending takes up to n messages, at most [MaxPollPending], out of the pending
// ones, those first that fall due first; elements that fit no layout stay. They may be
// fewer where they have more than 4 MiB together. Where the view is exact it takes
// several scripts, so that none holds Redis for long.
//
// Each script is sent once, since what a lost reply carried is gone: the error is then a
// [*ChangeUnknownError]. What was taken before comes with every error.
func PollPending(ctx context.Context, rdb redis.Scripter, k Keys, n int, view View, emptyOK bool) ([]PendingMessage, error) {
	n = min(n, MaxPollPending)
	pace := Pace{limit: MaxPollPending}
	if view.exact() != "" {
		pace.limit = 1
	}
	var out []PendingMessage
	for bytes := 0; len(out) < n && bytes < pollBytes; {
		limit, began := min(pace.Limit(), n-len(out)), time.Now()
		found, err := pollSome(ctx, rdb, k, limit, pollBytes-bytes, view)
		for _, e := range found {
			out = append(out, e.message(emptyOK))
			bytes += len(e.element)
		}
		if err != nil || len(found) == 0 {
			return out, err
		}
		pace.Observe(TransferResult{Moved: len(found), Elapsed: time.Since(began)})
	}
	return out, nil
}

func pollSome(ctx context.Context, rdb redis.Scripter, k Keys, n, maxBytes int, view View) ([]pendingElement, error) {
	value, tries, unknown, err := resend(ctx, rdb, k.Queue, 1, func(bool) Call {
		return Call{
			Script: pollPendingScript, Keys: []string{k.Timeout, k.Pending, k.Trace},
			Args: []any{n, view.exact(), maxBytes},
		}
	})
	if unknown {
		return nil, &ChangeUnknownError{Op: "poll", Tries: tries, Err: err}
	}
	return elements(pollPendingScript)(value, err)
}

// ClearPending forgets all pending messages, whoever offered them, and returns how many
// there were: where a reply was lost and it was sent again, how many the repeat found.
// O(1) for Redis, which frees the memory beside its work. Errors:
// [*ChangeUnknownError], those of [Script.Run].
func ClearPending(ctx context.Context, rdb redis.Scripter, k Keys) (int64, error) {
	value, tries, unknown, err := resend(ctx, rdb, k.Queue, 0, func(bool) Call {
		return Call{Script: clearScript, Keys: []string{k.Timeout, k.Pending, k.Trace}}
	})
	if err != nil && unknown {
		err = &ChangeUnknownError{Op: "clear", Tries: tries, Err: err}
	}
	n, _ := value.(int64)
	return n, err
}
