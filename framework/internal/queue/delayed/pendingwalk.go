package delayed

import (
	"cmp"
	"context"
	"iter"
	"math"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

var (
	pageScript        = library.Script("page")
	pollPendingScript = library.Script("pollpending")
	clearScript       = library.Script("clear")
	clearedScript     = library.Script("clearrecords")
)

// Bounds of one page of a walk, and of one poll.
const (
	pageItems      = 500
	pageBytes      = 1 << 20
	pollBytes      = 4 << 20
	MaxPollPending = 100
)

// WalkPending reads up to limit pending messages from offset on in the order in which they fall
// due, page by page: what stays pending meanwhile is met exactly once, whatever is added, moved by
// others or taken out. emptyOK is that of [wire.Parse]. It ends after the first error, which comes
// with a zero message, typed as by [rediserr.Classify]. Each page costs Redis O(log n) and its
// elements.
func WalkPending(
	ctx context.Context, rdb redis.Scripter, k wire.Keys, offset, limit int64, emptyOK bool,
) iter.Seq2[PendingMessage, error] {
	return func(yield func(PendingMessage, error) bool) {
		score, element, keys := "", "", []string{k.Timeout, k.Attempts}
		for limit > 0 && offset >= 0 && offset <= math.MaxUint32 { // more than a sorted set can hold in any memory
			most := min(limit, pageItems)
			page, err := paged(pageScript.Run(ctx, rdb, keys, score, element, most, pageBytes, offset, Whole))
			if err != nil {
				yield(PendingMessage{}, err)
				return
			}
			for _, e := range page {
				if !yield(e.message(k, emptyOK), nil) {
					return
				}
				score, element = e.score, e.element
			}
			if len(page) == 0 {
				return
			}
			limit -= int64(len(page))
		}
	}
}

// WalkPendingBeginnings is [WalkPending] for at most so many bytes of each element, at least 128.
func WalkPendingBeginnings(ctx context.Context, rdb redis.Scripter, k wire.Keys, most int) iter.Seq2[PendingMessage, error] {
	return func(yield func(PendingMessage, error) bool) {
		for place := (PendingPlace{}); ; {
			page, next, err := PagePendingFrom(ctx, rdb, k, place, pageItems, most, true)
			if err != nil {
				yield(PendingMessage{}, err)
				return
			}
			for _, m := range page {
				if !yield(m, nil) {
					return
				}
			}
			if len(page) == 0 {
				return
			}
			place = next
		}
	}
}

// PendingPlace is how far a walk over the pending messages has come; the zero value is the
// beginning.
type PendingPlace struct {
	Score   string // as Redis spells it
	Element string // the beginning of the element that was met last
}

// placeBytes is how much of an element tells it from others: its id stands within.
const placeBytes = 64

func (e pendingElement) place() PendingPlace {
	return PendingPlace{e.score, e.element[:min(len(e.element), placeBytes)]}
}

// Place is that of a message that a walk has met.
func (m PendingMessage) Place() PendingPlace {
	return PendingPlace{m.score, string(m.Element[:min(len(m.Element), placeBytes)])}
}

// Whole is no bound of what is read of one message.
const Whole = 1 << 30 // Redis has none that is longer

// PagePendingFrom reads up to limit messages, 500 and about 1 MiB at most, behind a place, and
// returns the next place. There are none at the end. What stays pending meanwhile is met
// exactly once on a way from page to page. Of an element that has more than most bytes, at least
// 128, only the beginning is read.
func PagePendingFrom(
	ctx context.Context, rdb redis.Scripter, k wire.Keys, from PendingPlace, limit int64, most int, emptyOK bool,
) (page []PendingMessage, next PendingPlace, err error) {
	score, element := from.Score, from.Element
	for {
		found, err := paged(pageScript.Run(ctx, rdb, []string{k.Timeout, k.Attempts}, score, element, min(limit, pageItems)+1, pageBytes, 0, most))
		if err != nil || len(found) == 0 {
			return nil, from, err
		}
		for _, e := range found {
			if e.place() != from { // that one is met again, since of its element only the beginning is known
				page, next = append(page, e.message(k, emptyOK)), e.place()
			}
		}
		if len(page) > 0 {
			return page, next, nil
		}
		if element == found[0].element {
			return nil, from, nil
		}
		score, element = found[0].score, found[0].element // a large one, behind which the page was full
	}
}

// pendingElement is an element with its score as Redis spells it, and the ID of its
// message, "" where no record knows it.
type pendingElement struct {
	score, element, own string
	bytes               int // of the whole element
}

// paged reads the reply of a page.
func paged(value any, err error) ([]pendingElement, error) {
	if err != nil {
		return nil, err
	}
	r := script.NewReader(pageScript, value)
	out := make([]pendingElement, r.Len()/4)
	for i := range out {
		out[i] = pendingElement{r.Text(), r.Text(), r.Text(), int(r.Integer())}
	}
	return out, r.Err()
}

// elements reads a reply of these in turn.
func elements(s *script.Script) func(value any, err error) ([]pendingElement, error) {
	return func(value any, err error) ([]pendingElement, error) {
		if err != nil {
			return nil, err
		}
		r := script.NewReader(s, value)
		out := make([]pendingElement, r.Len()/3)
		for i := range out {
			out[i] = pendingElement{score: r.Text(), element: r.Text(), own: r.Text()}
			out[i].bytes = len(out[i].element)
		}
		return out, r.Err()
	}
}

func (e pendingElement) message(k wire.Keys, emptyOK bool) PendingMessage {
	m := PendingMessage{Element: []byte(e.element), score: e.score}
	m.Score, _ = strconv.ParseFloat(e.score, 64) // Redis wrote it
	m.DueMs = wire.DueMs(m.Score)
	m.ID, m.Payload, m.Err = wire.ParseBeginning(m.Element, e.bytes, emptyOK)
	m.Bytes, m.ElementBytes = e.bytes-len(m.Element)+len(m.Payload), e.bytes
	if m.Text = e.own; m.Text == "" {
		m.Text = wire.FormatID(m.DueMs, m.ID)
	}
	m.Text = wire.InPartition(k.Partition, m.Text)
	return m
}

// PollPending takes up to limit messages, at most [MaxPollPending], out of the pending
// ones, those first that fall due first; elements that fit no layout stay. They may be
// fewer where they have more than 4 MiB together. With a view it takes
// several scripts, so that none holds Redis for long.
//
// Each script is sent once, since what a lost reply carried is gone: the error is then a
// [*fault.ChangeUnknownError]. What was taken before comes with every error.
func PollPending(ctx context.Context, rdb redis.Scripter, k wire.Keys, limit int64, noView bool, emptyOK bool) ([]PendingMessage, error) {
	n := int(min(limit, MaxPollPending))
	first := MaxPollPending
	if !noView {
		first = 1
	}
	pace := script.NewPace(1, first, MaxPollPending)
	var out []PendingMessage
	for bytes := 0; len(out) < n && bytes < pollBytes; {
		limit, began := min(pace.Limit(), n-len(out)), time.Now()
		found, err := pollSome(ctx, rdb, k, limit, pollBytes-bytes, noView)
		for _, e := range found {
			out = append(out, e.message(k, emptyOK))
			bytes += len(e.element)
		}
		if err != nil || len(found) == 0 {
			return out, err
		}
		pace.Observe(script.Round{Done: len(found), Limited: len(found), Elapsed: time.Since(began)})
	}
	return out, nil
}

func pollSome(ctx context.Context, rdb redis.Scripter, k wire.Keys, n, maxBytes int, noView bool) ([]pendingElement, error) {
	value, tries, unknown, err := resend(ctx, rdb, k.Queue, 1, func(bool) script.Call {
		return script.Call{
			Script: pollPendingScript, Keys: []string{k.Timeout, k.Pending, k.Trace, k.Attempts, k.MessageNames, k.IDs},
			Args: []any{n, script.Flag(!noView), maxBytes},
		}
	})
	if unknown {
		return nil, &fault.ChangeUnknownError{Op: "poll", Tries: tries, Err: err}
	}
	return elements(pollPendingScript)(value, err)
}

// ClearPending forgets all pending messages, whoever offered them, and returns how many
// there were: where a reply was lost and it was sent again, how many the repeat found.
// O(1) for Redis, which frees the memory beside its work; then what is known of single
// messages goes, in steps of some hundred. Errors: [*fault.ChangeUnknownError], those of
// [script.Script.Run].
func ClearPending(ctx context.Context, rdb redis.Scripter, k wire.Keys) (int64, error) {
	value, tries, unknown, err := resend(ctx, rdb, k.Queue, 0, func(bool) script.Call {
		return script.Call{
			Script: clearScript, Keys: []string{k.Timeout, k.Pending, k.Trace, k.Attempts, k.Cleared}, Args: []any{clearedLife.Milliseconds()},
		}
	})
	if err != nil {
		if unknown {
			err = &fault.ChangeUnknownError{Op: "clear", Tries: tries, Err: err}
		}
		return 0, err
	}
	r := script.NewReader(clearScript, value)
	n, left := r.Integer(), r.Integer() == 1
	if r.Err() == nil && left {
		dropCleared(ctx, rdb, k)
	}
	return n, r.Err()
}

// clearedLife is how long a clear may take to drop records.
const clearedLife = 10 * time.Minute

// clearedStep is how many records a script looks at.
const clearedStep = 200

// dropCleared drops the records of what was cleared. What it leaves, since Redis does not
// answer, ends by itself.
func dropCleared(ctx context.Context, rdb redis.Scripter, k wire.Keys) {
	for cursor := ""; cursor != "0"; {
		value, _, _, err := resend(ctx, rdb, k.Queue, 0, func(bool) script.Call {
			return script.Call{
				Script: clearedScript, Keys: []string{k.Cleared, k.Attempts, k.MessageNames, k.IDs}, Args: []any{cmp.Or(cursor, "0"), clearedStep},
			}
		})
		next, ok := value.(string)
		if err != nil || !ok {
			return
		}
		cursor = next
	}
}
