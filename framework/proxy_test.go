package framework_test

import (
	"io"
	"net"
	"sync"
	"testing"
)

// proxy is a line to a server that can be cut and mended.
type proxy struct {
	listener net.Listener
	target   string
	reply    func(to, from net.Conn) // copies the server's answers; nil for at once

	mu    sync.Mutex
	dead  bool
	conns map[net.Conn]struct{}
	all   sync.WaitGroup
}

func newProxy(t *testing.T, target string) *proxy {
	t.Helper()
	return newProxyThat(t, target, nil)
}

// newProxyThat is newProxy with a way of its own to copy the server's answers.
func newProxyThat(t *testing.T, target string, reply func(to, from net.Conn)) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: l, target: target, reply: reply, conns: map[net.Conn]struct{}{}}
	p.all.Go(p.accept)
	t.Cleanup(func() {
		_ = l.Close()
		p.cut()
		p.all.Wait()
	})
	return p
}

func (p *proxy) url() string { return "redis://" + p.listener.Addr().String() }

func (p *proxy) accept() {
	for {
		in, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.all.Go(func() { p.serve(in) })
	}
}

func (p *proxy) serve(in net.Conn) {
	defer func() { _ = in.Close() }()
	out, err := net.Dial("tcp", p.target)
	if err != nil {
		return
	}
	defer func() { _ = out.Close() }()
	if !p.register(in, out) {
		return
	}
	var both sync.WaitGroup
	copyAll := func(to, from net.Conn) {
		_, _ = io.Copy(to, from)
		_, _ = to.Close(), from.Close() // ends the other direction
	}
	both.Go(func() {
		if p.reply != nil {
			p.reply(in, out)
		}
		copyAll(in, out)
	})
	both.Go(func() { copyAll(out, in) })
	both.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, in)
	delete(p.conns, out)
}

func (p *proxy) register(conns ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dead {
		return false
	}
	for _, c := range conns {
		p.conns[c] = struct{}{}
	}
	return true
}

// cut breaks all connections, and each new one at once.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dead = true
	for c := range p.conns {
		_ = c.Close()
	}
}

func (p *proxy) mend() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dead = false
}
