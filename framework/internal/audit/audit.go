// Package audit keeps what people have done by tools: two bounded streams of the installation,
// [wire.AuditKey], and [wire.ShownKey] for what changes nothing. An entry is written before the action, and one more after it with what
// came of it: an entry without such a one is of an action that may have taken place.
package audit

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

//go:embed lua
var luaFiles embed.FS

var (
	library     = script.NewLibrary(luaFiles)
	writeScript = library.Script("write")
)

// Scripts returns the scripts of those who operate.
func Scripts() []*script.Script { return []*script.Script{writeScript} }

// Most is how many entries of each stream are kept, give or take a hundred: where there are more,
// the user who has the most loses the oldest, see [Write].
const Most = 10_000

// Bounds of texts, in bytes.
const (
	maxText   = 512
	maxTarget = 2048
)

// Entry is an action, or what came of one.
type Entry struct {
	ID     string // of the stream, with an "s" behind it in that of what was shown; its first part is the time of Redis in ms
	Shown  bool   // it changes nothing
	Who    string
	Role   string
	Via    string // by which tool
	Action string
	Queue  string // its name in Redis
	Target string // which messages, or what else
	Reason string

	// Of is the entry that this one tells the end of, with Result and Failed.
	Of     string
	Result string
	Failed bool
}

// At is when the entry was written, by the clock of Redis.
func (e Entry) At() time.Time { return AtOf(e.ID) }

// AtOf is when an entry was written.
func AtOf(id string) time.Time {
	first, _, _ := strings.Cut(id, "-")
	ms, err := strconv.ParseInt(first, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}

// Names of the fields.
const (
	fieldWho    = "who"
	fieldRole   = "role"
	fieldVia    = "via"
	fieldAction = "action"
	fieldQueue  = "queue"
	fieldTarget = "target"
	fieldReason = "reason"
	fieldOf     = "of"
	fieldResult = "result"
	fieldFailed = "failed"
)

// Write adds an entry and returns its id. Texts are made printable and bounded. Now and then it
// trims the stream.
func Write(ctx context.Context, rdb Redis, e Entry) (id string, err error) {
	args := []any{2 * Most}
	for _, f := range []struct {
		name, value string
		most        int
	}{
		{fieldWho, e.Who, maxText},
		{fieldRole, e.Role, maxText},
		{fieldVia, e.Via, maxText},
		{fieldAction, e.Action, maxText},
		{fieldQueue, e.Queue, maxText},
		{fieldTarget, e.Target, maxTarget},
		{fieldReason, e.Reason, maxText},
		{fieldOf, e.Of, maxText},
		{fieldResult, e.Result, maxTarget},
	} {
		if f.value != "" {
			args = append(args, f.name, codecs.Printable(f.value, f.most))
		}
	}
	if e.Failed {
		args = append(args, fieldFailed, "1")
	}
	key, mark := wire.AuditKey, ""
	if e.Shown {
		key, mark = wire.ShownKey, markShown
	}
	value, err := writeScript.Run(ctx, rdb, []string{key}, args...)
	if err != nil {
		return "", err
	}
	r := script.NewReader(writeScript, value)
	id, all := r.Text(), r.Integer()
	if r.Err() != nil {
		return "", r.Err()
	}
	if all > Most+trimSlack {
		_ = trim(ctx, rdb, key) // the entry is written
	}
	return id + mark, nil
}

// markShown stands behind the ids of entries of [wire.ShownKey].
const markShown = "s"

// Page returns up to most entries of both streams before one, newest first; "" begins at the newest.
func Page(ctx context.Context, rdb redis.Cmdable, before string, most int64) ([]Entry, error) {
	out, err := page(ctx, rdb, wire.AuditKey, "", before, most)
	if err != nil {
		return nil, err
	}
	shown, err := page(ctx, rdb, wire.ShownKey, markShown, before, most)
	if _, refused := errors.AsType[*fault.PermissionError](err); err != nil && !refused { // a user from before there was this stream
		return nil, err
	}
	out = append(out, shown...)
	slices.SortStableFunc(out, func(a, b Entry) int { return compareIDs(b.ID, a.ID) })
	return out[:min(int64(len(out)), most)], nil
}

// page returns up to most entries of one stream that are older than an entry of either; of two with
// one id that of [wire.AuditKey] is the newer.
func page(ctx context.Context, rdb redis.Cmdable, key, mark, before string, most int64) ([]Entry, error) {
	from := "+"
	if bare, shown := strings.CutSuffix(before, markShown); before != "" {
		if from = "(" + bare; mark == markShown && !shown {
			from = bare
		}
	}
	found, err := rdb.XRevRangeN(ctx, key, from, "-", most).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		return nil, rediserr.Classify("XREVRANGE", err)
	}
	out := make([]Entry, len(found))
	for i, m := range found {
		text := func(name string) string {
			s, _ := m.Values[name].(string)
			return codecs.Printable(s, maxTarget)
		}
		out[i] = Entry{
			ID: m.ID + mark, Shown: mark != "", Who: text(fieldWho), Role: text(fieldRole), Via: text(fieldVia), Action: text(fieldAction), Queue: text(fieldQueue),
			Target: text(fieldTarget), Reason: text(fieldReason), Of: text(fieldOf), Result: text(fieldResult), Failed: text(fieldFailed) == "1",
		}
	}
	return out, nil
}

// compareIDs compares ids of entries, of two that are the same but for the mark that with it is the
// older.
func compareIDs(a, b string) int {
	bareA, shownA := strings.CutSuffix(a, markShown)
	bareB, shownB := strings.CutSuffix(b, markShown)
	msA, nA := partsOf(bareA)
	msB, nB := partsOf(bareB)
	rank := map[bool]int{true: 0, false: 1}
	return cmp.Or(cmp.Compare(msA, msB), cmp.Compare(nA, nB), cmp.Compare(rank[shownA], rank[shownB]))
}

func partsOf(id string) (ms, n uint64) {
	first, second, _ := strings.Cut(id, "-")
	ms, _ = strconv.ParseUint(first, 10, 64)
	n, _ = strconv.ParseUint(second, 10, 64)
	return ms, n
}

// ValidID reports whether text is the id of an entry.
func ValidID(text string) bool {
	ms, n, ok := strings.Cut(strings.TrimSuffix(text, markShown), "-")
	return ok && !slices.ContainsFunc([]string{ms, n}, func(part string) bool {
		_, err := strconv.ParseUint(part, 10, 64)
		return err != nil
	})
}
