package fault

import (
	"context"
	"fmt"
	"strings"

	"github.com/redis/go-redis/v9"
)

// DeleteKey deletes a key, as an operator does by mistake, or an eviction. It has no
// duration. A key that does not exist is [ErrNoTarget]. In a cluster use the client of the
// node.
func DeleteKey(rdb *redis.Client, key string) Fault {
	f := &simple{state: state{name: "DEL " + key, unit: "keys deleted"}, momentary: true}
	f.begin = func(ctx context.Context) error {
		n, err := rdb.Del(ctx, key).Result()
		if err == nil && n == 0 {
			return fmt.Errorf("%w: there is no key %s", ErrNoTarget, key)
		}
		f.effects.Add(n)
		return err
	}
	return f
}

// FlushAll deletes everything that a server has. It has no duration. A server that has
// nothing is [ErrNoTarget].
func FlushAll(rdb *redis.Client) Fault {
	f := &simple{state: state{name: "FLUSHALL", unit: "keys deleted"}, momentary: true}
	f.begin = func(ctx context.Context) error {
		n, err := rdb.DBSize(ctx).Result()
		if err != nil {
			return err
		}
		if n == 0 {
			return fmt.Errorf("%w: the server has no keys", ErrNoTarget)
		}
		f.effects.Add(n)
		return rdb.FlushAll(ctx).Err()
	}
	return f
}

// Forbid takes permissions away from the default user, by rules of ACL SETUSER such as
// "-zadd" or "resetkeys". Scripts that have begun to write stop where the command is that
// they lack. Heal permits everything again. The kit's own clients are of that user, too:
// leave them ACL and INFO.
func Forbid(rdb *redis.Client, rules ...string) Fault {
	f := &simple{state: state{name: "ACL " + strings.Join(rules, " "), unit: "commands refused by ACL"}}
	set := func(ctx context.Context, rules ...string) error {
		args := []any{"acl", "setuser", "default"}
		for _, r := range rules {
			args = append(args, r)
		}
		return rdb.Do(ctx, args...).Err()
	}
	f.begin = func(ctx context.Context) error {
		if err := rdb.Do(ctx, "acl", "log", "reset").Err(); err != nil {
			return err
		}
		return set(ctx, rules...)
	}
	f.end = func(ctx context.Context) error {
		if err := set(ctx, "+@all", "allkeys", "allchannels"); err != nil {
			return err
		}
		entries := redis.NewMapStringInterfaceSliceCmd(ctx, "acl", "log", "1000")
		if err := rdb.Process(ctx, entries); err != nil {
			return err
		}
		for _, e := range entries.Val() {
			n, _ := e["count"].(int64)
			f.effects.Add(n)
		}
		return nil
	}
	return f
}
