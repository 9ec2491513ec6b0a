package main

import (
	"context"
	"strconv"
	"strings"
	"time"
)

// touch is a process that had a message in hand.
type touch struct {
	at    int64 // ledger's ms
	proc  string
	batch int // messages of the batch in which it began; 0 or 1: it began alone
	died  int // processes that had died with it before, as the queue counted
}

// message is all that the ledger says about one message.
type message struct {
	id       string
	producer string
	offered  int64 // when it was about to be offered
	accepted int64 // when the offer had succeeded; 0: not, or not known
	refused  bool  // surely not added
	due      int64 // due time, or the earliest that it can be
	starts   []touch
	finishes []touch
	outcome  string // what the offer said, where it failed
}

func (m *message) handled() bool { return len(m.finishes) > 0 }

// tally adds up a ledger.
type tally struct {
	messages map[string]*message
	last     string // entry read last
	finished []int64
	clocks   map[string]time.Duration // how far processes are ahead of the ledger
	strange  int                      // handled or accepted, though never offered
}

func newTally() *tally {
	return &tally{messages: map[string]*message{}, clocks: map[string]time.Duration{}, last: "0"}
}

// follow reads the ledger up to its present end.
func (t *tally) follow(ctx context.Context, l *ledger) error {
	for {
		entries, last, err := l.read(ctx, t.last)
		if err != nil {
			return err
		}
		if len(entries) == 0 {
			return nil
		}
		for _, e := range entries {
			t.add(e)
		}
		t.last = last
	}
}

func (t *tally) add(e entry) {
	number := func() int64 { n, _ := strconv.ParseInt(e.rest, 10, 64); return n }
	if e.kind == noteClock {
		t.clocks[e.proc] = time.Duration(number()-e.at) * time.Millisecond
		return
	}
	m := t.messages[e.id]
	if m == nil {
		m = &message{id: e.id}
		t.messages[e.id] = m
	}
	switch e.kind {
	case noteOffering:
		m.offered, m.producer, m.due = e.at, e.proc, e.at+number()
	case noteAccepted:
		m.accepted = e.at
		if due := number(); due > 0 {
			m.due = due
		}
	case noteRefused:
		m.refused, m.outcome = true, e.rest
	case noteUnknown:
		m.outcome = e.rest
	case noteStarted:
		m.starts = append(m.starts, startOf(e))
	case noteFinished:
		m.finishes = append(m.finishes, touch{at: e.at, proc: e.proc})
		t.finished = append(t.finished, e.at)
	}
	if m.offered == 0 {
		t.strange++
	}
}

// startOf reads a start; Java's and other peers' have the attempt alone.
func startOf(e entry) touch {
	began := touch{at: e.at, proc: e.proc}
	if parts := strings.Split(e.rest, "/"); len(parts) == 3 {
		began.batch, _ = strconv.Atoi(parts[1])
		began.died, _ = strconv.Atoi(parts[2])
	}
	return began
}

// open counts accepted messages that nobody has handled.
func (t *tally) open() (n int) {
	for _, m := range t.messages {
		if m.accepted > 0 && !m.handled() {
			n++
		}
	}
	return n
}

// handled counts messages that somebody has handled.
func (t *tally) handled() (n int) {
	for _, m := range t.messages {
		if m.handled() {
			n++
		}
	}
	return n
}
