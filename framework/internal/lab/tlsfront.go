package lab

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"sync"
)

// tlsFront takes encrypted connections and passes their bytes to a plain address.
type tlsFront struct {
	listener net.Listener
	backend  string

	mu     sync.Mutex
	open   map[net.Conn]bool
	closed bool
	all    sync.WaitGroup
}

func newTLSFront(backend string, conf *tls.Config) (*tlsFront, error) {
	ln, err := tls.Listen("tcp", "127.0.0.1:0", conf)
	if err != nil {
		return nil, err
	}
	f := &tlsFront{listener: ln, backend: backend, open: map[net.Conn]bool{}}
	f.all.Go(f.accept)
	return f, nil
}

func (f *tlsFront) accept() {
	for {
		conn, err := f.listener.Accept()
		if err != nil {
			return // closed
		}
		f.all.Go(func() { f.serve(conn) })
	}
}

// serve joins one connection with the server until either side ends it. Errors are
// the client's to see: its connection ends.
func (f *tlsFront) serve(conn net.Conn) {
	if !f.keep(conn) {
		return
	}
	defer f.drop(conn)
	if conn.(*tls.Conn).Handshake() != nil {
		return
	}
	back, err := net.Dial("tcp", f.backend)
	if err != nil || !f.keep(back) {
		return
	}
	defer f.drop(back)
	var answers sync.WaitGroup
	answers.Go(func() {
		_, _ = io.Copy(conn, back)
		f.drop(conn)
	})
	_, _ = io.Copy(back, conn)
	f.drop(back)
	answers.Wait()
}

// keep remembers a connection; once closed it ends it instead.
func (f *tlsFront) keep(c net.Conn) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		_ = c.Close()
		return false
	}
	f.open[c] = true
	return true
}

func (f *tlsFront) drop(c net.Conn) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.open, c)
	_ = c.Close()
}

// close ends all connections and returns when nothing runs any more.
func (f *tlsFront) close() error {
	if f == nil {
		return nil
	}
	err := f.listener.Close()
	f.mu.Lock()
	f.closed = true
	for c := range f.open {
		_ = c.Close()
	}
	f.mu.Unlock()
	f.all.Wait()
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
