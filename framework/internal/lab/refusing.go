package lab

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Refusing is a proxy that gives answers of its own to commands, in place of the server.
type Refusing struct {
	*Proxy

	mu      sync.Mutex
	changed *sync.Cond
	answer  string
	which   func(command string) bool
	left    int
	all     int // connections that were made
	open    int // the first so many are refused for good
}

// StartRefusing returns a proxy that passes everything on until [Refusing.Refuse], and ends with
// the test.
func StartRefusing(tb testing.TB, target string) *Refusing {
	tb.Helper()
	listener, err := net.Listen("tcp", loopback(0))
	if err != nil {
		tb.Fatal(err)
	}
	r := &Refusing{}
	r.changed = sync.NewCond(&r.mu)
	r.Proxy = RunProxy(listener, target, r.pass)
	tb.Cleanup(r.Close)
	return r
}

// Refuse answers the next n commands of which is true by the error text, such as "BUSY Redis is
// busy". Names of commands are in small letters. Later ones pass.
func (r *Refusing) Refuse(n int, text string, which func(command string) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.left, r.answer, r.which = n, "-"+text+"\r\n", which
}

// RefuseOpen answers all commands of which is true by the error text on the connections that are
// open now, for good, as a server does that is no primary any more. New connections pass.
func (r *Refusing) RefuseOpen(text string, which func(command string) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open, r.answer, r.which = r.all, "-"+text+"\r\n", which
}

// Left returns how many commands are still to be refused.
func (r *Refusing) Left() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.left
}

// take returns the answer to a command that does not go to the server.
func (r *Refusing) take(number int, command string) (answer string, refused bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.which == nil || !r.which(command):
		return "", false
	case number <= r.open:
		return r.answer, true
	case r.left == 0:
		return "", false
	}
	r.left--
	return r.answer, true
}

// pass serves one connection. Answers come in the order of the commands: one of its own waits for
// those of the server to what went before.
func (r *Refusing) pass(client, server net.Conn) {
	under, ended := 0, false // guarded by mu
	r.mu.Lock()
	r.all++
	number := r.all
	r.mu.Unlock()
	add := func(n int) {
		r.mu.Lock()
		defer r.mu.Unlock()
		under += n
		r.changed.Broadcast()
	}
	end := func() {
		_, _ = client.Close(), server.Close()
		r.mu.Lock()
		defer r.mu.Unlock()
		ended = true
		r.changed.Broadcast()
	}
	var both sync.WaitGroup
	defer both.Wait()
	defer end()
	both.Go(func() {
		defer end()
		for in := bufio.NewReader(server); ; {
			reply, err := ReadReply(in)
			if err != nil {
				return
			}
			if _, err = client.Write(reply); err != nil {
				return
			}
			if reply[0] != '>' {
				add(-1)
			}
		}
	})
	for in := bufio.NewReader(client); ; {
		raw, err := ReadReply(in) // a command has the form of a reply
		if err != nil {
			return
		}
		name := commandOf(raw)
		if answer, refused := r.take(number, name); refused {
			r.mu.Lock()
			for under > 0 && !ended {
				r.changed.Wait()
			}
			r.mu.Unlock()
			if _, err = io.WriteString(client, answer); err != nil {
				return
			}
			continue
		}
		if !strings.HasSuffix(name, "subscribe") { // these have no reply, but pushes
			add(1)
		}
		if _, err = server.Write(raw); err != nil {
			return
		}
	}
}

// commandOf returns the name of a command as it stands on the wire.
func commandOf(raw []byte) string {
	lines := bytes.SplitN(raw, []byte("\r\n"), 4)
	if len(lines) < 4 {
		return ""
	}
	return strings.ToLower(string(lines[2]))
}

// errProtocol tells that what goes through a proxy is not Redis's protocol.
var errProtocol = errors.New("not RESP")

// ReadReply reads one value of RESP2 or RESP3 with all that belongs to it, as it stands
// on the wire.
func ReadReply(r *bufio.Reader) ([]byte, error) {
	var raw []byte
	for missing := 1; missing > 0; missing-- {
		line, err := r.ReadBytes('\n')
		raw = append(raw, line...)
		if err != nil {
			return nil, err
		}
		if len(line) < 3 {
			return nil, fmt.Errorf("%w: line %q", errProtocol, line)
		}
		n, _ := strconv.Atoi(string(line[1 : len(line)-2])) // where the kind has a length
		switch line[0] {
		case '$', '=', '!':
			if n < 0 {
				continue // null
			}
			at := len(raw)
			raw = append(raw, make([]byte, n+2)...)
			if _, err := io.ReadFull(r, raw[at:]); err != nil {
				return nil, err
			}
		case '*', '~', '>':
			missing += max(n, 0)
		case '%':
			missing += 2 * n
		case '|': // attributes stand before the value that they describe
			missing += 2*n + 1
		}
	}
	return raw, nil
}
