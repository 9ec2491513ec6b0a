package framework

import (
	"bytes"
	"context"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/duequeue/duequeue/framework/internal/delayed"
)

// DeadFilter chooses entries of a dead store; the zero value chooses all. An entry must
// meet all that is set. Redis finds After, Since and Until by index; for the rest this
// process reads each entry.
type DeadFilter struct {
	// After leaves out this entry and older ones.
	After string
	// Since and Until bound when messages died, by the clock of Redis: at or after
	// Since, before Until. The zero time is no bound.
	Since, Until time.Time
	// Reasons are those wanted, such as handlers.ReasonExhausted; none means all.
	Reasons []string
	// Text is part of the detail; upper and lower case are the same.
	Text string
	// Digest is that of the payload, as logs and traces name it.
	Digest string
	// MinFailed and MaxFailed bound the failures; 0 is no bound.
	MinFailed, MaxFailed int
	// MinRedriven is how often a message was put back before, at least.
	MinRedriven int
	// Payload, if set, chooses by the bytes. This one chooses what looks like a codec:
	// func(b []byte) bool { return sniff.Like(b, "kryo5") }.
	Payload func(body []byte) bool
	// Class is the name of a Java class, which most codecs write into the payload; for Kryo
	// its end suffices. The payload is searched for it, not decoded.
	Class string
}

// Matches reports whether the filter chooses an entry.
func (f DeadFilter) Matches(m DeadMessage) bool {
	switch {
	case f.After != "" && !entryLess(f.After, m.Entry),
		!f.Since.IsZero() && entryMs(m.Entry) < f.Since.UnixMilli(),
		!f.Until.IsZero() && entryMs(m.Entry) >= f.Until.UnixMilli(),
		len(f.Reasons) > 0 && !slices.Contains(f.Reasons, m.Reason),
		f.Digest != "" && f.Digest != m.Digest,
		m.Failed < f.MinFailed, f.MaxFailed > 0 && m.Failed > f.MaxFailed,
		m.Redriven < f.MinRedriven,
		f.Text != "" && !strings.Contains(strings.ToLower(m.Detail), strings.ToLower(f.Text)),
		f.Class != "" && !holdsName(m.Body, f.Class),
		f.Payload != nil && !f.Payload(m.Body):
		return false
	}
	return true
}

// holdsName reports whether a name stands in a payload as text, or as Kryo writes names of
// ASCII letters: their last byte has its highest bit set.
func holdsName(body []byte, name string) bool {
	if bytes.Contains(body, []byte(name)) {
		return true
	}
	kryo := []byte(name)
	kryo[len(kryo)-1] |= 0x80
	return bytes.Contains(body, kryo)
}

// All yields the entries that the filter chooses, oldest first, up to the newest one at the
// time of the call. It changes nothing, and reads pages of 4 MiB at most. An error is the
// last thing it yields.
func (v DeadView) All(ctx context.Context, f DeadFilter) iter.Seq2[DeadMessage, error] {
	return func(yield func(DeadMessage, error) bool) {
		w, err := v.walk(ctx, f)
		for err == nil {
			var page []DeadMessage
			if page, err = w.next(ctx, maxDeadPage); err == nil && len(page) == 0 {
				return
			}
			for _, m := range page {
				if f.Matches(m) && !yield(m, nil) {
					return
				}
			}
		}
		yield(DeadMessage{}, err)
	}
}

// Pages of a walk: as many entries as fit into deadPageBytes, by the size of those
// before.
const (
	maxDeadPage   = 100
	firstDeadPage = 8
	deadPageBytes = 4 << 20
)

// deadWalk reads a dead store page by page.
type deadWalk struct {
	view     DeadView
	from, to string
	size     int64 // of the next page
}

// walk finds out where the walk ends: what dies meanwhile is for another one.
func (v DeadView) walk(ctx context.Context, f DeadFilter) (*deadWalk, error) {
	if v.err != nil {
		return nil, v.err
	}
	w := &deadWalk{view: v, from: "-", to: "+", size: firstDeadPage}
	if !f.Since.IsZero() {
		w.from = strconv.FormatInt(max(f.Since.UnixMilli(), 0), 10)
	}
	if f.After != "" && (f.Since.IsZero() || entryMs(f.After) >= f.Since.UnixMilli()) {
		w.from = "(" + f.After
	}
	if !f.Until.IsZero() {
		w.to = strconv.FormatInt(max(f.Until.UnixMilli()-1, 0), 10)
	}
	var err error
	w.to, err = w.last(ctx)
	return w, err
}

// last returns the newest entry up to w.to, "" where there is none.
func (w *deadWalk) last(ctx context.Context) (string, error) {
	found, err := w.view.client.rdb.XRevRangeN(ctx, w.view.target.Keys.Dead, w.to, "-", 1).Result()
	if err != nil || len(found) == 0 {
		return "", classifyRange(err)
	}
	return found[0].ID, nil
}

// next returns the following entries, at most limit; none at the end.
func (w *deadWalk) next(ctx context.Context, limit int64) ([]DeadMessage, error) {
	if w.to == "" {
		return nil, nil
	}
	page, err := w.view.read(ctx, w.from, w.to, min(w.size, limit))
	if err != nil || len(page) == 0 {
		return nil, err
	}
	w.from = "(" + page[len(page)-1].Entry
	bytes := 0
	for _, m := range page {
		bytes += len(m.Body)
	}
	w.size = delayed.NextPage(w.size, int64(len(page)), bytes, deadPageBytes, maxDeadPage)
	return page, nil
}

// entryParts reads the id of an entry: ms and number within it.
func entryParts(entry string) (ms, n int64) {
	first, second, _ := strings.Cut(entry, "-")
	ms, _ = strconv.ParseInt(first, 10, 64)
	n, _ = strconv.ParseInt(second, 10, 64)
	return ms, n
}

func entryMs(entry string) int64 {
	ms, _ := entryParts(entry)
	return ms
}

func entryLess(a, b string) bool {
	aMs, aN := entryParts(a)
	bMs, bN := entryParts(b)
	return aMs < bMs || aMs == bMs && aN < bN
}
