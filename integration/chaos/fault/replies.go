package fault

import (
	"bytes"
	"fmt"
)

// How a reply gets lost.
type How uint8

// The ways of losing a reply, after which the connection is of no use any more.
const (
	Broken  How = iota // the connection is closed instead
	Hanging            // nothing comes any more, and the connection stays open
	CutOff             // a part of the reply comes, then the connection is closed
)

// String names it.
func (h How) String() string {
	return [...]string{"connection broken", "connection hangs", "reply cut off"}[h]
}

// Loss says which replies are lost. The zero value means all, by broken connections.
type Loss struct {
	When   Match   // nil: each reply
	Chance float64 // that one which matches is lost; 0 means 1
	Most   int     // no more than so many per strike; 0: any number
	How    How
}

// Match chooses replies. The command is the one that was answered; reply is the answer
// as it stands on the wire. It is called under a lock: it must not wait.
type Match func(command Command, reply []byte) bool

// Carrying chooses replies in which text stands, for example a mark that is in all
// payloads: whatever hands messages to a client, a script, BLPOP or LRANGE.
func Carrying(text string) Match {
	mark := []byte(text)
	return func(_ Command, reply []byte) bool { return bytes.Contains(reply, mark) }
}

// AnswerTo chooses the replies to commands of these names.
func AnswerTo(names ...string) Match {
	return func(c Command, _ []byte) bool {
		for _, name := range names {
			if c.Name() == name {
				return true
			}
		}
		return false
	}
}

// Naming chooses the replies to commands that have this argument, for example a key.
func Naming(argument string) Match {
	want := []byte(argument)
	return func(c Command, _ []byte) bool {
		for _, arg := range c {
			if bytes.Equal(arg, want) {
				return true
			}
		}
		return false
	}
}

// All chooses replies that all of these choose.
func All(matches ...Match) Match {
	return func(c Command, reply []byte) bool {
		for _, m := range matches {
			if !m(c, reply) {
				return false
			}
		}
		return true
	}
}

// loss is a Loss that holds.
type loss struct {
	Loss

	left  int // -1: any number
	count func()
}

// LoseReplies loses replies after the server has executed their commands, until Heal.
// Messages of subscriptions are not replies.
func LoseReplies(p *Proxy, what Loss) Fault {
	if what.When == nil {
		what.When = All()
	}
	f := &simple{state: state{name: fmt.Sprintf("replies lost: %s", what.How), unit: "replies lost"}}
	var held *loss
	f.begin = p.with(func() error {
		held = &loss{Loss: what, left: -1, count: func() { f.effects.Add(1) }}
		if what.Most > 0 {
			held.left = what.Most
		}
		p.losses = append(p.losses, held)
		return nil
	})
	f.end = p.with(func() error {
		for i, l := range p.losses {
			if l == held {
				p.losses = append(p.losses[:i:i], p.losses[i+1:]...)
				break
			}
		}
		return nil
	})
	return f
}

// lose tells whether, and how, this reply gets lost.
func (p *Proxy) lose(c Command, reply []byte) (How, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c == nil {
		return 0, false
	}
	for _, l := range p.losses {
		if l.left == 0 || !l.When(c, reply) {
			continue
		}
		if l.Chance > 0 && p.rng.Float64() >= l.Chance {
			continue
		}
		if l.left > 0 {
			l.left--
		}
		l.count()
		return l.How, true
	}
	return 0, false
}

// spoil loses a reply; false means that the connection ends.
func (l *link) spoil(how How, raw []byte) bool {
	switch how {
	case Broken:
	case Hanging:
		l.proxy.mu.Lock()
		l.hole |= ToClient
		l.proxy.mu.Unlock()
		return true
	case CutOff:
		l.proxy.mu.Lock()
		n := 1 + l.proxy.rng.IntN(len(raw)-1)
		l.proxy.mu.Unlock()
		_, _ = l.client.Write(raw[:n]) // a client that is gone lost it all the same
	}
	return false
}
