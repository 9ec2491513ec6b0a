//go:build simulation

package simulation

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"slices"
	"strings"
	"time"
)

// packet is what one side wrote at once.
type packet struct {
	c     *conn
	reply bool
	data  []byte
	takes time.Duration
	ready time.Time // when it arrives
	sent  time.Time
	order int // in which it was sent
}

// send draws how long each new packet takes, by what it is and when: goroutines that write
// at one moment do so in any order.
func (n *network) send(now time.Time) {
	fresh := n.fresh
	n.fresh = nil
	slices.SortStableFunc(fresh, func(a, b *packet) int {
		return cmp.Or(strings.Compare(a.c.proc, b.c.proc), bytes.Compare(a.identity(), b.identity()))
	})
	for _, p := range fresh {
		n.order++
		p.order, p.sent = n.order, now
		p.takes = 20*time.Microsecond + n.draw(300*time.Microsecond, now, n.salt+p.c.proc, p.identity())
		if l := n.lingerer[p.c.proc]; p.reply && l != nil && now.Before(l.until) {
			p.takes += n.draw(l.most, now, n.salt+"late "+p.c.proc, p.identity())
		}
		p.ready = now.Add(p.takes)
		if last := p.c.last[side(p.reply)]; last.After(p.ready) {
			p.ready = last // in its connection none overtakes another
		}
		p.c.last[side(p.reply)] = p.ready
	}
}

// draw draws the same for the same.
func (n *network) draw(below time.Duration, now time.Time, who string, what []byte) time.Duration {
	h := fnv.New64a()
	_ = binary.Write(h, binary.LittleEndian, [2]uint64{n.seed, uint64(now.UnixNano())}) //nolint:gosec // any bits will do
	_, _ = h.Write([]byte(who))
	_, _ = h.Write(what[:min(len(what), 1000)])
	return time.Duration(h.Sum64() % uint64(below)) //nolint:gosec // below it
}

func side(reply bool) int {
	if reply {
		return 1
	}
	return 0
}

// label says what a packet is, alike in each run of a seed.
func (p *packet) label() string {
	return p.c.sides[side(p.reply)] + string(p.identity())
}

// identity is the packet without the number of a connection: those that are made at one
// moment have numbers of chance.
func (p *packet) identity() []byte { return withoutNumber(p.data) }

func withoutNumber(data []byte) []byte {
	if bytes.HasPrefix(data, clientUnblock) {
		return clientUnblock
	}
	return data
}
