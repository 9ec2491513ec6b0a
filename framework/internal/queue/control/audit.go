package control

import (
	"cmp"
	"context"
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

var auditScript = library.Script("auditwrite")

// MostAudit is how many entries of each stream are kept, give or take a hundred: where there are more,
// the user who has the most loses the oldest, see [WriteAudit].
const MostAudit = 10_000

// Bounds of texts, in bytes.
const (
	auditText   = 512
	auditTarget = 2048
)

// AuditEntry is what somebody has done by a tool, or what came of it, in one of two bounded streams of
// the installation: [wire.AuditKey], and [wire.ShownKey] for what changes nothing. An entry is written
// before the action, and one more after it with what came of it: an entry without such a one is of an
// action that may have taken place.
type AuditEntry struct {
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
func (e AuditEntry) At() time.Time { return AuditTime(e.ID) }

// AuditTime is when an entry was written.
func AuditTime(id string) time.Time {
	first, _, _ := strings.Cut(id, "-")
	ms, err := strconv.ParseInt(first, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}

// Names of the fields.
const (
	auditWho         = "who"
	auditRole        = "role"
	auditVia         = "via"
	auditAction      = "action"
	auditQueue       = "queue"
	auditTargetField = "target"
	auditReason      = "reason"
	auditOf          = "of"
	auditResult      = "result"
	auditFailed      = "failed"
)

// WriteAudit adds an entry and returns its id. Texts are made printable and bounded. Now and then it
// trims the stream.
func WriteAudit(ctx context.Context, rdb AuditRedis, e AuditEntry) (id string, err error) {
	args := []any{2 * MostAudit}
	for _, f := range []struct {
		name, value string
		most        int
	}{
		{auditWho, e.Who, auditText},
		{auditRole, e.Role, auditText},
		{auditVia, e.Via, auditText},
		{auditAction, e.Action, auditText},
		{auditQueue, e.Queue, auditText},
		{auditTargetField, e.Target, auditTarget},
		{auditReason, e.Reason, auditText},
		{auditOf, e.Of, auditText},
		{auditResult, e.Result, auditTarget},
	} {
		if f.value != "" {
			args = append(args, f.name, codecs.Printable(f.value, f.most))
		}
	}
	if e.Failed {
		args = append(args, auditFailed, "1")
	}
	key, mark := wire.AuditKey, ""
	if e.Shown {
		key, mark = wire.ShownKey, markShown
	}
	value, err := auditScript.Run(ctx, rdb, []string{key}, args...)
	if err != nil {
		return "", err
	}
	r := script.NewReader(auditScript, value)
	id, all := r.Text(), r.Integer()
	if r.Err() != nil {
		return "", r.Err()
	}
	if all > MostAudit+trimSlack {
		_ = trimAudit(ctx, rdb, key) // the entry is written
	}
	return id + mark, nil
}

// markShown stands behind the ids of entries of [wire.ShownKey].
const markShown = "s"

// AuditPage returns up to most entries of both streams before one, newest first; "" begins at the newest.
func AuditPage(ctx context.Context, rdb redis.Cmdable, before string, most int64) ([]AuditEntry, error) {
	out, err := auditPage(ctx, rdb, wire.AuditKey, "", before, most)
	if err != nil {
		return nil, err
	}
	shown, err := auditPage(ctx, rdb, wire.ShownKey, markShown, before, most)
	if _, refused := errors.AsType[*fault.PermissionError](err); err != nil && !refused { // a user from before there was this stream
		return nil, err
	}
	out = append(out, shown...)
	slices.SortStableFunc(out, func(a, b AuditEntry) int { return compareIDs(b.ID, a.ID) })
	return out[:min(int64(len(out)), most)], nil
}

// auditPage returns up to most entries of one stream that are older than an entry of either; of two with
// one id that of [wire.AuditKey] is the newer.
func auditPage(ctx context.Context, rdb redis.Cmdable, key, mark, before string, most int64) ([]AuditEntry, error) {
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
	out := make([]AuditEntry, len(found))
	for i, m := range found {
		text := func(name string) string {
			s, _ := m.Values[name].(string)
			return codecs.Printable(s, auditTarget)
		}
		out[i] = AuditEntry{
			ID: m.ID + mark, Shown: mark != "", Who: text(auditWho), Role: text(auditRole), Via: text(auditVia), Action: text(auditAction), Queue: text(auditQueue),
			Target: text(auditTargetField), Reason: text(auditReason), Of: text(auditOf), Result: text(auditResult), Failed: text(auditFailed) == "1",
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

// ValidAuditID reports whether text is the id of an entry.
func ValidAuditID(text string) bool {
	ms, n, ok := strings.Cut(strings.TrimSuffix(text, markShown), "-")
	return ok && !slices.ContainsFunc([]string{ms, n}, func(part string) bool {
		_, err := strconv.ParseUint(part, 10, 64)
		return err != nil
	})
}
