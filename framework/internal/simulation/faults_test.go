//go:build simulation

package simulation

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/duequeue/duequeue/framework/internal/queue/control"
	"github.com/duequeue/duequeue/framework/internal/queue/lease"
)

// actions are all that a step may do. What takes time goes on beside the steps that follow.
var actions map[string]func(w *world, s step)

func init() {
	actions = map[string]func(w *world, s step){
		"offer":            func(w *world, s step) { w.offer(s, time.Duration(s.b)%drawDelay(s)) },
		"offer at once":    func(w *world, s step) { w.offer(s, 0) },
		"offer many":       (*world).offerMany,
		"offer with a key": (*world).offerKeyed,
		"burst":            (*world).burst,
		"cancel":           (*world).cancel,
		"reschedule":       (*world).reschedule,
		"redrive":          (*world).redrive,

		"Java offers":    (*world).javaOffers,
		"Java transfers": (*world).javaTransfers,
		"Java takes":     (*world).javaTakes,

		"kill a process": func(w *world, s step) { w.killed(w.alive(s.a)) },
		"kill a process with much in hand": func(w *world, _ step) {
			w.killed(w.busiest())
		},
		"deploy":                 (*world).deploy,
		"hold a process":         (*world).hold,
		"lose replies":           (*world).loseReplies,
		"late replies":           (*world).lateReplies,
		"cut connections":        (*world).cutConnections,
		"server away":            (*world).serverAway,
		"roll back":              (*world).rollBack,
		"roll back amid a burst": (*world).rollBackAmidBurst,
		"clock forward":          func(w *world, s step) { w.jumpFor(between(s.a, time.Second, 2*time.Minute), s) },
		"clock back":             func(w *world, s step) { w.jumpFor(-between(s.a, time.Second, 5*time.Minute), s) },
		"clock back and a death": (*world).clockBackAndDeath,
		"delete keys":            (*world).deleteKeys,
		"forget scripts":         func(w *world, _ step) { w.quietly(func() { w.check(w.eyes.ScriptFlush(context.Background()).Err()) }) },
		"many die":               (*world).manyDie,
		"pause a queue":          (*world).pause,
		"pause the fleet":        (*world).pauseFleet,
		"limit the fleet":        (*world).limitFleet,
	}
}

// drawDelay is what a delay is below: most are short.
func drawDelay(s step) time.Duration {
	if s.a%4 == 0 {
		return longest
	}
	return 30 * time.Second
}

// between maps a draw to a range.
func between(draw int64, least, most time.Duration) time.Duration {
	return least + time.Duration(draw)%(most-least)
}

// alive picks a process that runs; nil where none does.
func (w *world) alive(draw int64) *process {
	for i := range w.fleet {
		p := w.fleet[(int(draw)+i)%len(w.fleet)]
		if !p.dead.Load() && p.client.Load() != nil {
			return p
		}
	}
	return nil
}

func (w *world) queue(draw int64) *queue { return w.queues[int(draw>>8)%len(w.queues)] }

func (w *world) kindOf(q *queue, draw int64) kind { return q.kinds[int(draw>>20)%len(q.kinds)] }

// begin starts a goroutine of a producer.
func (w *world) begin(do func(ctx context.Context)) {
	w.work.Add(1)
	go func() {
		defer w.work.Done()
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		do(ctx)
	}()
}

// killed ends a process at once; another one takes its place after a while.
func (w *world) killed(p *process) {
	if p == nil {
		return
	}
	if p.dead.Load() {
		return
	}
	p.kill()
	w.l.kills(p.name)
	slot := slices.Index(w.fleet, p)
	w.later(between(int64(draw(1<<30, w.plan.seed, p.name)), 0, 40*time.Second), func() {
		if w.fleet[slot] == p {
			w.startProcess(slot)
		}
	})
}

// busiest is the process that handles most.
func (w *world) busiest() *process {
	var best *process
	most := -1
	for _, p := range w.fleet {
		if p.dead.Load() || p.engine.Load() == nil {
			continue
		}
		n := 0
		for _, q := range p.engine.Load().Health().Queues {
			n += q.Running
		}
		if n > most {
			best, most = p, n
		}
	}
	return best
}

func (w *world) deploy(s step) {
	p := w.alive(s.a)
	if p == nil {
		return
	}
	slot := slices.Index(w.fleet, p)
	p.stop()
	w.l.struck("deploy of "+p.name, time.Now().Add(10*time.Second))
	go func() {
		<-p.ended
		p.dead.Store(true)
		w.todo <- func() {
			if w.fleet[slot] == p {
				w.startProcess(slot)
			}
		}
	}()
}

func (w *world) hold(s step) {
	p := w.alive(s.a)
	if p == nil {
		return
	}
	d := between(s.b, time.Second, 80*time.Second)
	w.net.hold(p.name, d)
	w.l.struck("hold of "+p.name, time.Now().Add(d))
}

func (w *world) loseReplies(s step) {
	p := w.alive(s.a)
	if p == nil {
		return
	}
	n := 1 + int(s.b%20)
	w.net.lose(p.name, n)
	w.l.struck(fmt.Sprintf("%d replies lost to %s", n, p.name), time.Now().Add(20*time.Second))
	w.later(20*time.Second, func() { w.net.lose(p.name, -1<<30) })
}

