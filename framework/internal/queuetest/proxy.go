package queuetest

import (
	"net"
	"sync"
	"testing"
)

// Proxy stands between a client and Redis. Muted connections stay open, and
// nothing passes through them any more.
type Proxy struct {
	listener net.Listener
	target   string
	all      sync.WaitGroup

	mu    sync.Mutex
	links []*link
}

type link struct {
	client, server net.Conn
	mu             sync.Mutex
	muted          bool
}

// StartProxy returns a proxy that ends with the test.
func StartProxy(t *testing.T, target string) *Proxy {
	t.Helper()
	p := &Proxy{listener: Must[net.Listener](t)(net.Listen("tcp", "127.0.0.1:0")), target: target}
	p.all.Go(p.accept)
	t.Cleanup(func() {
		_ = p.listener.Close()
		p.Sever()
		p.all.Wait()
	})
	return p
}

// Addr returns where clients reach it.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.target)
		if err != nil {
			_ = client.Close()
			continue
		}
		l := &link{client: client, server: server}
		p.mu.Lock()
		p.links = append(p.links, l)
		p.mu.Unlock()
		p.all.Go(func() { l.forward(client, server) })
		p.all.Go(func() { l.forward(server, client) })
	}
}

// Sever closes every connection made so far.
func (p *Proxy) Sever() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range p.links {
		l.close()
	}
}

// Mute silences every connection made so far.
func (p *Proxy) Mute() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range p.links {
		l.mu.Lock()
		l.muted = true
		l.mu.Unlock()
	}
}

func (l *link) forward(from, to net.Conn) {
	defer l.close()
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		if err != nil {
			return
		}
		l.mu.Lock()
		muted := l.muted
		l.mu.Unlock()
		if muted {
			continue
		}
		if _, err := to.Write(buf[:n]); err != nil {
			return
		}
	}
}

func (l *link) close() {
	_ = l.client.Close()
	_ = l.server.Close()
}
