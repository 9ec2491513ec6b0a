//go:build simulation

package simulation

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"net"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2"
)

// network lies between the processes and the server. What is on its way waits until
// nothing in the bubble can go on, then the seed chooses which one arrives. So what
// happens at one moment of virtual time happens in an order that the seed decides.
type network struct {
	server  *miniredis.Miniredis
	seed    uint64
	arrived chan struct{} // capacity 1: something is on its way
	stop    chan struct{}
	stopped chan struct{}

	mu       sync.Mutex
	conns    []*conn // open ones
	made     int
	down     bool                  // the server refuses all connections
	ahead    time.Duration         // of the server's clock
	held     map[string]time.Time  // by process: nothing arrives before
	severed  map[string]bool       // by process: it is dead
	losing   map[string]int        // by process: so many replies get lost, each with its connection
	lingerer map[string]*lingering // by process: replies are late
	trace    []string              // what arrived, where asked for
	actions  []func()              // to do when nothing is on its way
	fresh    []*packet             // written, and not yet drawn how long they take
	blocked  []blocked             // who waits in BLMOVE, the longest first
	java     []javaWaits           // for the network's goroutine alone, as the next one
	asked    bool                  // something may be ready that was not
	order    int
	firsts   []*packet // used again and again, see next
	record   []arrival
	follows  *record // in a replay, as long as the run goes as its record
	left     string  // where it did not
	salt     string  // a test has other latencies
	keep     bool
	sum      uint64 // of all that arrived
	instant  time.Time
	atOnce   int // arrivals at one moment of virtual time
}

// lingering delays replies until a moment.
type lingering struct {
	until time.Time
	most  time.Duration
}

// livelock is more arrivals than one moment can have.
const livelock = 200_000

// collectEvery is after how many packets garbage is collected. At other times it is not: the
// collector would change which of several goroutines runs first.
const collectEvery = 10_000

var errSevered = errors.New("simulation: connection reset")

func newNetwork(server *miniredis.Miniredis, seed uint64, h how) *network {
	return &network{
		server: server, seed: seed, keep: h.keep, follows: h.follows, salt: h.salt,
		arrived: make(chan struct{}, 1), stop: make(chan struct{}), stopped: make(chan struct{}),
		held: map[string]time.Time{}, severed: map[string]bool{}, losing: map[string]int{}, lingerer: map[string]*lingering{},
	}
}

// line is how a process reaches the server.
type line struct {
	n    *network
	proc string
}

// DialContext connects, unless the process is dead or the server down.
func (l line) DialContext(ctx context.Context, _, _ string) (net.Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return l.n.dial(l.proc)
}

func (n *network) dial(proc string) (net.Conn, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.down || n.severed[proc] {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errSevered}
	}
	far, err := n.server.Dial()
	if err != nil {
		return nil, err
	}
	n.made++
	c := &conn{n: n, proc: proc, sides: [2]string{proc + ">", proc + "<"}, number: n.made, far: far}
	c.wake = sync.NewCond(&c.mu)
	n.conns = append(n.conns, c)
	go c.listen() // ends when the connection is closed
	return c, nil
}

// look connects past the network: what is written arrives at once.
func (n *network) look() (net.Conn, error) {
	far, err := n.server.Dial()
	if err != nil {
		return nil, err
	}
	c := &conn{n: n, direct: true, far: far}
	c.wake = sync.NewCond(&c.mu)
	go c.listen() // ends when the connection is closed
	go c.write()
	return c, nil
}

// run lets one packet after the other arrive, until end is called.
func (n *network) run() {
	defer close(n.stopped)
	for {
		synctest.Wait()
		now := time.Now()
		over := n.firstOver()
		if n.asked || !over.IsZero() && !now.Before(over) {
			n.asked = false
			n.unblock(now)
			over = n.firstOver()
		}
		wait, arrives := n.next()
		if arrives != nil {
			arrives()
			continue
		}
		if d := over.Sub(now); !over.IsZero() && (wait == 0 || d < wait) {
			wait = d
		}
		var later <-chan time.Time
		var timer *time.Timer
		if wait > 0 {
			timer = time.NewTimer(wait)
			later = timer.C
		}
		select {
		case <-n.arrived:
		case <-later:
		case <-n.stop:
			return
		}
		if timer != nil {
			timer.Stop()
		}
	}
}

// end stops it. Nobody may wait for an answer any more.
func (n *network) end() {
	close(n.stop)
	<-n.stopped
	for _, c := range slices.Clone(n.conns) {
		c.sever()
	}
}

func (n *network) signal() {
	select {
	case n.arrived <- struct{}{}:
	default:
	}
}

