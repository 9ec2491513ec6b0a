package fault

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/redis/go-redis/v9"
)

// Keys are the names of what belongs to one queue on the wire: Redisson's first.
type Keys struct {
	Ready, Timeout, Pending, Channel     string // Redisson's
	Sessions, Attempts, Due, Trace, Dead string // ours
}

// KeysOf returns the names for a queue, by Redisson's rule: a name that has braces
// stands as it is, any other one in braces.
func KeysOf(queue string) Keys {
	tag := queue
	if !strings.Contains(queue, "{") {
		tag = "{" + queue + "}"
	}
	return Keys{
		Ready: queue, Timeout: "redisson_delay_queue_timeout:" + tag, Pending: "redisson_delay_queue:" + tag,
		Channel:  "redisson_delay_queue_channel:" + tag,
		Sessions: "duequeue:sessions:" + tag, Attempts: "duequeue:attempts:" + tag, Due: "duequeue:due:" + tag,
		Trace: "duequeue:trace:" + tag, Dead: "duequeue:dead:" + tag,
	}
}

// wrongText is what stands in a key that has the wrong type.
const wrongText = "a string where none belongs"

var (
	putAside = redis.NewScript(`
if redis.call('EXISTS', KEYS[2]) == 1 then return redis.error_reply('ERR ' .. KEYS[2] .. ' exists already') end
if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('RENAME', KEYS[1], KEYS[2]) end
redis.call('SET', KEYS[1], ARGV[1])
return 1`)
	putBack = redis.NewScript(`
local kind = redis.call('TYPE', KEYS[1]).ok
if kind == 'string' and redis.call('GET', KEYS[1]) == ARGV[1] then
  redis.call('DEL', KEYS[1])
elseif kind ~= 'none' then
  return redis.error_reply('ERR somebody replaced ' .. KEYS[1] .. ' by a ' .. kind .. '; its content still lies in ' .. KEYS[2])
end
if redis.call('EXISTS', KEYS[2]) == 1 then redis.call('RENAME', KEYS[2], KEYS[1]) end
return 1`)
)

// WrongType puts a string where a key of a queue was; Heal puts the key back as it
// was. Both happen in one step each, so nothing is lost by the fault itself. Heal
// fails where somebody wrote another value over the string. In a cluster use the client
// of the node.
func WrongType(rdb *redis.Client, key string) Fault {
	f := &simple{state: state{name: "WRONGTYPE: " + key, unit: "commands refused with WRONGTYPE"}}
	keys := []string{key, tagged(key, "aside")}
	refused := refusal{codes: []string{"WRONGTYPE"}}
	f.begin = func(ctx context.Context) error {
		if err := putAside.Run(ctx, rdb, keys, wrongText).Err(); err != nil {
			return err
		}
		if kind, err := rdb.Type(ctx, key).Result(); err != nil || kind != "string" {
			return errors.Join(fmt.Errorf("%w: %s is a %s", ErrNoEffect, key, kind), err, putBack.Run(ctx, rdb, keys, wrongText).Err())
		}
		var err error
		refused.before, err = errorCount(ctx, rdb, refused.codes...)
		return err
	}
	f.end = func(ctx context.Context) error {
		n, err := refused.since(ctx, rdb)
		if err != nil {
			return err
		}
		f.effects.Add(int64(n))
		refused.before += n
		return putBack.Run(ctx, rdb, keys, wrongText).Err()
	}
	return f
}
