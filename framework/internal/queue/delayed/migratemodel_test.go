package delayed

import (
	"fmt"
	"slices"
	"testing"

	"github.com/redis/go-redis/v9"
	"pgregory.net/rapid"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Any sequence of offers by Go and both generations of Java, garbage, cancels,
// transfers and single scripts of migrations, of which several are under way and some
// are never ended: each message is ready, pending or dead, exactly once, with its due
// time, and a migration that nobody disturbs leaves nothing that some Java cannot read.
func TestMigrateModel(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	rapid.Check(t, func(rt *rapid.T) {
		m := &migrateModel{t: t, rdb: rdb, k: queuetest.NewQueue(), ids: wire.NewIDs(), now: queuetest.NowMs(t, rdb), due: map[string]int64{}}
		rt.Repeat(map[string]func(*rapid.T){
			"go":       m.own,
			"java":     m.java,
			"only set": m.onlySet,
			"garbage":  m.garbage,
			"cancel":   m.cancel,
			"transfer": m.transfer,
			"begin":    m.begin,
			"step":     m.step,
			"step 2":   m.step,
			"":         m.check,
		})
		m.finish(rt)
		rdb.Del(t.Context(), m.k.All()...)
	})
}

type migrateModel struct {
	t      *testing.T
	rdb    *redis.Client
	k      wire.Keys
	ids    *wire.IDs
	now    int64
	serial int
	due    map[string]int64 // by payload: what is pending
	ready  []string
	bad    int // pending garbage
	walks  []*modelWalk
}

// modelWalk is a migration between two of its scripts.
type modelWalk struct {
	m           *migrator
	walk        string
	at, element string
	tick        int64
	stops       []string
}

func (m *migrateModel) add(rt *rapid.T, pack func(payload []byte) []byte, listed bool) {
	m.serial++
	payload := fmt.Sprintf("p%d", m.serial)
	due := m.now - 10 + rapid.Int64Range(0, 3).Draw(rt, "ms")
	if rapid.IntRange(0, 2).Draw(rt, "far") > 0 {
		due += 3_600_000
	}
	element := pack([]byte(payload))
	if listed {
		queuetest.Put(m.t, m.rdb, m.k, due, element)
	} else if err := m.rdb.Do(m.t.Context(), "ZADD", m.k.Timeout, due, element).Err(); err != nil {
		rt.Fatal(err)
	}
	m.due[payload] = due
}

func (m *migrateModel) own(rt *rapid.T) {
	m.add(rt, func(p []byte) []byte { return wire.Pack(m.ids.Next(), p) }, true)
}

func (m *migrateModel) foreign(rt *rapid.T) func([]byte) []byte {
	first := rapid.Byte().Draw(rt, "first")
	switch rapid.IntRange(0, 2).Draw(rt, "layout") {
	case 0:
		return func(p []byte) []byte { e := queuetest.JavaOld(int64(m.serial), p); e[0] = first; return e }
	case 1:
		return func(p []byte) []byte { return queuetest.JavaNew([]byte{first, 1, 2, 3, 4, 5, 6, 7}, p) }
	default:
		return func(p []byte) []byte { return queuetest.JavaNew([]byte{first, 2, 3}, p) }
	}
}

func (m *migrateModel) java(rt *rapid.T)    { m.add(rt, m.foreign(rt), true) }
func (m *migrateModel) onlySet(rt *rapid.T) { m.add(rt, m.foreign(rt), false) }

func (m *migrateModel) garbage(*rapid.T) {
	m.serial++
	m.bad++
	queuetest.Put(m.t, m.rdb, m.k, m.now+7_200_000, fmt.Appendf(nil, "garbage %d", m.serial))
}

// cancel removes a message as Java's remove and Go's cancel do, whatever it looks like now.
func (m *migrateModel) cancel(rt *rapid.T) {
	all := queuetest.Must[[]PendingMessage](m.t)(Pending(m.t.Context(), m.rdb, m.k, 0, 1000, false))
	all = slices.DeleteFunc(all, func(p PendingMessage) bool { return p.Err != nil })
	if len(all) == 0 {
		return
	}
	p := all[rapid.IntRange(0, len(all)-1).Draw(rt, "which")]
	m.rdb.ZRem(m.t.Context(), m.k.Timeout, p.Element)
	m.rdb.LRem(m.t.Context(), m.k.Pending, 1, p.Element)
	delete(m.due, string(p.Payload))
}

func (m *migrateModel) transfer(rt *rapid.T) {
	args := TransferArgs{Limit: rapid.SampledFrom([]int{1, 3, 100}).Draw(rt, "limit"), NoDueTracking: true}
	r := queuetest.Must[TransferResult](m.t)(Transfer(m.t.Context(), m.rdb, m.k, args))
	for _, p := range queuetest.Ready(m.t, m.rdb, m.k)[len(m.ready):] {
		if due, ok := m.due[p]; !ok || due > m.now+1000 {
			rt.Fatalf("%s was moved, due %d", p, due)
		}
		delete(m.due, p)
		m.ready = append(m.ready, p)
	}
	if r.Ready != int64(len(m.ready)) || r.Malformed != 0 {
		rt.Fatalf("%+v, %d ready", r, len(m.ready))
	}
}

// begin starts a migration; small limits end its scripts in the middle of everything.
func (m *migrateModel) begin(rt *rapid.T) {
	w := &modelWalk{m: newMigrator(m.rdb, m.k, MigrateArgs{}), walk: rapid.SampledFrom([]string{"list", "set"}).Draw(rt, "walk")}
	w.m.pace = script.NewPace(1, rapid.IntRange(1, 5).Draw(rt, "limit"), 5)
	m.walks = append(m.walks, w)
}

func (m *migrateModel) step(rt *rapid.T) {
	if len(m.walks) == 0 {
		return
	}
	w := m.walks[rapid.IntRange(0, len(m.walks)-1).Draw(rt, "migration")]
	if w.walk == "set" {
		w.tick = w.m.ids.rising()
	} else if w.at == "" {
		w.tick = w.m.ids.falling()
	}
	pace := w.m.pace
	step, err := w.m.run(m.t.Context(), w.walk, w.at, w.element, w.tick, w.stops)
	if err != nil {
		rt.Fatal(err)
	}
	w.m.pace = pace
	if w.at == "" && w.walk == "list" {
		w.stops = nil // this model begins each walk anew: everything is walked
	}
	w.at, w.element = step.at, step.element
	if w.walk == "set" {
		w.m.ids.used(w.tick + step.looked)
	}
	w.tick -= step.looked
	if step.done {
		w.at, w.element = "", ""
	}
}

func (m *migrateModel) check(rt *rapid.T) {
	ctx := m.t.Context()
	found := map[string]int64{}
	bad := 0
	for _, p := range queuetest.Must[[]PendingMessage](m.t)(Pending(ctx, m.rdb, m.k, 0, 10_000, false)) {
		if p.Err != nil {
			bad++
			continue
		}
		if _, twice := found[string(p.Payload)]; twice {
			rt.Fatalf("%s is pending twice", p.Payload)
		}
		found[string(p.Payload)] = p.DueMs
	}
	if bad != m.bad || len(found) != len(m.due) {
		rt.Fatalf("%d pending and %d malformed, want %d and %d", len(found), bad, len(m.due), m.bad)
	}
	for p, due := range m.due {
		if found[p] != due {
			rt.Fatalf("%s is due at %d, want %d", p, found[p], due)
		}
	}
	// The list names nothing twice, and nothing that is not pending, in the order of offers.
	last := 0
	for _, e := range queuetest.Must[[]string](m.t)(m.rdb.LRange(ctx, m.k.Pending, 0, -1).Result()) {
		_, payload, err := wire.Parse([]byte(e), false)
		n := 0
		if err != nil {
			payload = []byte(e)
		} else if m.rdb.ZScore(ctx, m.k.Timeout, e).Err() != nil {
			rt.Fatalf("%q is in the list alone", e)
		}
		if _, err := fmt.Sscanf(string(payload), "p%d", &n); err != nil {
			continue
		}
		if n <= last {
			rt.Fatalf("%d stands behind %d in the list", n, last)
		}
		last = n
	}
}

// finish migrates undisturbed.
func (m *migrateModel) finish(rt *rapid.T) {
	got := queuetest.Must[LayoutCount](m.t)(Migrate(m.t.Context(), m.rdb, m.k, MigrateArgs{}))
	if got.Rewritten != got.Foreign() || got.Malformed != int64(m.bad) || got.Universal != int64(len(m.due)) || got.Ghosts != 0 {
		rt.Fatalf("%+v, %d pending", got, len(m.due))
	}
	m.check(rt)
	left := queuetest.Must[LayoutCount](m.t)(Migrate(m.t.Context(), m.rdb, m.k, MigrateArgs{DryRun: true}))
	if left.Foreign() != 0 {
		rt.Fatalf("left %+v", left)
	}
}
