package env

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/duequeue/duequeue/framework/internal/background"
)

// Bounds of what one who has no login may hold.
const (
	mostConnections = 512
	headerWithin    = 5 * time.Second
	requestWithin   = time.Minute
	answerWithin    = 2 * time.Minute
	idleFor         = time.Minute
	mostHeader      = 32 << 10
)

// Server serves HTTP until it is stopped.
type Server struct {
	Addr  net.Addr
	Ended <-chan error // why it ended

	stop func()
}

// Serve begins to serve on an address; flag names what the address was given by. It holds 512
// connections at most, and closes those that say nothing; an answer that takes longer than two
// minutes moves its own deadline (http.ResponseController).
func Serve(ctx context.Context, flag, address string, server *http.Server) (*Server, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("-%s: %w", flag, err)
	}
	server.ReadHeaderTimeout, server.ReadTimeout, server.WriteTimeout, server.IdleTimeout = headerWithin, requestWithin, answerWithin, idleFor
	server.MaxHeaderBytes = mostHeader
	done := make(chan struct{})
	ended := background.Later(ctx, "serve HTTP", func() error {
		defer close(done)
		return server.Serve(bounded(listener, mostConnections))
	})
	return &Server{Addr: listener.Addr(), Ended: ended, stop: func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = server.Shutdown(closing) // who still reads is cut off
		_ = server.Close()
		<-done
	}}, nil
}

// Stop ends it and waits for that, a second at most for those who still read.
func (s *Server) Stop() { s.stop() }

// boundedListener accepts no more connections than it has room for.
type boundedListener struct {
	net.Listener

	room   chan struct{}
	closed chan struct{}
	close  func() error
}

func bounded(l net.Listener, most int) net.Listener {
	b := &boundedListener{Listener: l, room: make(chan struct{}, most), closed: make(chan struct{})}
	b.close = sync.OnceValue(func() error { close(b.closed); return l.Close() })
	return b
}

// Accept waits for room, and for a connection.
func (b *boundedListener) Accept() (net.Conn, error) {
	select {
	case b.room <- struct{}{}:
	case <-b.closed:
		return nil, net.ErrClosed
	}
	c, err := b.Listener.Accept()
	if err != nil {
		<-b.room
		return nil, err
	}
	return &boundedConn{c, sync.OnceFunc(func() { <-b.room })}, nil
}

// Close ends Accept.
func (b *boundedListener) Close() error { return b.close() }

// boundedConn gives its room back when it is closed.
type boundedConn struct {
	net.Conn

	left func()
}

// Close closes the connection.
func (c *boundedConn) Close() error {
	defer c.left()
	return c.Conn.Close()
}
