package framework

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/duequeue/duequeue/codecs/sniff"
)

// deadRow remembers the dead store's entries of undecodable messages in a row,
// so that a wrong codec's row can be taken back.
type deadRow struct {
	mu      sync.Mutex
	entries []rowEntry
	any     atomic.Bool // keeps the healthy path free of the lock
}

// rowEntry is one message of the row.
type rowEntry struct {
	seq   uint64 // its place in the queue
	entry string // in the dead store
}

func (d *deadRow) add(seq uint64, entry string) {
	if entry == "" {
		return
	}
	d.mu.Lock()
	d.entries = append(d.entries, rowEntry{seq, entry})
	d.any.Store(true)
	d.mu.Unlock()
}

// clear ends the row: a payload could be decoded.
func (d *deadRow) clear() {
	if !d.any.Load() {
		return
	}
	d.take()
}

// take returns the row in the order of the queue, whatever order the workers
// buried it in, and begins a new one.
func (d *deadRow) take() []string {
	d.mu.Lock()
	found := d.entries
	d.entries = nil
	d.any.Store(false)
	d.mu.Unlock()
	slices.SortFunc(found, func(a, b rowEntry) int { return cmp.Compare(a.seq, b.seq) })
	out := make([]string, len(found))
	for i, e := range found {
		out[i] = e.entry
	}
	return out
}

// looksLike says for people what the bytes may be, beside what they should be.
func looksLike(body []byte, declared string) string {
	guesses := sniff.Guess(body)
	if len(guesses) == 0 {
		return "nothing that is known, queue is declared " + declared
	}
	best := guesses[0]
	for _, g := range guesses {
		// Where the declared codec may well have written them, what is wrong is the value.
		if g.Confidence >= sniff.Fair && declares(declared, g.Codec) {
			return fmt.Sprintf("%s (%s), as queue is declared: the value is none of its type", g.Codec, g.Why)
		}
	}
	return fmt.Sprintf("%s (%s: %s), queue is declared %s", best.Codec, best.Confidence, best.Why, declared)
}

// declares reports whether a declared codec, or one of a declared list, is the one
// guessed. LZ4CodecV2 writes the bytes of LZ4Codec.
func declares(declared, guessed string) bool {
	if list, ok := strings.CutPrefix(strings.TrimSuffix(declared, ")"), "anyof("); ok {
		depth, start := 0, 0
		for i := range len(list) + 1 {
			switch {
			case i == len(list) || list[i] == ',' && depth == 0:
				if declares(list[start:i], guessed) {
					return true
				}
				start = i + 1
			case list[i] == '(':
				depth++
			case list[i] == ')':
				depth--
			}
		}
		return false
	}
	wrapper, inner, wrapped := strings.Cut(declared, "(")
	other, inside, both := strings.Cut(guessed, "(")
	if !wrapped || !both {
		return declared == guessed
	}
	if wrapper == "lz4v2" || other == "lz4v2" {
		wrapper, other = strings.TrimSuffix(wrapper, "v2"), strings.TrimSuffix(other, "v2")
	}
	return wrapper == other && declares(strings.TrimSuffix(inner, ")"), strings.TrimSuffix(inside, ")"))
}
