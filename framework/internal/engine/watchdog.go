package engine

import (
	"sync/atomic"
	"time"

	"github.com/duequeue/duequeue/handlers"
)

// watchdog enforces the time of all handlers of an engine with one timer
// instead of one per message: it looks at the running handlers every tick, and
// sleeps while none runs.
type watchdog struct {
	handling []*handling
	tick     time.Duration
	asleep   atomic.Bool
	kick     chan struct{} // capacity 1
	stop     chan struct{}
	done     chan struct{}
}

func newWatchdog(handling []*handling) *watchdog {
	d := &watchdog{
		handling: handling, tick: time.Second,
		kick: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{}),
	}
	for _, ws := range handling {
		if t := ws.policy.Timeout; t > 0 {
			d.tick = min(d.tick, t/20)
		}
	}
	d.tick = max(d.tick, 5*time.Millisecond)
	return d
}

// watch is called whenever a handler starts.
func (d *watchdog) watch() {
	if d.asleep.Load() && d.asleep.CompareAndSwap(true, false) {
		select {
		case d.kick <- struct{}{}:
		default:
		}
	}
}

func (d *watchdog) loop() {
	defer close(d.done)
	t := time.NewTimer(d.tick)
	defer t.Stop()
	for {
		if d.look(time.Now()) {
			t.Reset(d.tick)
			select {
			case <-t.C:
			case <-d.stop:
				return
			}
			continue
		}
		d.asleep.Store(true)
		if d.look(time.Now()) { // one started between the look and the sleep
			d.asleep.Store(false)
			continue
		}
		select {
		case <-d.kick:
		case <-d.stop:
			return
		}
	}
}

// look ends what is over and reports whether any handler runs whose time ends.
func (d *watchdog) look(now time.Time) (busy bool) {
	var all dumpStacks
	for _, ws := range d.handling {
		timeout, grace := ws.policy.Timeout, ws.policy.Grace
		if timeout <= 0 {
			continue
		}
		ws.pool.running(func(w *worker, j *job) {
			busy = true
			ran := now.Sub(j.started)
			switch {
			case ran < timeout:
			case !j.timedOut:
				j.timedOut = true
				j.ctx.End(handlers.ErrTimeout)
			case ran >= timeout+grace:
				ws.hung(w, j, ran, &all)
			}
		})
	}
	return busy
}

func (d *watchdog) close() {
	close(d.stop)
	<-d.done
}
