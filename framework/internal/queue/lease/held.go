package lease

import (
	"context"
	"slices"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Bounds of [Held]: what lies beyond is not counted.
const (
	heldSessions = 1000
	heldFetches  = 1000
)

// Held is what one session of a Go process holds.
type Held struct {
	Session    string
	DeadlineMs int64 // end of its lease by the clock of Redis
	Messages   int64 // in flight, or staged by a blocking move
}

// Ended reports whether the lease was over at the given time of Redis: the process died,
// was cut off, or stopped.
func (h Held) Ended(nowMs int64) bool { return h.DeadlineMs <= nowMs }

// HeldBy returns what the sessions of a queue hold, those whose lease ends first in front.
// It takes three round trips, and Redis reads what is in flight: about 1 ms for each MiB
// of bodies, one fetch at a time. At most 1,000 sessions and 1,000 fetches are looked at.
func HeldBy(ctx context.Context, rdb redisapi.Client, k wire.Keys) ([]Held, error) {
	sessions, err := rdb.ZRangeWithScores(ctx, k.Sessions, 0, heldSessions-1).Result()
	if err != nil || len(sessions) == 0 {
		return nil, rediserr.Classify("ZRANGE", err)
	}
	held := make([]Held, len(sessions))
	names := make([]string, len(sessions))
	staged := make([]*redis.IntCmd, len(sessions))
	pipe := rdb.Pipeline()
	for i, s := range sessions {
		names[i], _ = s.Member.(string)
		held[i] = Held{Session: names[i], DeadlineMs: int64(s.Score)}
		staged[i] = pipe.LLen(ctx, k.Stage(names[i]))
	}
	lists, err := inflightLists(ctx, pipe, k, names)
	if err != nil {
		return nil, err
	}
	var calls []script.Call
	var owner []int
	for i := range held {
		held[i].Messages = staged[i].Val()
		for _, list := range lists[i] {
			if len(calls) < heldFetches {
				calls = append(calls, script.Call{Script: heldScript, Keys: []string{list}})
				owner = append(owner, i)
			}
		}
	}
	for at, reply := range script.RunAll(ctx, rdb, calls) {
		if reply.Err != nil {
			return nil, reply.Err
		}
		n, ok := reply.Value.(int64)
		if !ok {
			return nil, replyError(heldScript, "%v", reply.Value)
		}
		held[owner[at]].Messages += n
	}
	return held, nil
}

// StagedSince returns since when, at the latest, a message waits that a session left in its
// stage whose lease has ended, in ms; -1 where there is none. Of sessions that live it tells
// nothing: they take what lies there. The 16 sessions are looked at that ended first.
func StagedSince(ctx context.Context, rdb redisapi.Client, k wire.Keys, nowMs int64) (int64, error) {
	ended, err := rdb.ZRangeArgsWithScores(ctx, redis.ZRangeArgs{Key: k.Sessions, Start: 0, Stop: 15}).Result()
	if err != nil {
		return -1, rediserr.Classify("ZRANGE", err)
	}
	pipe := rdb.Pipeline()
	var staged []*redis.IntCmd
	for _, s := range ended {
		if name, _ := s.Member.(string); int64(s.Score) <= nowMs {
			staged = append(staged, pipe.LLen(ctx, k.Stage(name)))
		}
	}
	if len(staged) == 0 {
		return -1, nil
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return -1, rediserr.Classify("LLEN", err)
	}
	for i, n := range staged {
		if n.Val() > 0 {
			return int64(ended[i].Score), nil
		}
	}
	return -1, nil
}

// Fetch is an open fetch of a session: messages that a process took together.
type Fetch struct {
	Session    string
	DeadlineMs int64 // end of its lease
	list       string
	staged     bool // what a blocking move brought, which is no fetch yet
}

// Name tells fetches apart.
func (f Fetch) Name() string { return f.list }

// Staged reports whether it is no fetch yet: its messages have no ID.
func (f Fetch) Staged() bool { return f.staged }

// Fetches returns the open fetches of the queue, of at most 1,000 sessions, those first whose
// lease ends first.
func Fetches(ctx context.Context, rdb redisapi.Client, k wire.Keys) ([]Fetch, error) {
	sessions, err := rdb.ZRangeWithScores(ctx, k.Sessions, 0, heldSessions-1).Result()
	if err != nil || len(sessions) == 0 {
		return nil, rediserr.Classify("ZRANGE", err)
	}
	names := make([]string, len(sessions))
	for i, s := range sessions {
		names[i], _ = s.Member.(string)
	}
	lists, err := inflightLists(ctx, rdb.Pipeline(), k, names)
	if err != nil {
		return nil, err
	}
	var out []Fetch
	for i, s := range sessions {
		for _, list := range lists[i] {
			out = append(out, Fetch{Session: names[i], DeadlineMs: int64(s.Score), list: list})
		}
		out = append(out, Fetch{Session: names[i], DeadlineMs: int64(s.Score), list: k.Stage(names[i]), staged: true})
	}
	return out, nil
}

// InFlight is a message that a process has in hand.
type InFlight struct {
	Message
	Bytes     int   // of the whole body
	TakenMs   int64 // -1 where it was staged
	Cancelled bool  // it is not retried, see [Find]
}

// Element returns the id of the element that the message was.
func (m *Message) Element() wire.ElementID { return m.element }

// Messages reads the messages of a fetch that are not settled, and at most so many bytes of each
// body. It sends what is read, which is one take at most, and Redis reads the bodies one at a time.
// Counters, keys and first due times are not among it.
func (f Fetch) Messages(ctx context.Context, rdb redis.Scripter, most int) ([]InFlight, error) {
	value, err := fetchScript.Run(ctx, rdb, []string{f.list}, script.Flag(f.staged), most)
	if err != nil {
		return nil, err
	}
	r := script.NewReader(fetchScript, value)
	header := r.Text()
	taken, dues, cancelled := headerOf(header)
	var out []InFlight
	for r.More() {
		index, bytes := int(r.Integer()), int(r.Integer())
		m := InFlight{Message: Message{Body: []byte(r.Text()), DueMs: -1, FirstDueMs: -1}, Bytes: bytes, TakenMs: -1}
		if !f.staged {
			m.TakenMs, m.Cancelled = taken, slices.Contains(cancelled, index)
			m.Token = Token{f.list[len(f.list)-nonceDigits:], index}
			m.mint(taken)
			if at := (index - 1) * wire.DueRecordBytes; at+wire.DueRecordBytes <= len(dues) {
				m.setDue(dues[at:])
			}
		}
		out = append(out, m)
	}
	return out, r.Err()
}

// headerOf reads the header of a list in flight, see lua/fragments/header.lua.
func headerOf(header string) (takenMs int64, dues string, cancelled []int) {
	const slots, taken, count, end = 17, 21, 37, 41 // where the parts begin
	if len(header) < end {
		return -1, "", nil
	}
	at := end + atoi(header[slots:taken])*wire.DueRecordBytes
	last := at + 4*atoi(header[count:end])
	if at < end || last < at || last > len(header) {
		return int64(atoi(header[taken:count])), "", nil
	}
	for i := at; i < last; i += 4 {
		cancelled = append(cancelled, atoi(header[i:i+4]))
	}
	return int64(atoi(header[taken:count])), header[end:at], cancelled
}
