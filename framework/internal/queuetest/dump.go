package queuetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Dump returns what all keys of a queue hold.
func Dump(t *testing.T, rdb *redis.Client, k wire.Keys) string {
	t.Helper()
	ctx := t.Context()
	var b strings.Builder
	for _, key := range k.All() {
		switch kind := rdb.Type(ctx, key).Val(); kind {
		case "none":
		case "zset":
			fmt.Fprintf(&b, "%s %q\n", key, fmt.Sprint(rdb.ZRangeWithScores(ctx, key, 0, -1).Val()))
		case "list":
			fmt.Fprintf(&b, "%s %q\n", key, rdb.LRange(ctx, key, 0, -1).Val())
		case "hash":
			fmt.Fprintf(&b, "%s %q\n", key, fmt.Sprint(rdb.HGetAll(ctx, key).Val()))
		case "stream":
			fmt.Fprintf(&b, "%s %q\n", key, fmt.Sprint(rdb.XRange(ctx, key, "-", "+").Val()))
		default:
			fmt.Fprintf(&b, "%s %s %q\n", key, kind, rdb.Get(ctx, key).Val())
		}
	}
	return b.String()
}

// AsUser returns a client that logs in as a user with the given ACL rules.
func AsUser(t *testing.T, srv *lab.Server, rules ...string) *redis.Client {
	t.Helper()
	name := fmt.Sprintf("user%d", queueNumber.Add(1))
	args := []any{"ACL", "SETUSER", name, "on", ">secret", "+@all", "~*", "&*"}
	for _, r := range rules {
		args = append(args, r)
	}
	if err := srv.Client().Do(t.Context(), args...).Err(); err != nil {
		t.Fatal(err)
	}
	return srv.NewClient(func(o *redis.Options) { o.Username, o.Password = name, "secret" })
}
