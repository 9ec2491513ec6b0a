package redisson

import "strings"

// Prefixes of the keys that Redisson itself uses for a delayed queue, read in
// RedissonDelayedQueue of 2.7.0 to 4.7.0.
const (
	prefixTimeout = "redisson_delay_queue_timeout"
	prefixPending = "redisson_delay_queue"
	prefixChannel = "redisson_delay_queue_channel"
)

// ownPrefix starts every key that belongs to this project. Java never reads
// such keys.
const ownPrefix = "duequeue:"

// Keys are the names of everything that belongs to one queue. Build them with
// [KeysOf]; the zero value is not usable. Keys are comparable and immutable.
type Keys struct {
	Queue string // ready list of bare payloads: the raw name itself

	Timeout string // sorted set of pending elements scored by due ms (Redisson's)
	Pending string // list of the same elements in insertion order (Redisson's view)
	Channel string // plain Pub/Sub channel carrying due ms as decimal text (Redisson's)

	Sessions string // sorted set of consumer sessions scored by lease deadline
	Attempts string // hash of delivery counters by payload digest
	Due      string // hash of due records by payload
	Trace    string // hash of trace records by payload digest
	Dead     string // stream of messages given up, with bytes and reason
	Dedup    string // prefix of the deduplication records; see DedupRecord
	Control  string // hash of commands and settings shared by all processes
}

// KeysOf derives all keys of the queue whose raw Redis name is rawName, by
// Redisson's prefixName rule: a name that contains "{" anywhere is appended as
// it is, any other name is put in braces. rawName is what a [Mapper] returned;
// check it with [CheckName] first.
func KeysOf(rawName string) Keys {
	tag := tagOf(rawName)
	return Keys{
		Queue:    rawName,
		Timeout:  prefixTimeout + ":" + tag,
		Pending:  prefixPending + ":" + tag,
		Channel:  prefixChannel + ":" + tag,
		Sessions: ownPrefix + "sessions:" + tag,
		Attempts: ownPrefix + "attempts:" + tag,
		Due:      ownPrefix + "due:" + tag,
		Trace:    ownPrefix + "trace:" + tag,
		Dead:     ownPrefix + "dead:" + tag,
		Dedup:    ownPrefix + "dedup:" + tag,
		Control:  ownPrefix + "control:" + tag,
	}
}

// Fetches returns the set that names the open fetches of one session.
func (k Keys) Fetches(session string) string {
	return ownPrefix + "fetches:" + tagOf(k.Queue) + ":" + session
}

// Inflight returns the list that holds the bodies of one fetch.
func (k Keys) Inflight(session, nonce string) string {
	return ownPrefix + "inflight:" + tagOf(k.Queue) + ":" + session + ":" + nonce
}

// Stage returns the list where a blocking move of one session lands.
func (k Keys) Stage(session string) string {
	return ownPrefix + "stage:" + tagOf(k.Queue) + ":" + session
}

// DedupRecord returns the string that remembers an offer made with a key.
func (k Keys) DedupRecord(key string) string { return k.Dedup + ":" + key }

// all returns every key of Redisson's and ours that exists once per queue.
func (k Keys) all() []string {
	return []string{
		k.Queue, k.Timeout, k.Pending, k.Channel, k.Sessions, k.Attempts,
		k.Due, k.Trace, k.Dead, k.Dedup, k.Control,
	}
}

// tagOf puts a name into the form Redisson appends to a prefix. The test is
// only "contains an opening brace", it is not a test for a valid hash tag.
func tagOf(name string) string {
	if strings.Contains(name, "{") {
		return name
	}
	return "{" + name + "}"
}

// EscapeGlob makes text match only itself in a pattern of Redis, as of SCAN and of ACL
// rules.
func EscapeGlob(text string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `]`, `\]`).Replace(text)
}
