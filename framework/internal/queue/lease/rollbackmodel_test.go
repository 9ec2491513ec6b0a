package lease

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"pgregory.net/rapid"

	"github.com/duequeue/duequeue/framework/internal/wire"
)

// past is a model of a Redis that forgets: all its keys go back to an earlier state at any
// step, while the processes believe what they were told since. Nothing that Redis had
// accepted before that state may be lost, unless it was handled; it may be doubled.
type past struct {
	*world
	owed    map[string]bool // accepted and not handled
	handled map[string]bool
	state   snapshot // nil before the first one
	then    map[string]bool
}

func (p *past) push(*rapid.T) {
	p.made++
	body := fmt.Sprintf("m%d", p.made)
	p.check(p.rdb.RPush(p.ctx(), p.e.keys.Queue, body).Err())
	p.owed[body] = true
}

func (p *past) save(*rapid.T) {
	p.state, p.then = p.e.copyKeys(p.ctx(), p.check), maps.Clone(p.owed)
}

func (p *past) rollback(*rapid.T) {
	if p.state == nil {
		return
	}
	p.e.putBack(p.ctx(), p.state, p.check)
	p.owed = maps.Clone(p.then)
	for body := range p.handled {
		delete(p.owed, body)
	}
}

func (p *past) did(body string) {
	p.handled[body] = true
	delete(p.owed, body)
}

func (p *past) take(*rapid.T) {
	s := p.session()
	var acks Acks
	var acked []string
	for _, h := range p.handed {
		if h.s == s && rapid.Bool().Draw(p.t, "ack") {
			acks, acked = append(acks, h.token), append(acked, h.body)
		}
	}
	b, err := s.Take(p.ctx(), rapid.IntRange(0, 4).Draw(p.t, "n"), acks)
	p.check(err)
	if b.Stale < len(acks) { // which of them is not known, and each was handled
		for _, body := range acked {
			p.did(body)
		}
	}
	for _, m := range b.Messages {
		p.handed = append(p.handed, handedOut{s: s, token: m.Token, body: string(m.Body)})
	}
}

func (p *past) ack(*rapid.T) {
	if i, ok := p.pick(); ok {
		h := p.handed[i]
		stale, err := h.s.Ack(p.ctx(), Acks{h.token})
		if p.check(err); stale == 0 {
			p.did(h.body)
		}
	}
}

func (p *past) nack(*rapid.T) {
	if i, ok := p.pick(); ok {
		h := p.handed[i]
		_, err := h.s.Nack(p.ctx(), h.token, NackArgs{Charge: true, MaxAttempts: 3})
		p.check(err)
	}
}

func (p *past) dead(*rapid.T) {
	if i, ok := p.pick(); ok {
		h := p.handed[i]
		r, err := h.s.Dead(p.ctx(), h.token, DeadArgs{Reason: "rejected"})
		if p.check(err); !r.Gone && rapid.Bool().Draw(p.t, "restore") {
			_, err = h.s.Restore(p.ctx(), []string{r.Entry})
			p.check(err)
		}
	}
}

func (p *past) release(*rapid.T) {
	s := p.session()
	var some []Released
	for _, h := range p.handed {
		if h.s == s && rapid.Bool().Draw(p.t, "give back") {
			some = append(some, Released{Token: h.token, Started: rapid.Bool().Draw(p.t, "started")})
		}
	}
	_, err := s.Release(p.ctx(), some)
	p.check(err)
}

func (p *past) end(*rapid.T) {
	if len(p.rest) == 0 {
		return
	}
	i := rapid.IntRange(0, len(p.rest)-1).Draw(p.t, "ended")
	s := p.rest[i]
	if rapid.Bool().Draw(p.t, "die") {
		p.rdb.ZAddXX(p.ctx(), p.e.keys.Sessions, redis.Z{Score: 1, Member: s.ID()})
		_, err := NewReaper(p.rdb, p.e.keys, ReaperOptions{}).Reap(p.ctx(), s.ID())
		p.check(err)
		if rapid.Bool().Draw(p.t, "and lives on") {
			return
		}
	} else {
		_, err := s.Close(p.ctx())
		p.check(err)
	}
	s.lanes.close()
	p.rest = slices.Delete(p.rest, i, i+1)
	p.handed = slices.DeleteFunc(p.handed, func(h handedOut) bool { return h.s == s })
}

// mend gives back what a process does not know of: what is in flight afterwards is what it
// believes to hold.
func (p *past) mend(*rapid.T) {
	s := p.session()
	p.check(s.Mend(p.ctx()))
	for _, nonce := range p.rdb.SMembers(p.ctx(), s.fetches).Val() {
		for i, body := range p.list(p.e.keys.Inflight(s.ID(), nonce)) {
			if i > 0 && body[0] != 0 && s.ledger.find(Token{Nonce: nonce, Index: i}) == nil {
				p.t.Fatalf("%q stays with a process that knows nothing of it", body)
			}
		}
	}
}

func (p *past) invariant(*rapid.T) {
	found := p.everything()
	for body := range p.owed {
		if _, there := slices.BinarySearch(found, body); !there {
			p.t.Fatalf("%s is lost; found %q", body, found)
		}
	}
}

func TestRollbackLosesNothing(t *testing.T) {
	t.Parallel()
	_, srv := own(t)
	rdb := srv.Client()
	rapid.Check(t, func(rt *rapid.T) {
		must(t, rdb.FlushAll(t.Context()).Err())
		p := &past{
			world: &world{t: rt, rdb: rdb, e: &env{rdb: rdb, keys: wire.KeysOf("orders")}, settled: map[string]bool{}},
			owed:  map[string]bool{}, handled: map[string]bool{},
		}
		defer func() {
			for _, s := range p.rest {
				s.lanes.close()
			}
		}()
		actions := map[string]func(*rapid.T){
			"push": p.push, "push more": p.push, "take": p.take, "take more": p.take, "ack": p.ack, "nack": p.nack,
			"dead": p.dead, "release": p.release, "end": p.end, "transfer": p.transfer, "mend": p.mend,
			"save": p.save, "rollback": p.rollback, "roll back more": p.rollback, "": p.invariant,
		}
		for range 3 { // one alone has too few steps for all that has to come together
			rt.Repeat(actions)
		}
	})
}

// What came back by a rollback while its neighbour is still being handled goes back to the
// queue too.
func TestMendGivesBackWhatARollbackBroughtBack(t *testing.T) {
	t.Parallel()
	e := onReal(t)
	s := e.session(t, Options{})
	e.push(t, "a", "b", "c")
	b := take(t, s, 2)
	before := e.snapshot(t)
	_, err := s.Nack(t.Context(), b.Messages[0].Token, NackArgs{Delay: time.Hour})
	must(t, err)
	e.rollback(t, before)
	must(t, s.Mend(t.Context()))
	e.wantQueue(t, "a", "c")
	must(t, s.Mend(t.Context()))
	e.wantQueue(t, "a", "c")
	stale, err := s.Ack(context.Background(), tokens(b)[1:])
	if must(t, err); stale != 0 {
		t.Fatalf("%d stale", stale)
	}
	e.wantKeys(t, "queue", "due", "sessions")
}
