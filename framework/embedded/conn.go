package embedded

import (
	"context"
	"net"
	"sync"

	"github.com/duequeue/duequeue/framework/internal/background"
)

// bufferedConn lets a client write without waiting for the server to read. A pipe
// has no buffer: a client that writes a long pipeline and a server that answers its
// first command would wait for each other.
type bufferedConn struct {
	net.Conn

	mu     sync.Mutex
	wake   *sync.Cond
	queue  []byte
	err    error // why the pump ended
	closed bool
}

func newBufferedConn(c net.Conn) *bufferedConn {
	b := &bufferedConn{Conn: c}
	b.wake = sync.NewCond(&b.mu)
	ctx := context.Background() //nolint:forbidigo // it ends with Close, or when the server closes its end
	background.Go(ctx, "write to the embedded Redis", func() {
		if err := background.Call(ctx, "write to the embedded Redis", b.pump); err != nil {
			b.mu.Lock()
			b.err = err
			b.mu.Unlock()
		}
	})
	return b
}

// Write takes p over and returns. It reports the error of an earlier write.
func (b *bufferedConn) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return 0, net.ErrClosed
	}
	if b.err != nil {
		return 0, b.err
	}
	b.queue = append(b.queue, p...)
	b.wake.Signal()
	return len(p), nil
}

// Close drops what is not written yet.
func (b *bufferedConn) Close() error {
	b.mu.Lock()
	b.closed = true
	b.wake.Signal()
	b.mu.Unlock()
	return b.Conn.Close()
}

// pump writes what is queued, and returns the error of a write.
func (b *bufferedConn) pump() error {
	var chunk []byte
	for {
		b.mu.Lock()
		for len(b.queue) == 0 && !b.closed {
			b.wake.Wait()
		}
		if b.closed {
			b.mu.Unlock()
			return nil
		}
		chunk, b.queue = b.queue, chunk[:0]
		b.mu.Unlock()
		if _, err := b.Conn.Write(chunk); err != nil {
			return err
		}
	}
}
