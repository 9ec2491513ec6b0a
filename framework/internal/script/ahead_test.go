package script

import (
	"context"
	"errors"
	"net"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/lab"
)

// carrier takes what is offered, and sends it ahead of an ECHO or refuses it. Its offer has a
// buffer: the test does not wait until someone waits there.
func carrier(t *testing.T, rdb *redis.Client, refuse bool) (o Offer, echoed <-chan string) {
	t.Helper()
	o = make(Offer, 1)
	words := make(chan string, 1)
	go func() {
		a := <-o
		defer a.Refuse() // has no effect after it was sent
		if refuse {
			words <- "refused"
			return
		}
		cmd := redis.NewStringCmd(t.Context(), "echo", "behind")
		if err := a.Send(t.Context(), rdb, cmd); err != nil || a.Waiting() {
			t.Errorf("waits: %v, %v", a.Waiting(), err)
		}
		words <- cmd.Val()
	}()
	return o, words
}

func TestAhead(t *testing.T) {
	t.Parallel()
	rdb := lab.Connect(t, lab.Shared.Addr())
	known := New("known", `return 'ran ' .. ARGV[1] .. redis.call('INCR', KEYS[1]) -- `+unique())
	if err := rdb.ScriptLoad(t.Context(), known.Source()).Err(); err != nil {
		t.Fatal(err)
	}
	fails := New("fails", `redis.call('INCR', KEYS[1]) return redis.error_reply('NO way') -- `+unique())
	if err := rdb.ScriptLoad(t.Context(), fails.Source()).Err(); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		script       *Script
		waits        bool
		refuses      bool
		sent, failed bool
		runs         string
	}{
		"sent":                   {script: known, waits: true, sent: true, runs: "1"},
		"refused":                {script: known, waits: true, refuses: true, runs: "1"},
		"no one waits":           {script: known, runs: "1"},
		"unknown to Redis":       {script: New("unknown", `return 'ran ' .. ARGV[1] .. redis.call('INCR', KEYS[1]) -- `+unique()), waits: true, runs: "1"},
		"Redis answers an error": {script: fails, waits: true, failed: true, runs: "2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			key := unique()
			var o Offer
			var echoed <-chan string
			if c.waits {
				o, echoed = carrier(t, rdb, c.refuses)
			}
			via := o.Before(rdb)
			value, err := c.script.Run(t.Context(), via, []string{key}, "here ")
			if c.failed != (err != nil) || !c.failed && value != "ran here 1" {
				t.Errorf("%v, %v", value, err)
			}
			if via.Sent() != c.sent {
				t.Errorf("sent ahead: %v", via.Sent())
			}
			if runs := rdb.Get(t.Context(), key).Val(); runs != c.runs {
				t.Errorf("ran %s times", runs)
			}
			if c.waits {
				if word := <-echoed; word != "behind" && !c.refuses {
					t.Errorf("the command behind it answered %q", word)
				}
			}
		})
	}
}

// Who offers waits no longer than its context, and who sends later harms no one.
func TestAheadOfOneWhoHangs(t *testing.T) {
	t.Parallel()
	rdb := lab.Connect(t, lab.Shared.Addr())
	o, s := make(Offer, 1), New("late", `return redis.call('INCR', KEYS[1]) -- `+unique())
	cause := errors.New("no time left")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	via := o.Before(rdb)
	if _, err := s.Run(ctx, via, []string{unique()}); !errors.Is(err, cause) || via.Sent() {
		t.Errorf("sent ahead: %v, %v", via.Sent(), err)
	}
	if err := (<-o).Send(t.Context(), rdb, redis.NewStatusCmd(t.Context(), "ping")); err != nil {
		t.Error(err)
	}
}

// Where the connection breaks the script may have run: it is not sent again. Where nothing
// was sent it is.
func TestAheadWhereTheConnectionBreaks(t *testing.T) {
	t.Parallel()
	rdb := lab.Connect(t, lab.Shared.Addr())
	for name, c := range map[string]struct {
		err  error
		runs string
	}{
		"after it was sent": {&net.OpError{Op: "read", Err: errors.New("broken")}, ""},
		"before":            {&net.OpError{Op: "dial", Err: errors.New("broken")}, "1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			broken := lab.Connect(t, lab.Shared.Addr())
			broken.AddHook(breaks{c.err})
			o, echoed := make(Offer, 1), make(chan error, 1)
			go func() { echoed <- (<-o).Send(t.Context(), broken, redis.NewStatusCmd(t.Context(), "ping")) }()
			key := unique()
			via := o.Before(rdb)
			_, err := New("once", `return redis.call('INCR', KEYS[1]) -- `+key).Run(t.Context(), via, []string{key})
			if sent := c.runs == ""; via.Sent() != sent || sent != (err != nil) {
				t.Errorf("sent ahead: %v, %v", via.Sent(), err)
			}
			if behind := <-echoed; !errors.Is(behind, c.err) {
				t.Errorf("the command behind it: %v", behind)
			}
			if runs := rdb.Get(t.Context(), key).Val(); runs != c.runs {
				t.Errorf("ran %q times, want %q", runs, c.runs)
			}
		})
	}
}

// breaks is a hook that fails instead of sending anything.
type breaks struct{ err error }

func (breaks) DialHook(next redis.DialHook) redis.DialHook          { return next }
func (breaks) ProcessHook(next redis.ProcessHook) redis.ProcessHook { return next }
func (b breaks) ProcessPipelineHook(redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(context.Context, []redis.Cmder) error { return b.err }
}
