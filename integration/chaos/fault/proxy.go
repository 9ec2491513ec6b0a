package fault

import (
	"bufio"
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"sync"
	"time"
)

// Direction is a way through a [Proxy].
type Direction uint8

// The ways.
const (
	ToServer Direction = 1 << iota
	ToClient
	BothWays = ToServer | ToClient
)

// String names the way.
func (d Direction) String() string {
	return map[Direction]string{ToServer: "to server", ToClient: "to client", BothWays: "both ways"}[d]
}

// Proxy stands between clients and one Redis server. It knows which reply answers
// which command, so that faults can choose. Without a fault it passes everything on
// unchanged. RESP2, RESP3, pipelines, transactions, blocking commands and subscriptions
// work; CLIENT REPLY, MONITOR and TLS do not. Safe for concurrent use.
type Proxy struct {
	listener net.Listener
	backend  string
	done     chan struct{}
	all      sync.WaitGroup

	mu      sync.Mutex
	rng     *rand.Rand
	links   map[*link]bool
	losses  []*loss
	slow    *slowness     // nil: as fast as it goes
	mute    func()        // called for each message of a subscription, which is then swallowed
	hole    Direction     // new connections are black holes these ways
	fell    func()        // called for each piece that falls into a black hole
	stalled Direction     // these ways wait for stall
	stall   chan struct{} // closed when they may go on
	waits   func()        // called for each piece that waits
}

// StartProxy listens on a free loopback port and passes connections on to backend. The
// seed decides which replies are lost where a fault leaves it to chance. Close ends it.
func StartProxy(backend string, seed uint64) (*Proxy, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{
		listener: ln, backend: backend, done: make(chan struct{}),
		links: map[*link]bool{}, rng: rand.New(rand.NewPCG(seed, 0x9204)),
	}
	p.all.Go(p.accept)
	return p, nil
}

// Addr is the address for clients as host:port.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// URL is the address for clients as redis://host:port.
func (p *Proxy) URL() string { return "redis://" + p.Addr() }

// Close ends all connections and returns when nothing runs any more.
func (p *Proxy) Close() error {
	err := p.listener.Close()
	p.mu.Lock()
	select {
	case <-p.done:
	default:
		close(p.done)
	}
	for l := range p.links {
		l.close()
	}
	p.mu.Unlock()
	p.all.Wait()
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return // closed
		}
		p.all.Go(func() { p.serve(client) })
	}
}

func (p *Proxy) serve(client net.Conn) {
	server, err := net.DialTimeout("tcp", p.backend, time.Second)
	if err != nil {
		_ = client.Close() // as the server itself would refuse
		return
	}
	l := &link{proxy: p, client: client, server: server}
	if !p.add(l) {
		return
	}
	defer p.remove(l)
	var both sync.WaitGroup
	both.Go(func() { defer l.close(); l.requests() })
	both.Go(func() {
		l.replies()
		// A client behind a black hole does not learn that the server has gone either.
		if !l.dark(ToClient) {
			l.close()
		}
	})
	both.Wait()
}

func (p *Proxy) add(l *link) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.done:
		l.close()
		return false
	default:
	}
	l.hole = p.hole
	p.links[l] = true
	return true
}

func (p *Proxy) remove(l *link) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.links, l)
}

// link is one connection of a client with its counterpart to the server.
type link struct {
	proxy          *Proxy
	client, server net.Conn

	mu         sync.Mutex
	unanswered []Command
	subscribed bool
	hole       Direction // guarded by the proxy's mutex
}

func (l *link) close() {
	_ = l.client.Close()
	_ = l.server.Close()
}

// reset ends the connection so that the client reads "connection reset by peer".
func (l *link) reset() {
	_ = l.client.(*net.TCPConn).SetLinger(0)
	l.close()
}

// requests passes commands on until either side ends.
func (l *link) requests() {
	in := bufio.NewReader(l.client)
	for {
		command, raw, err := readCommand(in)
		if err != nil || !l.pass(ToServer) {
			return
		}
		if l.swallowed(ToServer) {
			continue
		}
		l.expect(command)
		if _, err := l.server.Write(raw); err != nil {
			return
		}
	}
}

// replies passes replies on until either side ends.
func (l *link) replies() {
	in := bufio.NewReader(l.server)
	for {
		begins := in.Buffered() == 0
		raw, err := readValue(in)
		if err != nil {
			return
		}
		command, message := l.answers(raw)
		if message && l.proxy.muted() {
			continue
		}
		if !l.proxy.dawdle(begins, len(raw)) || !l.pass(ToClient) {
			return
		}
		if l.swallowed(ToClient) {
			continue
		}
		if how, lost := l.proxy.lose(command, raw); lost {
			if !l.spoil(how, raw) {
				return
			}
			continue
		}
		if _, err := l.client.Write(raw); err != nil {
			return
		}
	}
}

// expect notes a command that will be answered by one reply.
func (l *link) expect(c Command) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch c.Name() {
	case "":
	case "SUBSCRIBE", "PSUBSCRIBE", "SSUBSCRIBE", "UNSUBSCRIBE", "PUNSUBSCRIBE", "SUNSUBSCRIBE":
		l.subscribed = true // answered once per channel
	default:
		l.unanswered = append(l.unanswered, c)
	}
}

// answers returns the command that a reply answers, nil for none, and whether it is a
// message of a subscription.
func (l *link) answers(raw []byte) (Command, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if raw[0] == '>' || raw[0] == '*' && l.subscribed {
		if parts := stringsOf(raw); len(parts) > 0 {
			switch string(parts[0]) {
			case "message", "pmessage", "smessage":
				return nil, true
			case "subscribe", "psubscribe", "ssubscribe", "unsubscribe", "punsubscribe", "sunsubscribe":
				return nil, false
			}
		}
		if raw[0] == '>' {
			return nil, false
		}
	}
	if len(l.unanswered) == 0 {
		return nil, false // the server speaks unasked: "-ERR max number of clients"
	}
	c := l.unanswered[0]
	l.unanswered = l.unanswered[1:]
	return c, false
}

// pass waits while its way is stalled; false means that the proxy ends.
func (l *link) pass(way Direction) bool {
	p := l.proxy
	p.mu.Lock()
	stall := p.stall
	if p.stalled&way == 0 {
		stall = nil
	} else {
		p.waits()
	}
	p.mu.Unlock()
	if stall == nil {
		return true
	}
	select {
	case <-stall:
		return true
	case <-p.done:
		return false
	}
}

// dark tells whether this way of the connection is a black hole.
func (l *link) dark(way Direction) bool {
	l.proxy.mu.Lock()
	defer l.proxy.mu.Unlock()
	return l.hole&way != 0
}

// swallowed is dark for a piece that came, which it counts.
func (l *link) swallowed(way Direction) bool {
	l.proxy.mu.Lock()
	defer l.proxy.mu.Unlock()
	if l.hole&way == 0 {
		return false
	}
	if l.proxy.fell != nil {
		l.proxy.fell()
	}
	return true
}

// muted tells whether a message of a subscription is to be swallowed.
func (p *Proxy) muted() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.mute == nil {
		return false
	}
	p.mute()
	return true
}

// wait lets time pass; false means that the proxy ends.
func (p *Proxy) wait(d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-p.done:
		return false
	}
}

// with runs a change of the proxy's state for a fault.
func (p *Proxy) with(change func() error) func(context.Context) error {
	return func(context.Context) error {
		p.mu.Lock()
		defer p.mu.Unlock()
		return change()
	}
}
