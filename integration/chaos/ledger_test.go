package chaos

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// What the ledger notes about a message. Java writes the same, see Ledger.java.
const (
	noteOffering = 'o' // is about to be offered; the rest is the delay in ms
	noteAccepted = 'a' // the offer succeeded; the rest is the due time in ms, or nothing
	noteUnknown  = 'u' // the offer may or may not have succeeded; the rest is the error
	noteRefused  = 'r' // the offer failed and added nothing; the rest is the error
	noteStarted  = 's' // a handler began; the rest is how many processes died with the message before
	noteFinished = 'f' // a handler succeeded
	noteFailed   = 'x' // a handler failed
	noteClock    = 'c' // no message: the rest is what time the process has, in ms
)

// ledger is a stream in a Redis of its own, which no fault touches. All times of a row are
// those of this Redis.
type ledger struct {
	rdb  *redis.Client
	key  string
	proc string // who writes
}

// openLedger connects; addr is host:port.
func openLedger(addr, key, proc string) *ledger {
	return &ledger{key: key, proc: proc, rdb: redis.NewClient(&redis.Options{
		Addr: addr, DisableIdentity: true, ReadTimeout: 30 * time.Second,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	})}
}

func (l *ledger) close() { _ = l.rdb.Close() } // fails only when closed already

// entry is one line of the ledger.
type entry struct {
	at   int64 // ms
	kind byte
	id   string
	proc string
	rest string
}

// note writes one entry and returns when it stands.
func (l *ledger) note(ctx context.Context, kind byte, id, rest string) error {
	return l.noteAll(ctx, kind, []string{id}, []string{rest})
}

// noteAll writes several entries of one kind.
func (l *ledger) noteAll(ctx context.Context, kind byte, ids, rests []string) error {
	if len(ids) == 0 {
		return nil
	}
	_, err := l.rdb.Pipelined(ctx, func(p redis.Pipeliner) error {
		for i, id := range ids {
			text := fmt.Sprintf("%c %s %s %s", kind, id, l.proc, rests[i])
			p.XAdd(ctx, &redis.XAddArgs{Stream: l.key, Values: []any{"e", text}})
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	return nil
}

// read returns what was written after the entry named after, at most a page of it,
// and the name of the last one read.
func (l *ledger) read(ctx context.Context, after string) ([]entry, string, error) {
	const page = 5000
	got, err := l.rdb.XRangeN(ctx, l.key, "("+after, "+", page).Result()
	if err != nil {
		return nil, after, fmt.Errorf("ledger: %w", err)
	}
	out := make([]entry, 0, len(got))
	for _, m := range got {
		text, _ := m.Values["e"].(string)
		e, err := parseEntry(m.ID, text)
		if err != nil {
			return nil, after, err
		}
		out, after = append(out, e), m.ID
	}
	return out, after, nil
}

func parseEntry(id, text string) (entry, error) {
	ms, _, _ := strings.Cut(id, "-")
	at, err := strconv.ParseInt(ms, 10, 64)
	parts := strings.SplitN(text, " ", 4)
	if err != nil || len(parts) != 4 || len(parts[0]) != 1 {
		return entry{}, fmt.Errorf("ledger: strange entry %s %q", id, text)
	}
	return entry{at: at, kind: parts[0][0], id: parts[1], proc: parts[2], rest: parts[3]}, nil
}

// number is how the ledger shows one.
func number[T ~int | ~int64](n T) string { return strconv.FormatInt(int64(n), 10) }

// millis is how the ledger shows a duration.
func millis(d time.Duration) string { return number(d.Milliseconds()) }
