package wire

import "strings"

// Prefixes of the keys that Redisson itself uses for a delayed queue, read in
// RedissonDelayedQueue of 2.7.0 to 4.7.0.
const (
	prefixTimeout = "redisson_delay_queue_timeout"
	prefixPending = "redisson_delay_queue"
	prefixChannel = "redisson_delay_queue_channel"
)

// OwnPrefix starts every key that belongs to this project. Java never reads
// such keys.
const OwnPrefix = "duequeue:"

// ControlChannel is where changes of [Keys.Control] of all queues are announced. Java never
// listens to it.
const ControlChannel = OwnPrefix + "control"

// AuditKey is the stream of what people have done to queues by tools, one for all queues of a
// Redis, so that it needs no slot of theirs.
const AuditKey = OwnPrefix + "audit"

// ShownKey is the stream of what people have only been shown, or exported, beside AuditKey: who
// looks often must not push out what was changed.
const ShownKey = OwnPrefix + "audit:shown"

// Keys are the names of everything that belongs to one queue. Build them with
// [KeysOf]; the zero value is not usable. Keys are comparable and immutable.
type Keys struct {
	Queue string // ready list of bare payloads: the raw name itself

	// Partition is the partition that the queue is of another one, 0 for the first and for
	// queues without partitions. It stands before the IDs of its messages.
	Partition int

	Timeout string // sorted set of pending elements scored by due ms (Redisson's)
	Pending string // list of the same elements in insertion order (Redisson's view)
	Channel string // plain Pub/Sub channel carrying due ms as decimal text (Redisson's)

	Sessions     string // sorted set of consumer sessions scored by lease deadline
	Leases       string // hash of the same sessions with the length of their leases in ms
	Attempts     string // hash of what is known of messages by element id: counters, ID, key
	MessageNames string // hash that leads from keys and IDs to fields of Attempts
	Due          string // list of due records, parallel to the ready list
	Head         string // string: since when the head of the ready list was seen there, where no due record tells more
	Trace        string // sorted set of trace records by payload digest and id
	IDs          string // sorted set that finds ids by payload digest
	Dead         string // stream of messages given up, with bytes and reason
	Dedup        string // prefix of the records of nonces; see NonceRecord
	Cleared      string // sorted set: the pending elements that were cleared, until their records are dropped
	Control      string // hash of what operators set for all processes
	Processes    string // hash of the processes that serve the queue, by what they call themselves
	Changes      string // hash of the changes of many messages that tools have not brought to their end, by ID
	Journal      string // sorted set of pages on what became of messages, by the ms of their last record
	Moving       string // list of the messages that are on their way to another queue
}

// KeysOf derives all keys of the queue whose raw Redis name is rawName, by
// Redisson's prefixName rule: a name that contains "{" anywhere is appended as
// it is, any other name is put in braces. rawName is what a name mapper returned, as
// Redisson's NameMapper.map does (3.15.4 and later), which never maps the derived keys;
// check it with [CheckName] first.
func KeysOf(rawName string) Keys {
	tag := tagOf(rawName)
	return Keys{
		Queue:        rawName,
		Timeout:      prefixTimeout + ":" + tag,
		Pending:      prefixPending + ":" + tag,
		Channel:      prefixChannel + ":" + tag,
		Sessions:     OwnPrefix + "sessions:" + tag,
		Leases:       OwnPrefix + "leases:" + tag,
		Attempts:     OwnPrefix + "attempts:" + tag,
		MessageNames: OwnPrefix + "names:" + tag,
		Due:          OwnPrefix + "due:" + tag,
		Head:         OwnPrefix + "head:" + tag,
		Trace:        OwnPrefix + "trace:" + tag,
		IDs:          OwnPrefix + "ids:" + tag,
		Dead:         OwnPrefix + "dead:" + tag,
		Dedup:        OwnPrefix + "dedup:" + tag,
		Cleared:      OwnPrefix + "cleared:" + tag,
		Control:      OwnPrefix + "control:" + tag,
		Processes:    OwnPrefix + "processes:" + tag,
		Changes:      OwnPrefix + "changes:" + tag,
		Journal:      OwnPrefix + "journal:" + tag,
		Moving:       OwnPrefix + "moving:" + tag,
	}
}

