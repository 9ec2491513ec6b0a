package lease

import (
	"encoding/hex"

	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Token names one message in flight. Tokens are comparable; the zero value names
// none. A token whose session lost its lease names nothing any more.
type Token struct {
	Nonce string // 16 hex digits, random for each fetch
	Index int    // place in the fetch, from 1
}

// Acks are messages that are done.
type Acks []Token

// Message is one message in flight.
type Message struct {
	Body  []byte // as the producer wrote it; shares memory with its batch
	Token Token
	// DueMs is when the message was due in ms since 1970, -1 where unknown (Java
	// transferred it, or it was put on the list directly).
	DueMs int64
	// DueGuessed says that DueMs and the ID are those of an equal payload that was due, since
	// Java dropped those of this message. It may be of one that Java has taken since.
	DueGuessed bool
	// FirstDueMs is when it was due for the first time, -1 where unknown: a retry has a
	// later DueMs.
	FirstDueMs int64
	// ID is its ID, the same through retries, reschedules, the dead store and redrives. It
	// is always known: a body that came without one has one from now on.
	ID  wire.MessageID
	Key string // it was offered with, "" for none or where unknown
	// Delivered, Failed, Died and Hung count what happened before this hand-out: hand-outs
	// that came back, failures, processes that died with it, and handlers that hung with it.
	Delivered, Failed, Died, Hung int
	Trace                         []byte // trace context of 25 bytes, nil where none
	// History tells of the former lives of a message that was redriven, see
	// wire.ParseHistory; "" for all others.
	History string

	element wire.ElementID // under which it was pending
}

// Field names what is known of the message in the attempts hash, in hex; it is unique
// among messages.
func (m *Message) Field() string {
	kind := m.element.Kind
	if kind != wire.KindJava {
		kind = wire.KindFirst
	}
	return string(hex.AppendEncode([]byte{kind}, m.element.Raw[:]))
}

// Buried is a message that the take moved to the dead store by itself.
type Buried struct {
	Reason string // "oversized" or "crash-loop"
	Size   int    // bytes of the body
	Digest string // wire.Digest of the body
	Entry  string // id of its entry in the dead store
}

// Batch is the result of one take.
type Batch struct {
	Messages []Message // in queue order; empty when nothing was ready
	Buried   []Buried  // not reported again when a lost reply was repeated
	// Suspect means that the one message was in flight in two processes that died:
	// run it alone.
	Suspect bool
	// Lost means that the session had been reaped before this take: everything taken
	// earlier belongs to others now. Messages of this batch are not concerned.
	Lost bool
	// Stale counts acks of this call that had no effect because the lease was lost.
	Stale int
	// Repeated means that the answer came from a fetch whose first reply was lost.
	Repeated bool
	// Ready is how many messages were ready before a probe; 0 of other takes.
	Ready int
	NowUs int64 // Redis's clock in µs when the batch was taken
}
