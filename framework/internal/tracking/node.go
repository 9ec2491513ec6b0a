package tracking

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/retry"
	"github.com/duequeue/duequeue/framework/internal/trouble"
)

const (
	retryFirst = 50 * time.Millisecond
	retryMax   = 2 * time.Second
	// refusedFor is after how long a server that refuses is asked again.
	refusedFor = time.Minute
	// askAgain is after how long a list is asked for again whose length Redis did not tell.
	askAgain = time.Second
	// atOnce is how many lists are asked for in one write.
	atOnce = 1000
)

// errDeaf is why a connection is given up on which a change was not told of.
var errDeaf = errors.New("a change of a list was not told of")

// node is one node with the lists that are on it. Its goroutine owns the connection.
type node struct {
	t    *Tracker
	addr string
	run  context.Context // ends with the node
	end  context.CancelFunc
	kick chan struct{} // capacity 1: there is something to ask

	// Guarded by Tracker.mu.
	client    redisapi.Client // whose options lead here
	lists     map[*List]struct{}
	due       []*List // to be asked for; some may not need it any more
	expecting []*List

	// Of its goroutine.
	down, failing trouble.State // the connection; the lengths of lists
	polled        time.Time     // when the lists were looked at last
}

func newNode(t *Tracker, addr string, client redisapi.Client) *node {
	run, end := context.WithCancel(t.run)
	return &node{t: t, addr: addr, run: run, end: end, kick: make(chan struct{}, 1), client: client, lists: map[*List]struct{}{}}
}

func (n *node) nudge() {
	select {
	case n.kick <- struct{}{}:
	default:
	}
}

// live keeps a connection up until the node ends. While there is none the lists are polled.
func (n *node) live() {
	for attempt := 0; n.run.Err() == nil; attempt++ {
		began := time.Now()
		err := n.session()
		if n.run.Err() != nil {
			return
		}
		if time.Since(began) > retryMax { // it was up
			attempt = 0
		}
		pause := retry.Backoff(attempt, retryFirst, retryMax)
		_, refused := errors.AsType[*refusedError](err)
		if refused = refused || errors.Is(err, errDeaf); refused {
			pause = refusedFor
		}
		n.complain(err, refused)
		n.pollFor(pause)
	}
}

// complain tells of a connection that is not there, once.
func (n *node) complain(err error, refused bool) {
	switch log := n.t.opts.Logger; {
	case !n.down.Begin(err):
	case refused:
		log.WarnContext(n.run, "Redis does not report changes of ready lists (CLIENT TRACKING): the queues beyond blocking_waits are polled instead, and what others push is seen later",
			"addr", n.addr, "every", n.t.opts.Poll, "again_in", refusedFor, "err", err)
	default:
		log.WarnContext(n.run, "the connection that reports changes of ready lists is lost: the lists are polled until it is back", "addr", n.addr, "every", n.t.opts.Poll, "err", err)
	}
}

// session is one connection, from its making to its end.
type session struct {
	*node
	conn    *conn
	events  chan event
	waiting []*List   // asked for and not answered, in order; nil for a ping
	heard   time.Time // when the connection last said anything
	sent    time.Time // when the first of those that wait was sent, or the last answer came
}

// event is what a connection says.
type event struct {
	frame frame
	err   error
}

// session connects, registers all lists, and serves until something fails.
func (n *node) session() error {
	n.t.mu.Lock()
	o := redisapi.OptionsOf(n.client)
	n.t.mu.Unlock()
	c, err := dial(n.run, &o, n.t.opts.Name)
	if err != nil {
		return err
	}
	s := &session{node: n, conn: c, events: make(chan event, 64), heard: time.Now()}
	over := make(chan struct{})
	n.t.running.Go(n.run, "read changes of ready lists", func() { s.listen(over) })
	defer func() {
		close(over)
		_ = c.Close()
		n.forget()
	}()
	n.forget()
	if lasted, was := n.down.End(); was {
		log := n.t.opts.Logger
		log.InfoContext(n.run, "Redis reports changes of ready lists again", "addr", n.addr, "after", lasted)
	}
	return s.serve()
}

// listen reads what comes. It ends with the connection.
func (s *session) listen(over <-chan struct{}) {
	for {
		var f frame
		err := background.Call(s.run, "read changes of ready lists", func() (err error) {
			f, err = s.conn.next()
			return err
		})
		select {
		case s.events <- event{f, err}:
		case <-over:
			return
		}
		if err != nil {
			return
		}
	}
}

// forget notes that no change is told of: on no connection, or a new one.
func (n *node) forget() {
	n.t.mu.Lock()
	defer n.t.mu.Unlock()
	n.due, n.expecting = n.due[:0], nil
	for l := range n.lists {
		l.state, l.expect, l.at = unknown, time.Time{}, time.Time{}
		if l.resting {
			n.due = append(n.due, l)
		}
	}
}

func (s *session) serve() error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		next, err := s.look(time.Now())
		if err != nil {
			return err
		}
		timer.Reset(next)
		select {
		case <-s.run.Done():
			return nil
		case <-s.kick:
		case <-timer.C:
		case e := <-s.events:
			if err := s.hear(e); err != nil {
				return err
			}
		}
	}
}

// hear takes an event in, and those that wait behind it.
func (s *session) hear(e event) error {
	s.heard = time.Now()
	s.sent = s.heard
	for more := true; more; {
		if err := s.hearOne(e); err != nil {
			return err
		}
		select {
		case e = <-s.events:
		default:
			more = false
		}
	}
	return nil
}

