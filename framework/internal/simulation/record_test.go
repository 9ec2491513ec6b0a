//go:build simulation

package simulation

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// record is the order of a run: its plan, and each packet that arrived. A run that is given
// one is a replay, see network.recorded.
type record struct {
	plan     plan
	arrivals []arrival
	end      time.Duration // until when nothing else arrived
}

// arrival is one packet of a record.
type arrival struct {
	at   time.Duration // since the start
	side string        // who sent or got it: p1.2> or p1.2<
	hash uint64        // of what it says, see packet.hash
}

func (a arrival) String() string {
	return fmt.Sprintf("%s %s %016x", virtual(a.at), a.side, a.hash)
}

// virtual writes a moment as the trace and the findings do.
func virtual(at time.Duration) string { return bubbleStart.Add(at).Format("15:04:05.000000000") }

// bubbleStart is when each bubble of testing/synctest starts.
var bubbleStart = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// hash tells a packet from the others, alike in each run: by when it was sent, what it says,
// and to which request it is the answer.
func (p *packet) hash() uint64 {
	h := fnv.New64a()
	_ = binary.Write(h, binary.LittleEndian, p.sent.UnixNano())
	_, _ = h.Write([]byte(p.c.sides[side(p.reply)]))
	if p.reply {
		_, _ = h.Write(withoutNumber(p.c.said))
	}
	_, _ = h.Write(p.identity())
	return h.Sum64()
}

// recorded returns the packet that arrived next in the record, where it is on its way, and
// how long until then. Where the record has another order than what can arrive it is given
// up: ok is false from then on, and the seed says who is next.
func (n *network) recorded(now time.Time, waiting []*packet) (p *packet, wait time.Duration, ok bool) {
	if n.follows == nil {
		return nil, 0, false
	}
	at := n.follows.end
	if len(n.record) < len(n.follows.arrivals) {
		at = n.follows.arrivals[len(n.record)].at
	}
	if wait = at - now.Sub(bubbleStart); wait > 0 {
		return nil, wait, true
	}
	if len(n.record) == len(n.follows.arrivals) {
		n.follows = nil // it has come to its end
		return nil, 0, false
	}
	want := n.follows.arrivals[len(n.record)]
	for _, other := range waiting {
		if other.c.sides[side(other.reply)] == want.side && other.hash() == want.hash && (p == nil || other.order < p.order) {
			p = other
		}
	}
	if p != nil && wait == 0 {
		return p, 0, true
	}
	n.left = fmt.Sprintf("the run leaves its record at arrival %d of %d: expected %s, on their way were", len(n.record)+1, len(n.follows.arrivals), want)
	slices.SortFunc(waiting, func(a, b *packet) int { return cmp.Compare(a.order, b.order) })
	for _, other := range waiting[:min(len(waiting), 4)] {
		n.left += fmt.Sprintf(" %016x %.300q", other.hash(), other.label())
	}
	n.follows = nil
	return nil, 0, false
}

// write writes a record: the seed, the steps, an empty line, the arrivals, and the end.
func (r *record) write(name string) (err error) {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	packed := gzip.NewWriter(file)
	out := bufio.NewWriter(packed)
	fmt.Fprintln(out, r.plan.seed, int64(r.plan.lasts))
	for _, s := range r.plan.steps {
		fmt.Fprintln(out, int64(s.at), s.a, s.b, s.what)
	}
	fmt.Fprintln(out)
	for _, a := range r.arrivals {
		fmt.Fprintln(out, a)
	}
	fmt.Fprintln(out, virtual(r.end))
	for _, end := range []func() error{out.Flush, packed.Close, file.Close} {
		if failed := end(); err == nil {
			err = failed
		}
	}
	return err
}

func readRecord(name string) (*record, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	packed, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(packed)
	if err != nil {
		return nil, err
	}
	head, tail, found := strings.Cut(string(text), "\n\n")
	if !found {
		return nil, fmt.Errorf("%s is no record", name)
	}
	first, steps, _ := strings.Cut(head, "\n")
	r := &record{}
	if _, err = fmt.Sscan(first, &r.plan.seed, (*int64)(&r.plan.lasts)); err != nil {
		return nil, fmt.Errorf("%s: %q: %w", name, first, err)
	}
	for line := range strings.Lines(steps) {
		words := strings.SplitN(strings.TrimSpace(line), " ", 4)
		s := step{what: words[len(words)-1]}
		if _, err = fmt.Sscan(line, (*int64)(&s.at), &s.a, &s.b); err != nil || actions[s.what] == nil {
			return nil, fmt.Errorf("%s: no step %q: %w", name, line, err)
		}
		r.plan.steps = append(r.plan.steps, s)
	}
	for line := range strings.Lines(tail) {
		words := strings.Fields(line)
		moment, err := time.Parse("15:04:05.000000000", words[0])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		at := moment.Sub(moment.Truncate(24 * time.Hour))
		if len(words) == 1 {
			r.end = at
			return r, nil
		}
		hash, err := strconv.ParseUint(words[2], 16, 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		r.arrivals = append(r.arrivals, arrival{at, words[1], hash})
	}
	return nil, fmt.Errorf("%s is cut off", name)
}
