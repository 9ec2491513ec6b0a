package invariants

import (
	"context"
	"fmt"
	"net"
	"sync/atomic"
	"testing"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
	"pgregory.net/rapid"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// rapidDice are those of a property test: a failure shrinks.
type rapidDice struct{ t *rapid.T }

func (d rapidDice) roll(n int, what string) int       { return rapid.IntRange(0, n-1).Draw(d.t, what) }
func (d rapidDice) fatalf(format string, args ...any) { d.t.Fatalf(format, args...) }

// client returns one that speaks over the wire.
func client(w *line) *redis.Client {
	return redis.NewClient(&redis.Options{
		Dialer:     func(context.Context, string, string) (net.Conn, error) { return w.open() },
		MaxRetries: -1, DisableIdentity: true, ContextTimeoutEnabled: true, Protocol: 2,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	})
}

var queues atomic.Int64

func newWorld(ctx context.Context, d dice, rdb *redis.Client, w *line) *world {
	return &world{
		dice: d, ctx: ctx, rdb: rdb, line: w, ids: wire.NewIDs(),
		keys: wire.KeysOf(fmt.Sprintf("orders-%d-", queues.Add(1))),
	}
}

// end closes the connections of the sessions.
func (w *world) end() {
	w.line.lose(nothing)
	for _, s := range append(w.sessions, w.ghosts...) {
		_, _ = s.Close(w.ctx)
	}
	for _, key := range w.rdb.Keys(w.ctx, "*"+w.keys.Queue+"*").Val() {
		w.rdb.Del(w.ctx, key)
	}
}

// Whatever happens; rapid chooses.
func TestInvariants(t *testing.T) {
	t.Parallel()
	wr := &line{dial: func() (net.Conn, error) { return net.Dial("tcp", lab.Shared.Addr()) }}
	rdb := client(wr)
	t.Cleanup(func() { _ = rdb.Close() })
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(t.Context(), rapidDice{rt}, rdb, wr)
		defer w.end()
		steps := map[string]func(*rapid.T){"": func(*rapid.T) { w.look() }}
		for name, do := range w.actions() {
			steps[name] = func(*rapid.T) { do() }
		}
		rt.Repeat(steps)
		w.drain()
	})
}

func TestMain(m *testing.M) { lab.Main(m) }

// kit is an embedded server of its own, which keeps a broken script from others, with a wire for
// seeded runs.
type kit struct {
	t    *testing.T
	line *line
	rdb  *redis.Client
}

func newKit(t *testing.T) *kit {
	mini := miniredis.RunT(t)
	wr := &line{dial: func() (net.Conn, error) { return net.Dial("tcp", mini.Addr()) }}
	rdb := client(wr)
	t.Cleanup(func() { _ = rdb.Close() })
	return &kit{t: t, line: wr, rdb: rdb}
}

// put lets a mutant run wherever a script is called.
func (k *kit) put(original, mutant *script.Script) {
	if err := k.rdb.ScriptLoad(k.t.Context(), mutant.Source()).Err(); err != nil {
		k.t.Fatalf("the mutant does not compile: %v", err)
	}
	k.line.original, k.line.mutant = []byte(original.SHA()), []byte(mutant.SHA())
}
