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
	until    time.Time
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
	n.blocked = append(n.blocked, blocked{c, words[1], words[3], time.Now().Add(time.Duration(seconds * float64(time.Second)))})
	return request[:at]
}

// unblock hands messages to those that wait for them, the first one first, and ends waits
// that are over. Nothing is on its way to the server.
func (n *network) unblock(now time.Time) {
	n.mu.Lock()
	waiting := n.blocked
	n.blocked = nil
	n.mu.Unlock()
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

// nextUnblock is how long it is until a wait is over; 0 where none is.
func (n *network) nextUnblock(now time.Time) (wait time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, b := range n.blocked {
		if d := max(b.until.Sub(now), 1); wait == 0 || d < wait {
			wait = d
		}
	}
	return wait
}