func (w *world) lateReplies(s step) {
	p := w.alive(s.a)
	if p == nil {
		return
	}
	d, most := between(s.b, time.Second, 30*time.Second), between(s.b>>8, 10*time.Millisecond, 5*time.Second)
	w.net.linger(p.name, d, most)
	w.l.struck("late replies to "+p.name, time.Now().Add(d+most))
}

func (w *world) cutConnections(s step) {
	if s.b%3 == 0 {
		w.net.cut("")
	} else if p := w.alive(s.a); p != nil {
		w.net.cut(p.name)
	}
	w.l.struck("cut of connections", time.Now().Add(time.Second))
}

func (w *world) serverAway(s step) {
	d := between(s.b, 100*time.Millisecond, 25*time.Second)
	w.net.setDown(true)
	if s.a%2 == 0 {
		w.quietly(func() { w.check(w.eyes.ScriptFlush(context.Background()).Err()) })
	}
	w.l.struck("server away", time.Now().Add(d))
	w.later(d, func() { w.net.setDown(false) })
}

func (w *world) jump(ahead time.Duration) {
	w.quietly(func() {
		w.net.jump(ahead)
		w.l.jump(ahead)
	})
	w.l.struck(fmt.Sprintf("clock %v", ahead), time.Now().Add(2*leaseTime))
}

func (w *world) jumpFor(ahead time.Duration, s step) {
	if w.net.ahead != 0 {
		return
	}
	w.jump(ahead)
	w.later(between(s.b, 10*time.Second, 5*time.Minute), func() { w.jump(0) })
}

func (w *world) clockBackAndDeath(s step) {
	w.jumpFor(-between(s.a, time.Minute, 10*time.Minute), s)
	w.killed(w.busiest())
}

// deleteKeys takes one of our books away, none that holds messages.
func (w *world) deleteKeys(s step) {
	q := w.queue(s.a)
	k := q.parts()[int(s.a>>16)%len(q.parts())]
	keys := []string{k.Sessions, k.Leases, k.Attempts, k.MessageNames, k.IDs, k.Trace, k.Sessions, k.Sessions}
	if q.equal {
		keys = []string{k.Sessions, k.Leases, k.Trace} // by the others IDs are known
	}
	key := keys[int(s.b)%len(keys)]
	w.quietly(func() { w.check(w.eyes.Del(context.Background(), key).Err()) })
	w.l.struck(deletion+key, time.Now())
}

// manyDie lets hundreds of processes take a message each, and die.
func (w *world) manyDie(step) {
	q := w.queues[1]
	ctx := context.Background()
	w.quietly(func() {
		for range 300 {
			m := w.l.offering(q, plain, w.net.clock())
			k := q.parts()[draw(len(q.parts()), m.name)]
			w.check(w.eyes.RPush(ctx, k.Queue, m.name).Err())
			w.l.offered(m, "", time.Time{}, nil, false)
			died, err := lease.New(w.eyes, w.eyes, k, lease.Options{})
			w.check(err)
			_, err = died.Take(ctx, 1, nil)
			w.check(err)
		}
	})
	w.l.struck("death of hundreds", time.Now())
}

func (w *world) pause(s step) {
	p, q := w.alive(s.a), w.queue(s.a)
	if p == nil {
		return
	}
	e := p.engine.Load()
	w.check(e.Pause("the simulation wants it", "somebody", q.Queue))
	w.later(between(s.b, time.Second, 3*time.Minute), func() { _ = e.Resume(q.Queue) })
}

// pauseFleet pauses a queue for all processes. Half of the pauses end by the clock of the
// server, unless it jumps.
func (w *world) pauseFleet(s step) {
	q, lasts := w.queue(s.a), between(s.b, 5*time.Second, 90*time.Second)
	if !w.l.steered(q, time.Now().Add(lasts), true) {
		return
	}
	length := time.Duration(0)
	if s.b%2 == 0 {
		length = lasts
	}
	w.quietly(func() {
		w.server.SetTime(w.net.clock())
		_, _, err := control.PauseFor(context.Background(), w.eyes, q.parts()[0], control.Pause{Reason: "the simulation wants it"}, length)
		w.check(err)
	})
	w.later(lasts, func() { w.resume(q) })
}

// resume ends a pause of all processes, and bounds no more.
func (w *world) resume(q *queue) {
	w.quietly(func() {
		_, _, err := control.Resume(context.Background(), w.eyes, q.parts()[0], "")
		w.check(err)
		_, _, err = control.SetLimit(context.Background(), w.eyes, q.parts()[0], control.Limit{Rate: -1, Workers: -1})
		w.check(err)
	})
}

// limitFleet leaves each process one worker for a queue, or a message each two seconds.
func (w *world) limitFleet(s step) {
	q, lasts := w.queue(s.a), between(s.b, 5*time.Second, 60*time.Second)
	if !w.l.steered(q, time.Now().Add(lasts), false) {
		return
	}
	limit := control.Limit{Workers: 1}
	if s.b%2 == 0 {
		limit = control.Limit{Rate: 0.5}
	}
	w.quietly(func() {
		_, _, err := control.SetLimit(context.Background(), w.eyes, q.parts()[0], limit)
		w.check(err)
	})
	w.later(lasts, func() { w.resume(q) })
}
