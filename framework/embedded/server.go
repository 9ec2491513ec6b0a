package embedded

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"

	"github.com/alicebob/miniredis/v2"

	"github.com/duequeue/duequeue/framework"
)

// Server is a running in-memory Redis. Safe for concurrent use.
type Server struct {
	redis *miniredis.Miniredis
	addr  string

	mu     sync.Mutex
	closed bool
}

var _ framework.EmbeddedServer = (*Server)(nil)

// ErrClosed is returned by DialContext after Close.
var ErrClosed = errors.New("embedded Redis is closed")

// Option changes how a server is started.
type Option interface {
	apply(*settings)
	String() string
}

type settings struct{ listen string }

// Listen makes the server listen on a TCP address too, for example "127.0.0.1:0" for
// any free port, so that redis-cli can look at it. There is no password: keep it on
// loopback. Defaults to no address at all.
func Listen(addr string) Option { return listenOption(addr) }

type listenOption string

func (o listenOption) apply(s *settings) { s.listen = string(o) }
func (o listenOption) String() string    { return fmt.Sprintf("Listen(%q)", string(o)) }

// Start starts a server. The caller closes it, after the clients that use it. It fails only
// when it cannot listen on an address.
func Start(opts ...Option) (*Server, error) {
	var set settings
	for _, o := range opts {
		o.apply(&set)
	}
	m := miniredis.NewMiniRedis()
	m.ClockTTL(true) // time passes by itself
	s := &Server{redis: m}
	if set.listen != "" {
		if err := m.StartAddr(set.listen); err != nil {
			return nil, fmt.Errorf("embedded Redis: listen on %s: %w", set.listen, err)
		}
		s.addr = m.Addr()
	}
	return s, nil
}

// DialContext connects to the server within the process; network and address are
// ignored. It returns ErrClosed after Close.
func (s *Server) DialContext(ctx context.Context, _, _ string) (net.Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed { // miniredis would come back to life
		return nil, ErrClosed
	}
	c, err := s.redis.Dial()
	if err != nil {
		return nil, err
	}
	return newBufferedConn(c), nil //nolint:contextcheck // it outlives the dial
}

// Addr is the address that the server listens on, or "" without [Listen].
func (s *Server) Addr() string { return s.addr }

// Close ends the server and forgets everything. Calling it again is harmless.
func (s *Server) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.closed = true
		s.redis.Close()
	}
	return nil
}
