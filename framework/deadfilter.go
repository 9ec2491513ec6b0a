package framework

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/duequeue/duequeue/framework/internal/queue/partitions"
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
	// Choose, if set, chooses by all of an entry. Group is what String calls that, such as the
	// group of package admin that it stands for.
	Choose func(DeadMessage) bool
	Group  string
	// Class is the name of a Java class, which most codecs write into the payload; for Kryo
	// its end suffices. The payload is searched for it, not decoded.
	Class string
}

// String describes the filter for people and for the audit: "all", or for example "reason
// exhausted, class com.demo.Order, since 2026-01-31T08:00:00Z".
func (f DeadFilter) String() string {
	var words []string
	say := func(is bool, format string, args ...any) {
		if is {
			words = append(words, fmt.Sprintf(format, args...))
		}
	}
	say(len(f.Reasons) > 0, "reason %s", strings.Join(f.Reasons, " or "))
	say(f.Text != "", "text %q", f.Text)
	say(f.Class != "", "class %s", f.Class)
	say(f.Digest != "", "digest %s", f.Digest)
	say(!f.Since.IsZero(), "since %s", f.Since.UTC().Format(time.RFC3339))
	say(!f.Until.IsZero(), "until %s", f.Until.UTC().Format(time.RFC3339))
	say(f.After != "", "after entry %s", f.After)
	say(f.MinFailed > 0, "failed at least %d times", f.MinFailed)
	say(f.MaxFailed > 0, "failed at most %d times", f.MaxFailed)
	say(f.MinRedriven > 0, "redriven at least %d times", f.MinRedriven)
	say(f.Payload != nil, "by payload")
	say(f.Choose != nil, "group %s", f.Group)
	if len(words) == 0 {
		return "all"
	}
	return strings.Join(words, ", ")
}

// Matches reports whether the filter chooses an entry.
func (f DeadFilter) Matches(m DeadMessage) bool {
	entry := partitions.ParseEntry(m.Entry)
	switch {
	case f.After != "" && !partitions.ParseEntry(f.After).Less(entry),
		!f.Since.IsZero() && entry.Ms < f.Since.UnixMilli(),
		!f.Until.IsZero() && entry.Ms >= f.Until.UnixMilli(),
		len(f.Reasons) > 0 && !slices.Contains(f.Reasons, m.Reason),
		f.Digest != "" && f.Digest != m.Digest,
		m.Failed < f.MinFailed, f.MaxFailed > 0 && m.Failed > f.MaxFailed,
		m.Redriven < f.MinRedriven,
		f.Text != "" && !strings.Contains(strings.ToLower(m.Detail), strings.ToLower(f.Text)),
		f.Class != "" && !holdsName(m.Body, f.Class),
		f.Payload != nil && !f.Payload(m.Body),
		f.Choose != nil && !f.Choose(m):
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
	return v.each(ctx, f, false)
}

// Newest is [DeadView.All] in the reverse order, the newest entry first.
func (v DeadView) Newest(ctx context.Context, f DeadFilter) iter.Seq2[DeadMessage, error] {
	return v.each(ctx, f, true)
}

func (v DeadView) each(ctx context.Context, f DeadFilter, newest bool) iter.Seq2[DeadMessage, error] {
	return func(yield func(DeadMessage, error) bool) {
		w, err := v.walk(ctx, f, newest)
		for err == nil {
			var page []DeadMessage
			if page, err = nextDead(ctx, w, partitions.MaxDeadPage); err == nil && len(page) == 0 {
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

// walk begins one that ends where the stores end now: what dies meanwhile is for another
// one.
func (v DeadView) walk(ctx context.Context, f DeadFilter, newest bool) (*partitions.DeadWalk, error) {
	if v.err != nil {
		return nil, v.err
	}
	b := partitions.DeadBounds{After: f.After, Stop: true, Newest: newest}
	if !f.Since.IsZero() {
		b.Since = max(f.Since.UnixMilli(), 0)
	}
	if !f.Until.IsZero() {
		b.Until = max(f.Until.UnixMilli(), 1)
	}
	return partitions.WalkDead(ctx, v.client.rdb, v.target.of.keys, b)
}