func (s *session) hearOne(e event) error {
	switch {
	case e.err != nil:
		return rediserr.Classify("CLIENT TRACKING", e.err)
	case e.frame.kind == '>':
		s.pushed(e.frame.items)
		return nil
	case len(s.waiting) == 0:
		return fmt.Errorf("%w: an answer to nothing", errFrame)
	}
	l := s.waiting[0]
	s.waiting = s.waiting[1:]
	if l != nil {
		s.answered(l, &e.frame)
	}
	return nil
}

// pushed takes in that lists have changed: those that are named, or all.
func (s *session) pushed(items []frame) {
	if len(items) < 2 || items[0].text != "invalidate" {
		return
	}
	s.t.mu.Lock()
	defer s.t.mu.Unlock()
	if items[1].null { // FLUSHALL, or Redis has forgotten what it was to tell
		for l := range s.lists {
			l.changedLocked(s.heard)
		}
		return
	}
	for _, key := range items[1].items {
		if l := s.t.lists[key.text]; l != nil && l.node == s.node {
			l.changedLocked(s.heard)
		}
	}
}

// answered takes in the length of a list.
func (s *session) answered(l *List, f *frame) {
	length, ok := f.number()
	if s.settle(l, length, ok) {
		l.wake()
	}
	if ok {
		if lasted, was := s.failing.End(); was {
			s.t.opts.Logger.InfoContext(s.run, "the lengths of ready lists are known again", "after", lasted)
		}
		return
	}
	err := errFrame
	if f.failed() {
		err = rediserr.Classify("LLEN", rediserr.Answer(f.text))
	}
	if _, wrong := errors.AsType[*fault.WrongTypeError](err); wrong { // the take says what is the matter
		l.wake()
		return
	}
	if rediserr.MayPass(err) && redisapi.Reload(s.run, s.t.rdb) {
		return
	}
	if s.failing.Begin(err) {
		s.t.opts.Logger.WarnContext(s.run, "could not ask for the length of a ready list; tried again until it works", "key", l.key, "err", err)
	}
}

// settle changes the state of the list, and reports whether to wake its queue.
func (s *session) settle(l *List, length int64, known bool) (wake bool) {
	s.t.mu.Lock()
	defer s.t.mu.Unlock()
	if l.node != s.node || l.state != asked { // it has moved meanwhile
		return false
	}
	switch {
	case !known:
		l.state, l.at = unknown, time.Now().Add(askAgain)
		if l.resting {
			l.enqueueLocked()
		}
	case length > 0:
		l.state = full
		return l.resting
	default:
		l.state, l.since = quiet, time.Now()
	}
	return false
}

// look asks for what is due, and returns when to look again. The error says why the
// connection is of no use.
func (s *session) look(now time.Time) (time.Duration, error) {
	if len(s.waiting) > 0 && now.Sub(s.sent) >= s.t.opts.PingTimeout {
		return 0, fmt.Errorf("%w: no answer within %v", errSilent, s.t.opts.PingTimeout)
	}
	next := s.t.opts.Ping
	for {
		batch, wait, err := s.take(now)
		if err != nil {
			return 0, err
		}
		if next = min(next, wait); len(batch) == 0 {
			break
		}
		for _, l := range batch {
			s.conn.add("LLEN", l.key)
		}
		s.send(now, batch...)
		if err := s.conn.flush(); err != nil {
			return 0, err
		}
	}
	if quietFor := now.Sub(s.heard); len(s.waiting) == 0 && quietFor >= s.t.opts.Ping {
		s.conn.add("PING")
		s.send(now, nil)
		if err := s.conn.flush(); err != nil {
			return 0, err
		}
	} else if len(s.waiting) == 0 {
		next = min(next, s.t.opts.Ping-quietFor)
	}
	if len(s.waiting) > 0 {
		next = min(next, s.t.opts.PingTimeout-now.Sub(s.sent))
	}
	return max(next, 0), nil
}

var errSilent = errors.New("the connection is silent")

// send notes what is sent.
func (s *session) send(now time.Time, lists ...*List) {
	if len(s.waiting) == 0 {
		s.sent = now
	}
	s.waiting = append(s.waiting, lists...)
}

// take takes lists that are to be asked for now, and returns when the next one is.
func (s *session) take(now time.Time) (batch []*List, next time.Duration, err error) {
	s.t.mu.Lock()
	defer s.t.mu.Unlock()
	next = s.t.opts.Ping
	for _, l := range s.expecting {
		if left := l.expect.Sub(now); l.node == s.node && !l.expect.IsZero() && left <= 0 {
			return nil, 0, fmt.Errorf("%w: %s", errDeaf, l.key)
		} else if !l.expect.IsZero() {
			next = min(next, left)
		}
	}
	s.expecting = slices.DeleteFunc(s.expecting, func(l *List) bool { return l.expect.IsZero() })
	later := s.due[:0]
	for i, l := range s.due {
		switch {
		case l.node != s.node || !l.resting || l.state != unknown:
		case l.at.After(now) || len(batch) == atOnce:
			later = append(later, s.due[i])
			next = min(next, max(l.at.Sub(now), 0))
		default:
			l.state = asked
			batch = append(batch, l)
		}
	}
	clear(s.due[len(later):])
	s.due = later
	return batch, next, nil
}
