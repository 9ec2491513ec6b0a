package fault

import (
	"bufio"
	"bytes"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"testing"

	"github.com/duequeue/duequeue/framework/internal/lab"
)

// Cut breaks all connections of a proxy, and each new one at once.
func Cut(p *lab.Proxy) Fault { return onConnections(p, "network cut", p.Cut, p.Mend) }

// Hold makes all replies wait: what is sent is executed, and nobody learns it until End.
func Hold(p *lab.Proxy) Fault { return onConnections(p, "replies held back", p.Hold, p.Release) }

// Mute silences all connections for good, as a firewall does that forgets them: they stay open,
// and nothing passes through them. New ones pass.
func Mute(p *lab.Proxy) Fault { return onConnections(p, "connections half-open", p.Mute, func() {}) }

// onConnections is a fault whose effects are the connections that were open.
func onConnections(p *lab.Proxy, name string, begin, end func()) Fault {
	n := 0
	return Fault{Name: name, Begin: func() { n += p.Connections(); begin() }, End: end, Effects: func() int { return n }}
}

// How a reply gets lost, after which the connection is of no use any more.
type How uint8

// The ways of losing a reply.
const (
	Broken  How = iota // the connection is closed instead
	Hanging            // nothing comes any more, and the connection stays open
	CutOff             // a part of the reply comes, then the connection is closed
)

// String names it.
func (h How) String() string {
	return [...]string{"connection broken", "connection hangs", "reply cut off"}[h]
}

// Lossy is a proxy that loses replies after the server has executed their commands.
type Lossy struct {
	*lab.Proxy

	mu     sync.Mutex
	rng    *rand.Rand
	mark   []byte // what stands in the replies that may get lost
	chance float64
	how    How
	lost   int
}

// StartLossy returns a proxy that ends with the test. The seed decides which replies are lost
// where that is left to chance.
func StartLossy(tb testing.TB, target string, seed uint64) *Lossy {
	tb.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	noError(tb, err)
	p := &Lossy{rng: rand.New(rand.NewPCG(seed, 0x9204))}
	p.Proxy = lab.RunProxy(listener, target, p.pass)
	tb.Cleanup(p.Close)
	return p
}

// Lose loses one in so many of the replies in which text stands, for example a mark that is in
// all payloads: whatever hands messages to a client, a script, BLPOP or LRANGE. No text means
// any reply.
func (p *Lossy) Lose(text string, chance float64, how How) Fault {
	before := 0
	set := func(chance float64) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.mark, p.chance, p.how = []byte(text), chance, how
	}
	p.mu.Lock()
	before = p.lost
	p.mu.Unlock()
	return Fault{
		Name: "replies lost, " + how.String(), Begin: func() { set(chance) }, End: func() { set(0) },
		Effects: func() int {
			p.mu.Lock()
			defer p.mu.Unlock()
			return p.lost - before
		},
	}
}

// pass serves one connection until either side ends.
func (p *Lossy) pass(client, server net.Conn) {
	go func() {
		_, _ = io.Copy(server, client)
		_, _ = server.Close(), client.Close() // ends the other direction
	}()
	in := bufio.NewReader(server)
	for {
		reply, err := lab.ReadReply(in)
		if err != nil {
			return
		}
		if part, how, lost := p.lose(reply); lost {
			_, _ = client.Write(reply[:part])
			if how == Hanging {
				_, _ = io.Copy(io.Discard, in) // until the client gives it up
			}
			return
		}
		if _, err := client.Write(reply); err != nil {
			return
		}
	}
}

// lose tells whether a reply gets lost, and how much of it comes all the same.
func (p *Lossy) lose(reply []byte) (part int, how How, lost bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.chance == 0 || !bytes.Contains(reply, p.mark) || p.rng.Float64() >= p.chance {
		return 0, 0, false
	}
	p.lost++
	if p.how == CutOff {
		part = 1 + p.rng.IntN(len(reply)-1)
	}
	return part, p.how, true
}