// next returns what arrives now. Where there is nothing it tells how long to wait for what
// is on its way, 0 for nothing.
func (n *network) next() (wait time.Duration, arrives func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.actions) > 0 {
		act := n.actions[0]
		n.actions, n.asked = n.actions[1:], true
		return 0, act
	}
	now := time.Now()
	n.send(now)
	waiting := n.firsts[:0]
	for _, c := range n.conns {
		hold := n.held[c.proc]
		for _, reply := range []bool{false, true} {
			p := c.first(reply)
			if p == nil {
				continue
			}
			if hold.After(p.ready) {
				p.ready = hold.Add(p.takes) // one after the other
			}
			waiting = append(waiting, p)
		}
	}
	n.firsts = waiting
	first, wait, follows := n.recorded(now, waiting)
	if !follows {
		first, wait = n.earliest(now, waiting)
	}
	if first == nil || wait > 0 {
		return wait, nil
	}
	if n.count(now, first); n.atOnce > livelock {
		panic(fmt.Sprintf("simulation: %d packets at one moment, the last: %s", n.atOnce, first.label()))
	}
	if first.reply {
		return 0, func() { n.answer(first.c) }
	}
	return 0, func() { n.ask(first.c) }
}

// earliest returns the packet that arrives first by the seed, and how long until then.
func (n *network) earliest(now time.Time, waiting []*packet) (first *packet, wait time.Duration) {
	for _, p := range waiting {
		if first == nil || p.ready.Before(first.ready) || p.ready.Equal(first.ready) && p.order < first.order {
			first = p
		}
	}
	if first == nil {
		return nil, 0
	}
	return first, max(0, first.ready.Sub(now))
}

func (n *network) count(now time.Time, p *packet) {
	if !now.Equal(n.instant) {
		n.instant, n.atOnce = now, 0
	}
	n.atOnce++
	n.record = append(n.record, arrival{now.Sub(bubbleStart), p.c.sides[side(p.reply)], p.hash()})
	if len(n.record)%collectEvery == 0 {
		runtime.GC()
	}
	var head [17]byte
	binary.LittleEndian.PutUint64(head[:], n.sum)
	binary.LittleEndian.PutUint64(head[8:], uint64(now.UnixNano())) //nolint:gosec // any bits will do
	head[16] = byte(side(p.reply))
	h := fnv.New64a()
	_, _ = h.Write(head[:])
	_, _ = h.Write([]byte(p.c.proc))
	_, _ = h.Write(p.identity())
	n.sum = h.Sum64()
	if n.keep {
		n.trace = append(n.trace, fmt.Sprintf("%s %.1500q", now.Format("15:04:05.000000"), p.label()))
	}
}

// ask lets a request reach the server.
func (n *network) ask(c *conn) {
	p := c.take(false)
	n.asked = true
	n.mu.Lock()
	c.said = p.data
	n.server.SetTime(time.Now().Add(n.ahead))
	n.mu.Unlock()
	if n.endBlock(c, p.data) {
		return
	}
	request := n.block(c, p.data)
	if len(request) == 0 {
		return
	}
	if _, err := c.far.Write(request); err != nil {
		c.sever()
	}
}

// answer lets a reply reach the process, or loses it with its connection.
func (n *network) answer(c *conn) {
	p := c.take(true)
	n.mu.Lock()
	lost := n.losing[c.proc] > 0 && !strings.HasPrefix(string(p.data), "*3\r\n$9\r\nsubscribe")
	if lost {
		n.losing[c.proc]--
	}
	n.mu.Unlock()
	if lost {
		c.sever()
		return
	}
	c.arrive(p.data)
}

// cut breaks all connections of a process, or of all, one shortly after the other: what
// wakes at one moment does so in any order.
func (n *network) cut(proc string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, c := range n.conns {
		if proc == "" || c.proc == proc {
			time.AfterFunc(n.draw(time.Millisecond, time.Now(), c.proc, c.said), c.sever)
		}
	}
}

// kill cuts a process off for ever.
func (n *network) kill(proc string) {
	n.mu.Lock()
	n.severed[proc] = true
	all := slices.Clone(n.conns)
	n.mu.Unlock()
	for _, c := range all {
		if c.proc == proc {
			c.sever()
		}
	}
}

// hold lets nothing of a process arrive for a while, in either direction.
func (n *network) hold(proc string, d time.Duration) {
	n.mu.Lock()
	n.held[proc] = time.Now().Add(d)
	n.mu.Unlock()
	n.signal()
}

// lose loses the next replies to a process.
func (n *network) lose(proc string, replies int) {
	n.mu.Lock()
	n.losing[proc] += replies
	n.mu.Unlock()
}

// linger makes replies to a process late for a while.
func (n *network) linger(proc string, d, most time.Duration) {
	n.mu.Lock()
	n.lingerer[proc] = &lingering{until: time.Now().Add(d), most: most}
	n.mu.Unlock()
}

// setDown stops or starts the server for clients; what it holds stays.
func (n *network) setDown(down bool) {
	n.mu.Lock()
	n.down = down
	n.mu.Unlock()
	if down {
		n.cut("")
	}
}

// jump sets how far the server's clock is ahead of the processes'. What a key has to live
// follows it, as in Redis, where keys end at a time of the clock; miniredis lets them only
// come nearer to it. (SetTime without a time would end them all.)
func (n *network) jump(ahead time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.server.SetTime(time.Now().Add(ahead))
	if ahead < n.ahead {
		n.server.FastForward(ahead - n.ahead)
	}
	n.ahead = ahead
}

// clock is what the server's clock shows.
func (n *network) clock() time.Time {
	n.mu.Lock()
	defer n.mu.Unlock()
	return time.Now().Add(n.ahead)
}
