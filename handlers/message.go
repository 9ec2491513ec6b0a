package handlers

import "time"

// Message is a delivery without its type: what middleware sees, and what the
// engine fills in. The zero value describes a message of which nothing is
// known.
//
// The three counters speak of the past: all are 0 when a message is handed out
// for the first time. Only Failed counts towards MaxAttempts.
//
// A Message belongs to one call of the chain and must not be used after it
// returned; copy what you keep. Middleware may change Value, which the handler
// then gets; the other fields are for reading only. Reading is safe for
// concurrent use.
type Message struct {
	// Code is the queue code, Title what people call it.
	Code, Title string

	// Codec is the canonical name of the codec that decoded Body.
	Codec string

	// Identity gives the id and the digest; both are computed only when
	// asked for. Nil where neither is known.
	Identity Identity

	// Body is the payload as it is in Redis. Do not change it.
	Body []byte

	// Value is the decoded payload, of the type the queue was defined with.
	Value any

	// Delivered is how often the message was handed out before this time,
	// for whatever reason it came back: failure, shutdown, crash, lost lease.
	Delivered int

	// Failed is how often a handler failed on it before; never raised by
	// shutdown, an open breaker or a lost lease.
	Failed int

	// Died is how often a process died while this message was in flight.
	Died int

	// Redriven is how often the message was put back from the dead store. Each redrive resets the
	// other counters. Messages with identical payloads share this count.
	Redriven int

	// Deaths are the times that the message went to the dead store, oldest first: the first one and
	// the latest seven. Nil for a message that was never there.
	Deaths []Death

	// MaxAttempts is the queue's limit of attempts: when attempt MaxAttempts
	// fails, the message goes to the dead store. 0 where unknown.
	MaxAttempts int

	// DueTime is when the message was due; the zero time where unknown.
	// Resolution is one millisecond. Ask by [Message.Due].
	DueTime time.Time

	// DueGuessed says that a Java service made the message ready, so that its due time was
	// told by its payload alone. Where payloads are equal it may be that of another, which is
	// gone: it is good to be shown, but nothing should be given up by it.
	DueGuessed bool

	// MaxLateness is how late the queue wants a message to be started at most;
	// 0 is no limit. Ask by [Message.TooLate].
	MaxLateness time.Duration

	// Settling keeps the functions of [Message.OnSettled]; nil where no engine made the message.
	Settling *Settling

	// StartedAt is when this delivery was started, by the clock of Redis as
	// far as it can be estimated, so that it can be compared with DueTime.
	StartedAt time.Time
}

// Identity computes the names of a message. Engines implement it on what they hold anyway,
// so that it costs nothing for messages whose names are not asked for. It must be safe for
// concurrent use.
type Identity interface {
	// ID is the ID that Offer returned, which names this message in logs, spans
	// (messaging.message.id), the dead store and when it is to be cancelled. It stays
	// the same through retries and redrives. A message that came without one, as most
	// that Java transferred, has one from its first delivery on.
	ID() string
	// Digest is the SHA-1 of the payload in hex (of head, tail and length
	// where it is longer than 4 kB). Equal payloads have equal digests.
	Digest() string
}

// Identify returns an Identity of two known strings, for tests.
func Identify(id, digest string) Identity { return &fixedIdentity{id, digest} }

type fixedIdentity struct{ id, digest string }

func (f *fixedIdentity) ID() string     { return f.id }
func (f *fixedIdentity) Digest() string { return f.digest }

// ID returns the id of the message, or "" where it is unknown; see [Identity].
// It is computed at each call.
func (m *Message) ID() string {
	if m.Identity == nil {
		return ""
	}
	return m.Identity.ID()
}

// Digest returns the digest of the payload, or "" where it is unknown; see
// [Identity]. It is computed at each call, in a few microseconds.
func (m *Message) Digest() string {
	if m.Identity == nil {
		return ""
	}
	return m.Identity.Digest()
}

// Due returns when the message was due, and whether that is known. It is not
// known for messages that Java transferred (unless their trace entry or what is
// known of a retry tells, see [Message.DueGuessed]) and in queues without due
// tracking.
func (m *Message) Due() (time.Time, bool) { return m.DueTime, !m.DueTime.IsZero() }

// Lateness returns how long after its due time the message was started, and
// whether that is known. Both times are Redis's. A negative value says that it
// came early, which happens when a Java client with a fast clock transferred
// it.
func (m *Message) Lateness() (time.Duration, bool) {
	if m.DueTime.IsZero() || m.StartedAt.IsZero() {
		return 0, false
	}
	return m.StartedAt.Sub(m.DueTime), true
}

// TooLate reports whether the message was started later than the queue's
// MaxLateness allows. Where its lateness is not known, or its due time is a guess
// ([Message.DueGuessed]), or the queue has no limit, it is not. Handlers see true
// only in queues that deliver late messages.
func (m *Message) TooLate() bool {
	late, known := m.Lateness()
	return known && !m.DueGuessed && m.MaxLateness > 0 && late > m.MaxLateness
}

// Attempt returns the number of this attempt, from 1.
func (m *Message) Attempt() int { return m.Failed + 1 }

// LastAttempt reports whether this is the last attempt by the queue's MaxAttempts, which
// rules of the queue (registry.On) change for some errors: when it fails, the
// message goes to the dead store.
func (m *Message) LastAttempt() bool { return m.MaxAttempts > 0 && m.Attempt() >= m.MaxAttempts }

// Redelivered reports whether the message was handed out before, so that its
// work may already have been done, wholly or in part.
func (m *Message) Redelivered() bool { return m.Delivered > 0 || m.Failed > 0 || m.Died > 0 }
