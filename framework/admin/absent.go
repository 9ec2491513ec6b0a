package admin

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/connect"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// absent reports a queue that has no key in this database, and where else there are
// keys: it is empty, or this is the wrong database, server or name. ok is false where
// the queue exists. Errors are those of Redis.
func absent(ctx context.Context, rdb redisapi.Client, all []wire.Keys, name string) (f Finding, ok bool, err error) {
	var names []string
	journals, controls := map[string]bool{}, map[string][2]*redis.StringCmd{}
	pipe := rdb.Pipeline()
	for _, k := range all {
		names, journals[k.Journal] = append(names, k.Names()...), true
		// Only the number of partitions may be noted there, by processes that are gone.
		controls[k.Control] = [2]*redis.StringCmd{pipe.HGet(ctx, k.Control, "partitions"), pipe.HGet(ctx, k.Control, "version")}
	}
	types := make([]*redis.StatusCmd, len(names))
	for i, key := range names {
		types[i] = pipe.Type(ctx, key)
	}
	_, _ = pipe.Exec(ctx) // the answers are read one by one
	for i, t := range types {
		err := rediserr.Classify("TYPE", t.Err())
		if _, refused := errors.AsType[*fault.PermissionError](err); refused && journals[names[i]] {
			continue // a user from before there were journals
		}
		if err != nil {
			return Finding{}, false, err
		}
		if c, ok := controls[names[i]]; ok && c[0].Err() == nil && errors.Is(c[1].Err(), redis.Nil) {
			continue
		}
		if t.Val() != "none" {
			return Finding{}, false, nil
		}
	}
	where, elsewhere := "this Redis", ""
	if !redisapi.IsCluster(rdb) {
		db := redisapi.OptionsOf(rdb).DB
		where = fmt.Sprintf("database %d", db)
		if text, err := rdb.Info(ctx, "keyspace").Result(); err == nil { // who may not ask gets no hint
			elsewhere = connect.OtherDatabases(text, db)
		}
	}
	return Finding{
		Check: "absent", Severity: SeverityInfo, Queue: name,
		Message: fmt.Sprintf("no key of this queue is in %s: nothing is pending, ready or dead, and no Go process handles it%s", where, elsewhere),
		Advice:  "where messages are expected, compare name, name mapping, server and database index with Java's (getBlockingQueue, nameMapper, database)",
	}, true, nil
}

// absent looks whether there is anything to examine.
func (q *queue) absent(ctx context.Context) error {
	f, missing, err := absent(ctx, q.rdb, []wire.Keys{q.keys}, q.name)
	if missing {
		q.add(f)
	}
	return err
}
