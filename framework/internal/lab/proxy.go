package lab

import (
	"io"
	"net"
	"sync"
	"testing"
)

// Proxy stands between clients and a server and passes all bytes on, unless it is told
// otherwise. It is safe for concurrent use.
type Proxy struct {
	listener net.Listener
	target   string
	pass     func(client, server net.Conn)
	all      sync.WaitGroup

	mu     sync.Mutex
	links  map[*link]bool
	down   bool          // it refuses new connections
	held   chan struct{} // replies wait until it is closed; nil: they pass
	closed bool
}

// link is a client's connection and its counterpart to the server.
type link struct {
	client, server net.Conn
	muted          bool // guarded by the proxy's mutex
}

// StartProxy returns a proxy that ends with the test.
func StartProxy(tb testing.TB, target string) *Proxy {
	tb.Helper()
	listener, err := net.Listen("tcp", loopback(0))
	if err != nil {
		tb.Fatal(err)
	}
	p := RunProxy(listener, target, nil)
	tb.Cleanup(p.Close)
	return p
}

// RunProxy serves a listener until Close. pass serves a connection until either side ends; the
// proxy then closes both. Mute and Hold have an effect only where pass is nil: all bytes pass.
func RunProxy(listener net.Listener, target string, pass func(client, server net.Conn)) *Proxy {
	p := &Proxy{listener: listener, target: target, pass: pass, links: map[*link]bool{}}
	p.all.Go(p.accept)
	return p
}

// Addr is the address for clients as host:port.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// URL is the address for clients as redis://host:port.
func (p *Proxy) URL() string { return "redis://" + p.Addr() }

// Connections returns how many are open.
func (p *Proxy) Connections() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.links)
}

// Sever ends all connections. New ones pass.
func (p *Proxy) Sever() { p.change(func() {}, (*link).close) }

// Cut ends all connections, and each new one at once, until Mend.
func (p *Proxy) Cut() { p.change(func() { p.down = true }, (*link).close) }

// Mend lets new connections pass again.
func (p *Proxy) Mend() { p.change(func() { p.down = false }, nil) }

// Mute silences all connections for good: they stay open, and nothing passes through them. New
// ones pass.
func (p *Proxy) Mute() { p.change(func() {}, func(l *link) { l.muted = true }) }

// Hold makes all replies wait until Release.
func (p *Proxy) Hold() {
	p.change(func() {
		if p.held == nil {
			p.held = make(chan struct{})
		}
	}, nil)
}

// Release lets the replies pass that Hold keeps. Where nothing is held it does nothing.
func (p *Proxy) Release() {
	p.change(func() {
		if p.held != nil {
			close(p.held)
			p.held = nil
		}
	}, nil)
}

// Close ends all connections and returns when nothing runs any more.
func (p *Proxy) Close() {
	_ = p.listener.Close() // a second time is harmless
	p.Release()
	p.change(func() { p.closed = true }, (*link).close)
	p.all.Wait()
}

// change changes the proxy, and then each connection.
func (p *Proxy) change(proxy func(), each func(*link)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	proxy()
	if each != nil {
		for l := range p.links {
			each(l)
		}
	}
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

// serve joins a connection with the server. Errors are the client's to see: its connection
// ends.
func (p *Proxy) serve(client net.Conn) {
	server, err := net.Dial("tcp", p.target)
	if err != nil {
		_ = client.Close()
		return
	}
	l := &link{client: client, server: server}
	defer l.close()
	if !p.add(l) {
		return
	}
	defer p.change(func() { delete(p.links, l) }, nil)
	if p.pass != nil {
		p.pass(client, server)
		return
	}
	var both sync.WaitGroup
	both.Go(func() { p.forward(l, server, client, false) })
	both.Go(func() { p.forward(l, client, server, true) })
	both.Wait()
}

func (p *Proxy) add(l *link) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.down && !p.closed {
		p.links[l] = true
	}
	return p.links[l]
}

func (p *Proxy) forward(l *link, to io.Writer, from io.Reader, replies bool) {
	defer l.close() // ends the other direction
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		if !p.wait(l, replies) {
			n = 0
		}
		if _, failed := to.Write(buf[:n]); err != nil || failed != nil {
			return
		}
	}
}

// wait returns when the proxy does not hold what came, and whether it may pass.
func (p *Proxy) wait(l *link, replies bool) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if held := p.held; replies && held != nil {
		p.mu.Unlock()
		<-held
		p.mu.Lock()
	}
	return !l.muted
}

func (l *link) close() {
	_ = l.client.Close()
	_ = l.server.Close()
}
