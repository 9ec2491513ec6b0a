package lease

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Each command that the scripts use is taken away in turn: an operation may fail then,
// with an error that names the permission, but no message may be lost.
func TestMissingPermissionsLoseNothing(t *testing.T) {
	t.Parallel()
	admin, srv := own(t)
	used := map[string]bool{}
	for _, sc := range Scripts() {
		for _, part := range strings.Split(sc.Source(), "call('")[1:] {
			command, _, _ := strings.Cut(part, "'")
			used[strings.ToLower(command)] = true
		}
	}
	for _, c := range []string{"hset", "hdel", "srem", "rpush", "hmget"} {
		used[c] = true
	}
	if len(used) < 25 {
		t.Fatalf("found only the commands %v", used)
	}
	for command := range used {
		t.Run(command, func(t *testing.T) {
			e := &env{rdb: admin.rdb, keys: newKeys()}
			must(t, admin.rdb.Do(t.Context(), "acl", "setuser", "u"+command, "on", ">pw", "~*", "&*", "+@all", "-"+command).Err())
			limited := srv.NewClient(func(o *redis.Options) { o.Username, o.Password = "u"+command, "pw" })
			good := e.session(t, Options{})
			e.push(t, numbered(6)...)
			e.push(t, strings.Repeat("oversized", 3))
			e.withRecords(t, numbered(1)[0], 3)
			held := take(t, good, 5)
			e.push(t, "again") // as a retry that Java has transferred
			e.setAttempts(t, "again", "1,1,0")

			s := e.sessionOver(t, limited, limited, Options{MaxPayload: 20})
			failed := 0
			check := func(err error) {
				if err == nil {
					return
				}
				failed++
				var denied *fault.PermissionError
				if !errors.As(err, &denied) {
					t.Errorf("not a permission error: %v", err)
				}
			}
			_, err := s.Take(t.Context(), 10, nil)
			check(err)
			// What good holds is settled by the limited user as well.
			s.ledger.open, s.opts.SessionID = good.ledger.open, good.opts.SessionID
			s.fetches, s.stage = good.fetches, good.stage
			_, err = s.Nack(t.Context(), held.Messages[0].Token, NackArgs{Charge: true, MaxAttempts: 9})
			check(err)
			_, err = s.Dead(t.Context(), held.Messages[1].Token, DeadArgs{Reason: "rejected"})
			check(err)
			_, err = s.Release(t.Context(), released(held)[2:3])
			check(err)
			_, err = s.Ack(t.Context(), Acks{held.Messages[3].Token})
			check(err)
			done := numbered(4)[3:]
			if err != nil {
				done = nil
			}
			e.expire(t, good)
			_, err = NewReaper(limited, e.keys, ReaperOptions{}).Reap(t.Context(), good.ID())
			check(err)
			if failed == 0 && !slices.Contains([]string{"lindex", "lrange", "xrange", "xdel", "zcount", "sadd", "scard", "llen", "hget", "hlen", "zrangebyscore", "hrandfield", "lrem", "type", "zcard", "exists", "hmget", "pttl", "pexpire", "zrandmember", "zrangebylex", "hgetall", "smembers"}, command) {
				t.Errorf("nothing needed %s", command)
			}
			all := slices.DeleteFunc(numbered(6), func(body string) bool { return slices.Contains(done, body) })
			e.wantEverything(t, append(all, "again", strings.Repeat("oversized", 3)))
		})
	}
}

// wantEverything fails unless each body is in at least one place.
func (e *env) wantEverything(t *testing.T, all []string) {
	t.Helper()
	var found []string
	found = append(found, e.queue(t)...)
	for _, m := range e.rdb.ZRange(t.Context(), e.keys.Timeout, 0, -1).Val() {
		_, body, err := wire.Parse([]byte(m), false)
		must(t, err)
		found = append(found, string(body))
	}
	for _, m := range e.dead(t) {
		found = append(found, m["body"].(string))
	}
	for _, k := range e.rdb.Keys(t.Context(), "duequeue:inflight:*"+e.keys.Queue+"*").Val() {
		found = append(found, e.rdb.LRange(t.Context(), k, 1, -1).Val()...)
	}
	for _, body := range all {
		if !slices.Contains(found, body) {
			t.Errorf("%q is lost; found %q", body, found)
		}
	}
}
