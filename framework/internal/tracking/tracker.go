package tracking

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/framework/internal/chance"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
)

// DefaultPoll is the default of [Options].
const DefaultPoll = time.Second

const (
	// placeEvery is how often it is looked on which node of a cluster each list is.
	placeEvery = time.Second
	// wonMost and what follows spread the processes that hear of one change. Who got messages
	// last looks at once, and about so many others soon; all others look later, the more of
	// them there are, when mostly nothing is left to take. Until then they hear of no change.
	wonMost    = 300 * time.Microsecond
	spreadNear = time.Millisecond
	standBy    = 5
	spreadEach = 50 * time.Millisecond
	spreadMost = 5 * time.Second
)

// Options shape a [Tracker]. The zero value has usable defaults.
type Options struct {
	// Name is what CLIENT LIST shows for the connections. Defaults to none.
	Name string

	// Poll is how often the lists are looked at where Redis refuses to tell of changes:
	// so late a message may be seen there. Defaults to 1 s.
	Poll time.Duration

	// Ping is how long a connection may be silent before it is pinged. Defaults to 10 s.
	Ping time.Duration

	// PingTimeout is how long an answer, or the news of a change that must come, may take
	// before the connection is made anew. Defaults to 2 s.
	PingTimeout time.Duration

	// Logger gets state changes. Defaults to none.
	Logger *slog.Logger
}

