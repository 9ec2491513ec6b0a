package invariants

import (
	"bytes"
	"errors"
	"io"
	"net"
	"sync"
)

// line is what lies between the clients and their server: it loses requests and
// replies of scripts, and puts a mutant in the place of a script.
type line struct {
	dial func() (net.Conn, error)

	mu   sync.Mutex
	next loss
	lost int // so far
	// original and mutant are digests of scripts, of one length.
	original, mutant []byte
}

// loss says what happens to the next call of a script.
type loss int

const (
	nothing loss = iota
	request      // it never arrives
	reply        // it is carried out, and nobody learns of it
)

func (w *line) lose(l loss) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.next = l
}

func (w *line) losses() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.lost
}

// strike returns what happens to the bytes that are sent now.
func (w *line) strike(sent []byte) loss {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.next == nothing || !bytes.Contains(sent, []byte("evalsha")) {
		return nothing
	}
	l := w.next
	w.next = nothing
	w.lost++
	return l
}

func (w *line) open() (net.Conn, error) {
	c, err := w.dial()
	if err != nil {
		return nil, err
	}
	return &lossy{Conn: c, line: w}, nil
}

// lossy is one connection.
type lossy struct {
	net.Conn
	line *line
	deaf bool // the next reply is lost, and the connection with it
}

var errLost = errors.New("the request is lost")

func (c *lossy) Write(p []byte) (int, error) {
	switch c.line.strike(p) {
	case request:
		_ = c.Close()
		return 0, &net.OpError{Op: "write", Err: errLost}
	case reply:
		c.deaf = true
	case nothing:
	}
	if c.line.mutant != nil {
		p = bytes.ReplaceAll(p, c.line.original, c.line.mutant)
	}
	return c.Conn.Write(p)
}

func (c *lossy) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if c.deaf && err == nil {
		_ = c.Close()
		return 0, io.EOF
	}
	return n, err
}
