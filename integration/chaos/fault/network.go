package fault

import (
	"errors"
	"fmt"
	"time"
)

// errBusy tells that a fault of the same kind holds on the same proxy.
var errBusy = errors.New("another fault of this kind holds on this proxy")

// slowness is how slow a proxy is.
type slowness struct {
	latency        time.Duration
	bytesPerSecond int
	delayed        func()
}

// dawdle delays a reply: by the latency where it begins a burst, and by what its size
// takes. False means that the proxy ends.
func (p *Proxy) dawdle(begins bool, size int) bool {
	p.mu.Lock()
	s := p.slow
	if s == nil {
		p.mu.Unlock()
		return true
	}
	s.delayed()
	p.mu.Unlock()
	var d time.Duration
	if begins {
		d = s.latency
	}
	if s.bytesPerSecond > 0 {
		d += time.Duration(size) * time.Second / time.Duration(s.bytesPerSecond)
	}
	return p.wait(d)
}

// Slow delays what the server answers by latency, and lets each connection have so many
// bytes per second, 0 meaning any number.
func Slow(p *Proxy, latency time.Duration, bytesPerSecond int) Fault {
	f := &simple{state: state{name: fmt.Sprintf("slow connections, %v", latency), unit: "replies delayed"}}
	f.begin = p.with(func() error {
		if p.slow != nil {
			return errBusy
		}
		p.slow = &slowness{latency, bytesPerSecond, func() { f.effects.Add(1) }}
		return nil
	})
	f.end = p.with(func() error { p.slow = nil; return nil })
	return f
}

// HalfOpen makes black holes of all connections, and of those that are made while it
// holds: what goes these ways is read and thrown away, and no connection is closed, as
// when a firewall forgets them. Heal lets new connections work; the black holes stay
// what they are until their client gives them up.
//
// With ToClient alone the server executes what the client sends and the client never
// learns it.
func HalfOpen(p *Proxy, ways Direction) Fault {
	f := &simple{state: state{name: "half-open connections, " + ways.String(), unit: "commands and replies swallowed"}}
	f.begin = p.with(func() error {
		if p.hole != 0 {
			return errBusy
		}
		p.hole = ways
		p.fell = func() { f.effects.Add(1) }
		for l := range p.links {
			l.hole |= ways
		}
		return nil
	})
	f.end = p.with(func() error { p.hole = 0; return nil })
	return f
}

// Stall holds everything back that goes these ways, on all connections, until Heal lets
// it go on: a network that is cut and mended before anybody notices.
func Stall(p *Proxy, ways Direction) Fault {
	f := &simple{state: state{name: "network cut and mended, " + ways.String(), unit: "commands and replies held back"}}
	f.begin = p.with(func() error {
		if p.stalled != 0 {
			return errBusy
		}
		p.stalled, p.stall = ways, make(chan struct{})
		p.waits = func() { f.effects.Add(1) }
		return nil
	})
	f.end = p.with(func() error {
		close(p.stall)
		p.stalled, p.stall = 0, nil
		return nil
	})
	return f
}

// Reset breaks all connections at once ("connection reset by peer"). It has no duration.
// A proxy without connections is [ErrNoTarget].
func Reset(p *Proxy) Fault {
	f := &simple{state: state{name: "connections reset", unit: "connections reset"}, momentary: true}
	f.begin = p.with(func() error {
		if len(p.links) == 0 {
			return ErrNoTarget
		}
		for l := range p.links {
			l.reset()
			f.effects.Add(1)
		}
		return nil
	})
	return f
}

// MuteSubscriptions swallows the messages of all subscriptions, and nothing else:
// subscribing is confirmed, pings are answered, and no message ever comes.
func MuteSubscriptions(p *Proxy) Fault {
	f := &simple{state: state{name: "pub/sub silent", unit: "messages swallowed"}}
	f.begin = p.with(func() error {
		if p.mute != nil {
			return errBusy
		}
		p.mute = func() { f.effects.Add(1) }
		return nil
	})
	f.end = p.with(func() error { p.mute = nil; return nil })
	return f
}
