package lease

import (
	"slices"
	"strconv"
	"sync"
)

// fetch is one open batch as this process knows it.
type fetch struct {
	nonce  string
	key    string // its list in Redis
	number uint64 // grows with each fetch of the session
	n      int    // messages handed out
	probe  string // of the breaker: "probe" or "new", see take.lua; else ""
	open   int    // messages not known to be settled

	settled bits
	sending bits           // acks under way
	fields  map[int]string // attempts fields by index, for messages with counters
}

// bits is a set of indexes; the first 128 need no allocation.
type bits struct {
	low  [2]uint64
	more []uint64
}

func (b *bits) word(i int) *uint64 {
	if w := i >> 6; w < len(b.low) {
		return &b.low[w]
	}
	w := i>>6 - len(b.low)
	for len(b.more) <= w {
		b.more = append(b.more, 0)
	}
	return &b.more[w]
}

func (b *bits) has(i int) bool { return *b.word(i)&(1<<(i&63)) != 0 }
func (b *bits) set(i int)      { *b.word(i) |= 1 << (i & 63) }
func (b *bits) clear(i int)    { *b.word(i) &^= 1 << (i & 63) }

// ledger is what a process believes of its session's fetches. Redis has the truth: after
// a rollback it may hold more. So nothing is deleted for what the ledger says, except a
// fetch whose messages all end with the same request.
type ledger struct {
	mu     sync.Mutex
	open   map[string]*fetch
	done   []*fetch // wholly settled one by one: their lists are still to go
	ending int      // of those, how many are under way
	coming string   // nonce of the take under way, or of one without an answer
}

// group is what one request says about one fetch.
type group struct {
	f       *fetch
	indexes []int // nil for a list that only has to be deleted
	arg     string
}

// plan turns acks into the arguments of a request and marks them as under way. It
// must end in confirm or undo. stale counts acks of fetches that are not open.
func (l *ledger) plan(acks Acks) (groups []group, stale int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, t := range acks {
		f := l.open[t.Nonce]
		if f == nil || t.Index < 1 || t.Index > f.n || f.settled.has(t.Index) || f.sending.has(t.Index) {
			stale++
			continue
		}
		f.sending.set(t.Index)
		g := len(groups) - 1 // mostly the same fetch as before
		if g < 0 || groups[g].f != f {
			g = slices.IndexFunc(groups, func(g group) bool { return g.f == f })
		}
		if g < 0 {
			g = len(groups)
			groups = append(groups, group{f: f, indexes: make([]int, 0, f.open)})
		}
		groups[g].indexes = append(groups[g].indexes, t.Index)
	}
	for i := range groups {
		groups[i].arg = groups[i].argument()
	}
	for _, f := range l.done {
		groups = append(groups, group{f: f, arg: "D"})
	}
	l.ending += len(l.done)
	l.done = nil
	return groups, stale
}

// argument writes one argument of fragment settle.
func (g group) argument() string {
	b := make([]byte, 0, 16)
	kind := byte('P')
	switch len(g.indexes) {
	case g.f.n:
		kind = 'W'
	case g.f.open:
		kind = 'D'
	}
	if b = append(b, kind); kind == 'W' {
		b = strconv.AppendInt(b, int64(g.f.n), 10)
	} else {
		for i, index := range g.indexes {
			if i > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendInt(b, int64(index), 10)
		}
	}
	if g.f.fields != nil {
		for _, index := range g.indexes {
			if field := g.f.fields[index]; field != "" {
				b = append(append(b, ' '), field...)
			}
		}
	}
	return string(b)
}

// confirm notes that Redis has carried the groups out.
func (l *ledger) confirm(groups []group) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, g := range groups {
		for _, i := range g.indexes {
			g.f.sending.clear(i)
			l.settle(g.f, i)
		}
		if g.indexes == nil {
			l.ending--
		} else if g.arg[0] != 'P' {
			l.done = slices.DeleteFunc(l.done, func(f *fetch) bool { return f == g.f })
		}
	}
}

// undo notes that the outcome of the groups is not known; they may be sent again.
func (l *ledger) undo(groups []group) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, g := range groups {
		for _, i := range g.indexes {
			g.f.sending.clear(i)
		}
		if g.indexes == nil {
			l.ending--
			l.done = append(l.done, g.f)
		}
	}
}

// settle counts one message as settled; the last one closes its fetch.
func (l *ledger) settle(f *fetch, index int) {
	if f.settled.has(index) || l.open[f.nonce] != f {
		return
	}
	f.settled.set(index)
	f.open--
	if f.open == 0 {
		delete(l.open, f.nonce)
		l.done = append(l.done, f)
	}
}

// settleTokens counts messages as settled that a script has tombstoned.
func (l *ledger) settleTokens(tokens ...Token) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, t := range tokens {
		if f := l.open[t.Nonce]; f != nil && t.Index >= 1 && t.Index <= f.n {
			l.settle(f, t.Index)
		}
	}
}

// add opens a fetch that has messages.
func (l *ledger) add(f *fetch) {
	f.open = f.n
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open == nil {
		l.open = make(map[string]*fetch)
	}
	l.open[f.nonce] = f
}

// forget drops everything: the session was reaped.
func (l *ledger) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.open)
	l.done = nil
}

// find returns the open fetch of a token, nil when there is none.
func (l *ledger) find(t Token) *fetch {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.open[t.Nonce]
	if f == nil || t.Index < 1 || t.Index > f.n || f.settled.has(t.Index) {
		return nil
	}
	return f
}

// expect notes the take that is under way; "" when its outcome is known.
func (l *ledger) expect(nonce string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.coming = nonce
}

// close queues the list of a fetch that this process does not know for deletion.
func (l *ledger) close(f *fetch) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.ContainsFunc(l.done, func(o *fetch) bool { return o.nonce == f.nonce }) {
		l.done = append(l.done, f)
	}
}

// lists returns how many lists Redis may hold for this session as far as is known here.
func (l *ledger) lists() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.open) + len(l.done) + l.ending
}

// holds reports whether anything is in flight, or may be.
func (l *ledger) holds() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.open)+len(l.done)+l.ending > 0 || l.coming != ""
}

// knows reports whether a nonce belongs to an open fetch or to one that is coming.
func (l *ledger) knows(nonce string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open[nonce] != nil || nonce == l.coming
}
