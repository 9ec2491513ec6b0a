//go:build simulation

package simulation

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2"

	"github.com/duequeue/duequeue/framework/internal/lab"
)

// TestWaits: the network does for those that wait what Redis does, and the in-memory server
// does not: who waits longest is served first, and a wait can be ended.
func TestWaits(t *testing.T) {
	t.Run("redis", func(t *testing.T) {
		srv := lab.StartRedis(t)
		waits(t, func() (net.Conn, error) { return net.Dial("tcp", srv.Addr()) })
	})
	t.Run("network", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			server := miniredis.NewMiniRedis()
			n := newNetwork(server, 1, how{})
			go n.run()
			waits(t, func() (net.Conn, error) { return n.dial("p") })
			n.end()
			server.Close()
		})
	})
}

// client speaks to a server by hand.
type client struct {
	net.Conn
	t *testing.T
}

func waits(t *testing.T, dial func() (net.Conn, error)) {
	connect := func() client {
		c, err := dial()
		if err != nil {
			t.Fatal(err)
		}
		return client{c, t}
	}
	for _, row := range []struct {
		name string
		do   func(a, b, other client)
	}{
		{"who waits longest is served first", func(a, b, other client) {
			a.wait("10")
			b.wait("10")
			other.ask(":1\r\n", "rpush", "q", "x")
			a.gets("$1\r\nx\r\n")
			b.gets("")
			a.wait("10")
			other.ask(":1\r\n", "rpush", "q", "y")
			b.gets("$1\r\ny\r\n")
			a.gets("")
		}},
		{"two are served by one command", func(a, b, other client) {
			a.wait("10")
			b.wait("10")
			other.ask(":3\r\n", "rpush", "q", "x", "y", "z")
			a.gets("$1\r\nx\r\n")
			b.gets("$1\r\ny\r\n")
			other.ask("*1\r\n$1\r\nz\r\n", "lrange", "q", "0", "-1")
			other.ask("*2\r\n$1\r\nx\r\n$1\r\ny\r\n", "lrange", "to", "0", "-1")
		}},
		{"a script ends before who waits is served", func(a, _, other client) {
			a.wait("10")
			other.ask(":1\r\n", "eval", "redis.call('rpush', KEYS[1], 'x') return redis.call('llen', KEYS[1])", "1", "q")
			a.gets("$1\r\nx\r\n")
		}},
		{"what a script takes back is not served", func(a, _, other client) {
			a.wait("10")
			other.ask("$1\r\nx\r\n", "eval", "redis.call('rpush', KEYS[1], 'x') return redis.call('lpop', KEYS[1])", "1", "q")
			a.gets("")
		}},
		{"a wait ends in time", func(a, b, other client) {
			a.wait("0.1")
			b.wait("10")
			a.gets("*-1\r\n")
			other.ask(":1\r\n", "rpush", "q", "x")
			b.gets("$1\r\nx\r\n")
		}},
		{"a wait is ended", func(a, b, other client) {
			id := a.id()
			a.wait("10")
			b.wait("10")
			other.ask(":1\r\n", "client", "unblock", id)
			a.gets("*-1\r\n")
			other.ask(":0\r\n", "client", "unblock", id)
			other.ask(":1\r\n", "rpush", "q", "x")
			b.gets("$1\r\nx\r\n")
		}},
		{"who has gone is not served", func(a, b, other client) {
			a.wait("10")
			b.wait("10")
			_ = a.Close()
			b.gets("")
			other.ask(":1\r\n", "rpush", "q", "x")
			b.gets("$1\r\nx\r\n")
		}},
		{"no list", func(a, _, other client) {
			other.ask("+OK\r\n", "set", "q", "text")
			a.wait("10")
			a.gets("-WRONGTYPE Operation against a key holding the wrong kind of value\r\n")
		}},
	} {
		t.Log(row.name)
		a, b, other := connect(), connect(), connect()
		row.do(a, b, other)
		other.ask("+OK\r\n", "flushall")
		for _, c := range []client{a, b, other} {
			_ = c.Close()
		}
	}
}

// request is a command as it is sent.
func request(words ...string) string {
	var out strings.Builder
	fmt.Fprintf(&out, "*%d\r\n", len(words))
	for _, w := range words {
		fmt.Fprintf(&out, "$%d\r\n%s\r\n", len(w), w)
	}
	return out.String()
}

func (c client) ask(want string, words ...string) {
	c.t.Helper()
	c.send(request(words...))
	c.gets(want)
}

func (c client) send(text string) {
	if _, err := io.WriteString(c, text); err != nil {
		c.t.Fatal(err)
	}
}

// wait waits for a message of the queue. The answer to the PING tells that it does.
func (c client) wait(seconds string) {
	c.t.Helper()
	c.send(request("ping") + request("blmove", "q", "to", "LEFT", "RIGHT", seconds))
	c.gets("+PONG\r\n")
}

// id asks for the number of the connection.
func (c client) id() string {
	c.send(request("client", "id"))
	buf := make([]byte, 100)
	k, err := c.Read(buf)
	if err != nil {
		c.t.Fatal(err)
	}
	return strings.Trim(string(buf[:k]), ":\r\n")
}

// gets reads an answer, or looks whether there is none.
func (c client) gets(want string) {
	c.t.Helper()
	limit := 10 * time.Second
	if want == "" {
		limit = 50 * time.Millisecond
	}
	_ = c.SetReadDeadline(time.Now().Add(limit))
	got, buf := []byte{}, make([]byte, max(1, len(want)))
	for !bytes.HasPrefix(got, []byte(want)) || want == "" {
		k, err := c.Read(buf[:max(1, len(want)-len(got))])
		got = append(got, buf[:k]...)
		if err != nil || len(got) >= len(want) {
			break
		}
	}
	if string(got) != want {
		c.t.Fatalf("it gets %q, want %q", got, want)
	}
}
