//go:build simulation

package simulation

import (
	"io"
	"net"
	"os"
	"slices"
	"sync"
	"time"
)

// conn is a process's end of a connection.
type conn struct {
	n      *network
	proc   string
	sides  [2]string // how the record names its packets
	number int
	far    net.Conn // to the server
	direct bool     // past the network

	mu      sync.Mutex
	wake    *sync.Cond
	waiting [2][]*packet // on their way to the server, and back
	last    [2]time.Time // when the last of these arrives
	in      []byte       // arrived, not read yet
	said    []byte       // the last request: it tells connections apart, in each run alike
	greets  bool         // the next reply is that to its greeting
	closed  bool         // by the process
	cut     bool         // by the network or the server
	limit   time.Time
	timer   *time.Timer
}

// listen takes what the server answers.
func (c *conn) listen() {
	buf := make([]byte, 1<<16)
	for {
		k, err := c.far.Read(buf)
		if k > 0 {
			c.push(true, buf[:k])
		}
		if err != nil {
			c.sever()
			return
		}
	}
}

// write hands what is to arrive at once to the server, which may not read it before its
// answers to what came first were read.
func (c *conn) write() {
	for {
		c.mu.Lock()
		for len(c.waiting[0]) == 0 && !c.cut {
			c.wake.Wait()
		}
		if c.cut {
			c.mu.Unlock()
			return
		}
		p := c.waiting[0][0]
		c.waiting[0] = c.waiting[0][1:]
		c.mu.Unlock()
		if _, err := c.far.Write(p.data); err != nil {
			c.sever()
			return
		}
	}
}

func (c *conn) push(reply bool, data []byte) {
	if reply && (c.direct || c.greeted()) {
		c.arrive(data)
		return
	}
	if c.direct {
		c.mu.Lock()
		c.waiting[0] = append(c.waiting[0], &packet{data: slices.Clone(data)})
		c.wake.Broadcast()
		c.mu.Unlock()
		return
	}
	p := &packet{c: c, reply: reply, data: slices.Clone(data)}
	c.n.mu.Lock()
	c.mu.Lock()
	if !c.cut && !c.n.severed[c.proc] {
		c.n.fresh = append(c.n.fresh, p)
		c.waiting[side(reply)] = append(c.waiting[side(reply)], p)
	}
	c.mu.Unlock()
	c.n.mu.Unlock()
	c.n.signal()
}

func (c *conn) first(reply bool) *packet {
	c.mu.Lock()
	defer c.mu.Unlock()
	if all := c.waiting[side(reply)]; len(all) > 0 {
		return all[0]
	}
	return nil
}

func (c *conn) take(reply bool) *packet {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := c.waiting[side(reply)]
	c.waiting[side(reply)] = all[1:]
	return all[0]
}

func (c *conn) isCut() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cut
}

// sever ends the connection on both sides; what is on its way is lost.
func (c *conn) sever() {
	c.mu.Lock()
	c.cut, c.waiting = true, [2][]*packet{}
	c.wake.Broadcast()
	c.mu.Unlock()
	_ = c.far.Close()
	c.n.forget(c)
}

func (n *network) forget(c *conn) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.conns = slices.DeleteFunc(n.conns, func(other *conn) bool { return other == c })
}

// Read waits for what has arrived.
func (c *conn) Read(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		switch {
		case c.closed:
			return 0, net.ErrClosed
		case len(c.in) > 0:
			k := copy(p, c.in)
			c.in = c.in[k:]
			return k, nil
		case c.cut:
			return 0, io.EOF
		case !c.limit.IsZero() && !time.Now().Before(c.limit):
			return 0, os.ErrDeadlineExceeded
		}
		c.wake.Wait()
	}
}

// Write puts p on its way and returns.
func (c *conn) Write(p []byte) (int, error) {
	c.mu.Lock()
	closed, cut := c.closed, c.cut
	c.mu.Unlock()
	switch {
	case closed:
		return 0, net.ErrClosed
	case cut:
		return 0, errSevered
	}
	if !c.direct && c.greet(p) {
		return len(p), nil
	}
	c.push(false, p)
	return len(p), nil
}

// Close ends it; what is on its way to the server still arrives or not, as with TCP.
func (c *conn) Close() error {
	c.mu.Lock()
	c.closed = true
	if c.timer != nil {
		c.timer.Stop()
	}
	c.wake.Broadcast()
	c.mu.Unlock()
	c.sever()
	return nil
}

// SetReadDeadline bounds reads.
func (c *conn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.limit = t
	if c.timer != nil {
		c.timer.Stop()
	}
	if !t.IsZero() && !c.closed {
		c.timer = time.AfterFunc(time.Until(t), c.wake.Broadcast)
	}
	return nil
}

// SetDeadline is SetReadDeadline: writes never block.
func (c *conn) SetDeadline(t time.Time) error { return c.SetReadDeadline(t) }

// SetWriteDeadline does nothing.
func (c *conn) SetWriteDeadline(time.Time) error { return nil }

// LocalAddr is that of the process.
func (c *conn) LocalAddr() net.Addr { return addr(c.proc) }

// RemoteAddr is that of the server.
func (c *conn) RemoteAddr() net.Addr { return addr("server") }

type addr string

func (a addr) Network() string { return "simulation" }
func (a addr) String() string  { return string(a) }