func (o Options) withDefaults() Options {
	o.Poll = cmp.Or(max(o.Poll, 0), DefaultPoll)
	o.Ping = cmp.Or(max(o.Ping, 0), 10*time.Second)
	o.PingTimeout = cmp.Or(max(o.PingTimeout, 0), 2*time.Second)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// Tracker tells queues that rest when their ready lists have messages. Each node has one
// connection, and one goroutine that owns it. Build it with [New]; its methods are safe for
// concurrent use.
type Tracker struct {
	rdb     redisapi.Client
	opts    Options
	run     context.Context // of all that runs here; ends with Stop
	end     context.CancelFunc
	running background.Group

	mu    sync.Mutex // guards what follows, and all lists
	lists map[string]*List
	nodes map[string]*node // by address
}

// New returns a tracker that runs until [Tracker.Stop]; the end of ctx does not stop it. It asks Redis nothing before the
// first list is added. rdb is shared with others and stays open: a *redis.Client, also of
// Sentinel, or a *redis.ClusterClient.
func New(ctx context.Context, rdb redisapi.Client, opts Options) *Tracker {
	run, end := context.WithCancel(context.WithoutCancel(ctx)) // ends with Stop
	t := &Tracker{rdb: rdb, opts: opts.withDefaults(), run: run, end: end, lists: map[string]*List{}, nodes: map[string]*node{}}
	if redisapi.IsCluster(rdb) {
		t.running.Loop(run, "find the nodes of ready lists", t.placeOn)
	}
	return t
}

// List is the ready list of one queue.
type List struct {
	t         *Tracker
	key       string
	wake      func()
	processes func() int

	// Guarded by Tracker.mu, as what follows.
	node    *node // nil until it is known where the list is
	resting bool  // the queue waits for news
	won     bool  // the queue got messages when it was awake last
	state   listState
	at      time.Time // when to ask; zero for at once
	since   time.Time // of state quiet
	expect  time.Time // until when a change must be heard of; zero for none
}

// listState is what Redis knows and said of a list.
type listState uint8

const (
	unknown listState = iota // a change would not be told of
	asked                    // the length is under way; from then on the next change is told of
	quiet                    // it was empty, and its next change is told of
	full                     // it was not, and its next change is told of
)

// Add takes up the list with this key. wake is called when it has messages while the queue
// rests; it must not block. processes tells how many processes serve the queue, nil for one.
func (t *Tracker) Add(key string, processes func() int, wake func()) *List {
	l := &List{t: t, key: key, wake: wake, processes: processes}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lists[key] = l
	if !redisapi.IsCluster(t.rdb) {
		if n := t.nodeLocked(redisapi.OptionsOf(t.rdb).Addr, t.rdb); n != nil {
			n.takeLocked(l)
		}
	}
	return l
}

// Rest says that the queue was just found empty and waits: wake is called once there is
// something. got says that it got messages since it rested last.
func (l *List) Rest(got bool) {
	l.t.mu.Lock()
	defer l.t.mu.Unlock()
	l.resting, l.won = true, got
	if l.state == unknown || l.state == full {
		l.state, l.at = unknown, time.Time{}
		l.enqueueLocked()
	}
}

// Awake says that the queue does not wait any more.
func (l *List) Awake() {
	l.t.mu.Lock()
	defer l.t.mu.Unlock()
	l.resting = false
}

// Took says that a request sent at that moment took messages off the list. Redis must tell of
// that change: where it does not in time the connection is deaf, and made anew.
func (l *List) Took(sent time.Time) {
	l.t.mu.Lock()
	defer l.t.mu.Unlock()
	if l.state == quiet && l.since.Before(sent) && l.expect.IsZero() && l.node != nil {
		l.expect = time.Now().Add(l.t.opts.PingTimeout)
		l.node.expecting = append(l.node.expecting, l)
		l.node.nudge()
	}
}

// enqueueLocked has the list asked for. Caller holds the lock.
func (l *List) enqueueLocked() {
	if l.node != nil {
		l.node.due = append(l.node.due, l)
		l.node.nudge()
	}
}

// changedLocked notes that the list has changed. Caller holds the lock.
func (l *List) changedLocked(now time.Time) {
	if l.state == asked { // the change came before that: the answer knows it
		return
	}
	l.state, l.expect = unknown, time.Time{}
	if l.resting {
		l.at = now.Add(l.spread())
		l.enqueueLocked()
	}
}

// spread is how long to wait before the list is looked at after a change: all processes
// hear of it at once, and one of them takes the message.
func (l *List) spread() time.Duration {
	n := 1
	if l.processes != nil {
		n = l.processes()
	}
	switch {
	case n <= 1:
		return 0
	case l.won:
		return chance.Below(wonMost)
	}
	most := spreadNear
	if chance.Float64()*float64(n) >= standBy {
		most = min(time.Duration(n)*spreadEach, spreadMost)
	}
	return spreadNear/5 + chance.Below(most-spreadNear/5)
}

// Stop ends the tracker and waits for it, but no longer than ctx, whose cause it then
// returns. No wake is called afterwards.
func (t *Tracker) Stop(ctx context.Context) error {
	t.end()
	done := make(chan struct{})
	background.Go(ctx, "wait for the tracker", func() {
		defer close(done)
		t.running.Wait()
	})
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// nodeLocked returns the node with this address, new where there is none. Caller holds the
// lock.
func (t *Tracker) nodeLocked(addr string, client redisapi.Client) *node {
	n := t.nodes[addr]
	if n == nil && t.run.Err() == nil {
		n = newNode(t, addr, client)
		t.nodes[addr] = n
		t.running.Loop(n.run, "hear of changes of ready lists", n.live)
	}
	return n
}

// placeOn looks again and again on which node of a cluster each list is.
func (t *Tracker) placeOn() {
	tick := time.NewTicker(placeEvery)
	defer tick.Stop()
	for {
		t.place()
		select {
		case <-tick.C:
		case <-t.run.Done():
			return
		}
	}
}

// place moves lists to the nodes that serve them now, and forgets nodes without lists.
func (t *Tracker) place() {
	t.mu.Lock()
	lists := make([]*List, 0, len(t.lists))
	for _, l := range t.lists {
		lists = append(lists, l)
	}
	t.mu.Unlock()
	ctx, cancel := context.WithTimeout(t.run, placeEvery)
	defer cancel()
	clients := make([]redisapi.Client, len(lists))
	for i, l := range lists {
		var err error
		if clients[i], err = redisapi.Node(ctx, t.rdb, l.key); err != nil {
			return // that of others is not known either
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, l := range lists {
		addr := redisapi.OptionsOf(clients[i]).Addr
		if l.node != nil && l.node.addr == addr {
			l.node.client = clients[i]
			continue
		}
		if n := t.nodeLocked(addr, clients[i]); n != nil {
			n.takeLocked(l)
		}
	}
	for addr, n := range t.nodes {
		if len(n.lists) == 0 {
			n.end()
			delete(t.nodes, addr)
		}
	}
}

// takeLocked moves a list to the node. Caller holds the lock.
func (n *node) takeLocked(l *List) {
	if l.node != nil {
		delete(l.node.lists, l)
		l.node.expecting = slices.DeleteFunc(l.node.expecting, func(o *List) bool { return o == l })
	}
	n.lists[l] = struct{}{}
	l.node, l.state, l.expect, l.at = n, unknown, time.Time{}, time.Time{}
	if l.resting {
		l.enqueueLocked()
	}
}
