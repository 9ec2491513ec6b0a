package lease

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/script"
)

// copies counts where a body is: ready, pending, in flight, dead.
func (e *env) copies(t *testing.T, body string) int {
	t.Helper()
	n := 0
	count := func(all []string) {
		for _, b := range all {
			if b == body {
				n++
			}
		}
	}
	count(e.queue(t))
	count(e.pendingBodies(t))
	for _, k := range e.rdb.Keys(t.Context(), "duequeue:inflight:*"+e.keys.Queue+"*").Val() {
		count(e.rdb.LRange(t.Context(), k, 1, -1).Val())
	}
	for _, m := range e.dead(t) {
		if m["body"] == body {
			n++
		}
	}
	return n
}

// The engine repeats what Redis refuses until it does not. So where one command is
// refused in the middle of a script, nothing may have been done: or each repetition
// would add another copy of the message, and charge it again.
func TestRefusedSettlementsChangeNothing(t *testing.T) {
	t.Parallel()
	admin, srv := own(t)
	for name, settle := range map[string]func(s *Session, m Token) error{
		"nack": func(s *Session, m Token) error {
			_, err := s.Nack(t.Context(), m, NackArgs{Charge: true, MaxAttempts: 9, Delay: time.Hour})
			return err
		},
		"last nack": func(s *Session, m Token) error {
			_, err := s.Nack(t.Context(), m, NackArgs{Charge: true, MaxAttempts: 1})
			return err
		},
		"release": func(s *Session, m Token) error {
			_, err := s.Release(t.Context(), []Released{{Token: m}})
			return err
		},
		"dead": func(s *Session, m Token) error {
			_, err := s.Dead(t.Context(), m, DeadArgs{Reason: "rejected"})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, command := range []string{"hget", "hset", "hdel", "zadd", "rpush", "lpush", "lset", "xadd", "hrandfield", "zrange", "publish"} {
				e := &env{rdb: admin.rdb, keys: newKeys()}
				user := name[:1] + command
				must(t, admin.rdb.Do(t.Context(), "acl", "setuser", user, "on", ">pw", "~*", "&*", "+@all", "-"+command).Err())
				limited := srv.NewClient(func(o *redis.Options) { o.Username, o.Password = user, "pw" })
				s := e.sessionOver(t, admin.rdb, limited, Options{})
				e.push(t, "a", "b")
				id, _ := e.withRecords(t, "a", 3)
				e.setAttemptsOf(t, id, 3, "a", "1,0,0")
				b := take(t, s, 2)
				for range 3 {
					err := settle(s, b.Messages[0].Token)
					if n := e.copies(t, "a"); n != 1 {
						t.Errorf("%s without %s: %d copies, %v", name, command, n, err)
					}
					var denied *fault.PermissionError
					if err != nil && (!errors.As(err, &denied) || e.attempts(t, "a") != "1,0,0") && command != "publish" && command != "zrange" {
						t.Errorf("%s without %s: %v, counters %s", name, command, err, e.attempts(t, "a"))
					}
				}
				if list, set := e.rdb.LLen(t.Context(), e.keys.Pending).Val(), e.rdb.ZCard(t.Context(), e.keys.Timeout).Val(); list != set {
					t.Errorf("%s without %s: %d in the set, %d in the list", name, command, set, list)
				}
				must(t, admin.rdb.Do(t.Context(), "acl", "setuser", user, "+@all").Err())
				must(t, settle(s, b.Messages[0].Token))
				if n := e.copies(t, "a"); n != 1 {
					t.Errorf("%s when %s is allowed again: %d copies", name, command, n)
				}
			}
		})
	}
}

// The same of what moves messages to or from the dead store, or into flight: nothing is
// copied where the removal is refused.
func TestRefusedRemovalsDoubleNothing(t *testing.T) {
	t.Parallel()
	admin, srv := own(t)
	large := strings.Repeat("oversized", 3)
	commands := map[string]bool{}
	for _, sc := range []*script.Script{takeScript, restoreScript, handbackScript, deadScript, nackScript} {
		for _, c := range sc.Commands() {
			commands[strings.ToLower(c)] = true
		}
	}
	for name, run := range map[string]func(e *env, limited *redis.Client) func() error{
		"restore": func(e *env, limited *redis.Client) func() error {
			s := e.session(t, Options{})
			e.push(t, "a")
			r, err := s.Dead(t.Context(), take(t, s, 1).Messages[0].Token, DeadArgs{Reason: "undecodable"})
			must(t, err)
			_, err = s.Close(t.Context())
			must(t, err)
			return func() error {
				_, err := Restore(t.Context(), limited, e.keys, []string{r.Entry})
				return err
			}
		},
		"take": func(e *env, limited *redis.Client) func() error {
			e.push(t, "a", large)
			e.withRecords(t, "a", 3)
			return func() error {
				s := e.sessionOver(t, limited, limited, Options{MaxPayload: 20})
				_, err := s.Take(t.Context(), 9, nil)
				return err
			}
		},
		"reap": func(e *env, limited *redis.Client) func() error {
			s := e.session(t, Options{})
			e.push(t, "a", "b")
			e.setAttempts(t, "a", "2,0,2")
			b := take(t, s, 1)
			take(t, s, 1)
			_, err := s.Begin(t.Context(), b.Messages[0].Token)
			must(t, err)
			e.expire(t, s)
			return func() error {
				_, err := NewReaper(limited, e.keys, ReaperOptions{}).Reap(t.Context(), s.ID())
				return err
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			for command := range commands {
				e := &env{rdb: admin.rdb, keys: newKeys()}
				user := name + "-" + command
				must(t, admin.rdb.Do(t.Context(), "acl", "setuser", user, "on", ">pw", "~*", "&*", "+@all", "-"+command).Err())
				limited := srv.NewClient(func(o *redis.Options) { o.Username, o.Password = user, "pw" })
				again := run(e, limited)
				for range 3 {
					err := again()
					for _, body := range []string{"a", large} {
						n := e.copies(t, body)
						if n > 1 || body == "a" && n == 0 {
							t.Errorf("%s without %s: %d copies of %s, %v", name, command, n, body, err)
						}
					}
				}
			}
		})
	}
}
