package watch

import (
	"net"
	"sync"
)

// pumped lets a client write more than the server has read: a bare pipe would
// block both on a long pipeline.
type pumped struct {
	net.Conn
	queue chan []byte
	once  sync.Once
	done  chan struct{}
}

func pump(c net.Conn) net.Conn {
	p := &pumped{Conn: c, queue: make(chan []byte, 1024), done: make(chan struct{})}
	go func() {
		for {
			select {
			case b := <-p.queue:
				if _, err := p.Conn.Write(b); err != nil {
					return
				}
			case <-p.done:
				return
			}
		}
	}()
	return p
}

func (p *pumped) Write(b []byte) (int, error) {
	select {
	case p.queue <- append([]byte(nil), b...):
		return len(b), nil
	case <-p.done:
		return 0, net.ErrClosed
	}
}

func (p *pumped) Close() error {
	p.once.Do(func() { close(p.done) })
	return p.Conn.Close()
}
