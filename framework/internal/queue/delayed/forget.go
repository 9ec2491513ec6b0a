package delayed

import (
	"context"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

var (
	// forgetRecordsScript removes records of messages; see lua/forgetrecords.lua.
	forgetRecordsScript = library.Script("forgetrecords")
	// forgetEntriesScript removes entries of the due list; see lua/forgetentries.lua.
	forgetEntriesScript = library.Script("forgetentries")
)

// forgetStep is how many records or entries one script looks at.
const forgetStep = 200

// Forgotten shapes [ForgetKey] and [ForgetEntries].
type Forgotten struct {
	DryRun bool
	Rest   func(ctx context.Context) error // is called between two scripts
}

// ForgetKey removes what is known beside their elements of messages that were offered with the
// key and that nobody has any more, and returns their fields: kind and id. It looks at all records
// of the queue.
func ForgetKey(ctx context.Context, rdb redis.Scripter, k wire.Keys, key string, f Forgotten) (fields []string, err error) {
	for cursor := "0"; ; {
		cursor, fields, err = f.records(ctx, rdb, k, fields, cursor, key)
		if err != nil || cursor == "0" {
			return fields, err
		}
	}
}

func (f Forgotten) records(ctx context.Context, rdb redis.Scripter, k wire.Keys, fields []string, cursor, key string, only ...any) (next string, _ []string, err error) {
	value, err := forgetRecordsScript.Run(ctx, rdb, []string{k.Timeout, k.Queue, k.Due, k.Attempts, k.MessageNames, k.IDs},
		append([]any{cursor, forgetStep, script.Flag(f.DryRun), key}, only...)...)
	if err != nil {
		return "", fields, err
	}
	r := script.NewReader(forgetRecordsScript, value)
	next = r.Text()
	for r.More() {
		fields = append(fields, r.Text())
	}
	if err = r.Err(); err == nil {
		err = f.Rest(ctx)
	}
	return next, fields, err
}

// ForgetEntries removes due records of messages that are not ready any more, with what else is
// known of these: those for which is holds, which is told the field, kind and id, and the
// payload, nil for one that has more than 512 bytes. It returns how many there were.
func ForgetEntries(ctx context.Context, rdb redisapi.Client, k wire.Keys, is func(field string, payload []byte) bool, f Forgotten) (n int, err error) {
	pipe := rdb.Pipeline()
	length, ready := pipe.LLen(ctx, k.Due), pipe.LLen(ctx, k.Queue)
	if _, err = pipe.Exec(ctx); err != nil {
		return 0, rediserr.Classify("LLEN", err)
	}
	var entries, fields []any
	for at := int64(0); at < length.Val()-ready.Val(); at += forgetStep {
		page, err := rdb.LRange(ctx, k.Due, at, min(at+forgetStep, length.Val()-ready.Val())-1).Result()
		if err != nil {
			return 0, rediserr.Classify("LRANGE", err)
		}
		for _, entry := range page {
			r, ok := wire.ParseDueRecord(entry)
			if !ok {
				continue
			}
			field, payload := r.ID.Field(), []byte(entry[wire.DueRecordBytes:])
			if len(payload) == 41 && payload[0] == '#' { // and a digest
				payload = nil
			}
			if is(field, payload) {
				entries, fields = append(entries, entry), append(fields, field)
			}
		}
		if err := f.Rest(ctx); err != nil {
			return 0, err
		}
	}
	for ; len(entries) > 0; entries, fields = entries[min(len(entries), forgetStep):], fields[min(len(fields), forgetStep):] {
		some := min(len(entries), forgetStep)
		if f.DryRun {
			n += some
			continue
		}
		value, err := forgetEntriesScript.Run(ctx, rdb, []string{k.Due, k.Queue, k.Trace}, entries[:some]...)
		if err != nil {
			return n, err
		}
		gone, _ := value.(int64)
		n += int(gone)
		if _, _, err = f.records(ctx, rdb, k, nil, "0", "", fields[:some]...); err != nil {
			return n, err
		}
	}
	return n, nil
}