// Fetches returns the set that names the open fetches of one session.
func (k Keys) Fetches(session string) string {
	return OwnPrefix + "fetches:" + tagOf(k.Queue) + ":" + session
}

// Inflight returns the list that holds the bodies of one fetch.
func (k Keys) Inflight(session, nonce string) string {
	return OwnPrefix + "inflight:" + tagOf(k.Queue) + ":" + session + ":" + nonce
}

// Stage returns the list where a blocking move of one session lands.
func (k Keys) Stage(session string) string {
	return OwnPrefix + "stage:" + tagOf(k.Queue) + ":" + session
}

// NonceRecord returns the string that remembers an offer made with a nonce.
func (k Keys) NonceRecord(nonce string) string { return k.Dedup + ":" + nonce }

// All returns every key of Redisson's and ours that exists once per queue, but that of
// operators alone and the journal, which not every queue has.
func (k Keys) All() []string {
	return []string{
		k.Queue, k.Timeout, k.Pending, k.Channel, k.Sessions, k.Leases, k.Attempts,
		k.MessageNames, k.Due, k.Head, k.Trace, k.IDs, k.Dead, k.Dedup, k.Control, k.Processes,
	}
}

// Own returns every key of ours that exists once per queue and holds no messages, or none once
// the dead store is empty: those of [Keys.All], Cleared, Changes and Journal, but for Redisson's and the sessions.
func (k Keys) Own() []string {
	return []string{
		k.Leases, k.Attempts, k.MessageNames, k.Due, k.Head, k.Trace, k.IDs, k.Dead, k.Cleared, k.Control, k.Processes, k.Changes, k.Journal,
	}
}

// Tag returns what stands in the queue's keys behind their kinds.
func (k Keys) Tag() string { return tagOf(k.Queue) }

// RepeatedKinds are the kinds of our keys of which a queue has one for each session or each
// key of an offer.
var RepeatedKinds = []string{"dedup", "fetches", "inflight", "stage"}

// tagOf puts a name into the form Redisson appends to a prefix. The test is
// only "contains an opening brace", it is not a test for a valid hash tag.
func tagOf(name string) string {
	if strings.Contains(name, "{") {
		return name
	}
	return "{" + name + "}"
}

// ID returns the ID of a message of the queue.
func (k Keys) ID(dueMs int64, id ElementID) MessageID {
	return MessageID{Partition: k.Partition, DueMs: dueMs, Element: id}
}

// EscapeGlob makes text match only itself in a pattern of Redis, as of SCAN and of ACL
// rules.
func EscapeGlob(text string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `]`, `\]`).Replace(text)
}

// TypedKey is a key with the type that scripts expect it to have, as TYPE tells it.
type TypedKey struct{ Key, Type string }

// Typed returns the keys of a queue that consumers use, but those of single sessions.
func (k Keys) Typed() []TypedKey {
	return []TypedKey{
		{k.Queue, "list"},
		{k.Sessions, "zset"},
		{k.Leases, "hash"},
		{k.Attempts, "hash"},
		{k.MessageNames, "hash"},
		{k.IDs, "zset"},
		{k.Due, "list"},
		{k.Trace, "zset"},
		{k.Dead, "stream"},
	}
}

// Names returns the keys that a queue in use has one or the other of: none exists where
// it is empty and nobody in Go handles it.
func (k Keys) Names() []string {
	names := []string{k.Timeout, k.Pending, k.Control, k.Processes, k.Journal}
	for _, t := range k.Typed() {
		names = append(names, t.Key)
	}
	return names
}
