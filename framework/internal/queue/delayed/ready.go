package delayed

import (
	"context"
	"errors"
	"iter"
	"math"
	"slices"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

var (
	removeReadyScript = library.Script("removeready")
	clearReadyScript  = library.Script("clearready")
	readyPageScript   = library.Script("readypage")
)

// MaxRemoveReady is the longest ready list that is searched for a payload: more would
// hold Redis for longer than 10 ms.
const MaxRemoveReady = 100_000

// Beginning is that of a payload of so many bytes.
type Beginning struct {
	Text  string
	Bytes int
}

// WalkBeginnings reads up to limit payloads of the ready list from offset on, at most so many bytes
// of each, in pages of about 1 MiB and one payload. What others take off the head meanwhile moves
// the rest, so that some may be passed over. It changes nothing. It ends after the first error,
// typed as by [rediserr.Classify].
func WalkBeginnings(ctx context.Context, rdb redis.Scripter, k wire.Keys, offset, limit int64, most int) iter.Seq2[Beginning, error] {
	return func(yield func(Beginning, error) bool) {
		for limit > 0 && offset >= 0 {
			page, err := readyPage(ctx, rdb, k, offset, limit, most)
			if err != nil {
				yield(Beginning{}, err)
				return
			}
			for _, r := range page {
				if !yield(Beginning{r.body, r.bytes}, nil) {
					return
				}
			}
			if len(page) == 0 {
				return
			}
			offset, limit = offset+int64(len(page)), limit-int64(len(page))
		}
	}
}

// readyEntry is a payload of the ready list, and what stands beside it in the due list.
type readyEntry struct {
	body, due string
	bytes     int // of the whole body
}

// readyPage reads a page of at most limit payloads, see lua/readypage.lua.
func readyPage(ctx context.Context, rdb redis.Scripter, k wire.Keys, first, limit int64, most int) ([]readyEntry, error) {
	const longest = 1 << 32 // of a list of Redis
	if first < -longest || first > longest {
		return nil, nil
	}
	value, err := readyPageScript.Run(ctx, rdb, []string{k.Queue, k.Due}, first, min(limit, pageItems), pageBytes, most)
	if err != nil {
		return nil, err
	}
	r := script.NewReader(readyPageScript, value)
	page := make([]readyEntry, r.Len()/3)
	for i := range page {
		page[i] = readyEntry{body: r.Text(), bytes: int(r.Integer()), due: r.Text()}
	}
	return page, r.Err()
}

// ReadyMessage is a payload of the ready list, with what its due record tells.
type ReadyMessage struct {
	Body  string
	Bytes int            // of the whole payload
	ID    wire.MessageID // by its due record; a message that failed before has another one in its record
	DueMs int64          // -1 where unknown
}

// PageReady reads up to limit messages of the ready list before the last ones, which are
// passed over: what others take off the head meanwhile moves none of them. They are in the
// order of the list, and fewer where they have more than about 1 MiB and one message together.
// Where Java transferred a message, only its payload is known; so it is where the payload has more
// than most bytes, of which Body is the beginning.
func PageReady(ctx context.Context, rdb redis.Scripter, k wire.Keys, last, limit int64, most int) ([]ReadyMessage, error) {
	found, err := readyPage(ctx, rdb, k, -(last + 1), limit, most)
	if err != nil {
		return nil, err
	}
	slices.Reverse(found)
	page := make([]ReadyMessage, len(found))
	for i, e := range found {
		body := e.body
		page[i] = ReadyMessage{Body: body, Bytes: e.bytes, DueMs: -1}
		r, ok := wire.ParseDueRecord(e.due)
		if !ok || string(r.Entry([]byte(body))) != e.due {
			continue
		}
		if r.ID.Kind != wire.KindMinted { // whose time is that of its first take
			page[i].DueMs = r.DueMs
		}
		switch r.ID.Kind {
		case wire.KindOther:
			continue
		case wire.KindJava:
		default:
			r.ID.Kind = wire.KindFirst
		}
		page[i].ID = k.ID(r.DueMs, r.ID)
	}
	return page, nil
}

// NextPage returns how many entries the page after one of size entries asks for: as many as fit
// into mostBytes, if they are as large as the read ones, which had so many bytes together; no
// more than twice as many, and at most most.
func NextPage(size, read int64, bytes int, mostBytes, most int64) int64 {
	return min(max(mostBytes*read/int64(bytes+1), 1), 2*size, most)
}

// ClearReady forgets all ready messages and returns how many there were; where a reply was
// lost and it was sent again, how many the repeat found. Errors: [*fault.ChangeUnknownError],
// those of [script.Script.Run].
func ClearReady(ctx context.Context, rdb redis.Scripter, k wire.Keys) (int64, error) {
	value, tries, unknown, err := resend(ctx, rdb, k.Queue, 0, func(bool) script.Call {
		return script.Call{Script: clearReadyScript, Keys: []string{k.Queue}}
	})
	if unknown && err != nil {
		return 0, &fault.ChangeUnknownError{Op: "clear", Tries: tries, Err: err}
	}
	n, _ := value.(int64)
	return n, err
}

// PollReady takes up to n payloads off the head of the ready list. It is sent once,
// since what a lost reply carried is gone: the error is then a [*fault.ChangeUnknownError].
// rdb should have MaxRetries -1.
func PollReady(ctx context.Context, rdb redis.Cmdable, k wire.Keys, n int64) ([]string, error) {
	if n <= 0 {
		return nil, nil
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx) // nothing was sent
	}
	found, err := rdb.LPopCount(ctx, k.Queue, int(min(n, math.MaxInt32))).Result()
	switch {
	case errors.Is(err, redis.Nil):
		return nil, nil
	case rediserr.IsAmbiguous(err):
		return nil, &fault.ChangeUnknownError{Op: "poll", Tries: 1, Err: err}
	}
	return found, classifyOn("LPOP", k.Queue, "list", err)
}

// RemoveReady takes up to n payloads equal to payload out of the ready list, all for
// 0, and returns how many. Errors: [*fault.TooLongError]; [*fault.ChangeUnknownError].
func RemoveReady(ctx context.Context, rdb redis.Scripter, k wire.Keys, payload []byte, n int64) (int64, error) {
	value, tries, unknown, err := resend(ctx, rdb, k.Queue, 1, func(bool) script.Call {
		return script.Call{Script: removeReadyScript, Keys: []string{k.Queue}, Args: []any{payload, max(n, 0), MaxRemoveReady}}
	})
	if unknown {
		return 0, &fault.ChangeUnknownError{Op: "remove", Tries: tries, Err: err}
	}
	if long, ok := value.([]any); ok && len(long) == 1 {
		length, _ := long[0].(int64)
		return 0, &fault.TooLongError{Key: k.Queue, Length: length, Limit: MaxRemoveReady}
	}
	removed, _ := value.(int64)
	return removed, err
}

// classifyOn is [rediserr.Classify] for a command of one key, which Redis's own words about
// a wrong type do not name.
func classifyOn(name, key, want string, err error) error {
	err = rediserr.Classify(name, err)
	var wrong *fault.WrongTypeError
	if errors.As(err, &wrong) && wrong.Key == "" {
		wrong.Key, wrong.Want = key, want
	}
	return err
}
