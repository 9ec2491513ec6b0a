package control

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"pgregory.net/rapid"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// TestModel sets and takes back at random while the clock of Redis goes, and jumps: the last one
// who sets something counts; a pause lasts until its end was seen to be reached, then it never comes
// back; two processes that follow know what was set.
func TestModel(t *testing.T) {
	t.Parallel()
	mini := miniredis.RunT(t)
	rdb := lab.Connect(t, mini.Addr())
	ctx := t.Context()
	rapid.Check(t, func(t *rapid.T) {
		mini.FlushAll()
		m := &model{ctx: ctx, mini: mini, rdb: rdb, k: wire.KeysOf("modelled"), now: time.UnixMilli(1_700_000_000_000)}
		mini.SetTime(m.now)
		for i := range m.followers {
			m.followers[i] = newKnower(m)
		}
		t.Repeat(map[string]func(*rapid.T){
			"pause": m.pause, "resume": m.resume, "limit": m.limit, "clock": m.clock, "spoil": m.spoil, "look": m.look, "": m.check,
		})
	})
}

var quiet = slog.New(slog.DiscardHandler)

type model struct {
	ctx  context.Context
	mini *miniredis.Miniredis
	rdb  *redis.Client
	k    wire.Keys
	now  time.Time

	paused  *Pause
	rate    float64
	workers int
	rotten  bool // the rate in the hash cannot be understood

	followers [2]*knower
}

// knower is a process that follows.
type knower struct {
	f     *Follower
	state State
	rate  float64 // as it understood it last
}

func newKnower(m *model) *knower {
	n := &knower{}
	n.f = NewFollower(m.rdb, []Queue{{Name: m.k.Queue, Key: m.k.Control, Log: quiet, Apply: func(s State) { n.state = s }}}, time.Hour, quiet)
	n.f.LookAll(m.ctx)
	return n
}

func (m *model) seen() {
	if m.paused != nil && !m.paused.Until.IsZero() && !m.paused.Until.After(m.now) {
		m.paused = nil
	}
}

func (m *model) pause(t *rapid.T) {
	p := Pause{Reason: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "reason"), By: "x"}
	var length time.Duration
	switch rapid.IntRange(0, 2).Draw(t, "end") {
	case 1:
		length = time.Duration(rapid.IntRange(1, 5000).Draw(t, "ms")) * time.Millisecond
	case 2:
		p.Until = m.now.Add(time.Duration(rapid.IntRange(-2000, 5000).Draw(t, "ms")) * time.Millisecond)
	}
	got, _, err := PauseFor(m.ctx, m.rdb, m.k, p, length)
	if p.At = m.now; length > 0 {
		p.Until = m.now.Add(length)
	}
	m.paused = &p
	m.changed(t, got, err)
}

func (m *model) resume(t *rapid.T) {
	got, _, err := Resume(m.ctx, m.rdb, m.k, "")
	m.paused = nil
	m.changed(t, got, err)
}

func (m *model) limit(t *rapid.T) {
	l := Limit{Rate: rapid.SampledFrom([]float64{-1, 0, 0.5, 7}).Draw(t, "rate"), Workers: rapid.SampledFrom([]int{-1, 0, 2, 9}).Draw(t, "workers")}
	if l.Rate == 0 && l.Workers == 0 {
		l.Rate = 3
	}
	got, _, err := SetLimit(m.ctx, m.rdb, m.k, l)
	if l.Rate != 0 {
		m.rate, m.rotten = max(l.Rate, 0), false
	}
	if l.Workers != 0 {
		m.workers = max(l.Workers, 0)
	}
	if m.rotten {
		err = nil
	}
	m.changed(t, got, err)
}

// spoil writes what cannot be understood, as somebody with redis-cli may.
func (m *model) spoil(t *rapid.T) {
	if rapid.IntRange(0, 3).Draw(t, "seldom") > 0 {
		return
	}
	_, _, _ = change(m.ctx, m.rdb, m.k, []field{{name: fieldRate, value: "much"}})
	m.rotten = true
	m.seen()
	m.announce()
}

func (m *model) clock(t *rapid.T) {
	by := time.Duration(rapid.IntRange(-3000, 5000).Draw(t, "ms")) * time.Millisecond
	m.now = m.now.Add(by)
	m.mini.SetTime(m.now)
}

func (m *model) look(t *rapid.T) {
	got, now, err := Look(m.ctx, m.rdb, m.k)
	m.seen()
	if err != nil && !m.rotten || !now.Equal(m.now) {
		t.Fatal(now, err)
	}
	m.is(t, got)
}

func (m *model) changed(t *rapid.T, got Settings, err error) {
	m.seen()
	if err != nil && !m.rotten {
		t.Fatal(err)
	}
	m.is(t, got)
	m.announce()
}

func (m *model) announce() {
	for _, n := range m.followers {
		n.f.Told(changeMark + m.k.Queue)
	}
}

func (m *model) is(t *rapid.T, got Settings) {
	if !got.Pause.equal(m.paused) || got.Limit.Workers != m.workers || !m.rotten && got.Limit.Rate != m.rate {
		t.Fatalf("got %+v %+v, want %+v, rate %v, workers %d", got, got.Pause, m.paused, m.rate, m.workers)
	}
}

// check lets the followers learn of what they were told, as their loop does, and of what a
// transfer shows them.
func (m *model) check(t *rapid.T) {
	version, _ := m.rdb.HGet(m.ctx, m.k.Control, "version").Result()
	for i, n := range m.followers {
		n.f.Saw(m.k.Queue, version, m.now.UnixMilli())
		if n.f.queues[0].stale {
			n.f.LookAll(m.ctx)
			m.seen()
		}
		s := n.state
		if !s.Known || !s.Pause.equal(m.paused) || s.Limit.Workers != m.workers {
			t.Fatalf("follower %d knows %+v %+v, want %+v, workers %d", i, s, s.Pause, m.paused, m.workers)
		}
		switch {
		case m.rotten && (s.Err == nil || s.Limit.Rate != n.rate):
			t.Fatalf("follower %d: a rate of %v, it knew %v; %v", i, s.Limit.Rate, n.rate, s.Err)
		case !m.rotten && s.Limit.Rate != m.rate:
			t.Fatalf("follower %d: a rate of %v, want %v", i, s.Limit.Rate, m.rate)
		}
		n.rate = s.Limit.Rate
		if m.rotten != (s.Err != nil) {
			t.Fatalf("follower %d: %v, rotten: %v", i, s.Err, m.rotten)
		}
	}
}
