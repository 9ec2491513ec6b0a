//go:build simulation

package simulation

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// blocked is a client that waits in BLMOVE. The network serves it, not the in-memory server,
// which wakes all that wait and lets any of them win: Redis serves who waits longest.
type blocked struct {
	c        *conn
	from, to string
	until    time.Time // of the server's clock, as in Redis
}

// javaWaits is a Java client that waits for the next message; it comes before all others.
type javaWaits struct {
	key string
	got func(message string)
}

var blmove = []byte("*6\r\n$6\r\nblmove\r\n")

// block splits a request before its BLMOVE, and notes who waits. The rest is the server's.
func (n *network) block(c *conn, request []byte) (rest []byte) {
	at := bytes.Index(request, blmove)
	if at < 0 {
		return request
	}
	words := strings.Split(string(request[at+len(blmove):]), "\r\n") // length, word, length, word, …
	seconds, err := strconv.ParseFloat(words[9], 64)
	if err != nil || words[5] != "LEFT" || words[7] != "RIGHT" || len(words) != 11 {
		panic(fmt.Sprintf("simulation: a BLMOVE that it does not know: %q", words))
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.blocked = append(n.blocked, blocked{c, words[1], words[3], time.Now().Add(n.ahead + time.Duration(seconds*float64(time.Second)))})
	return request[:at]
}

// unblock hands messages to those that wait for them, the first one first, and ends waits
// that are over. Nothing is on its way to the server.
func (n *network) unblock(now time.Time) {
	n.mu.Lock()
	now = now.Add(n.ahead)
	waiting := n.blocked
	n.blocked = nil
	n.mu.Unlock()
	n.java = slices.DeleteFunc(n.java, func(j javaWaits) bool {
		message, err := n.server.Lpop(j.key)
		if err == nil {
			j.got(message)
		}
		return err == nil
	})
	empty := map[string]bool{}
	waiting = slices.DeleteFunc(waiting, func(b blocked) bool {
		if b.c.isCut() {
			return true
		}
		if !empty[b.from] {
			switch kind := n.server.Type(b.from); kind {
			case "":
			case "list":
				message, err := n.server.Lpop(b.from)
				if err == nil {
					_, err = n.server.Push(b.to, message)
				}
				if err != nil {
					panic(fmt.Sprintf("simulation: %v", err))
				}
				b.c.push(true, fmt.Appendf(nil, "$%d\r\n%s\r\n", len(message), message))
				return true
			default:
				b.c.push(true, []byte("-WRONGTYPE Operation against a key holding the wrong kind of value\r\n"))
				return true
			}
			empty[b.from] = true
		}
		if !now.Before(b.until) {
			b.c.push(true, []byte("*-1\r\n"))
			return true
		}
		return false
	})
	n.mu.Lock()
	n.blocked = append(waiting, n.blocked...)
	n.mu.Unlock()
}

// firstOver is when the first wait is over; the zero time where none goes on.
func (n *network) firstOver() (at time.Time) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, b := range n.blocked {
		if over := b.until.Add(-n.ahead); at.IsZero() || over.Before(at) {
			at = over
		}
	}
	return at
}

// What the network answers by itself: HELLO and CLIENT ID at once, when a connection is made,
// so that it makes no difference which of several goroutines gets one that is there already;
// and CLIENT UNBLOCK, which the in-memory server does not know.
var (
	hello         = []byte("\r\n$5\r\nhello\r\n")
	clientID      = []byte("*2\r\n$6\r\nclient\r\n$2\r\nid\r\n")
	clientUnblock = []byte("*3\r\n$6\r\nclient\r\n$7\r\nunblock\r\n")
)

// greet reports whether a request was one of a connection that is being made.
func (c *conn) greet(request []byte) bool {
	switch {
	case bytes.Equal(request, clientID):
		c.arrive(fmt.Appendf(nil, ":%d\r\n", c.number))
	case bytes.Index(request[:min(len(request), 20)], hello) == 2:
		c.mu.Lock()
		c.greets = true
		c.mu.Unlock()
		if _, err := c.far.Write(request); err != nil {
			c.sever()
		}
	default:
		return false
	}
	return true
}

// greeted reports whether a reply is that to a greeting.
func (c *conn) greeted() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	was := c.greets
	c.greets = false
	return was
}

// arrive hands a reply to the process.
func (c *conn) arrive(reply []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.in = append(c.in, reply...)
	c.wake.Broadcast()
}

// endBlock reports whether a request was CLIENT UNBLOCK, and does it.
func (n *network) endBlock(c *conn, request []byte) bool {
	rest, ok := bytes.CutPrefix(request, clientUnblock)
	if !ok {
		return false
	}
	number, err := strconv.Atoi(strings.Split(string(rest), "\r\n")[1])
	if err != nil {
		panic(fmt.Sprintf("simulation: %v", err))
	}
	n.mu.Lock()
	at := slices.IndexFunc(n.blocked, func(b blocked) bool { return b.c.number == number })
	var ended *conn
	if at >= 0 {
		ended = n.blocked[at].c
		n.blocked = slices.Delete(n.blocked, at, at+1)
	}
	n.mu.Unlock()
	if ended == nil {
		c.push(true, []byte(":0\r\n"))
		return true
	}
	ended.push(true, []byte("*-1\r\n"))
	c.push(true, []byte(":1\r\n"))
	return true
}
