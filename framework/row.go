package framework

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/duequeue/duequeue/codecs/sniff"
)

// deadRow remembers the dead store's entries of undecodable messages in a row,
// so that a wrong codec's row can be taken back.
type deadRow struct {
	mu      sync.Mutex
	entries []rowEntry
	any     atomic.Bool // keeps the healthy path free of the lock
	timer   *time.Timer // tells of those that nothing has followed
}

// rowSettles is how long after the last undecodable message the row is told of: until then
// more may follow, and all go back.
const rowSettles = 10 * time.Second

// rowEntry is one message of the row.
type rowEntry struct {
	seq   uint64 // its place in the queue
	entry string // in the dead store
	tell  func() // counts and logs that it is dead; nil once that was done
}

// add adds a message that lies in the dead store; tell is called once it is likely to stay
// there: when a payload could be decoded, after [rowSettles], or when the process stops.
func (d *deadRow) add(seq uint64, entry string, tell func()) {
	if entry == "" {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.entries = append(d.entries, rowEntry{seq, entry, tell})
	d.any.Store(true)
	if d.timer == nil {
		d.timer = time.AfterFunc(rowSettles, d.tell)
		return
	}
	d.timer.Reset(rowSettles)
}

// tell tells of those that nobody was told of yet.
func (d *deadRow) tell() {
	d.mu.Lock()
	var untold []func()
	for i := range d.entries {
		if e := &d.entries[i]; e.tell != nil {
			untold = append(untold, e.tell)
			e.tell = nil
		}
	}
	d.mu.Unlock()
	for _, f := range untold {
		f()
	}
}

// clear ends the row, whose messages stay in the dead store: a payload could be decoded, or
// the process stops.
func (d *deadRow) clear() {
	if !d.any.Load() {
		return
	}
	d.tell()
	d.take()
}

// take returns the row in the order of the queue, whatever order the workers
// buried it in, and begins a new one. told is how many were reported dead.
func (d *deadRow) take() (out []string, told int) {
	d.mu.Lock()
	found := d.entries
	d.entries = nil
	d.any.Store(false)
	if d.timer != nil {
		d.timer.Stop()
	}
	d.mu.Unlock()
	slices.SortFunc(found, func(a, b rowEntry) int { return cmp.Compare(a.seq, b.seq) })
	out = make([]string, len(found))
	for i, e := range found {
		out[i] = e.entry
		if e.tell == nil {
			told++
		}
	}
	return out, told
}

// shownBytes is how many bytes of a payload are shown: enough to tell a codec by, and
// too few to give away what is in the message.
const shownBytes = 16

// beginning shows the first bytes of a payload: as text where they are that, else in hex.
func beginning(body []byte) string {
	if len(body) == 0 {
		return "nothing (they are empty)"
	}
	head := body[:min(len(body), shownBytes)]
	for _, b := range head {
		if b < ' ' || b > '~' {
			return "hex " + hex.EncodeToString(head)
		}
	}
	return strconv.Quote(string(head))
}

// looksLike says for people what the bytes may be, beside what they should be.
func looksLike(body []byte, declared string) string {
	guesses := sniff.Guess(body)
	if len(guesses) == 0 {
		return "nothing that is known, queue is declared " + declared
	}
	best := guesses[0]
	for _, g := range guesses {
		if g.Codec == "json" && g.Confidence >= best.Confidence { // far more common than TypedJsonJacksonCodec, which comes first
			best = g
		}
		// Where the declared codec may well have written them, what is wrong is the value.
		if g.Confidence >= sniff.Fair && declares(declared, g.Codec) {
			said := fmt.Sprintf("%s (%s), as queue is declared: the value is none of its type", g.Codec, g.Why)
			if describesClasses(g.Codec) {
				said += "; duequeue javadesc -check compares the Go type with the Java class"
			}
			return said
		}
	}
	return fmt.Sprintf("%s (%s: %s), queue is declared %s", best.Codec, best.Confidence, best.Why, declared)
}

// describesClasses reports whether the payloads of a codec are those of Java classes, which
// the Go type has to fit.
func describesClasses(codec string) bool {
	if _, inside, wrapped := strings.Cut(strings.TrimSuffix(codec, ")"), "("); wrapped {
		return describesClasses(inside)
	}
	switch codec {
	case "json", "string", "bytearray", "long", "double", "protobuf", "avrojackson":
		return false
	}
	return true
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
