package queuetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

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
